#pragma once

#include <cstddef>
#include <string>

#include "runtime/data/batch.hpp"

namespace sluice {

// A row as one line of JSON without a line end, visible columns only: what BadRecords takes as `input` from
// operators inside a graph. Values as the output format jsonl writes them; numbers that JSON does not have
// are null.
std::string row_as_json(const Batch& batch, std::size_t row);

}  // namespace sluice
