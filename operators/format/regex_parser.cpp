#include <fmt/format.h>
#include <re2/re2.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/parsers.hpp"
#include "operators/format/utf8.hpp"

namespace sluice {
namespace {

struct GroupColumn {
  int group = 0;
  FieldConverter converter;
};

// A pattern that must match the whole record. It is compiled twice: for UTF-8 and, for records that are not
// valid UTF-8 (of which '.' would match nothing), byte by byte.
class RegexFormat final : public RecordFormat {
 public:
  RegexFormat(const std::string& pattern, std::vector<Field> fields, std::vector<GroupColumn> columns)
      : utf8_(pattern, RE2::Quiet), bytes_(pattern, byte_options()), columns_(std::move(columns)) {
    schema_ = Schema(std::move(fields));
    for (const GroupColumn& column : columns_) groups_ = std::max(groups_, column.group + 1);
  }
  std::unique_ptr<RecordParser> create() const override;

  int groups() const { return groups_; }
  const std::vector<GroupColumn>& columns() const { return columns_; }
  bool match(re2::StringPiece record, re2::StringPiece* groups) const {
    if (utf8_.Match(record, 0, record.size(), RE2::ANCHOR_BOTH, groups, groups_)) return true;
    return !is_utf8({record.data(), record.size()}) &&
           bytes_.Match(record, 0, record.size(), RE2::ANCHOR_BOTH, groups, groups_);
  }

 private:
  static RE2::Options byte_options() {
    RE2::Options options(RE2::Quiet);
    options.set_encoding(RE2::Options::EncodingLatin1);
    return options;
  }

  RE2 utf8_;
  RE2 bytes_;
  std::vector<GroupColumn> columns_;
  int groups_ = 1;  // to extract, the whole match included
};

class RegexParser final : public RecordParser {
 public:
  explicit RegexParser(const RegexFormat& format) : format_(format), groups_(format.groups()) {}

  Outcome parse(std::string_view record, ColumnBuilder* columns) override {
    if (!format_.match({record.data(), record.size()}, groups_.data())) {
      return bad(ErrorCode::malformed_record, "the record does not match the pattern");
    }
    for (std::size_t c = 0; c < format_.columns().size(); ++c) {
      const GroupColumn& column = format_.columns()[c];
      const re2::StringPiece group = groups_[column.group];
      if (group.data() == nullptr) {  // an optional group that took no part
        columns[c].append_null();
      } else if (!column.converter.append({group.data(), group.size()}, columns[c])) {
        return bad(ErrorCode::bad_field, field_fault(format_.schema().field(c).name,
                                                     {group.data(), group.size()}, column.converter.type()));
      }
    }
    return Outcome::kRow;
  }

 private:
  const RegexFormat& format_;
  std::vector<re2::StringPiece> groups_;
};

std::unique_ptr<RecordParser> RegexFormat::create() const { return std::make_unique<RegexParser>(*this); }

std::vector<std::string> group_names(const RE2& pattern) {
  std::vector<std::string> names;
  for (const auto& [number, name] : pattern.CapturingGroupNames()) names.push_back(name);
  return names;
}

// The number of the group that the entry means, or 0.
int group_of(const RE2& pattern, const ColumnSpec& spec, Problems& problems) {
  if (spec.position) {
    const int count = pattern.NumberOfCapturingGroups();
    if (*spec.position <= static_cast<std::uint32_t>(count)) return static_cast<int>(*spec.position);
    problems.push_back({spec.pointer + "/from", ErrorCode::out_of_range,
                        fmt::format("the pattern has {} groups and no group {}", count, *spec.position), ""});
    return 0;
  }
  const auto& groups = pattern.NamedCapturingGroups();
  const auto found = groups.find(spec.source_name());
  if (found != groups.end()) return found->second;
  unknown_source(spec, group_names(pattern), "group of the pattern", problems);
  return 0;
}

}  // namespace

FormatPtr bind_regex(const Json& format, const std::vector<ColumnSpec>& specs, Problems& problems) {
  const std::string pattern_text = format.at("pattern").get<std::string>();
  const RE2 pattern(pattern_text, RE2::Quiet);
  if (!pattern.ok()) {
    problems.push_back({"/format/pattern", ErrorCode::bad_regex,
                        fmt::format("{}: \"{}\"", pattern.error(), pattern.error_arg()),
                        "regular expressions are RE2's; a group is named by (?P<name>…)"});
    return nullptr;
  }
  std::vector<ColumnSpec> columns = specs;
  if (columns.empty()) {
    for (const std::string& name : group_names(pattern)) {
      columns.emplace_back();
      columns.back().name = name;
    }
  }
  if (columns.empty()) {
    problems.push_back({"/format/pattern", ErrorCode::bad_value,
                        "the pattern has no named group, so there is no column",
                        "name a group: (?P<name>…)"});
    return nullptr;
  }
  std::vector<Field> fields;
  std::vector<GroupColumn> groups;
  const std::size_t before = problems.size();
  for (const ColumnSpec& spec : columns) {
    const int group = group_of(pattern, spec, problems);
    auto converter = make_converter(spec, spec.type.value_or(Type::string), problems);
    if (group == 0 || !converter) continue;
    fields.push_back({spec.name, converter->type()});
    groups.push_back({group, std::move(*converter)});
  }
  if (problems.size() > before) return nullptr;
  return std::make_shared<RegexFormat>(pattern_text, std::move(fields), std::move(groups));
}

}  // namespace sluice
