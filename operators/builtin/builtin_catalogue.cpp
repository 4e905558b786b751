#include "operators/builtin/builtin_catalogue.hpp"

#include "operators/builtin/event_time.hpp"
#include "operators/builtin/filter.hpp"
#include "operators/builtin/generator.hpp"
#include "operators/builtin/null_sink.hpp"

namespace sluice {

const Catalogue& builtin_catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue list;
    list.add(generator_type());
    list.add(filter_type());
    list.add(event_time_type());
    list.add(null_sink_type());
    return list;
  }();
  return catalogue;
}

}  // namespace sluice
