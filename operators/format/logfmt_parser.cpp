#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "operators/format/logfmt_pairs.hpp"
#include "operators/format/parsers.hpp"

namespace sluice {
namespace {

class LogfmtFormat final : public RecordFormat {
 public:
  struct Key {
    std::string name;
    std::vector<std::uint32_t> columns;  // that take its value
  };

  LogfmtFormat(std::vector<Field> fields, std::vector<FieldConverter> converters, std::vector<Key> keys)
      : converters_(std::move(converters)), keys_(std::move(keys)) {
    schema_ = Schema(std::move(fields));
  }
  std::unique_ptr<RecordParser> create() const override;
  const std::vector<FieldConverter>& converters() const { return converters_; }
  const std::vector<Key>& keys() const { return keys_; }

 private:
  std::vector<FieldConverter> converters_;
  std::vector<Key> keys_;
};

// Takes out of a record what the schema names. Of a key that stands twice the first counts.
class LogfmtParser final : public RecordParser {
 public:
  explicit LogfmtParser(const LogfmtFormat& format) : format_(format), seen_(format.keys().size()) {}

  Outcome parse(std::string_view record, ColumnBuilder* columns) override {
    std::fill(seen_.begin(), seen_.end(), false);
    pairs_.start(record);
    bool any = false;
    expected_ = 0;
    for (;;) {
      const auto next = pairs_.next();
      if (next == LogfmtPairs::Next::kBad) return bad(ErrorCode::malformed_record, pairs_.fault());
      if (next == LogfmtPairs::Next::kEnd) break;
      any = true;
      if (!take(columns)) return Outcome::kBad;
    }
    if (!any) return Outcome::kSkip;
    for (std::size_t k = 0; k < seen_.size(); ++k) {
      if (seen_[k]) continue;
      for (const std::uint32_t c : format_.keys()[k].columns) columns[c].append_null();
    }
    return Outcome::kRow;
  }

 private:
  bool take(ColumnBuilder* columns) {
    const std::size_t found = find_key();
    if (found == seen_.size() || seen_[found]) return true;
    expected_ = found + 1;
    seen_[found] = true;
    for (const std::uint32_t c : format_.keys()[found].columns) {
      if (!put(c, columns[c])) return false;
    }
    return true;
  }

  // Keys mostly come in the order of the schema.
  std::size_t find_key() const {
    const auto& keys = format_.keys();
    if (expected_ < keys.size() && keys[expected_].name == pairs_.key()) return expected_;
    std::size_t k = 0;
    while (k < keys.size() && keys[k].name != pairs_.key()) ++k;
    return k;
  }

  bool put(std::uint32_t c, ColumnBuilder& column) {
    if (pairs_.form() == LogfmtPairs::Form::kNull) {
      column.append_null();
      return true;
    }
    const FieldConverter& converter = format_.converters()[c];
    if (converter.append(pairs_.value(), column)) return true;
    bad(ErrorCode::bad_field, field_fault(format_.schema().field(c).name, pairs_.value(), converter.type()));
    return false;
  }

  const LogfmtFormat& format_;
  LogfmtPairs pairs_;
  std::vector<char> seen_;  // a key of the schema
  std::size_t expected_ = 0;
};

void add_column(std::vector<LogfmtFormat::Key>& keys, const std::string& key, std::size_t column) {
  auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.name == key; });
  if (found == keys.end()) found = keys.insert(found, {key, {}});
  found->columns.push_back(static_cast<std::uint32_t>(column));
}

std::unique_ptr<RecordParser> LogfmtFormat::create() const { return std::make_unique<LogfmtParser>(*this); }

}  // namespace

FormatPtr bind_logfmt(const std::vector<ColumnSpec>& given, const SampleRecords& sample, Problems& problems) {
  const std::size_t before = problems.size();
  const std::vector<ColumnSpec> specs =
      given.empty() ? inferred_columns({}, sample, infer_logfmt_columns, "logfmt pair", problems) : given;
  std::vector<Field> fields;
  std::vector<FieldConverter> converters;
  std::vector<LogfmtFormat::Key> keys;
  for (const ColumnSpec& spec : specs) {
    if (spec.position) {
      problems.push_back(
          {spec.pointer + "/from", ErrorCode::wrong_type, "of logfmt \"from\" is a key, not a position", ""});
    } else if (spec.source_name().find_first_of(" \t=\"") != std::string::npos) {
      problems.push_back({spec.pointer + (spec.from.empty() ? "/name" : "/from"), ErrorCode::bad_value,
                          fmt::format("\"{}\" can be no key of logfmt, which holds no blank, \"=\" or quote",
                                      spec.source_name()),
                          spec.from.empty() ? "give the key in \"from\"" : ""});
    }
    auto converter = make_converter(spec, spec.type.value_or(Type::string), problems);
    if (!converter) continue;
    fields.push_back({spec.name, converter->type()});
    add_column(keys, spec.source_name(), converters.size());
    converters.push_back(std::move(*converter));
  }
  if (problems.size() > before) return nullptr;
  return std::make_shared<LogfmtFormat>(std::move(fields), std::move(converters), std::move(keys));
}

}  // namespace sluice
