#include "runtime/data/bitmap.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace sluice {
namespace {

// Words with exactly the bits asked for, so that a sanitizer sees a touch of one word too many.
struct Bits {
  explicit Bits(const std::vector<bool>& model) : words(bitmap_words(model.size())) {
    for (std::size_t i = 0; i < model.size(); ++i) bit_assign(words.data(), i, model[i]);
  }
  std::vector<bool> read(std::size_t size) const {
    std::vector<bool> bits(size);
    for (std::size_t i = 0; i < size; ++i) bits[i] = bit_get(words.data(), i);
    return bits;
  }
  std::vector<std::uint64_t> words;
};

// Not shrunk: twenty copies of hundreds of bits would take minutes, and the failing offsets are short
// already.
std::vector<bool> some_bits() {
  return *rc::gen::noShrink(rc::gen::resize(300, rc::gen::arbitrary<std::vector<bool>>()));
}
std::size_t up_to(std::size_t n) { return *rc::gen::noShrink(rc::gen::inRange<std::size_t>(0, n + 1)); }

TEST_CASE("Copying, filling and counting bits do what they do to a vector of bools, and touch nothing else") {
  CHECK(rc::check("copy", [] {
    const std::vector<bool> source = some_bits();
    std::vector<bool> target = some_bits();
    Bits bits(target);
    for (int copies = 0; copies < 20; ++copies) {
      const std::size_t from = up_to(source.size());
      const std::size_t to = up_to(target.size());
      const std::size_t count = up_to(std::min(source.size() - from, target.size() - to));
      bitmap_copy(bits.words.data(), to, Bits(source).words.data(), from, count);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  target.begin() + static_cast<std::ptrdiff_t>(to));
      RC_ASSERT(bits.read(target.size()) == target);
    }
  }));
  CHECK(rc::check("fill", [](bool value) {
    std::vector<bool> target = some_bits();
    const std::size_t to = up_to(target.size());
    const std::size_t count = up_to(target.size() - to);
    Bits bits(target);
    bitmap_fill(bits.words.data(), to, count, value);
    std::fill_n(target.begin() + static_cast<std::ptrdiff_t>(to), count, value);
    RC_ASSERT(bits.read(target.size()) == target);
  }));
  CHECK(rc::check("count", [] {
    const std::vector<bool> model = some_bits();
    const std::size_t bits = up_to(model.size());
    RC_ASSERT(bitmap_count(Bits(model).words.data(), bits) ==
              static_cast<std::size_t>(
                  std::count(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(bits), true)));
  }));
}

}  // namespace
}  // namespace sluice
