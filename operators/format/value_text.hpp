#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/data/column.hpp"

namespace sluice {

void append_int64(std::string& out, std::int64_t value);
// The shortest text that reads back as the same number: 1, 0.1, 1e300, nan, inf, -inf.
void append_float64(std::string& out, double value);
// A JSON value on one line, valid UTF-8.
void append_json_text(std::string& out, std::string_view text);
// A string as JSON: quoted, escaped, valid UTF-8.
void append_json_string(std::string& out, std::string_view text);
// A value that is not null, as JSON. False: it is NaN or an infinity, and null was written.
bool append_json_value(std::string& out, const Column& column, std::size_t row);
// A value that is not null, as bare text: timestamps in ISO 8601, true and false, strings as they are.
void append_plain_value(std::string& out, const Column& column, std::size_t row);

}  // namespace sluice
