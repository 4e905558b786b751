#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "operators/state/byte_arena.hpp"
#include "operators/state/group_numbers.hpp"
#include "runtime/base/result.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

// Equal keys in two spaces are two groups: a window's groups are told apart from another's by their space.
using KeySpace = std::uint32_t;
inline constexpr KeySpace kNoSpace = UINT32_MAX;

// Finds the group of (space, key) for whole batches. Groups are small dense numbers that index the state
// columns of the aggregates; the number of a group that was erased is used again. Keys are compared whole:
// equal hashes cost time, never correctness. Null is a key like others; -0.0 is 0.0 and every NaN the same.
//
// An open-addressing table with linear probing of at most half load: 8 bytes a slot and 32 a group, and the
// bytes of string keys. (To ask for cache lines ahead, a block of rows at a time, gained nothing when
// measured.) It grows with the groups that it holds at a time; compact() gives memory back. One thread.
class GroupTable {
 public:
  // `keys`: columns of the input's schema.
  GroupTable(const Schema& input, std::vector<std::size_t> keys);

  // groups[r] = the group of row r's key in spaces[r]; kNoGroup where that is kNoSpace. New groups are
  // appended to `fresh`, in the order of the rows. Fails only when there are more groups at a time than
  // numbers for them.
  Result<void> assign(const Batch& batch, const KeySpace* spaces, GroupId* groups,
                      std::vector<GroupId>& fresh);
  // A new group without key values, of a table without keys.
  GroupId add_keyless(KeySpace space);
  // groups[i] = the group in `space` that has the key of from[i], which belongs to `other`: a table of the
  // same columns, this one or another. New groups are appended to `fresh`.
  Result<void> adopt(const GroupTable& other, std::span<const GroupId> from, KeySpace space, GroupId* groups,
                     std::vector<GroupId>& fresh);

  KeySpace space_of(GroupId group) const { return entries_[group].space; }
  // Groups that can be found.
  std::size_t size() const { return keys_; }
  // The numbers of the groups. More may be taken for states without a key.
  GroupNumbers& numbers() { return numbers_; }
  const GroupNumbers& numbers() const { return numbers_; }

  // Appends the keys' values, a row a group, to columns first, first + 1, … of `out`.
  void append_keys(std::span<const GroupId> groups, BatchStaging& out, std::size_t first) const;
  std::size_t key_bytes(GroupId group) const;

  // Forgets the keys of groups; their numbers stay taken.
  void forget(std::span<const GroupId> groups);
  // The same, and gives the numbers back.
  void erase(std::span<const GroupId> groups) {
    forget(groups);
    numbers_.give_back(groups);
  }
  // Renumbers the groups that live, in their order; returns the old numbers: new number i was old[i].
  std::vector<GroupId> compact();

  std::size_t bytes() const;

 private:
  // How a key is held, from the number and types of the key columns.
  enum class Form : std::uint8_t { none, word, text, encoded };
  // word: the value, and a mark for null in `bytes`. text and encoded: the length (kNullLength: null), and
  // the bytes.
  struct Key {
    std::uint64_t word = 0;
    const char* bytes = nullptr;
  };
  struct alignas(32) Entry {
    Key key;
    std::uint64_t key_hash = 0;
    KeySpace space = kNoSpace;  // kNoSpace: cannot be found
  };
  struct Slot {
    GroupId group = kNoGroup;
    std::uint32_t tag = 0;  // high bits of the hash
  };

  // The keys of a batch's rows; valid until the next row is read.
  template <Form kForm>
  class Reader;

  template <Form kForm>
  void assign_form(const Batch& batch, const KeySpace* spaces, GroupId* groups, std::vector<GroupId>& fresh);
  template <Form kForm>
  void adopt_form(const GroupTable& other, std::span<const GroupId> from, KeySpace space, GroupId* groups,
                  std::vector<GroupId>& fresh);
  template <Form kForm>
  static bool equal(const Key& a, const Key& b);
  template <Form kForm>
  GroupId find(const Key& key, std::uint64_t hash, KeySpace space) const;
  GroupId add(const Key& key, std::uint64_t key_hash, KeySpace space);
  Result<void> check_room(std::size_t more) const;

  std::size_t kept_bytes(const Key& key) const;
  void place(GroupId group);
  void place_all(std::size_t slots);
  void close_hole(GroupId group);
  void renew_arena();

  std::vector<Type> types_;
  std::vector<std::size_t> columns_;
  Form form_;
  std::vector<std::uint64_t> hashes_;  // of a batch
  std::vector<std::uint64_t> words_;   // of a batch: keys that are not held as words in their column
  std::string scratch_;                // an encoded key
  std::vector<Slot> slots_;            // a power of two
  std::size_t keys_ = 0;               // entries with a space
  std::vector<Entry> entries_;         // by group
  GroupNumbers numbers_;
  ByteArena arena_;
  std::size_t kept_bytes_ = 0;  // of the keys that can be found
};

}  // namespace sluice
