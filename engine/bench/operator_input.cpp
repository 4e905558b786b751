#include "engine/bench/operator_input.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// Draws key numbers 0 … keys − 1.
class KeyDraw {
 public:
  KeyDraw(std::uint64_t keys, KeySpread spread) : keys_(keys) {
    if (spread == KeySpread::uniform) return;
    double sum = 0;
    cumulative_.reserve(keys);
    for (std::uint64_t i = 0; i < keys; ++i) cumulative_.push_back(sum += 1.0 / static_cast<double>(i + 1));
  }

  std::uint64_t operator()(std::uint64_t random) const {
    if (cumulative_.empty()) return random % keys_;
    const double point = static_cast<double>(random >> 11) * 0x1p-53 * cumulative_.back();
    const auto it = std::upper_bound(cumulative_.begin(), cumulative_.end(), point);
    return std::min<std::uint64_t>(static_cast<std::uint64_t>(it - cumulative_.begin()), keys_ - 1);
  }

 private:
  std::uint64_t keys_;
  std::vector<double> cumulative_;
};

}  // namespace

OperatorInput::OperatorInput(const Shape& shape) : rows_(shape.rows) {
  SLUICE_CHECK_EQ(shape.rows % kBatchRows, 0u);
  for (AlignedBuffer& buffer : buffers_) buffer.reserve(rows_ * sizeof(std::int64_t));
  const KeyDraw draw(shape.keys, shape.spread);
  std::int64_t watermark = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    const std::uint64_t random = hash_word(i, shape.seed);
    column<std::int64_t>(0)[i] = static_cast<std::int64_t>(hash_word(draw(random)));
    column<std::int64_t>(1)[i] = static_cast<std::int64_t>(hash_word(random) % 1000);
    column<double>(2)[i] = static_cast<double>(random % 1'000'000) / 1000;
    column<std::int64_t>(3)[i] = static_cast<std::int64_t>(i) * shape.step_us;
    column<std::int64_t>(4)[i] = watermark;
    watermark = column<std::int64_t>(3)[i];
  }
}

const Schema& OperatorInput::schema() {
  static const Schema schema({{"k", Type::int64}, {"v", Type::int64}, {"f", Type::float64}}, true);
  return schema;
}

Batch OperatorInput::batch(std::size_t index) {
  for (std::size_t c = 0; c < kColumns; ++c) {
    views_[c] = {schema().field(c).type, nullptr, column<std::int64_t>(c) + index * kBatchRows, nullptr};
  }
  return {&schema(), kBatchRows, views_};
}

}  // namespace sluice
