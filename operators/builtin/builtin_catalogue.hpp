#pragma once

#include "operators/config/catalogue.hpp"

namespace sluice {

// Every operator type that is part of Sluice, in the order in which help shows them: sources, transforms,
// sinks. Built at the first call; thread-safe.
const Catalogue& builtin_catalogue();

}  // namespace sluice
