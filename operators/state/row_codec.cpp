#include "operators/state/row_codec.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

std::uint64_t value_word(const Column& column, std::uint32_t row) {
  switch (physical(column.type)) {
    case Physical::int64:
      return static_cast<std::uint64_t>(column.int64s()[row]);
    case Physical::float64:
      return std::bit_cast<std::uint64_t>(column.float64s()[row]);
    case Physical::bits:
      return column.boolean(row) ? 1 : 0;
    case Physical::bytes:
      break;
  }
  return 0;
}

void append_word(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::uint64_t load_word(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

template <typename T>
int three_way(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

int compare_doubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return three_way<int>(std::isnan(a), std::isnan(b));
  return three_way(a, b);
}

}  // namespace

RowCodec::RowCodec(const Schema& schema) {
  for (const Field& field : schema.fields()) types_.push_back(field.type);
}

void RowCodec::encode(const Batch& batch, std::uint32_t row, std::string& out) const {
  const std::size_t n = types_.size();
  out.assign(n * 9, '\0');
  for (std::size_t c = 0; c < n; ++c) {
    const Column& column = batch.column(c);
    if (column.is_null(row)) {
      out[c] = 1;
      continue;
    }
    std::uint64_t word;
    if (is_variable_width(types_[c])) {
      const std::string_view bytes = column.string(row);
      word = static_cast<std::uint64_t>(out.size()) << 32 | bytes.size();
      out.append(bytes);
    } else {
      word = value_word(column, row);
    }
    std::memcpy(out.data() + n + c * 8, &word, sizeof word);
  }
}

std::uint64_t RowCodec::word(std::string_view encoded, std::size_t column) const {
  return load_word(encoded.data() + types_.size() + column * 8);
}

std::string_view RowCodec::text(std::string_view encoded, std::size_t column) const {
  const std::uint64_t place = word(encoded, column);
  return encoded.substr(place >> 32, place & UINT32_MAX);
}

void RowCodec::append(std::string_view encoded, BatchStaging& out) const {
  for (std::size_t c = 0; c < types_.size(); ++c) {
    ColumnBuilder& column = out.column(c);
    if (is_null(encoded, c)) {
      column.append_null();
    } else if (is_variable_width(types_[c])) {
      column.append_string(text(encoded, c));
    } else {
      append_key_word(types_[c], word(encoded, c), column);
    }
  }
}

int RowCodec::compare(std::string_view a, std::string_view b, std::size_t column) const {
  if (is_null(a, column) || is_null(b, column)) return three_way<int>(is_null(a, column), is_null(b, column));
  switch (physical(types_[column])) {
    case Physical::int64:
      return three_way(int64(a, column), int64(b, column));
    case Physical::float64:
      return compare_doubles(std::bit_cast<double>(word(a, column)), std::bit_cast<double>(word(b, column)));
    case Physical::bits:
      return three_way(word(a, column), word(b, column));
    case Physical::bytes:
      return three_way(text(a, column).compare(text(b, column)), 0);
  }
  return 0;
}

std::uint64_t key_word(const Column& column, std::uint32_t row) {
  if (column.type != Type::float64) return value_word(column, row);
  return std::bit_cast<std::uint64_t>(canonical_key(column.float64s()[row]));
}

void append_key_word(Type type, std::uint64_t word, ColumnBuilder& out) {
  switch (physical(type)) {
    case Physical::int64:
      return out.append_int64(static_cast<std::int64_t>(word));
    case Physical::float64:
      return out.append_float64(std::bit_cast<double>(word));
    case Physical::bits:
      return out.append_bool(word != 0);
    case Physical::bytes:
      break;
  }
}

void encode_key(const Batch& batch, const std::vector<std::size_t>& columns, std::uint32_t row,
                std::string& out) {
  out.clear();
  for (const std::size_t index : columns) {
    const Column& column = batch.column(index);
    const bool null = column.is_null(row);
    out.push_back(null ? 1 : 0);
    if (null) continue;
    if (is_variable_width(column.type)) {
      append_word(out, column.string(row).size());
      out.append(column.string(row));
    } else {
      append_word(out, key_word(column, row));
    }
  }
}

void decode_key(const char* bytes, const std::vector<Type>& types, BatchStaging& out, std::size_t first) {
  for (const Type type : types) {
    ColumnBuilder& column = out.column(first++);
    if (*bytes++ != 0) {
      column.append_null();
      continue;
    }
    const std::uint64_t word = load_word(bytes);
    bytes += sizeof word;
    if (is_variable_width(type)) {
      column.append_string({bytes, word});
      bytes += word;
    } else {
      append_key_word(type, word, column);
    }
  }
}

}  // namespace sluice
