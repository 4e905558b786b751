#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/column_builder.hpp"

namespace sluice {

// Rows as strings of bytes that can be kept one by one, compared column by column, and turned back into
// columns: for operators that hold some rows out of many. Layout: for each column a byte (1: null), then for
// each column eight bytes (the value; or offset and length of a string, 32 bits each), then the strings.
// Immutable, shared.
class RowCodec {
 public:
  explicit RowCodec(const Schema& schema);

  void encode(const Batch& batch, std::uint32_t row, std::string& out) const;
  void append(std::string_view encoded, BatchStaging& out) const;

  // < 0, 0, > 0. Nulls come after all values, NaN after all numbers; strings by their bytes. -0.0 and 0.0 are
  // alike.
  int compare(std::string_view a, std::string_view b, std::size_t column) const;
  bool is_null(std::string_view encoded, std::size_t column) const { return encoded[column] != 0; }
  std::int64_t int64(std::string_view encoded, std::size_t column) const {
    return static_cast<std::int64_t>(word(encoded, column));
  }
  std::size_t columns() const { return types_.size(); }

 private:
  std::uint64_t word(std::string_view encoded, std::size_t column) const;
  std::string_view text(std::string_view encoded, std::size_t column) const;

  std::vector<Type> types_;
};

// Values of some columns as a key that is equal, byte for byte, exactly if they are: for each column a byte
// (1: null) and, unless null, eight bytes of value, or of length with the bytes after it. -0.0 is 0.0, every
// NaN the same. A prefix code, so keys of the same columns need no length.
void encode_key(const Batch& batch, const std::vector<std::size_t>& columns, std::uint32_t row,
                std::string& out);
// Appends the values of such a key to columns first, first + 1, … of `out`.
void decode_key(const char* bytes, const std::vector<Type>& types, BatchStaging& out, std::size_t first);
// The word that stands for a value of fixed width in a key, and back.
std::uint64_t key_word(const Column& column, std::uint32_t row);
void append_key_word(Type type, std::uint64_t word, ColumnBuilder& out);

}  // namespace sluice
