#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/data/column_builder.hpp"

namespace sluice {

using GroupId = std::uint32_t;
inline constexpr GroupId kNoGroup = UINT32_MAX;

// Bytes that live and die together: one allocation a chunk, none a piece.
class ByteArena {
 public:
  const char* keep(std::string_view bytes);

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_bytes_ = 0;  // of the last one
  std::size_t used_ = 0;         // in the last one
};

// A window that has not been emitted: its bounds, its groups in the order in which they came, and their keys'
// bytes.
struct OpenWindow {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::vector<GroupId> groups;
  ByteArena keys;
};

// Finds the group of (window, key) for whole batches. Groups are small dense numbers that index the state
// columns of the aggregates; the number of a closed window's group is used again. Keys are compared whole:
// equal hashes cost time, never correctness. Null is a key like others; -0.0 is 0.0 and every NaN the same.
//
// An open-addressing table with linear probing of at most half load; 8 bytes a slot and 32 a group, and the
// bytes of string keys in their window. It grows with the groups that are open at a time, and compact() gives
// memory back. One thread.
class GroupTable {
 public:
  // `keys`: columns of the input's schema.
  GroupTable(const Schema& input, std::vector<std::size_t> keys);

  // groups[r] = the group of row r in windows[r]; kNoGroup where windows[r] is null. New groups are added to
  // their window. Fails only when there are more groups at a time than numbers for them.
  Result<void> assign(const Batch& batch, std::span<OpenWindow* const> windows, GroupId* groups);
  // The group without a key values of a table without keys, in an empty window.
  Result<GroupId> add_keyless(OpenWindow& window);

  // The next group's number was never used: state columns need this many rows.
  std::size_t id_limit() const { return keys_of_.size(); }
  std::size_t live() const { return id_limit() - free_.size(); }

  // Appends the key's values to columns first, first + 1, … of `out`.
  void append_key(GroupId group, BatchStaging& out, std::size_t first) const;
  std::size_t key_bytes(GroupId group) const;

  // Forgets groups; their window's arena may go after that.
  void erase(std::span<const GroupId> groups);
  // True if compact() would give back much.
  bool sparse() const { return id_limit() > kMinCompact && live() < id_limit() / 4; }
  // Renumbers the groups that live, in their order; returns the old numbers: new number i was old[i].
  std::vector<GroupId> compact();

 private:
  static constexpr std::size_t kMinCompact = 16 * 1024;

  // How a key is held, from the number and types of the key columns.
  enum class Form : std::uint8_t { none, word, text, encoded };
  // word: the value, and a mark for null in `bytes`. text and encoded: the length (kNullLength: null), and
  // the bytes.
  struct Key {
    std::uint64_t word = 0;
    const char* bytes = nullptr;
  };
  struct Slot {
    GroupId group = kNoGroup;
    std::uint32_t tag = 0;  // high bits of the hash
  };

  template <Form kForm>
  Result<void> assign_form(const Batch& batch, std::span<OpenWindow* const> windows, GroupId* groups);
  template <Form kForm>
  Key read_key(const Batch& batch, std::uint32_t row);
  template <Form kForm>
  static bool equal(const Key& a, const Key& b);
  template <Form kForm>
  GroupId find_or_add(const Key& key, std::uint64_t hash, OpenWindow& window);
  GroupId add(Key key, std::uint64_t hash, OpenWindow& window);
  void place(GroupId group);
  void rehash(std::size_t slots);

  std::vector<Type> types_;
  std::vector<std::size_t> columns_;
  Form form_;
  std::vector<std::uint64_t> hashes_;  // of a batch
  std::string scratch_;                // an encoded key
  std::vector<Slot> slots_;            // a power of two
  // By group:
  std::vector<Key> keys_of_;
  std::vector<std::uint64_t> hash_of_;
  std::vector<std::int64_t> window_of_;  // its start
  std::vector<GroupId> free_;
};

}  // namespace sluice
