#include "runtime/flow/watermark_gate.hpp"

namespace sluice {

std::string_view gate_state_name(GateState state) {
  switch (state) {
    case GateState::open:
      return "OPEN";
    case GateState::throttled:
      return "THROTTLED";
    case GateState::lossy:
      return "LOSSY";
    case GateState::starved:
      return "STARVED";
  }
  return "?";
}

}  // namespace sluice
