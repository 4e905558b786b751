#include "runtime/base/error.hpp"

#include <array>
#include <cerrno>
#include <system_error>

namespace sluice {
namespace {

struct Row {
  std::string_view name;
  std::string_view sentence;
};

constexpr std::array<Row, kErrorCodeCount> kTable = {{
#define SLUICE_ERROR_ROW(name, sentence) {#name, sentence},
    SLUICE_ERROR_TABLE(SLUICE_ERROR_ROW)
#undef SLUICE_ERROR_ROW
}};

}  // namespace

std::string_view error_name(ErrorCode code) { return kTable[static_cast<std::size_t>(code)].name; }
std::string_view error_sentence(ErrorCode code) { return kTable[static_cast<std::size_t>(code)].sentence; }

Error Error::within(std::string_view context) && {
  std::string text(context);
  text += ": ";
  text += message_;
  return Error(code_, std::move(text));
}

Error error_from_errno(int errno_value, std::string_view what) {
  const bool full = errno_value == ENOSPC || errno_value == EDQUOT;
  std::string text(what);
  text += ": ";
  text += std::generic_category().message(errno_value);
  return Error(full ? ErrorCode::disk_full : ErrorCode::io_error, std::move(text));
}

}  // namespace sluice
