#include <fmt/format.h>
#include <re2/re2.h>

#include <array>

#include "operators/expression/functions.hpp"

namespace sluice::expression {
namespace {

constexpr int kMaxGroup = 63;

re2::RE2::Options quiet_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

// RE2 may be shared, but its matchers take a lock to fill a common cache of states: each task has its own.
struct PreparedRegex final : Prepared {
  PreparedRegex(std::string_view pattern, int wanted_group)
      : regex(re2::StringPiece(pattern.data(), pattern.size()), quiet_options()), group(wanted_group) {}

  std::shared_ptr<const Prepared> for_one_task() const override {
    return std::make_shared<PreparedRegex>(regex.pattern(), group);
  }

  re2::RE2 regex;
  int group;
};

// Of an empty text, which may lie nowhere, a group that matched nothing must still differ from one that took
// no part: RE2 marks that by a null pointer.
re2::StringPiece piece(std::string_view text) {
  return {text.data() != nullptr ? text.data() : "", text.size()};
}

std::shared_ptr<PreparedRegex> compile(const Constant& pattern, int group) {
  auto prepared = std::make_shared<PreparedRegex>(pattern.text, group);
  if (!prepared->regex.ok()) {
    throw ArgumentError{1, ErrorCode::bad_regex,
                        fmt::format("the regular expression is not valid: {}", prepared->regex.error())};
  }
  return prepared;
}

PreparedPtr prepare_match(std::span<const Constant* const> arguments) {
  if (arguments[1]->valid == 0) return nullptr;
  return compile(*arguments[1], 0);
}

PreparedPtr prepare_regexp_extract(std::span<const Constant* const> arguments) {
  if (arguments[1]->valid == 0) return nullptr;
  const bool given = arguments.size() > 2 && arguments[2]->valid != 0;
  auto prepared = compile(*arguments[1], 0);
  const std::int64_t group = given ? arguments[2]->integer : 0;
  const int groups = std::min(prepared->regex.NumberOfCapturingGroups(), kMaxGroup);
  if (group < 0 || group > groups) {
    throw ArgumentError{
        2, ErrorCode::out_of_range,
        fmt::format("the regular expression has the groups 0 (all of it) to {}; there is no group {}", groups,
                    group)};
  }
  prepared->group = static_cast<int>(group);
  return prepared;
}

void match(KernelCall& call) {
  if (call.prepared == nullptr) return;  // the pattern is null, so every row is
  const auto& regex = static_cast<const PreparedRegex*>(call.prepared)->regex;
  const Argument<std::string_view> a(call.args[0]);
  auto* out = call.out<std::uint8_t>();
  call.each_valid([&](std::uint32_t row) {
    out[row] = static_cast<std::uint8_t>(re2::RE2::PartialMatch(piece(a[row]), regex));
  });
}

void regexp_extract(KernelCall& call) {
  if (call.prepared == nullptr) return;
  const auto& prepared = *static_cast<const PreparedRegex*>(call.prepared);
  const Argument<std::string_view> a(call.args[0]);
  auto* out = call.out<std::string_view>();
  std::array<re2::StringPiece, kMaxGroup + 1> groups;
  call.each_valid([&](std::uint32_t row) {
    const re2::StringPiece text = piece(a[row]);
    const bool found =
        prepared.regex.Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(), prepared.group + 1);
    const re2::StringPiece& group = groups[static_cast<std::size_t>(prepared.group)];
    if (!found || group.data() == nullptr) return call.set_null(row);
    out[row] = {group.data(), group.size()};
  });
}

}  // namespace

void add_regex_functions(Overloads& all) {
  using enum Type;
  all.push_back({"regexp_match", {string, string}, boolean, match, prepare_match, 0b10});
  all.push_back({"regexp_extract", {string, string}, string, regexp_extract, prepare_regexp_extract, 0b10});
  all.push_back(
      {"regexp_extract", {string, string, int64}, string, regexp_extract, prepare_regexp_extract, 0b110});
}

}  // namespace sluice::expression
