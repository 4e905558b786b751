#include "runtime/base/text_distance.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace sluice {
namespace {

// Longer names are not misspellings of ours; the limit also bounds the work.
constexpr std::size_t kMaxNameLength = 64;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lowered(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each 1.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Distances = std::array<std::size_t, kMaxNameLength + 1>;
  Distances before_last{};
  Distances last{};
  Distances row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

// "near" is up to a third of the longer name wrong: one letter of three, two of six.
std::size_t near_limit(std::size_t length) { return std::clamp<std::size_t>(length / 3, 1, 4); }

std::size_t difference(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kMaxNameLength) return "";
  const std::string wanted = lowered(name);
  const std::string* best = nullptr;
  std::size_t best_distance = kMaxNameLength;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxNameLength) continue;
    const std::size_t limit = near_limit(std::max(candidate.size(), wanted.size()));
    if (difference(candidate.size(), wanted.size()) > limit) continue;
    const std::size_t distance = edit_distance(wanted, lowered(candidate));
    // A name without a single letter in common is no misspelling.
    if (distance > limit || distance >= best_distance || distance >= wanted.size()) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best == nullptr ? "" : "did you mean \"" + *best + "\"?";
}

}  // namespace sluice
