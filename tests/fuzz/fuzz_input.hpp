#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::fuzz {

// The bytes that the fuzzer made, taken apart: the first few choose what is tried, the rest is the text. At
// the end of the bytes every choice is 0.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(c);
  }
  // 0 … count-1.
  std::size_t choice(std::size_t count) { return byte() % count; }
  // What is left in front of the first such byte; the byte itself is passed over.
  std::string_view until(char end) {
    const std::string_view text = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(text.size() < rest_.size() ? text.size() + 1 : text.size());
    return text;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Ends the process with the sentence: a property does not hold.
[[noreturn]] void fail(std::string_view sentence);

inline void require(bool holds, std::string_view sentence) {
  if (!holds) fail(sentence);
}

}  // namespace sluice::fuzz
