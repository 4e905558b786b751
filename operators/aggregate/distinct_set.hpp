#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sluice {

// Sets of values for counting: they only grow. Open addressing with linear probing at no more than three
// quarters load, in tables of 4, 8, 16 … slots; an empty set holds nothing on the heap. One thread.

// Words of 64 bits, 8 bytes a slot.
class WordSet {
 public:
  // True if it is new.
  bool insert(std::uint64_t word);
  std::size_t size() const { return used_ + (holds_zero_ ? 1 : 0); }
  std::size_t heap_bytes() const { return slots_count_ * sizeof(std::uint64_t); }

  // In no particular order.
  template <typename Visit>
  void for_each(Visit visit) const {
    if (holds_zero_) visit(std::uint64_t{0});
    for (std::size_t i = 0; i < slots_count_; ++i) {
      if (slots_[i] != 0) visit(slots_[i]);
    }
  }
  void merge(const WordSet& other) {
    other.for_each([this](std::uint64_t word) { insert(word); });
  }

 private:
  std::uint64_t& slot_of(std::uint64_t word);
  void grow();

  std::unique_ptr<std::uint64_t[]> slots_;  // 0: free
  std::size_t slots_count_ = 0;
  std::size_t used_ = 0;
  bool holds_zero_ = false;
};

// Strings of bytes: 8 bytes a slot, and their bytes one after the other, each behind its length in 4 bytes.
class TextSet {
 public:
  bool insert(std::string_view text);
  std::size_t size() const { return used_; }
  std::size_t heap_bytes() const;

  // In the order in which they came.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::string_view text = text_at(at);
      visit(text);
      at += sizeof(std::uint32_t) + text.size();
    }
  }
  void merge(const TextSet& other) {
    other.for_each([this](std::string_view text) { insert(text); });
  }

 private:
  std::string_view text_at(std::size_t offset) const;
  void grow();

  std::unique_ptr<std::uint64_t[]> slots_;  // 0: free; else 24 bits of the hash above the offset + 1
  std::size_t slots_count_ = 0;
  std::size_t used_ = 0;
  std::string bytes_;
};

}  // namespace sluice
