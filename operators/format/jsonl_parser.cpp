#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/json_text.hpp"
#include "operators/format/jsonl_columns.hpp"
#include "operators/format/parsers.hpp"
#include "operators/format/record_reader.hpp"

namespace sluice {
namespace {

namespace od = simdjson::ondemand;
using simdjson::error_code;

static_assert(kRecordPadding >= simdjson::SIMDJSON_PADDING);

class JsonlFormat final : public RecordFormat {
 public:
  JsonlFormat(Framing framing, std::vector<Field> fields, std::vector<FieldConverter> converters,
              JsonPaths paths)
      : converters_(std::move(converters)), paths_(std::move(paths)) {
    framing_ = std::move(framing);
    schema_ = Schema(std::move(fields));
  }
  std::unique_ptr<RecordParser> create() const override;
  const std::vector<FieldConverter>& converters() const { return converters_; }
  const JsonPaths& paths() const { return paths_; }

 private:
  std::vector<FieldConverter> converters_;
  JsonPaths paths_;
};

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::string_view without_trailing_blanks(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// 5, 5.0 and 5e0 are the integer 5. With an exponent only numbers that a double holds exactly are taken.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.find_first_of("eE") == std::string_view::npos) {
    const std::size_t point = std::min(text.find('.'), text.size());
    const bool fraction = text.find_first_not_of('0', point + 1) != std::string_view::npos;
    return fraction ? std::nullopt : parse_int64(text.substr(0, point));
  }
  constexpr double kExact = 9007199254740992.0;
  const auto value = parse_float64(text);
  if (!value || std::abs(*value) >= kExact || std::trunc(*value) != *value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// Walks over one record with simdjson's on-demand parser and takes out what the schema names. Of a key that
// an object holds twice the first value counts.
class JsonlParser final : public RecordParser {
 public:
  explicit JsonlParser(const JsonlFormat& format) : format_(format), seen_(format.schema().size()) {}

  Outcome parse(std::string_view record, ColumnBuilder* columns) override {
    if (is_blank(record)) {
      if (!format_.framing().array) return Outcome::kSkip;
      return bad(ErrorCode::malformed_record, "a comma has no element in front of it or behind it");
    }
    if (nests_too_deep(record)) {
      return bad(ErrorCode::malformed_record,
                 fmt::format("the record nests deeper than {} levels", kJsonDepth));
    }
    columns_ = columns;
    std::fill(seen_.begin(), seen_.end(), false);
    refused_ = false;
    const error_code error = walk_record(record);
    if (refused_) return Outcome::kBad;
    if (error != simdjson::SUCCESS) return malformed(error);
    for (std::size_t c = 0; c < seen_.size(); ++c) {
      if (!seen_[c]) columns[c].append_null();
    }
    return Outcome::kRow;
  }

 private:
  using Node = JsonPaths::Node;

  Outcome malformed(error_code error) {
    if (error == simdjson::INCORRECT_TYPE)
      return bad(ErrorCode::malformed_record, "the record is not a JSON object");
    if (error == simdjson::UTF8_ERROR)
      return bad(ErrorCode::malformed_record, "the record is not valid UTF-8, which JSON must be");
    return bad(ErrorCode::malformed_record,
               fmt::format("the record is not valid JSON ({})", simdjson::error_message(error)));
  }

  error_code walk_record(std::string_view record) {
    od::document document;
    if (const auto error =
            parser_.iterate(record.data(), record.size(), record.size() + kRecordPadding).get(document))
      return error;
    od::object object;
    if (const auto error = document.get_object().get(object)) return error;
    if (const auto error = walk_object(object, format_.paths().root())) return error;
    const bool complete = refused_ || document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    return complete ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
  }

  // The recursion is as deep as the schema's pointers, not as the record.
  error_code walk_object(od::object object, const Node& node) {
    std::size_t expected = 0;  // keys mostly come in the order of the schema
    for (auto entry : object) {
      od::field field;
      if (const auto error = std::move(entry).get(field)) return error;
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      const std::size_t found = find_key(node, key, expected);
      if (found == node.keys.size()) continue;
      expected = found + 1;
      if (const auto error = take(field.value(), format_.paths().node(node.children[found]))) return error;
      if (refused_) return simdjson::SUCCESS;
    }
    return simdjson::SUCCESS;
  }

  error_code walk_array(od::array array, const Node& node) {
    std::size_t index = 0;
    for (auto element : array) {
      od::value value;
      if (const auto error = std::move(element).get(value)) return error;
      const std::string key = std::to_string(index++);
      const std::size_t found = find_key(node, key, 0);
      if (found == node.keys.size()) continue;
      if (const auto error = take(value, format_.paths().node(node.children[found]))) return error;
      if (refused_) return simdjson::SUCCESS;
    }
    return simdjson::SUCCESS;
  }

  static std::size_t find_key(const Node& node, std::string_view key, std::size_t expected) {
    if (expected < node.keys.size() && node.keys[expected] == key) return expected;
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (node.keys[i] == key) return i;
    }
    return node.keys.size();
  }

  error_code take(od::value value, const Node& node) {
    od::json_type type;
    if (const auto error = value.type().get(type)) return error;
    if (type == od::json_type::object) return take_container<od::object>(value, node);
    if (type == od::json_type::array) return take_container<od::array>(value, node);
    return take_scalar(value, type, node);
  }

  template <typename Container>
  error_code take_container(od::value value, const Node& node) {
    Container container;
    if (const auto error = value.get(container)) return error;
    if (!node.columns.empty()) {
      std::string_view raw;
      if (const auto error = container.raw_json().get(raw)) return error;
      raw = without_trailing_blanks(raw);
      if (!is_json(raw)) return simdjson::TAPE_ERROR;
      for (const std::uint32_t c : node.columns) put_container(c, raw);
      if (node.children.empty() || refused_) return simdjson::SUCCESS;
      if (const auto error = container.reset().error()) return error;
    }
    if (node.children.empty()) return simdjson::SUCCESS;
    if constexpr (std::is_same_v<Container, od::object>) {
      return walk_object(container, node);
    } else {
      return walk_array(container, node);
    }
  }

  error_code take_scalar(od::value value, od::json_type type, const Node& node) {
    if (node.columns.empty()) return simdjson::SUCCESS;  // a scalar where a pointer goes deeper: null
    const std::string_view raw = without_trailing_blanks(value.raw_json_token());
    std::string_view text = raw;
    switch (type) {
      case od::json_type::string:
        if (const auto error = value.get_string().get(text)) return error;
        break;
      case od::json_type::number:
        if (!is_json_number(raw)) return simdjson::NUMBER_ERROR;
        break;
      case od::json_type::boolean:
        if (raw != "true" && raw != "false") return simdjson::T_ATOM_ERROR;
        break;
      default:
        if (raw != "null") return simdjson::N_ATOM_ERROR;
        for (const std::uint32_t c : node.columns) {
          if (first(c)) columns_[c].append_null();
        }
        return simdjson::SUCCESS;
    }
    for (const std::uint32_t c : node.columns) put_scalar(c, type, raw, text);
    return simdjson::SUCCESS;
  }

  bool first(std::uint32_t column) {
    if (seen_[column]) return false;
    seen_[column] = true;
    return true;
  }

  void put_container(std::uint32_t column, std::string_view raw) {
    if (!first(column) || refused_) return;
    const Type type = format_.converters()[column].type();
    if (physical(type) != Physical::bytes) return refuse(column, raw);
    columns_[column].append_string(raw);
  }

  void put_scalar(std::uint32_t column, od::json_type type, std::string_view raw, std::string_view text) {
    if (!first(column) || refused_) return;
    const FieldConverter& converter = format_.converters()[column];
    if (converter.type() == Type::json) {
      columns_[column].append_string(raw);
      return;
    }
    if (converter.type() == Type::int64 && type == od::json_type::number) {
      const auto whole = whole_number(text);
      if (!whole) return refuse(column, text);
      columns_[column].append_int64(*whole);
      return;
    }
    const bool fits = converter.type() != Type::boolean || type != od::json_type::number;
    if (!fits || !converter.append(text, columns_[column])) refuse(column, text);
  }

  void refuse(std::uint32_t column, std::string_view text) {
    refused_ = true;
    bad(ErrorCode::bad_field,
        field_fault(format_.schema().field(column).name, text, format_.converters()[column].type()));
  }

  const JsonlFormat& format_;
  od::parser parser_;
  std::vector<char> seen_;
  ColumnBuilder* columns_ = nullptr;
  bool refused_ = false;
};

std::unique_ptr<RecordParser> JsonlFormat::create() const { return std::make_unique<JsonlParser>(*this); }

FormatPtr bind_json(Framing framing, const std::vector<ColumnSpec>& given, const SampleRecords& sample,
                    Problems& problems) {
  const std::size_t before = problems.size();
  const std::vector<ColumnSpec> specs =
      given.empty() ? inferred_columns(framing, sample, infer_json_columns, "JSON object", problems) : given;
  std::vector<Field> fields;
  std::vector<FieldConverter> converters;
  JsonPaths paths;
  for (const ColumnSpec& spec : specs) {
    if (spec.position) {
      problems.push_back({spec.pointer + "/from", ErrorCode::wrong_type,
                          "of JSON \"from\" is a key or a pointer, not a position", ""});
    } else if (!paths.add(spec.source_name(), static_cast<std::uint32_t>(fields.size()))) {
      problems.push_back({spec.pointer + "/from", ErrorCode::bad_value,
                          fmt::format("\"{}\" is not a JSON pointer", spec.source_name()),
                          "write ~0 for ~ and ~1 for /"});
    }
    auto converter = make_converter(spec, spec.type.value_or(Type::string), problems);
    if (!converter) continue;
    fields.push_back({spec.name, converter->type()});
    converters.push_back(std::move(*converter));
  }
  if (problems.size() > before) return nullptr;
  return std::make_shared<JsonlFormat>(std::move(framing), std::move(fields), std::move(converters),
                                       std::move(paths));
}

}  // namespace

FormatPtr bind_jsonl(const std::vector<ColumnSpec>& specs, const SampleRecords& sample, Problems& problems) {
  return bind_json({}, specs, sample, problems);
}

FormatPtr bind_json_array(const Json& format, const std::vector<ColumnSpec>& specs,
                          const SampleRecords& sample, Problems& problems) {
  Framing framing;
  framing.array.emplace();
  const std::string records = format.value("records", "");
  if (!records.empty()) framing.array = json_path(records);
  if (!framing.array) {
    problems.push_back({"/format/records", ErrorCode::bad_value,
                        fmt::format("\"{}\" is not a JSON pointer", records), "write ~0 for ~ and ~1 for /"});
    return nullptr;
  }
  return bind_json(std::move(framing), specs, sample, problems);
}

}  // namespace sluice
