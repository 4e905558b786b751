#include "operators/builtin/builtin_catalogue.hpp"

#include "operators/builtin/dedup.hpp"
#include "operators/builtin/event_time.hpp"
#include "operators/builtin/file_sink.hpp"
#include "operators/builtin/file_source.hpp"
#include "operators/builtin/filter.hpp"
#include "operators/builtin/generator.hpp"
#include "operators/builtin/map.hpp"
#include "operators/builtin/null_sink.hpp"
#include "operators/builtin/parse.hpp"
#include "operators/builtin/route.hpp"
#include "operators/builtin/sample.hpp"
#include "operators/builtin/stdout_sink.hpp"
#include "operators/builtin/throttle.hpp"
#include "operators/builtin/top_n.hpp"
#include "operators/builtin/unnest.hpp"
#include "operators/join/join.hpp"
#include "operators/window/over.hpp"
#include "operators/window/window_aggregate.hpp"

namespace sluice {

const Catalogue& builtin_catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue list;
    list.add(file_source_type());
    list.add(generator_type());
    list.add(parse_operator_type());
    list.add(filter_type());
    list.add(map_type());
    list.add(unnest_type());
    list.add(route_type());
    list.add(sample_type());
    list.add(event_time_type());
    list.add(dedup_type());
    list.add(window_aggregate_type());
    list.add(over_type());
    list.add(join_type());
    list.add(top_n_type());
    list.add(throttle_type());
    list.add(file_sink_type());
    list.add(stdout_sink_type());
    list.add(null_sink_type());
    return list;
  }();
  return catalogue;
}

}  // namespace sluice
