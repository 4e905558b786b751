#include "operators/state/group_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "operators/state/give_memory_back.hpp"
#include "operators/state/row_codec.hpp"
#include "runtime/base/check.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t kNullLength = UINT64_MAX;
constexpr char kNullMark = 0;
constexpr std::size_t kMinSlots = 64;
constexpr std::size_t kMaxGroups = std::size_t{1} << 31;
constexpr std::size_t kArenaSlack = 1 << 20;

// The key's hash is spread already; a constant of the space moves all of its keys alike.
std::uint64_t group_hash(std::uint64_t key_hash, KeySpace space) { return key_hash ^ space * kHashA; }

}  // namespace

GroupTable::GroupTable(const Schema& input, std::vector<std::size_t> keys) : columns_(std::move(keys)) {
  for (const std::size_t column : columns_) types_.push_back(input.field(column).type);
  form_ = types_.empty()                      ? Form::none
          : types_.size() > 1                 ? Form::encoded
          : is_variable_width(types_.front()) ? Form::text
                                              : Form::word;
  slots_.resize(kMinSlots);
}

template <>
class GroupTable::Reader<GroupTable::Form::none> {
 public:
  Reader(GroupTable&, const Batch&) {}
  Key operator()(std::uint32_t) const { return {}; }
};

template <>
class GroupTable::Reader<GroupTable::Form::word> {
 public:
  Reader(GroupTable& table, const Batch& batch) : validity_(batch.column(table.columns_.front()).validity) {
    const Column& column = batch.column(table.columns_.front());
    if (physical(column.type) == Physical::int64) {
      words_ = static_cast<const std::uint64_t*>(column.values);
      return;
    }
    table.words_.resize(batch.rows);
    for (std::uint32_t r = 0; r < batch.rows; ++r) table.words_[r] = key_word(column, r);
    words_ = table.words_.data();
  }
  Key operator()(std::uint32_t row) const {
    if (validity_ != nullptr && !bit_get(validity_, row)) return {0, &kNullMark};
    return {words_[row], nullptr};
  }

 private:
  const std::uint64_t* validity_;
  const std::uint64_t* words_;
};

template <>
class GroupTable::Reader<GroupTable::Form::text> {
 public:
  Reader(GroupTable& table, const Batch& batch) : column_(batch.column(table.columns_.front())) {}
  Key operator()(std::uint32_t row) const {
    if (column_.is_null(row)) return {kNullLength, nullptr};
    const std::string_view text = column_.string(row);
    return {text.size(), text.data()};
  }

 private:
  const Column& column_;
};

template <>
class GroupTable::Reader<GroupTable::Form::encoded> {
 public:
  Reader(GroupTable& table, const Batch& batch) : table_(table), batch_(batch) {}
  Key operator()(std::uint32_t row) const {
    encode_key(batch_, table_.columns_, row, table_.scratch_);
    return {table_.scratch_.size(), table_.scratch_.data()};
  }

 private:
  GroupTable& table_;
  const Batch& batch_;
};

template <GroupTable::Form kForm>
bool GroupTable::equal(const Key& a, const Key& b) {
  if constexpr (kForm == Form::none) return true;
  if (a.word != b.word) return false;
  if constexpr (kForm == Form::word) return a.bytes == b.bytes;
  return a.word == kNullLength || a.word == 0 || std::memcmp(a.bytes, b.bytes, a.word) == 0;
}

template <GroupTable::Form kForm>
inline GroupId GroupTable::find(const Key& key, std::uint64_t hash, KeySpace space) const {
  const Slot* slots = slots_.data();
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot slot = slots[i];
    if (slot.group == kNoGroup) return kNoGroup;
    if (slot.tag != tag) continue;
    const Entry& entry = entries_[slot.group];
    if (entry.space == space && equal<kForm>(entry.key, key)) return slot.group;
  }
}

