#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace sluice {

// Repeated measurements of one quantity. The machines are noisy: what counts is the median, and the spread
// beside it.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  bool empty() const { return values_.empty(); }
  std::size_t count() const { return values_.size(); }
  double median() const { return quantile(0.5); }
  double min() const { return quantile(0); }
  double max() const { return quantile(1); }

 private:
  double quantile(double q) const {
    if (values_.empty()) return 0;
    std::vector<double> sorted = values_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
  }

  std::vector<double> values_;
};

}  // namespace sluice
