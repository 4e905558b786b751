#include "operators/builtin/sample.hpp"

#include <cmath>

#include "operators/binding/binding.hpp"
#include "operators/binding/ports.hpp"
#include "operators/binding/row_selection.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

struct SamplePlan {
  std::vector<std::size_t> by;
  std::uint64_t seed = 0;
  // A record is kept if its coin is at most this; the coins are spread evenly over 64 bits.
  std::uint64_t highest_kept = UINT64_MAX;
};

// Keeps a record if a coin falls below the rate. The coin is a hash: of the seed and the values of `by`, so
// that all records of a key stay or go together, wherever and however often the graph runs; without `by` of
// the seed and the record's position. State: the position.
class Sample final : public Operator {
 public:
  Sample(const SamplePlan& plan, const Schema& schema) : plan_(plan), kept_(schema) {}

  Result<void> open(const OperatorContext&) override { return {}; }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    fill_faces(batch);
    selected_.clear();
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      // hash_columns also decides to which task a key goes: hashed again, the coin is independent of it.
      if (hash_word(faces_[row], plan_.seed) <= plan_.highest_kept) selected_.push_back(row);
    }
    if (!selected_.empty()) out.emit(kOutPort, kept_.take(batch, selected_));
    return Step::needs_input();
  }

 private:
  // What the coin of each row is a hash of.
  void fill_faces(const Batch& batch) {
    faces_.resize(batch.rows);
    if (!plan_.by.empty()) return hash_columns(batch, plan_.by, faces_.data());
    for (std::uint64_t& face : faces_) face = position_++;
  }

  const SamplePlan& plan_;
  RowSelection kept_;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> faces_;
  std::vector<std::uint32_t> selected_;
};

class BoundSample final : public BoundOperator {
 public:
  BoundSample(SamplePlan plan, const Schema& schema) : plan_(std::move(plan)) {
    output_schemas_ = {schema};
    if (plan_.by.empty()) {
      traits_.max_parallelism = 1;
      traits_.max_parallelism_reason = "without \"by\" a record's coin depends on its position among all";
      traits_.order_sensitive = true;
    }
  }

  std::unique_ptr<Operator> create() const override {
    return std::make_unique<Sample>(plan_, output_schemas_[kOutPort]);
  }

 private:
  SamplePlan plan_;
};

std::unique_ptr<BoundOperator> bind_sample(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  SamplePlan plan;
  const double rate = in.config["rate"].get<double>();
  if (rate <= 0) {
    problems.push_back({"/rate", ErrorCode::out_of_range, "the rate must be above 0",
                        "a sample of nothing is a graph without this branch"});
  } else if (rate < 1) {
    plan.highest_kept = static_cast<std::uint64_t>(std::ldexp(rate, 64));
  }
  const Json& seed = config_field(in.config, "seed");
  if (!seed.is_null()) plan.seed = seed.get<std::uint64_t>();
  const auto by = bind_columns(in.inputs[0], config_field(in.config, "by"), "/by", problems);
  if (by) plan.by = *by;
  if (problems.size() > before) return nullptr;
  return std::make_unique<BoundSample>(std::move(plan), in.inputs[0]);
}

}  // namespace

OperatorType sample_type() {
  OperatorType type;
  type.type = "sample";
  type.summary = "Keeps a random share of the records, or of the keys with all their records.";
  type.example = R"({"rate": 0.01, "by": ["user"]})";
  type.fields = {
      {.name = "rate",
       .type = FieldType::number,
       .required = true,
       .help = "The share that is kept, above 0; 1 keeps all.",
       .minimum = 0,
       .maximum = 1},
      {.name = "by",
       .type = FieldType::columns,
       .help = "The columns of a key: all records of a key stay or go together. Left out, each record is "
               "drawn by itself."},
      {.name = "seed",
       .type = FieldType::integer,
       .default_text = "0",
       .help = "Another seed keeps another sample; the same seed and the same input always the same one.",
       .minimum = 0,
       .maximum = 9e18}};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {{"out", false, "the records kept, as they came"}};
  type.bind = bind_sample;
  return type;
}

}  // namespace sluice
