#include "operators/state/rows_by_time.hpp"

#include "operators/state/give_memory_back.hpp"

namespace sluice {

Result<void> RowsByTime::add(const Batch& batch, std::span<const std::uint32_t> rows,
                             std::span<const std::uint32_t> tags) {
  numbers_.resize(rows.size());
  SLUICE_TRY(rows_.append(batch, rows, numbers_.data()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowNumber row = numbers_[i];
    if (row >= tags_.size()) tags_.resize(row + std::size_t{1});
    tags_[row] = tags[i];
    queue_.push(rows_.time(row), row);
  }
  return {};
}

Result<void> RowsByTime::tidy() {
  if (queue_.empty()) give_memory_back(tags_);
  if (rows_.stored_rows() < kMinTidy || rows_.rows() * 4 > rows_.stored_rows()) return {};
  RowStore fresh(schema_);
  std::vector<std::uint32_t> tags;
  Result<void> moved;
  queue_.renumber([&](RowNumber row) {
    Result<RowNumber> number = fresh.append_from(rows_, row);
    if (!number) {
      moved = number.error();
      return row;
    }
    if (*number >= tags.size()) tags.resize(*number + std::size_t{1});
    tags[*number] = tags_[row];
    return *number;
  });
  SLUICE_TRY(moved);
  rows_ = std::move(fresh);
  tags_ = std::move(tags);
  return {};
}

}  // namespace sluice
