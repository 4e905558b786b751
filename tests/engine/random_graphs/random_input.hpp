#pragma once

#include <string>

#include "tests/engine/random_graphs/random.hpp"
#include "tests/engine/random_graphs/row_reference.hpp"

namespace sluice::reference {

inline constexpr std::int64_t kSecond = 1'000'000;  // us

// Columns t (time), k (text), g, v (integers), x (number), j (a JSON array), all with nulls; some records far
// behind the others in time. `large`: thousands of records. `wild`: numbers of all magnitudes, whose sums the
// reference does not know to the last digit.
Table random_table(bool large, bool wild, Random& random);

// The table as a file, with a malformed record here and there; times in us.
std::string as_csv(const Table& table, Random& random);
std::string as_jsonl(const Table& table, Random& random);

}  // namespace sluice::reference
