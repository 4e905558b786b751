#pragma once

namespace sluice {

// For sums and products of int64 values on their way; GCC's and Clang's own type.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace sluice
