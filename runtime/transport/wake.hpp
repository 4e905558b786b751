#pragma once

namespace sluice {

// A thread that may be asleep and can be woken, cheaply if it is not. Thread-safe.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  virtual void wake() = 0;
};

}  // namespace sluice
