#include "operators/aggregate/quantile_store.hpp"

#include <algorithm>

#include "runtime/base/check.hpp"

namespace sluice {

void QuantileStore::merge(const QuantileStore& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
}

std::int64_t QuantileStore::at_rank(std::uint64_t rank) const {
  SLUICE_CHECK(rank >= 1 && rank <= values_.size());
  const auto wanted = values_.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values_.begin(), wanted, values_.end());
  return *wanted;
}

}  // namespace sluice
