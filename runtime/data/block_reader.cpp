#include <cstring>

#include "runtime/data/block_batch.hpp"

namespace sluice {
namespace {

bool inside(std::uint64_t offset, std::uint64_t length, std::uint64_t size) {
  return offset % 8 == 0 && offset <= size && length <= size - offset;
}

std::uint64_t values_bytes(Type type, std::uint64_t rows) {
  switch (physical(type)) {
    case Physical::int64:
    case Physical::float64:
      return rows * 8;
    case Physical::bits:
      return bitmap_words(rows) * 8;
    case Physical::bytes:
      return (rows + 1) * sizeof(std::int32_t);
  }
  return 0;
}

}  // namespace

Result<Batch> BlockReader::read(std::span<const std::byte> bytes) {
  const auto damaged = [](std::string_view what) {
    return Error(ErrorCode::internal, fmt::format("a block arrived with a damaged header: {}", what));
  };
  if (bytes.size() < sizeof(BatchHeader)) return damaged("too short");
  header_ = reinterpret_cast<const BatchHeader*>(bytes.data());
  if (header_->magic != BatchHeader::kMagic) return damaged("wrong magic number");
  if (header_->columns != columns_.size()) return damaged("wrong number of columns");
  if (header_->bytes > bytes.size()) return damaged("longer than its block");
  if (!inside(sizeof(BatchHeader), columns_.size() * sizeof(ColumnPlace), header_->bytes))
    return damaged("too short");
  const auto* places = reinterpret_cast<const ColumnPlace*>(bytes.data() + sizeof(BatchHeader));
  const bool as_before =
      !checked_places_.empty() && header_->rows <= checked_rows_ && header_->bytes >= checked_bytes_ &&
      std::memcmp(places, checked_places_.data(), checked_places_.size() * sizeof(ColumnPlace)) == 0;
  if (!as_before) {
    if (const auto what = check_places(places, header_->rows, header_->bytes)) return damaged(*what);
    checked_places_.assign(places, places + columns_.size());
    checked_rows_ = header_->rows;
    checked_bytes_ = header_->bytes;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlace& place = places[i];
    Column& column = columns_[i];
    column.validity =
        place.validity == 0 ? nullptr : reinterpret_cast<const std::uint64_t*>(&bytes[place.validity]);
    column.values = &bytes[place.values];
    if (!is_variable_width(column.type)) continue;
    column.data = reinterpret_cast<const char*>(bytes.data()) + place.data;
    if (static_cast<std::uint32_t>(column.offsets()[header_->rows]) > place.data_bytes) {
      return damaged("string offsets out of bounds");
    }
  }
  return Batch{&schema_, header_->rows, columns_};
}

std::optional<std::string_view> BlockReader::check_places(const ColumnPlace* places, std::uint64_t rows,
                                                          std::uint64_t bytes) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnPlace& place = places[i];
    if (!inside(place.values, values_bytes(columns_[i].type, rows), bytes)) return "values out of bounds";
    if (place.validity != 0 && !inside(place.validity, bitmap_words(rows) * 8, bytes))
      return "validity out of bounds";
    if (is_variable_width(columns_[i].type) && !inside(place.data, place.data_bytes, bytes))
      return "strings out of bounds";
  }
  return std::nullopt;
}

}  // namespace sluice
