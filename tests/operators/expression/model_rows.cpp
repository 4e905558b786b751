#include "tests/operators/expression/model_rows.hpp"

#include <cmath>

namespace sluice::test {
const std::vector<std::int64_t> kIntegers = {
    0, 1, -1, 2, 3, -7, 10, 99, 1000, -250, INT64_MAX, INT64_MIN, 1LL << 62, 4'611'686'018'427'387'904};
const std::vector<double> kReals = {0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 1e10, 3.14159, -0.001, 1e300, 9.3e18};
const std::vector<std::string> kTexts = {
    "",      "a", "A b", "abcabc", "12", " -7 ", "1.5", "caf\xc3\xa9", "\xff\xc3", "9223372036854775808",
    "a,b,c", "%", "b"};

namespace {

const std::vector<std::int64_t> kTimes = {
    0, -1, 1'431'857'103'250'000, -62'135'596'800'000'000, 999'999, -86'400'000'001};

}  // namespace

const Schema& model_schema() {
  static const Schema schema({{"i", Type::int64},
                              {"j", Type::int64},
                              {"f", Type::float64},
                              {"g", Type::float64},
                              {"b", Type::boolean},
                              {"c", Type::boolean},
                              {"s", Type::string},
                              {"t", Type::string},
                              {"u", Type::timestamp},
                              {"v", Type::timestamp}});
  return schema;
}

std::vector<Value> random_row(std::mt19937_64& random) {
  std::vector<Value> row;
  for (const Field& field : model_schema().fields()) {
    Value value;
    value.null = random() % 5 == 0;
    switch (field.type) {
      case Type::int64:
        value.integer =
            random() % 3 == 0 ? static_cast<std::int64_t>(random() % 20) : pick(kIntegers, random);
        break;
      case Type::float64:
        value.real = random() % 10 == 0 ? std::nan("") : pick(kReals, random);
        break;
      case Type::boolean:
        value.truth = random() % 2 == 0;
        break;
      case Type::string:
        value.text = pick(kTexts, random);
        break;
      default:
        value.integer = pick(kTimes, random);
    }
    row.push_back(value.null ? Value() : value);
  }
  return row;
}

}  // namespace sluice::test