GroupId GroupTable::add(const Key& key, std::uint64_t key_hash, KeySpace space) {
  const GroupId group = numbers_.take();
  if (group >= entries_.size()) entries_.resize(std::max<std::size_t>(group + 1, numbers_.limit()));
  Key owned = key;
  if (const std::size_t bytes = kept_bytes(key); bytes > 0) {
    owned.bytes = arena_.keep({key.bytes, bytes});
    kept_bytes_ += bytes;
  }
  entries_[group] = {owned, key_hash, space};
  ++keys_;
  if (keys_ * 2 > slots_.size()) {
    place_all(slots_.size() * 2);  // the new one too
  } else {
    place(group);
  }
  return group;
}

std::size_t GroupTable::kept_bytes(const Key& key) const {
  const bool bytes = form_ == Form::text || form_ == Form::encoded;
  return bytes && key.word != kNullLength ? key.word : 0;
}

void GroupTable::place(GroupId group) {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t hash = group_hash(entries_[group].key_hash, entries_[group].space);
  std::size_t i = hash & mask;
  while (slots_[i].group != kNoGroup) i = (i + 1) & mask;
  slots_[i] = {group, static_cast<std::uint32_t>(hash >> 32)};
}

void GroupTable::place_all(std::size_t slots) {
  slots_.assign(slots, Slot{});
  for (GroupId group = 0; group < entries_.size(); ++group) {
    if (entries_[group].space != kNoSpace) place(group);
  }
}

template <GroupTable::Form kForm>
void GroupTable::assign_form(const Batch& batch, const KeySpace* spaces, GroupId* groups,
                             std::vector<GroupId>& fresh) {
  const Reader<kForm> key_of(*this, batch);
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    groups[r] = kNoGroup;
    if (spaces[r] == kNoSpace) continue;
    const Key key = key_of(r);
    groups[r] = find<kForm>(key, group_hash(hashes_[r], spaces[r]), spaces[r]);
    if (groups[r] == kNoGroup) [[unlikely]]
      fresh.push_back(groups[r] = add(key, hashes_[r], spaces[r]));
  }
}

Result<void> GroupTable::check_room(std::size_t more) const {
  if (numbers_.live() + more <= kMaxGroups) return {};
  return Error(ErrorCode::out_of_memory,
               "more than two thousand million groups are open at a time; use fewer or "
               "coarser keys, smaller windows, or more parallelism");
}

Result<void> GroupTable::assign(const Batch& batch, const KeySpace* spaces, GroupId* groups,
                                std::vector<GroupId>& fresh) {
  SLUICE_TRY(check_room(batch.rows));
  if (arena_.bytes() > 2 * kept_bytes_ + kArenaSlack) renew_arena();
  hashes_.resize(batch.rows);
  hash_columns(batch, columns_, hashes_.data());
  switch (form_) {
    case Form::none:
      assign_form<Form::none>(batch, spaces, groups, fresh);
      break;
    case Form::word:
      assign_form<Form::word>(batch, spaces, groups, fresh);
      break;
    case Form::text:
      assign_form<Form::text>(batch, spaces, groups, fresh);
      break;
    case Form::encoded:
      assign_form<Form::encoded>(batch, spaces, groups, fresh);
      break;
  }
  return {};
}

GroupId GroupTable::add_keyless(KeySpace space) {
  SLUICE_CHECK(form_ == Form::none);
  std::uint64_t hash;
  hash_columns({.rows = 1}, {}, &hash);
  return add({}, hash, space);
}

template <GroupTable::Form kForm>
void GroupTable::adopt_form(const GroupTable& other, std::span<const GroupId> from, KeySpace space,
                            GroupId* groups, std::vector<GroupId>& fresh) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Entry entry = other.entries_[from[i]];  // a copy: this may be the other, and grow
    groups[i] = find<kForm>(entry.key, group_hash(entry.key_hash, space), space);
    if (groups[i] == kNoGroup) fresh.push_back(groups[i] = add(entry.key, entry.key_hash, space));
  }
}

