#include "tests/engine/random_graphs/row_reference.hpp"

#include <algorithm>

namespace sluice::reference {
namespace {

// ---- joins ----

bool same_key(const Record& l, const Record& r, const JoinSpec& spec) {
  return std::all_of(spec.on.begin(), spec.on.end(), [&](const auto& pair) {
    return !is_null(l.cells[pair.first]) && l.cells[pair.first] == r.cells[pair.second];
  });
}

std::vector<const Record*> matches(const Record& left, const Records& right, const JoinSpec& spec) {
  std::vector<const Record*> found;
  for (const Record& r : right) {
    if (!same_key(left, r, spec)) continue;
    const std::int64_t after = r.time - left.time;
    switch (spec.kind) {
      case Join::interval:
        if (spec.lowest <= after && after <= spec.highest) found.push_back(&r);
        break;
      case Join::lookup_first:
        if (found.empty()) found.push_back(&r);
        break;
      case Join::lookup_all:
        found.push_back(&r);
        break;
      case Join::asof:
        if (after > 0) break;
        if (found.empty()) found.push_back(&r);
        if (r.time >= found.front()->time) found.front() = &r;
        break;
    }
  }
  return found;
}

Record joined(const Record& left, const Record* right, std::size_t right_columns, const JoinSpec& spec) {
  Record out = left;
  if (right == nullptr) {
    out.cells.resize(out.cells.size() + right_columns);
    return out;
  }
  out.cells.insert(out.cells.end(), right->cells.begin(), right->cells.end());
  out.time = std::max(left.time, right->time);
  const bool lookup = spec.kind == Join::lookup_first || spec.kind == Join::lookup_all;
  if (!lookup) out.watermark = std::min(left.watermark, right->watermark);
  return out;
}

}  // namespace

Joined join(const Table& left, const Table& right, const JoinSpec& spec) {
  Joined all{{left.columns, {}}, {left.columns, {}}, {right.columns, {}}};
  for (Column column : right.columns) {
    if (left.column(column.name) < left.columns.size()) column.name.insert(0, "right_");
    all.out.columns.push_back(column);
  }
  const bool lookup = spec.kind == Join::lookup_first || spec.kind == Join::lookup_all;
  const auto split = [&](const Table& in, Table& late) {
    Records on_time;
    for (const Record& r : in.records) {
      (!lookup && r.time < r.watermark ? late.records : on_time).push_back(r);
    }
    return on_time;
  };
  const Records right_on_time = split(right, all.late_right);
  for (const Record& l : split(left, all.late_left)) {
    const auto found = matches(l, right_on_time, spec);
    for (const Record* r : found) {
      all.out.records.push_back(joined(l, r, right.columns.size(), spec));
    }
    if (found.empty() && spec.left) {
      all.out.records.push_back(joined(l, nullptr, right.columns.size(), spec));
    }
  }
  return all;
}

}  // namespace sluice::reference
