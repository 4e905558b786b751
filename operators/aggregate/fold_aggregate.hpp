#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "operators/aggregate/aggregate.hpp"

namespace sluice {

template <typename T>
T read_value(const Column& column, std::uint32_t row) {
  if constexpr (std::is_same_v<T, std::int64_t>) return column.int64s()[row];
  if constexpr (std::is_same_v<T, double>) return column.float64s()[row];
  if constexpr (std::is_same_v<T, bool>) return column.boolean(row);
  if constexpr (std::is_same_v<T, std::string_view>) return column.string(row);
}

// state[i] = old state[old[i]]
template <typename State>
void keep_states(std::vector<State>& states, std::span<const GroupId> old) {
  std::vector<State> kept;
  kept.reserve(old.size());
  for (const GroupId group : old) kept.push_back(std::move(states[group]));
  states = std::move(kept);
}

// What a fold without settings starts from.
struct PlainFold {
  struct Settings {};
};

// An aggregate made of one fold a group. A fold is what one group remembers:
//   Input                             the type of a value
//   Settings                          what all groups share; handed to each call
//   add(settings, value, arrival)     takes a value in
//   merge(settings, other)            takes in what another has taken in
//   append(settings, builder)         the result; false, and nothing appended, if it does not fit
//   heap_bytes(settings)              optional: what it holds outside itself, in constant time
//   result_bytes(settings)            optional: about how long its result is
// A fold that was just made has taken nothing in and holds nothing outside itself.
template <typename Fold>
class FoldAggregate final : public Aggregate {
 public:
  using Settings = typename Fold::Settings;

  explicit FoldAggregate(Settings settings = {}) : settings_(std::move(settings)) {}

  void grow(std::size_t groups) override {
    if (groups > folds_.size()) folds_.resize(groups);
  }

  void update(const Column* value, const GroupId* groups, std::uint32_t rows,
              std::uint64_t first_arrival) override {
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (groups[r] == kNoGroup || value->is_null(r)) continue;
      change(groups[r], [&](Fold& fold) {
        fold.add(settings_, read_value<typename Fold::Input>(*value, r), first_arrival + r);
      });
    }
  }

  void merge(std::span<const GroupId> from, std::span<const GroupId> into) override {
    for (std::size_t i = 0; i < from.size(); ++i) {
      change(into[i], [&](Fold& fold) { fold.merge(settings_, folds_[from[i]]); });
    }
  }

  void append_results(std::span<const GroupId> groups, ColumnBuilder& out,
                      std::vector<std::uint32_t>& unfit) const override {
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
      if (folds_[groups[i]].append(settings_, out)) continue;
      out.append_null();
      unfit.push_back(i);
    }
  }

  std::size_t result_bytes(GroupId group) const override {
    if constexpr (requires { folds_[group].result_bytes(settings_); }) {
      return folds_[group].result_bytes(settings_);
    }
    return Aggregate::result_bytes(group);
  }

  std::size_t state_bytes() const override { return folds_.capacity() * sizeof(Fold) + heap_bytes_; }

  void clear(std::span<const GroupId> groups) override {
    // Moved out first: what is assigned to may keep its memory.
    for (const GroupId group : groups) change(group, [](Fold& fold) { std::exchange(fold, Fold()); });
  }

  void compact(std::span<const GroupId> old) override {
    keep_states(folds_, old);
    heap_bytes_ = 0;
    for (const Fold& fold : folds_) heap_bytes_ += heap_of(fold);
  }

 private:
  std::size_t heap_of(const Fold& fold) const {
    if constexpr (requires { fold.heap_bytes(settings_); }) return fold.heap_bytes(settings_);
    return 0;
  }

  // Every change of a fold goes through here, so that the sum of what they hold is always known.
  template <typename Change>
  void change(GroupId group, Change how) {
    Fold& fold = folds_[group];
    const std::size_t before = heap_of(fold);
    how(fold);
    heap_bytes_ += heap_of(fold) - before;
  }

  [[no_unique_address]] Settings settings_;
  std::vector<Fold> folds_;
  std::size_t heap_bytes_ = 0;
};

// The aggregate of Fold<T> for values of a type, T being how read_value gives them.
template <template <typename> class Fold>
std::unique_ptr<Aggregate> make_fold_aggregate(Type type,
                                               const typename Fold<std::int64_t>::Settings& settings = {}) {
  switch (physical(type)) {
    case Physical::int64:
      return std::make_unique<FoldAggregate<Fold<std::int64_t>>>(settings);
    case Physical::float64:
      return std::make_unique<FoldAggregate<Fold<double>>>(settings);
    case Physical::bits:
      return std::make_unique<FoldAggregate<Fold<bool>>>(settings);
    case Physical::bytes:
      return std::make_unique<FoldAggregate<Fold<std::string_view>>>(settings);
  }
  return nullptr;
}

}  // namespace sluice