Result<void> GroupTable::adopt(const GroupTable& other, std::span<const GroupId> from, KeySpace space,
                               GroupId* groups, std::vector<GroupId>& fresh) {
  SLUICE_TRY(check_room(from.size()));
  switch (form_) {
    case Form::none:
      adopt_form<Form::none>(other, from, space, groups, fresh);
      break;
    case Form::word:
      adopt_form<Form::word>(other, from, space, groups, fresh);
      break;
    case Form::text:
      adopt_form<Form::text>(other, from, space, groups, fresh);
      break;
    case Form::encoded:
      adopt_form<Form::encoded>(other, from, space, groups, fresh);
      break;
  }
  return {};
}

void GroupTable::append_keys(std::span<const GroupId> groups, BatchStaging& out, std::size_t first) const {
  switch (form_) {
    case Form::none:
      return;
    case Form::word:
      for (const GroupId group : groups) {
        const Key& key = entries_[group].key;
        key.bytes != nullptr ? out.column(first).append_null()
                             : append_key_word(types_.front(), key.word, out.column(first));
      }
      return;
    case Form::text:
      for (const GroupId group : groups) {
        const Key& key = entries_[group].key;
        key.word == kNullLength ? out.column(first).append_null()
                                : out.column(first).append_string({key.bytes, key.word});
      }
      return;
    case Form::encoded:
      for (const GroupId group : groups) decode_key(entries_[group].key.bytes, types_, out, first);
      return;
  }
}

std::size_t GroupTable::key_bytes(GroupId group) const {
  if (form_ == Form::none || form_ == Form::word) return sizeof(std::uint64_t);
  return kept_bytes(entries_[group].key);
}

void GroupTable::forget(std::span<const GroupId> groups) {
  const std::size_t left = keys_ - groups.size();
  // Of a whole window little is left: to place that anew costs less than to close one hole after the other.
  const bool most = groups.size() > kMinSlots && groups.size() > left;
  for (const GroupId group : groups) {
    if (!most) close_hole(group);
    kept_bytes_ -= kept_bytes(entries_[group].key);
    entries_[group].space = kNoSpace;
  }
  keys_ = left;
  if (most) place_all(slots_.size());
  if (keys_ == 0) arena_ = {};
}

// Each later entry of the run moves back unless that would put it in front of its own place.
void GroupTable::close_hole(GroupId group) {
  const std::size_t mask = slots_.size() - 1;
  const auto home_of = [&](GroupId g) { return group_hash(entries_[g].key_hash, entries_[g].space) & mask; };
  std::size_t hole = home_of(group);
  while (slots_[hole].group != group) hole = (hole + 1) & mask;
  for (std::size_t i = (hole + 1) & mask; slots_[i].group != kNoGroup; i = (i + 1) & mask) {
    if (((i - home_of(slots_[i].group)) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = Slot{};
}

// Copies the keys that can be found to a fresh arena, so that at most about half of an arena is keys of the
// past.
void GroupTable::renew_arena() {
  ByteArena fresh;
  for (Entry& entry : entries_) {
    const std::size_t bytes = kept_bytes(entry.key);
    if (entry.space != kNoSpace && bytes > 0) entry.key.bytes = fresh.keep({entry.key.bytes, bytes});
  }
  arena_ = std::move(fresh);
}

std::vector<GroupId> GroupTable::compact() {
  entries_.resize(numbers_.limit());
  std::vector<GroupId> old = numbers_.compact();
  std::vector<Entry> kept;
  kept.reserve(old.size());
  for (const GroupId group : old) kept.push_back(entries_[group]);
  entries_ = std::move(kept);
  give_memory_back(slots_);
  place_all(std::max(kMinSlots, std::bit_ceil(keys_ * 2 + 1)));
  renew_arena();
  return old;
}

std::size_t GroupTable::bytes() const {
  return slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry) + numbers_.bytes() +
         arena_.bytes();
}

}  // namespace sluice
