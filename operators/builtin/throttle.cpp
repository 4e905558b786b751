#include "operators/builtin/throttle.hpp"

#include <algorithm>
#include <numeric>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"
#include "operators/builtin/pacer.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// No wait is longer, so that a throttle that should drain notices soon.
constexpr TimeNs kLongestWaitNs = 50 * kNsPerMs;

// Passes records on no faster than a rate. A batch that may go whole goes without a copy; otherwise it is
// handed out in row ranges, as the time comes, and its task stands still meanwhile: that is the slowness
// under trial. When the run drains, the rest goes at once.
class Throttle final : public Operator {
 public:
  Throttle(double per_second, const Schema& schema)
      : per_second_(per_second), pacer_(per_second), part_(schema) {}

  Result<void> open(const OperatorContext& context) override {
    draining_ = context.draining;
    pacer_ = Pacer(per_second_ / context.parallelism);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs now_ns) override {
    batch_ = batch;
    next_row_ = 0;
    return pass_on(out, now_ns);
  }

  Result<Step> resume(Emitter& out, TimeNs now_ns) override { return pass_on(out, now_ns); }

 private:
  Step pass_on(Emitter& out, TimeNs now_ns) {
    const std::uint32_t left = batch_.rows - next_row_;
    const bool all = draining_ != nullptr && draining_->load(std::memory_order_relaxed);
    const auto rows =
        static_cast<std::uint32_t>(all ? left : std::min<std::uint64_t>(left, pacer_.permitted(now_ns)));
    if (rows > 0) {
      selected_.resize(rows);
      std::iota(selected_.begin(), selected_.end(), next_row_);
      out.emit(kOutPort, part_.take(batch_, selected_));
      next_row_ += rows;
      pacer_.take(rows);
    }
    if (next_row_ == batch_.rows) return Step::needs_input();
    return Step::waits_until(std::min(pacer_.next_ns(now_ns), now_ns + kLongestWaitNs));
  }

  double per_second_;
  const std::atomic<bool>* draining_ = nullptr;
  Pacer pacer_;
  Batch batch_;  // the input that is being handed out; alive until this operator asks for the next one
  std::uint32_t next_row_ = 0;
  std::vector<std::uint32_t> selected_;
  RowSelection part_;
};

class BoundThrottle final : public BoundOperator {
 public:
  BoundThrottle(double per_second, const Schema& schema) : per_second_(per_second) {
    output_schemas_ = {schema};
    traits_.starts_chain = true;
  }
  std::unique_ptr<Operator> create() const override {
    return std::make_unique<Throttle>(per_second_, output_schemas_[kOutPort]);
  }

 private:
  double per_second_;
};

std::unique_ptr<BoundOperator> bind_throttle(const BindInput& in, Problems& problems) {
  const bool has_rate = in.config.contains("rate"), has_delay = in.config.contains("delay");
  if (has_rate == has_delay) {
    problems.push_back({has_rate ? "/delay" : "", has_rate ? ErrorCode::bad_value : ErrorCode::missing_field,
                        "a throttle has a rate or a delay", "give one of \"rate\" and \"delay\""});
    return nullptr;
  }
  if (has_delay) {
    const std::int64_t delay_us = duration_us_of(in.config, "delay");
    if (delay_us > 0)
      return std::make_unique<BoundThrottle>(1e6 / static_cast<double>(delay_us), in.inputs[0]);
    problems.push_back(
        {"/delay", ErrorCode::out_of_range, "the delay must be above 0", "leave the throttle out"});
    return nullptr;
  }
  const double per_second = parse_rate_per_second(in.config["rate"].get<std::string>()).value();
  if (per_second > 0) return std::make_unique<BoundThrottle>(per_second, in.inputs[0]);
  problems.push_back(
      {"/rate", ErrorCode::out_of_range, "the rate must be above 0", "\"max\" means no limit"});
  return nullptr;
}

}  // namespace

OperatorType throttle_type() {
  OperatorType type;
  type.type = "throttle";
  type.summary = "Passes records on at a limited rate: a slow consumer for trials.";
  type.example = R"({"rate": "1000/s"})";
  type.fields = {
      {.name = "rate",
       .type = FieldType::rate,
       .help = "Records per second, of all its parallel tasks together, like \"1000/s\"; this or delay."},
      {.name = "delay",
       .type = FieldType::duration,
       .help = "Time between two records, of all its parallel tasks together, like \"10ms\"; this or rate."}};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records, as they came"}};
  type.bind = bind_throttle;
  return type;
}

}  // namespace sluice
