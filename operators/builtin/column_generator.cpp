#include "operators/builtin/column_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "runtime/base/int128.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

// Word `index` of the stream of `seed`: a Weyl sequence through the finalizer of SplitMix64 (Steele, Lea,
// Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * kHashA;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A further, independent stream of a column.
std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t stream) {
  return hash_word(seed, stream * kHashB);
}

// 53 bits in [0, 1).
double unit_interval(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// ---- sequence, timestamp ----

class Sequence final : public ColumnGenerator {
 public:
  Sequence(Type type, std::string name, std::int64_t start, std::int64_t step)
      : type_(type), name_(std::move(name)), start_(start), step_(step) {}

  Type type() const override { return type_; }

  Result<void> fill(const RowRange& range, ColumnBuilder& out) const override {
    const std::uint64_t last = range.index(range.rows - 1);
    const Int128 last_value = static_cast<Int128>(step_) * last + start_;
    if (last_value > INT64_MAX || last_value < INT64_MIN) {
      return Error(
          ErrorCode::integer_overflow,
          fmt::format("the column \"{}\" leaves the range of {} before row {}; choose a smaller step or "
                      "fewer rows",
                      name_, type_name(type_), last));
    }
    for (std::uint32_t r = 0; r < range.rows; ++r) {
      // In unsigned arithmetic: the product alone may leave int64 although the value does not.
      out.append_int64(static_cast<std::int64_t>(static_cast<std::uint64_t>(start_) +
                                                 static_cast<std::uint64_t>(step_) * range.index(r)));
    }
    return {};
  }

 private:
  Type type_;
  std::string name_;
  std::int64_t start_;
  std::int64_t step_;
};

// ---- choice, constant ----

void append_literal(const Literal& value, ColumnBuilder& out) {
  switch (value.kind) {
    case Literal::Kind::null:
      return out.append_null();
    case Literal::Kind::integer:
      return out.append_int64(value.integer);
    case Literal::Kind::number:
      return out.append_float64(value.number);
    case Literal::Kind::boolean:
      return out.append_bool(value.boolean);
    case Literal::Kind::text:
      return out.append_string(value.text);
  }
}

// One draw a row by the alias method (Walker 1977, tables after Vose 1991): a slot is chosen evenly, and
// within it either the slot's own value or its alias.
class Choice final : public ColumnGenerator {
 public:
  Choice(Type type, std::vector<Literal> values, std::vector<double> weights, std::uint64_t seed)
      : type_(type), values_(std::move(values)), seed_(seed) {
    for (const Literal& v : values_) row_bytes_ = std::max(row_bytes_, v.text.size() + 8);
    if (weights.empty()) weights.assign(values_.size(), 1.0);
    build(std::move(weights));
  }

  Type type() const override { return type_; }
  std::size_t row_bytes() const override { return row_bytes_; }

  Result<void> fill(const RowRange& range, ColumnBuilder& out) const override {
    for (std::uint32_t r = 0; r < range.rows; ++r) append_literal(values_[draw(range.index(r))], out);
    return {};
  }

 private:
  struct Slot {
    double own = 1;  // probability of the slot's own value
    std::uint32_t alias = 0;
  };

  std::size_t draw(std::uint64_t index) const {
    if (values_.size() == 1) return 0;
    const UInt128 scaled = static_cast<UInt128>(random_word(seed_, index)) * slots_.size();
    const auto slot = static_cast<std::size_t>(scaled >> 64);
    return unit_interval(static_cast<std::uint64_t>(scaled)) < slots_[slot].own ? slot : slots_[slot].alias;
  }

  void build(std::vector<double> weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    const auto n = static_cast<std::uint32_t>(weights.size());
    slots_.resize(n);
    std::vector<std::uint32_t> small, large;
    for (std::uint32_t i = 0; i < n; ++i) {
      weights[i] *= n / sum;
      (weights[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t s = small.back(), l = large.back();
      small.pop_back();
      slots_[s] = {weights[s], l};
      weights[l] -= 1 - weights[s];
      if (weights[l] < 1) {
        large.pop_back();
        small.push_back(l);
      }
    }
  }

  Type type_;
  std::vector<Literal> values_;
  std::uint64_t seed_;
  std::size_t row_bytes_ = 8;
  std::vector<Slot> slots_;
};

// ---- numbers ----

// One number a row, made by Draw(seed, index).
template <Type kType, typename Draw>
class Numbers final : public ColumnGenerator {
 public:
  explicit Numbers(Draw draw) : draw_(std::move(draw)) {}
  Type type() const override { return kType; }

  Result<void> fill(const RowRange& range, ColumnBuilder& out) const override {
    for (std::uint32_t r = 0; r < range.rows; ++r) {
      if constexpr (kType == Type::float64) {
        out.append_float64(draw_(range.index(r)));
      } else {
        out.append_int64(draw_(range.index(r)));
      }
    }
    return {};
  }

 private:
  Draw draw_;
};

template <Type kType, typename Draw>
std::unique_ptr<ColumnGenerator> make_numbers(Draw draw) {
  return std::make_unique<Numbers<kType, Draw>>(std::move(draw));
}

// Zipf's law by rejection-inversion (Hörmann, Derflinger: Rejection-inversion to generate variates from
// monotone discrete distributions, 1996): draws from the hat x^-s by inverting its integral, and rejects what
// lies above the bars.
class Zipf {
 public:
  Zipf(std::uint64_t n, double s, std::uint64_t seed) : n_(static_cast<double>(n)), s_(s), seed_(seed) {
    integral_first_ = integral(1.5) - 1;
    integral_last_ = integral(n_ + 0.5);
    accept_ = 2 - inverse(integral(2.5) - height(2));
  }

  std::int64_t operator()(std::uint64_t index) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      const double u = integral_last_ + unit_interval(random_word(stream_seed(seed_, attempt), index)) *
                                            (integral_first_ - integral_last_);
      const double x = inverse(u);
      const double k = std::clamp(std::round(x), 1.0, n_);
      if (k - x <= accept_ || u >= integral(k + 0.5) - height(k)) return static_cast<std::int64_t>(k);
    }
  }

 private:
  double height(double x) const { return std::exp(-s_ * std::log(x)); }

  // The integral of x^-s from 1, in a form that is exact at s = 1 too.
  double integral(double x) const {
    const double log_x = std::log(x);
    const double t = (1 - s_) * log_x;
    return log_x * (std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2);
  }

  double inverse(double y) const {
    const double t = std::max(y * (1 - s_), -1.0);
    return std::exp(y * (std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2));
  }

  double n_;
  double s_;
  std::uint64_t seed_;
  double integral_first_;
  double integral_last_;
  double accept_;
};

// ---- text ----

class Text final : public ColumnGenerator {
 public:
  Text(TextShape shape, std::uint64_t seed)
      : shape_(std::move(shape)), length_seed_(stream_seed(seed, 1)), seed_(seed) {}

  Type type() const override { return Type::string; }
  std::size_t row_bytes() const override { return shape_.max_length + std::size_t{8}; }

  Result<void> fill(const RowRange& range, ColumnBuilder& out) const override {
    std::vector<char> scratch(shape_.max_length + sizeof(std::uint64_t));
    for (std::uint32_t r = 0; r < range.rows; ++r) {
      const std::uint64_t index = range.index(r);
      const std::size_t length = length_of(index);
      if (shape_.alphabet.empty()) {
        write_default(random_word(seed_, index), scratch.data(), length);
      } else {
        write_alphabet(random_word(seed_, index), scratch.data(), length);
      }
      out.append_string({scratch.data(), length});
    }
    return {};
  }

 private:
  std::size_t length_of(std::uint64_t index) const {
    const std::uint64_t lengths = std::uint64_t{shape_.max_length} - shape_.min_length + 1;
    if (lengths == 1) return shape_.min_length;
    const UInt128 scaled = static_cast<UInt128>(random_word(length_seed_, index)) * lengths;
    return shape_.min_length + static_cast<std::size_t>(scaled >> 64);
  }

  // Five bits of each random byte choose one of 32 characters by arithmetic alone, which compilers turn into
  // vector code.
  static void write_default(std::uint64_t state, char* out, std::size_t length) {
    for (std::size_t i = 0; i < length; i += 8) {
      const std::uint64_t word = hash_mix(state + i * kHashA, kHashB);
      std::memcpy(out + i, &word, 8);
    }
    for (std::size_t i = 0; i < length; ++i) {
      const auto c = static_cast<unsigned char>(static_cast<unsigned char>(out[i]) & 31);
      out[i] = static_cast<char>(c + (c < 26 ? 'a' : '2' - 26));
    }
  }

  // Sixteen bits a character, so that an alphabet whose size is no power of two is still used evenly within
  // 0.4 %.
  void write_alphabet(std::uint64_t state, char* out, std::size_t length) const {
    const auto size = static_cast<std::uint32_t>(shape_.alphabet.size());
    for (std::size_t i = 0; i < length; i += 4) {
      std::uint64_t word = hash_mix(state + i * kHashA, kHashB);
      for (std::size_t k = i; k < std::min(i + 4, length); ++k, word >>= 16) {
        out[k] = shape_.alphabet[((word & 0xffff) * size) >> 16];
      }
    }
  }

  TextShape shape_;
  std::uint64_t length_seed_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<ColumnGenerator> make_sequence(std::string name, std::int64_t start, std::int64_t step) {
  return std::make_unique<Sequence>(Type::int64, std::move(name), start, step);
}

std::unique_ptr<ColumnGenerator> make_timestamps(std::string name, std::int64_t start_us,
                                                 std::int64_t step_us) {
  return std::make_unique<Sequence>(Type::timestamp, std::move(name), start_us, step_us);
}

std::unique_ptr<ColumnGenerator> make_choice(Type type, std::vector<Literal> values,
                                             std::vector<double> weights, std::uint64_t column_seed) {
  return std::make_unique<Choice>(type, std::move(values), std::move(weights), column_seed);
}

std::unique_ptr<ColumnGenerator> make_uniform_int64(std::int64_t min, std::int64_t max,
                                                    std::uint64_t column_seed) {
  // The fraction of the range has 128 bits, so that wide ranges are even too.
  const UInt128 values = static_cast<UInt128>(static_cast<Int128>(max) - min) + 1;
  const std::uint64_t low_seed = stream_seed(column_seed, 1);
  return make_numbers<Type::int64>([=](std::uint64_t index) {
    const std::uint64_t word = random_word(column_seed, index);
    if (values >> 64 != 0) return static_cast<std::int64_t>(word);
    const UInt128 low =
        static_cast<UInt128>(random_word(low_seed, index)) * static_cast<std::uint64_t>(values);
    const UInt128 scaled = static_cast<UInt128>(word) * static_cast<std::uint64_t>(values) + (low >> 64);
    return static_cast<std::int64_t>(static_cast<Int128>(min) + static_cast<Int128>(scaled >> 64));
  });
}

std::unique_ptr<ColumnGenerator> make_uniform_float64(double min, double max, std::uint64_t column_seed) {
  return make_numbers<Type::float64>([=](std::uint64_t index) {
    const double u = unit_interval(random_word(column_seed, index));
    return min * (1 - u) + max * u;
  });
}

// Box and Muller's transform (1958), its cosine half.
std::unique_ptr<ColumnGenerator> make_normal(double mean, double stddev, std::uint64_t column_seed) {
  const std::uint64_t angle_seed = stream_seed(column_seed, 1);
  return make_numbers<Type::float64>([=](std::uint64_t index) {
    const double radius = std::sqrt(-2 * std::log(1 - unit_interval(random_word(column_seed, index))));
    const double angle = 2 * std::numbers::pi * unit_interval(random_word(angle_seed, index));
    return mean + stddev * radius * std::cos(angle);
  });
}

std::unique_ptr<ColumnGenerator> make_zipf(std::uint64_t n, double s, std::uint64_t column_seed) {
  return make_numbers<Type::int64>(Zipf(n, s, column_seed));
}

std::unique_ptr<ColumnGenerator> make_text(TextShape shape, std::uint64_t column_seed) {
  return std::make_unique<Text>(std::move(shape), column_seed);
}

}  // namespace sluice
