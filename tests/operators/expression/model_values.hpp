#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/operators/expression/model.hpp"

namespace sluice::test {

// What single operations of the language give for single values: the plain side of the model.

__extension__ using Wide = __int128;

Value of_int(std::int64_t v);  // int64 and timestamp
Value of_real(double v);
Value of_bool(bool v);
Value of_text(std::string v);

// -1: less, 0: equal, 1: greater; NaN above all.
int order(const Value& a, const Value& b, Type type);

// These throw RowFault where the language says so: overflow, division by zero.
std::int64_t narrow(Wide wide);
std::int64_t integer_operation(char symbol, std::int64_t a, std::int64_t b);
double real_operation(char symbol, double a, double b);

// A text that is an integer and nothing else but blanks around it.
std::optional<std::int64_t> text_as_int(const std::string& text);
// Offsets at which code points begin, and the end; bad bytes stand alone. Knows the model's texts, not all of
// Unicode.
std::vector<std::size_t> code_points(const std::string& text);
// What substr gives.
std::string part(const std::string& text, std::int64_t start, std::int64_t count);

}  // namespace sluice::test
