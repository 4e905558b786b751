#include "operators/expression/arrow_layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace sluice::expression {
namespace {

// The eight bits of a byte as eight bytes.
constexpr auto kSpread = [] {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    for (std::uint64_t bit = 0; bit < 8; ++bit) table[byte] |= ((byte >> bit) & 1) << (8 * bit);
  }
  return table;
}();

// `to` has room for a multiple of 8 bytes.
void spread_bits(const std::uint64_t* bits, std::uint32_t rows, std::uint8_t* to) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(bits);
  for (std::uint32_t i = 0; i < (rows + 7) / 8; ++i) std::memcpy(to + 8 * i, &kSpread[bytes[i]], 8);
}

// The low bits of eight bytes as the bits of one byte: the product moves byte i to bit 56 + i, and no two
// meet. The other bits are cut off first: the value of a null row may be anything and must not reach its
// neighbours.
std::uint64_t eight_bits(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  return ((word & 0x0101010101010101u) * 0x0102040810204080u) >> 56;
}

void pack_bits(const std::uint8_t* bytes, std::uint32_t rows, std::uint64_t* to) {
  const std::uint32_t whole = rows / 64;
  for (std::uint32_t w = 0; w < whole; ++w) {
    std::uint64_t word = 0;
    for (std::uint32_t k = 0; k < 8; ++k) word |= eight_bits(bytes + 64 * w + 8 * k) << (8 * k);
    to[w] = word;
  }
  if (rows % 64 == 0) return;
  std::uint64_t word = 0;
  for (std::uint32_t row = whole * 64; row < rows; ++row)
    word |= (std::uint64_t{bytes[row]} & 1) << (row % 64);
  to[whole] = word;
}

}  // namespace

Vector ColumnReader::read(const Column& column, std::uint32_t rows) {
  Vector vector{.type = column.type, .constant = false, .data = column.values, .valid = nullptr};
  if (column.validity != nullptr) {
    validity_.reserve(rows + kSpareBytes);
    auto* valid = reinterpret_cast<std::uint8_t*>(validity_.data());
    spread_bits(column.validity, rows, valid);
    vector.valid = valid;
  }
  if (physical(column.type) == Physical::bits) {
    values_.reserve(rows + kSpareBytes);
    auto* bytes = reinterpret_cast<std::uint8_t*>(values_.data());
    spread_bits(column.bits(), rows, bytes);
    vector.data = bytes;
  } else if (physical(column.type) == Physical::bytes) {
    values_.reserve(rows * sizeof(std::string_view) + kSpareBytes);
    auto* views = reinterpret_cast<std::string_view*>(values_.data());
    for (std::uint32_t row = 0; row < rows; ++row) views[row] = column.string(row);
    vector.data = views;
  }
  return vector;
}

Column ColumnWriter::write(const Vector& vector, std::uint32_t rows) {
  first_beyond_ = rows;
  Column column;
  column.type = vector.type;
  column.values =
      physical(vector.type) == Physical::bytes ? write_texts(vector, rows) : write_values(vector, rows);
  column.data =
      physical(vector.type) == Physical::bytes ? reinterpret_cast<const char*>(data_.data()) : nullptr;
  if (vector.valid == nullptr) return column;
  validity_.reserve(bitmap_words(rows) * 8 + kSpareBytes);
  auto* validity = reinterpret_cast<std::uint64_t*>(validity_.data());
  if (vector.constant) {
    bitmap_fill(validity, 0, rows, *vector.valid != 0);
  } else {
    pack_bits(vector.valid, rows, validity);
  }
  column.validity = validity;
  return column;
}

const void* ColumnWriter::write_values(const Vector& vector, std::uint32_t rows) {
  if (physical(vector.type) == Physical::bits) {
    values_.reserve(bitmap_words(rows) * 8 + kSpareBytes);
    auto* words = reinterpret_cast<std::uint64_t*>(values_.data());
    const auto* bytes = vector.values<std::uint8_t>();
    if (vector.constant) {
      bitmap_fill(words, 0, rows, bytes[0] != 0);
    } else {
      pack_bits(bytes, rows, words);
    }
    return words;
  }
  if (!vector.constant) return vector.data;
  values_.reserve(rows * 8 + kSpareBytes);
  auto* words = reinterpret_cast<std::uint64_t*>(values_.data());
  std::fill_n(words, rows, vector.values<std::uint64_t>()[0]);
  return words;
}

const void* ColumnWriter::write_texts(const Vector& vector, std::uint32_t rows) {
  constexpr std::size_t kMaxBytes = std::numeric_limits<std::int32_t>::max();
  const auto* texts = vector.values<std::string_view>();
  const std::size_t mask = vector.mask();
  std::size_t bytes = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (vector.is_null(row)) continue;
    const std::size_t more = texts[row & mask].size();
    if (bytes + more > kMaxBytes) {
      first_beyond_ = row;
      break;
    }
    bytes += more;
  }
  values_.reserve((rows + 1) * sizeof(std::int32_t) + kSpareBytes);
  data_.reserve(bytes + kSpareBytes);
  auto* offsets = reinterpret_cast<std::int32_t*>(values_.data());
  auto* data = reinterpret_cast<char*>(data_.data());
  std::size_t at = 0;
  offsets[0] = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (row < first_beyond_ && !vector.is_null(row)) {
      const std::string_view text = texts[row & mask];
      if (!text.empty()) std::memcpy(data + at, text.data(), text.size());
      at += text.size();
    }
    offsets[row + 1] = static_cast<std::int32_t>(at);
  }
  return offsets;
}

}  // namespace sluice::expression
