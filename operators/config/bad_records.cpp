#include "operators/config/bad_records.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sluice {
namespace {

// Cuts at a character's start, so that what was valid UTF-8 stays so.
std::string_view shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

}  // namespace

OnError on_error_of(const Json& config) {
  const auto it = config.find("on_error");
  if (it == config.end() || !it->is_string()) return OnError::dead_letter;
  const auto& text = it->get_ref<const std::string&>();
  if (text == "skip") return OnError::skip;
  if (text == "fail") return OnError::fail;
  return OnError::dead_letter;
}

const Schema& errors_schema() {
  static const Schema schema({{"input", Type::string},
                              {"operator", Type::string},
                              {"code", Type::string},
                              {"message", Type::string}});
  return schema;
}

Result<void> BadRecords::add(ErrorCode code, std::string_view input, std::string_view message,
                             std::string_view where) {
  const auto reason = static_cast<std::size_t>(code);
  if (context_.counters != nullptr) context_.counters->bad[reason].add(1);
  std::string sentence = where.empty() ? std::string(message) : fmt::format("{}: {}", where, message);
  if (policy_ == OnError::fail) {
    constexpr std::size_t kShown = 200;
    return Error(ErrorCode::bad_record_failed,
                 fmt::format("bad record ({}): {}; the record: {}", error_name(code), sentence,
                             shortened(input, kShown)));
  }
  if (context_.log != nullptr && logged_[reason] < kLoggedPerReason) {
    const bool last = ++logged_[reason] == kLoggedPerReason;
    context_.log->write(
        LogLevel::warning,
        fmt::format("{}: bad record ({}): {}{}", context_.operator_id, error_name(code), sentence,
                    last ? "; further ones of this kind are counted and not logged" : ""));
  }
  if (policy_ != OnError::dead_letter || !context_.connected(port_)) return {};
  if (emitted_) {
    staging_.clear();
    emitted_ = false;
  }
  staging_.column(0).append_string(shortened(input, kMaxInputBytes));
  staging_.column(1).append_string(context_.operator_id);
  staging_.column(2).append_string(error_name(code));
  staging_.column(3).append_string(sentence);
  return {};
}

bool BadRecords::wants_input() const {
  return policy_ == OnError::fail || (policy_ == OnError::dead_letter && context_.connected(port_));
}

void BadRecords::flush(Emitter& out) {
  // What was emitted must stay valid until the operator is called again, so it is cleared by the next add.
  if (emitted_ || staging_.rows() == 0) return;
  out.emit(port_, staging_.view());
  emitted_ = true;
}

}  // namespace sluice
