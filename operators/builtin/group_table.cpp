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

std::uint64_t group_hash(std::uint64_t key_hash, std::int64_t window_start) {
  return hash_mix(key_hash ^ static_cast<std::uint64_t>(window_start) * kHashB, kHashA);
}

}  // namespace

const char* ByteArena::keep(std::string_view bytes) {
  constexpr std::size_t kFirstChunk = 512, kLargestChunk = 256 * 1024;
  if (bytes.empty()) return "";
  if (chunk_bytes_ - used_ < bytes.size()) {
    chunk_bytes_ = std::max(bytes.size(), std::clamp(chunk_bytes_ * 2, kFirstChunk, kLargestChunk));
    chunks_.push_back(std::make_unique<char[]>(chunk_bytes_));
    used_ = 0;
  }
  char* place = chunks_.back().get() + used_;
  std::memcpy(place, bytes.data(), bytes.size());
  used_ += bytes.size();
  return place;
}

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
GroupId GroupTable::find_or_add(const Key& key, std::uint64_t hash, OpenWindow& window) {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t i = hash & mask; slots_[i].group != kNoGroup; i = (i + 1) & mask) {
    const GroupId group = slots_[i].group;
    if (slots_[i].tag == tag && window_of_[group] == window.start && equal<kForm>(keys_of_[group], key))
      return group;
  }
  Key owned = key;
  if constexpr (kForm == Form::text || kForm == Form::encoded) {
    if (key.word != kNullLength) owned.bytes = window.keys.keep({key.bytes, key.word});
  }
  return add(owned, hash, window);
}

GroupId GroupTable::add(Key key, std::uint64_t hash, OpenWindow& window) {
  GroupId group;
  if (!free_.empty()) {
    group = free_.back();
    free_.pop_back();
    keys_of_[group] = key;
    hash_of_[group] = hash;
    window_of_[group] = window.start;
  } else {
    group = static_cast<GroupId>(keys_of_.size());
    keys_of_.push_back(key);
    hash_of_.push_back(hash);
    window_of_.push_back(window.start);
  }
  window.groups.push_back(group);
  if (live() * 2 > slots_.size()) {
    rehash(slots_.size() * 2);  // places the new one too: it is live, and in no free list
  } else {
    place(group);
  }
  return group;
}

void GroupTable::place(GroupId group) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of_[group] & mask;
  while (slots_[i].group != kNoGroup) i = (i + 1) & mask;
  slots_[i] = {group, static_cast<std::uint32_t>(hash_of_[group] >> 32)};
}

void GroupTable::rehash(std::size_t slots) {
  std::vector<bool> is_free(keys_of_.size());
  for (const GroupId group : free_) is_free[group] = true;
  slots_.assign(slots, Slot{});
  for (GroupId group = 0; group < keys_of_.size(); ++group) {
    if (!is_free[group]) place(group);
  }
}

template <GroupTable::Form kForm>
Result<void> GroupTable::assign_form(const Batch& batch, std::span<OpenWindow* const> windows,
                                     GroupId* groups) {
  for (std::uint32_t r = 0; r < batch.rows; ++r) {
    OpenWindow* window = windows[r];
    if (window == nullptr) {
      groups[r] = kNoGroup;
      continue;
    }
    groups[r] = find_or_add<kForm>(read_key<kForm>(batch, r), group_hash(hashes_[r], window->start), *window);
  }
  return {};
}

Result<void> GroupTable::assign(const Batch& batch, std::span<OpenWindow* const> windows, GroupId* groups) {
  if (live() + batch.rows > kMaxGroups) {
    return Error(ErrorCode::out_of_memory,
                 "more than two thousand million groups are open at a time; use fewer or "
                 "coarser keys, smaller windows, or more parallelism");
  }
  hashes_.resize(batch.rows);
  hash_columns(batch, columns_, hashes_.data());
  switch (form_) {
    case Form::none:
      return assign_form<Form::none>(batch, windows, groups);
    case Form::word:
      return assign_form<Form::word>(batch, windows, groups);
    case Form::text:
      return assign_form<Form::text>(batch, windows, groups);
    case Form::encoded:
      return assign_form<Form::encoded>(batch, windows, groups);
  }
  return {};
}

Result<GroupId> GroupTable::add_keyless(OpenWindow& window) {
  SLUICE_CHECK(form_ == Form::none && window.groups.empty());
  std::uint64_t hash;
  hash_columns({.rows = 1}, {}, &hash);
  return add({}, group_hash(hash, window.start), window);
}

void GroupTable::append_key(GroupId group, BatchStaging& out, std::size_t first) const {
  const Key& key = keys_of_[group];
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
  const std::uint64_t length = keys_of_[group].word;
  return length == kNullLength ? 0 : length;
}

void GroupTable::erase(std::span<const GroupId> groups) {
  const std::size_t mask = slots_.size() - 1;
  for (const GroupId group : groups) {
    std::size_t hole = hash_of_[group] & mask;
    while (slots_[hole].group != group) hole = (hole + 1) & mask;
    // Close the hole: each later entry of the run moves back unless that would put it in front of its own
    // place.
    for (std::size_t i = (hole + 1) & mask; slots_[i].group != kNoGroup; i = (i + 1) & mask) {
      const std::size_t home = hash_of_[slots_[i].group] & mask;
      if (((i - home) & mask) < ((i - hole) & mask)) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = Slot{};
    free_.push_back(group);
  }
}

std::vector<GroupId> GroupTable::compact() {
  std::vector<bool> is_free(keys_of_.size());
  for (const GroupId group : free_) is_free[group] = true;
  std::vector<GroupId> old;
  old.reserve(live());
  for (GroupId group = 0; group < keys_of_.size(); ++group) {
    if (!is_free[group]) old.push_back(group);
  }
  const auto keep = [&old](auto& column) {
    std::remove_reference_t<decltype(column)> kept;
    kept.reserve(old.size());
    for (const GroupId group : old) kept.push_back(column[group]);
    column = std::move(kept);
  };
  keep(keys_of_);
  keep(hash_of_);
  keep(window_of_);
  free_ = {};
  slots_ = {};
  rehash(std::max(kMinSlots, std::bit_ceil(old.size() * 2 + 1)));
  return old;
}

}  // namespace sluice
