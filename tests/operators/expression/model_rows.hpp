#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/operators/expression/model.hpp"

namespace sluice::test {

// Values at the edges of what the language takes; columns and literals are drawn from them alike.
extern const std::vector<std::int64_t> kIntegers;
extern const std::vector<double> kReals;
extern const std::vector<std::string> kTexts;

template <typename T>
const T& pick(const std::vector<T>& from, std::mt19937_64& random) {
  return from[random() % from.size()];
}

}  // namespace sluice::test
