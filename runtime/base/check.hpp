#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice {

// Prints where, what and the values to standard error, and aborts. Checks are for our own bugs and stay on in
// release builds: a process that goes on with broken ownership or credit does more harm than one that stops.
[[noreturn]] void check_failed(const char* file, int line, std::string_view condition,
                               const std::string& values);

}  // namespace sluice

#define SLUICE_CHECK(condition, ...)                                                         \
  do {                                                                                       \
    if (!(condition)) [[unlikely]] {                                                         \
      ::sluice::check_failed(__FILE__, __LINE__, #condition, ::fmt::format("" __VA_ARGS__)); \
    }                                                                                        \
  } while (false)

#define SLUICE_CHECK_OP(a, op, b)                                                 \
  do {                                                                            \
    const auto& check_a_ = (a);                                                   \
    const auto& check_b_ = (b);                                                   \
    if (!(check_a_ op check_b_)) [[unlikely]] {                                   \
      ::sluice::check_failed(__FILE__, __LINE__, #a " " #op " " #b,               \
                             ::fmt::format("{} against {}", check_a_, check_b_)); \
    }                                                                             \
  } while (false)

#define SLUICE_CHECK_EQ(a, b) SLUICE_CHECK_OP(a, ==, b)
#define SLUICE_CHECK_LE(a, b) SLUICE_CHECK_OP(a, <=, b)
#define SLUICE_CHECK_LT(a, b) SLUICE_CHECK_OP(a, <, b)
