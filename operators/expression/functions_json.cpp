#include <fmt/format.h>

#include "operators/expression/functions.hpp"
#include "operators/expression/json_text.hpp"

namespace sluice::expression {
namespace {

using Text = std::string_view;

struct PreparedPointer final : Prepared {
  explicit PreparedPointer(std::vector<std::string> s) : steps(std::move(s)) {}
  std::vector<std::string> steps;
};

constexpr Text kPointerRule =
    "it is empty or begins with \"/\", and ~ in a name is written ~0, / in a name ~1";

PreparedPtr prepare_pointer(std::span<const Constant* const> arguments) {
  const Constant* pointer = arguments[1];
  if (pointer == nullptr || pointer->valid == 0) return nullptr;
  auto steps = parse_json_pointer(pointer->text);
  if (!steps) {
    throw ArgumentError{1, ErrorCode::bad_value,
                        fmt::format("\"{}\" is no JSON pointer: {}", pointer->text, kPointerRule)};
  }
  return std::make_shared<PreparedPointer>(std::move(*steps));
}

// take(row, raw value): what the function makes of the value that the pointer leads to; a row without one is
// null.
template <typename Take>
void look_up(KernelCall& call, Text function, Take take) {
  const Argument<Text> document(call.args[0]);
  const Argument<Text> pointer(call.args[1]);
  const auto* prepared = static_cast<const PreparedPointer*>(call.prepared);
  call.each_valid([&](std::uint32_t row) {
    std::optional<std::vector<std::string>> own_steps;
    if (prepared == nullptr) {
      own_steps = parse_json_pointer(pointer[row]);
      if (!own_steps) {
        return call.fail(row, ErrorCode::bad_argument,
                         fmt::format("{}: {} is no JSON pointer", function, quoted_value(pointer[row])));
      }
    }
    const JsonFound found = find_json(document[row], prepared != nullptr ? prepared->steps : *own_steps);
    if (!found.well_formed) {
      return call.fail(row, ErrorCode::bad_argument,
                       fmt::format("{}: {} is not valid JSON", function, quoted_value(document[row])));
    }
    if (!found.present) return call.set_null(row);
    take(row, found.raw);
  });
}

void json_get(KernelCall& call) {
  auto* out = call.out<Text>();
  look_up(call, "json_get", [&](std::uint32_t row, Text raw) { out[row] = raw; });
}

void json_text(KernelCall& call) {
  auto* out = call.out<Text>();
  look_up(call, "json_text", [&](std::uint32_t row, Text raw) {
    if (raw == "null") return call.set_null(row);
    out[row] = json_scalar_text(raw, call.arena);
  });
}

}  // namespace

void add_json_functions(Overloads& all) {
  using enum Type;
  all.push_back({"json_get", {json, string}, json, json_get, prepare_pointer});
  all.push_back({"json_get", {string, string}, json, json_get, prepare_pointer});
  all.push_back({"json_text", {json, string}, string, json_text, prepare_pointer});
  all.push_back({"json_text", {string, string}, string, json_text, prepare_pointer});
}

}  // namespace sluice::expression
