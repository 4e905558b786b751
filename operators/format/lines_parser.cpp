#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "operators/format/parsers.hpp"

namespace sluice {
namespace {

class LinesFormat final : public RecordFormat {
 public:
  LinesFormat(std::string name, FieldConverter converter) : converter_(std::move(converter)) {
    schema_ = Schema({{std::move(name), converter_.type()}});
  }
  std::unique_ptr<RecordParser> create() const override;
  const FieldConverter& converter() const { return converter_; }

 private:
  FieldConverter converter_;
};

class LinesParser final : public RecordParser {
 public:
  explicit LinesParser(const LinesFormat& format) : format_(format) {}

  Outcome parse(std::string_view record, ColumnBuilder* columns) override {
    if (format_.converter().append(record, columns[0])) return Outcome::kRow;
    return bad(ErrorCode::bad_field,
               field_fault(format_.schema().field(0).name, record, format_.converter().type()));
  }

 private:
  const LinesFormat& format_;
};

std::unique_ptr<RecordParser> LinesFormat::create() const { return std::make_unique<LinesParser>(*this); }

}  // namespace

FormatPtr bind_lines(const std::vector<ColumnSpec>& specs, Problems& problems) {
  if (specs.size() > 1) {
    problems.push_back({specs[1].pointer, ErrorCode::bad_value, "format lines has one column, the line",
                        "name one column, or use the format regex or csv"});
    return nullptr;
  }
  ColumnSpec spec;
  if (specs.empty()) {
    spec.name = "line";
  } else {
    spec = specs[0];
  }
  const bool known = (spec.from.empty() || spec.from == "line") && spec.position.value_or(1) == 1;
  if (!known) {
    unknown_source(spec, {"line"}, "the line", problems);
    return nullptr;
  }
  auto converter = make_converter(spec, spec.type.value_or(Type::string), problems);
  if (!converter) return nullptr;
  return std::make_shared<LinesFormat>(spec.name, std::move(*converter));
}

}  // namespace sluice
