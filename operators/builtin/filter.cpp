#include "operators/builtin/filter.hpp"

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"

namespace sluice {
namespace {

// Emits the rows for which the condition is true: the input batch itself if all are, copies otherwise. A row
// whose condition cannot be evaluated is a bad record.
class Filter final : public Operator {
 public:
  Filter(const Expression& where, const Schema& schema, OnError on_error)
      : where_(where), kept_(schema), bad_(on_error, kErrorsPort) {}

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    select_true(where_.evaluate(batch), batch.rows, selected_);
    if (!where_.errors().empty()) SLUICE_TRY(add_row_errors(bad_, batch, where_.errors()));
    if (!selected_.empty()) out.emit(kOutPort, kept_.take(batch, selected_));
    bad_.flush(out);
    return Step::needs_input();
  }

 private:
  Evaluator where_;
  RowSelection kept_;
  BadRecords bad_;
  std::vector<std::uint32_t> selected_;
};

class BoundFilter final : public BoundOperator {
 public:
  BoundFilter(Expression where, const Schema& schema, OnError on_error)
      : where_(std::move(where)), on_error_(on_error) {
    output_schemas_ = {schema, errors_schema()};
  }

  std::unique_ptr<Operator> create() const override {
    return std::make_unique<Filter>(where_, output_schemas_[kOutPort], on_error_);
  }

 private:
  Expression where_;
  OnError on_error_;
};

std::unique_ptr<BoundOperator> bind_filter(const BindInput& in, Problems& problems) {
  const Schema& schema = in.inputs[0];
  auto where = bind_condition(schema, in.config["where"].get<std::string>(), "/where", problems);
  if (!where) return nullptr;
  return std::make_unique<BoundFilter>(*std::move(where), schema, on_error_of(in.config));
}

}  // namespace

OperatorType filter_type() {
  OperatorType type;
  type.type = "filter";
  type.summary = "Keeps the records for which a condition is true; null is not true.";
  type.example = R"({"where": "status >= 500 and method = 'GET'"})";
  type.fields = {{.name = "where",
                  .type = FieldType::expression,
                  .required = true,
                  .help = "The condition, an expression of type bool over the input's columns."},
                 on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records kept, as they came"},
                  {"errors", false, "records whose condition could not be evaluated"}};
  type.bind = bind_filter;
  return type;
}

}  // namespace sluice
