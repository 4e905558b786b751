#include "operators/builtin/group_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "operators/builtin/row_codec.hpp"
#include "runtime/base/check.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::uint64_t kNullLength = UINT64_MAX;
constexpr char kNullMark = 0;
constexpr std::size_t kMinSlots = 64;
constexpr std::size_t kMaxGroups = std::size_t{1} << 31;
constexpr std::size_t kBlockRows = 64;
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

template <GroupTable::Form kForm>
GroupTable::Key GroupTable::read_key(const Batch& batch, std::uint32_t row) {
  if constexpr (kForm == Form::none) {
    return {};
  } else if constexpr (kForm == Form::encoded) {
    encode_key(batch, columns_, row, scratch_);
    return {scratch_.size(), scratch_.data()};
  } else {
    const Column& column = batch.column(columns_.front());
    if constexpr (kForm == Form::word) {
      return column.is_null(row) ? Key{0, &kNullMark} : Key{key_word(column, row), nullptr};
    } else {
      if (column.is_null(row)) return {kNullLength, nullptr};
      const std::string_view text = column.string(row);
      return {text.size(), text.data()};
    }
  }
}

template <GroupTable::Form kForm>
bool GroupTable::equal(const Key& a, const Key& b) {
  if constexpr (kForm == Form::none) return true;
  if (a.word != b.word) return false;
  if constexpr (kForm == Form::word) return a.bytes == b.bytes;
  return a.word == kNullLength || a.word == 0 || std::memcmp(a.bytes, b.bytes, a.word) == 0;
}

template <GroupTable::Form kForm>
GroupId GroupTable::find_or_add(const Key& key, std::uint64_t key_hash, KeySpace space,
                                std::vector<GroupId>& fresh) {
  const std::size_t mask = slots_.size() - 1;
  const std::uint64_t hash = group_hash(key_hash, space);
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash & mask; slots_[i].group != kNoGroup; i = (i + 1) & mask) {
    if (slots_[i].tag != tag) continue;
    const Entry& entry = entries_[slots_[i].group];
    if (entry.space == space && equal<kForm>(entry.key, key)) return slots_[i].group;
  }
  fresh.push_back(add(key, key_hash, space));
  return fresh.back();
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

template <typename HashAt>
void GroupTable::prefetch(std::size_t count, HashAt hash_at) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&slots_[hash_at(i) & mask]);
  for (std::size_t i = 0; i < count; ++i) {
    const GroupId group = slots_[hash_at(i) & mask].group;
    if (group != kNoGroup) __builtin_prefetch(&entries_[group]);
  }
}

template <GroupTable::Form kForm>
void GroupTable::assign_form(const Batch& batch, const KeySpace* spaces, GroupId* groups,
                             std::vector<GroupId>& fresh) {
  for (std::uint32_t begin = 0; begin < batch.rows; begin += kBlockRows) {
    const std::uint32_t end = std::min<std::uint32_t>(batch.rows, begin + kBlockRows);
    prefetch(end - begin, [&](std::size_t i) { return group_hash(hashes_[begin + i], spaces[begin + i]); });
    for (std::uint32_t r = begin; r < end; ++r) {
      groups[r] = spaces[r] == kNoSpace
                      ? kNoGroup
                      : find_or_add<kForm>(read_key<kForm>(batch, r), hashes_[r], spaces[r], fresh);
    }
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
  for (std::size_t begin = 0; begin < from.size(); begin += kBlockRows) {
    const std::size_t end = std::min(from.size(), begin + kBlockRows);
    prefetch(end - begin,
             [&](std::size_t i) { return group_hash(other.entries_[from[begin + i]].key_hash, space); });
    for (std::size_t i = begin; i < end; ++i) {
      const Entry entry = other.entries_[from[i]];  // a copy: this may be the other, and grow
      groups[i] = find_or_add<kForm>(entry.key, entry.key_hash, space, fresh);
    }
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

void GroupTable::append_key(GroupId group, BatchStaging& out, std::size_t first) const {
  const Key& key = entries_[group].key;
  switch (form_) {
    case Form::none:
      return;
    case Form::word:
      return key.bytes != nullptr ? out.column(first).append_null()
                                  : append_key_word(types_.front(), key.word, out.column(first));
    case Form::text:
      return key.word == kNullLength ? out.column(first).append_null()
                                     : out.column(first).append_string({key.bytes, key.word});
    case Form::encoded:
      return decode_key(key.bytes, types_, out, first);
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
  slots_ = {};
  place_all(std::max(kMinSlots, std::bit_ceil(keys_ * 2 + 1)));
  renew_arena();
  return old;
}

std::size_t GroupTable::bytes() const {
  return slots_.capacity() * sizeof(Slot) + entries_.capacity() * sizeof(Entry) + numbers_.bytes() +
         arena_.bytes();
}

}  // namespace sluice
