#include "operators/builtin/null_sink.hpp"

namespace sluice {
namespace {

// The task counts what comes in (records_in); there is nothing left to do.
class NullSink final : public Operator {
 public:
  Result<void> open(const OperatorContext&) override { return {}; }
  Result<Step> process(std::uint32_t, const Batch&, Emitter&, TimeNs) override { return Step::needs_input(); }
};

class BoundNullSink final : public BoundOperator {
 public:
  std::unique_ptr<Operator> create() const override { return std::make_unique<NullSink>(); }
};

}  // namespace

OperatorType null_sink_type() {
  OperatorType type;
  type.type = "null_sink";
  type.kind = OperatorKind::sink;
  type.summary = "Counts the records that come in and forgets them.";
  type.example = "{}";
  type.inputs = {{"in", true, "the records"}};
  type.bind = [](const BindInput&, Problems&) -> std::unique_ptr<BoundOperator> {
    return std::make_unique<BoundNullSink>();
  };
  return type;
}

}  // namespace sluice
