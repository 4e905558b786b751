#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operators/expression/program.hpp"

namespace sluice::expression {

// What a function finds wrong with its constant arguments while it is compiled. Thrown by Prepare, caught by
// the binder, which knows where the argument stands.
struct ArgumentError {
  std::size_t argument;
  ErrorCode code;
  std::string sentence;
};

// Makes what the kernel needs of the constant arguments (nullptr where one is not constant).
using Prepare = PreparedPtr (*)(std::span<const Constant* const> arguments);

// One signature of a function. Arguments are converted where that loses nothing (int64 to float64, null to
// anything, ISO text literals to timestamp). Functions are strict.
struct Overload {
  std::string_view name;
  std::vector<Type> parameters;
  Type result;
  Kernel kernel;
  Prepare prepare = nullptr;
  std::uint32_t constant = 0;  // bit i: argument i must be a constant

  std::string signature() const;  // round(float64, int64)
};

// All of them, those of one name together: an explicit list, sorted by name.
const std::vector<Overload>& function_overloads();
std::span<const Overload> find_overloads(std::string_view name);

// Names of what takes any types and is bound by rules of its own.
inline constexpr std::string_view kSpecialFunctions[] = {"coalesce", "concat", "greatest",
                                                         "hash64",   "least",  "nullif"};

// For messages: every function's name.
std::vector<std::string> function_names();

using Overloads = std::vector<Overload>;
void add_math_functions(Overloads& all);
void add_text_functions(Overloads& all);
void add_regex_functions(Overloads& all);
void add_time_functions(Overloads& all);
void add_json_functions(Overloads& all);

// Kernels of the special ones. Two values of one type; not strict: a null loses against a value.
Kernel extreme_kernel(Type type, bool greatest);
// The first, or null where both are equal; not strict. The second argument is of the same type.
Kernel nullif_kernel(Type type);
// Texts joined, nulls left out: concat as a step that is not strict, || as one that is.
Kernel concat_kernel();
// Any number of values of any types; not strict, never null.
Kernel hash_kernel();

// text, pattern [, escape]
Kernel like_kernel();
PreparedPtr prepare_like(std::span<const Constant* const> arguments);
// A value among constants of its type; null where it is not found and a null is among them.
Kernel in_set_kernel(Type type);
PreparedPtr prepare_in_set(std::span<const Constant* const> values);

}  // namespace sluice::expression
