#include "operators/format/value_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "operators/format/utf8.hpp"
#include "operators/time/time_text.hpp"

namespace sluice {
namespace {

constexpr char kHex[] = "0123456789abcdef";

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[(static_cast<unsigned char>(c) >> 4) & 15];
  out += kHex[c & 15];
}

}  // namespace

void append_int64(std::string& out, std::int64_t value) {
  std::array<char, 24> text;
  const auto done = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), done.ptr);
}

void append_float64(std::string& out, double value) {
  std::array<char, 32> text;
  const auto done = std::to_chars(text.data(), text.data() + text.size(), value);
  if (std::isnan(value)) {
    out += "nan";  // to_chars writes a sign that means nothing
  } else {
    out.append(text.data(), done.ptr);
  }
}

void append_json_text(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  append_utf8(out, text);
  // Line ends in it can only stand between its tokens.
  for (std::size_t i = start; i < out.size(); ++i) {
    if (out[i] == '\n' || out[i] == '\r') out[i] = ' ';
  }
}

void append_json_string(std::string& out, std::string_view text) {
  std::string valid;
  if (!is_utf8(text)) {
    append_utf8(valid, text);
    text = valid;
  }
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(plain, i - plain);
    append_escaped(out, c);
    plain = i + 1;
  }
  out += text.substr(plain);
  out += '"';
}

bool append_json_value(std::string& out, const Column& column, std::size_t row) {
  switch (column.type) {
    case Type::int64:
      append_int64(out, column.int64s()[row]);
      return true;
    case Type::float64: {
      const double value = column.float64s()[row];
      if (!std::isfinite(value)) {
        out += "null";
        return false;
      }
      append_float64(out, value);
      return true;
    }
    case Type::boolean:
      out += column.boolean(row) ? "true" : "false";
      return true;
    case Type::string:
      append_json_string(out, column.string(row));
      return true;
    case Type::timestamp:
      out += '"';
      append_iso8601(out, column.int64s()[row]);
      out += '"';
      return true;
    case Type::json:
      append_json_text(out, column.string(row));
      return true;
  }
  return true;
}

void append_plain_value(std::string& out, const Column& column, std::size_t row) {
  switch (column.type) {
    case Type::int64:
      append_int64(out, column.int64s()[row]);
      break;
    case Type::float64:
      append_float64(out, column.float64s()[row]);
      break;
    case Type::boolean:
      out += column.boolean(row) ? "true" : "false";
      break;
    case Type::timestamp:
      append_iso8601(out, column.int64s()[row]);
      break;
    case Type::string:
    case Type::json:
      out += column.string(row);
      break;
  }
}

}  // namespace sluice
