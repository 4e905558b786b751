#pragma once

#include <memory>

#include "operators/format/record_writer.hpp"

namespace sluice {

// Rows for people. The first kTableMeasuredRows rows (or all, if fewer come) decide how wide each column is;
// wider values that follow push their line out of shape and lose nothing. Numbers stand to the right. Line
// ends and other control characters inside values are shown as JSON escapes, so that a row stays a line.
inline constexpr std::size_t kTableMeasuredRows = 1000;

std::unique_ptr<RecordWriter> make_table_writer(const Schema& schema);

}  // namespace sluice
