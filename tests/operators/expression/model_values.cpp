#include "tests/operators/expression/model_values.hpp"

#include <charconv>
#include <cmath>

namespace sluice::test {
namespace {

// NaN above all.
int order(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return int{std::isnan(a)} - int{std::isnan(b)};
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

Value of_int(std::int64_t v) { return {.null = false, .integer = v}; }
Value of_real(double v) { return {.null = false, .real = v}; }
Value of_bool(bool v) { return {.null = false, .truth = v}; }
Value of_text(std::string v) { return {.null = false, .text = std::move(v)}; }

int order(const Value& a, const Value& b, Type type) {
  switch (type) {
    case Type::float64:
      return order(a.real, b.real);
    case Type::boolean:
      return int{a.truth} - int{b.truth};
    case Type::string:
      return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
    default:
      return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  }
}

std::int64_t narrow(Wide wide) {
  if (wide > INT64_MAX || wide < INT64_MIN) throw RowFault{ErrorCode::integer_overflow};
  return static_cast<std::int64_t>(wide);
}

std::int64_t integer_operation(char symbol, std::int64_t a, std::int64_t b) {
  if ((symbol == '/' || symbol == '%') && b == 0) throw RowFault{ErrorCode::division_by_zero};
  const Wide x = a;
  const Wide y = b;
  switch (symbol) {
    case '+':
      return narrow(x + y);
    case '-':
      return narrow(x - y);
    case '*':
      return narrow(x * y);
    case '/':
      return narrow(x / y);
    default:
      return narrow(x % y);
  }
}

double real_operation(char symbol, double a, double b) {
  if ((symbol == '/' || symbol == '%') && b == 0) throw RowFault{ErrorCode::division_by_zero};
  switch (symbol) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      return std::fmod(a, b);
  }
}

std::optional<std::int64_t> text_as_int(const std::string& text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string::npos) return std::nullopt;
  const std::string bare = text.substr(from, text.find_last_not_of(' ') - from + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (error != std::errc() || end != bare.data() + bare.size()) return std::nullopt;
  return value;
}

std::vector<std::size_t> code_points(const std::string& text) {
  std::vector<std::size_t> starts;
  std::size_t i = 0;
  while (i < text.size()) {
    starts.push_back(i);
    const bool two = text[i] == '\xc3' && i + 1 < text.size() && (text[i + 1] & 0xc0) == 0x80;
    i += two ? 2 : 1;
  }
  starts.push_back(text.size());
  return starts;
}

std::string part(const std::string& text, std::int64_t start, std::int64_t count) {
  const auto starts = code_points(text);
  const auto length = static_cast<Wide>(starts.size()) - 1;
  const Wide from = std::min<Wide>(std::max<Wide>(start, 1), length + 1);
  const Wide stop = std::min<Wide>(static_cast<Wide>(start) + count, length + 1);
  if (stop <= from) return "";
  const auto begin = starts[static_cast<std::size_t>(from - 1)];
  return text.substr(begin, starts[static_cast<std::size_t>(stop - 1)] - begin);
}

}  // namespace sluice::test
