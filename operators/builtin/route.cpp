#include "operators/builtin/route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "operators/binding/binding.hpp"
#include "operators/binding/row_selection.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kOtherwisePort = 0;
constexpr std::uint32_t kRouteErrorsPort = 1;
constexpr std::uint32_t kFirstRoutePort = 2;  // route i leaves by port i + 2
// Connected ports are bits of 32 bits, two are taken, and one is left.
constexpr std::size_t kMaxRoutes = 29;
constexpr std::string_view kPortRule = "[A-Za-z_][A-Za-z0-9_]{0,62}";

// Gives each record to the first route whose condition is true of it; to `otherwise` if there is none. A
// condition that cannot be evaluated makes a bad record, unless an earlier route has taken the record
// already: the routes behind it are then never asked. No state.
class Route final : public Operator {
 public:
  Route(const std::vector<Expression>& routes, const Schema& schema, OnError on_error)
      : bad_(on_error, kRouteErrorsPort) {
    for (const Expression& route : routes) routes_.emplace_back(route);
    for (std::size_t i = 0; i < routes.size() + kFirstRoutePort; ++i) ports_.emplace_back(schema);
  }

  Result<void> open(const OperatorContext& context) override {
    bad_.open(context);
    return {};
  }

  Result<Step> process(std::uint32_t, const Batch& batch, Emitter& out, TimeNs) override {
    errors_.clear();
    open_.assign(batch.rows, 1);
    left_ = batch.rows;
    for (std::size_t i = 0; i < routes_.size() && left_ > 0; ++i) {
      Port& port = ports_[kFirstRoutePort + i];
      take_true(routes_[i], batch, port);
      emit(kFirstRoutePort + static_cast<std::uint32_t>(i), port, batch, out);
    }
    take_rest(ports_[kOtherwisePort]);
    emit(kOtherwisePort, ports_[kOtherwisePort], batch, out);
    keep_first_error_a_row(errors_);
    SLUICE_TRY(add_row_errors(bad_, batch, errors_));
    bad_.flush(out);
    return Step::needs_input();
  }

 private:
  struct Port {
    explicit Port(const Schema& schema) : selection(schema) {}
    RowSelection selection;
    std::vector<std::uint32_t> rows;
  };

  bool take(std::uint32_t row) {
    if (open_[row] == 0) return false;
    open_[row] = 0;
    --left_;
    return true;
  }

  void take_true(Evaluator& route, const Batch& batch, Port& port) {
    select_true(route.evaluate(batch), batch.rows, port.rows);
    std::erase_if(port.rows, [this](std::uint32_t row) { return !take(row); });
    for (const RowError& e : route.errors()) {
      if (take(e.row)) errors_.push_back(e);
    }
  }

  void take_rest(Port& otherwise) {
    otherwise.rows.clear();
    for (std::uint32_t row = 0; row < open_.size(); ++row) {
      if (open_[row] != 0) otherwise.rows.push_back(row);
    }
  }

  static void emit(std::uint32_t number, Port& port, const Batch& batch, Emitter& out) {
    if (!port.rows.empty()) out.emit(number, port.selection.take(batch, port.rows));
  }

  std::vector<Evaluator> routes_;
  std::deque<Port> ports_;
  BadRecords bad_;
  // Of the batch in hand:
  std::vector<RowError> errors_;
  std::vector<std::uint8_t> open_;  // a row each: 1 until a route, or an error, takes it
  std::uint32_t left_ = 0;          // how many are 1
};

class BoundRoute final : public BoundOperator {
 public:
  BoundRoute(std::vector<Expression> routes, const Schema& schema, OnError on_error)
      : routes_(std::move(routes)), on_error_(on_error) {
    output_schemas_ = {schema, errors_schema()};
    output_schemas_.resize(kFirstRoutePort + routes_.size(), schema);
  }

  std::unique_ptr<Operator> create() const override {
    return std::make_unique<Route>(routes_, output_schemas_[kOtherwisePort], on_error_);
  }

 private:
  std::vector<Expression> routes_;
  OnError on_error_;
};

bool is_port_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto rest = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= 63 && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), rest);
}

// Adds what is wrong with a port's name; `before` are the names of the routes in front of it.
void check_port_name(const std::string& name, const std::vector<std::string>& before, const std::string& at,
                     Problems& problems) {
  if (!is_port_name(name)) {
    problems.push_back({at, ErrorCode::bad_name, fmt::format("\"{}\" cannot be the name of a port", name),
                        fmt::format("a port's name follows {}", kPortRule)});
  } else if (name == "otherwise" || name == "errors") {
    problems.push_back({at, ErrorCode::duplicate_name,
                        fmt::format("the port \"{}\" is there already, without a route", name),
                        name == "errors"
                            ? "it takes the records whose conditions fail; choose another name"
                            : "it takes what no route takes; leave the route out, or choose another name"});
  } else if (std::find(before.begin(), before.end(), name) != before.end()) {
    problems.push_back({at, ErrorCode::duplicate_name, fmt::format("two routes have the port \"{}\"", name),
                        "join their conditions with \"or\", or choose another name"});
  }
}

std::unique_ptr<BoundOperator> bind_route(const BindInput& in, Problems& problems) {
  const std::size_t before = problems.size();
  const Json& routes = in.config["routes"];
  if (routes.size() > kMaxRoutes) {
    problems.push_back(
        {"/routes", ErrorCode::out_of_range,
         fmt::format("there are {} routes, and a route operator takes at most {}", routes.size(), kMaxRoutes),
         "lead \"otherwise\" into a second one that holds the rest"});
  }
  std::vector<std::string> names;
  std::vector<Expression> conditions;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    names.push_back(routes[i]["port"].get<std::string>());
    check_port_name(names.back(), {names.begin(), names.end() - 1}, fmt::format("/routes/{}/port", i),
                    problems);
    auto where = bind_condition(in.inputs[0], routes[i]["where"].get<std::string>(),
                                fmt::format("/routes/{}/where", i), problems);
    if (where) conditions.push_back(*std::move(where));
  }
  if (problems.size() > before) return nullptr;
  return std::make_unique<BoundRoute>(std::move(conditions), in.inputs[0], on_error_of(in.config));
}

// The ports of the routes, in their order, of a config that may not have been checked: what is no route with
// a name is left out (and bind, or the field table, says what is wrong with it).
std::vector<PortSpec> route_ports(const Json& config) {
  std::vector<PortSpec> ports;
  if (!config.is_object() || !config.contains("routes") || !config["routes"].is_array()) return ports;
  for (const Json& route : config["routes"]) {
    if (ports.size() == kMaxRoutes) break;
    if (!route.is_object() || !route.contains("port") || !route["port"].is_string()) continue;
    const auto name = route["port"].get<std::string>();
    const auto same = [&](const PortSpec& p) { return p.name == name; };
    if (name == "otherwise" || name == "errors" || std::any_of(ports.begin(), ports.end(), same)) continue;
    ports.push_back({name, false, "the records that this route takes"});
  }
  return ports;
}

}  // namespace

OperatorType route_type() {
  OperatorType type;
  type.type = "route";
  type.summary = "Sends each record to the port of the first condition that is true.";
  type.example = R"({"routes": [{"port": "failed", "where": "status >= 500"},
 {"port": "slow", "where": "seconds > 1.5"}]})";
  type.fields = {
      {.name = "routes",
       .type = FieldType::list,
       .required = true,
       .help =
           "The routes, at most 29, in the order in which they are asked; each makes an output port of its "
           "own, and one without an edge drops its records.",
       .members = {{.type = FieldType::object,
                    .members = {{.name = "port",
                                 .type = FieldType::string,
                                 .required = true,
                                 .help = "The port that the records leave by: a name of letters, digits and "
                                         "underscores, not \"otherwise\" or \"errors\"."},
                                {.name = "where",
                                 .type = FieldType::expression,
                                 .required = true,
                                 .help = "The condition, an expression of type bool over the input's "
                                         "columns; null is not true."}}}},
       .min_items = 1},
      on_error_field()};
  type.inputs = {{"in", true, "the records"}};
  type.outputs = {
      {"otherwise", false, "records that no route took, as they came"},
      {"errors", false, "records of which a condition could not be evaluated before a route took them"}};
  type.more_outputs = route_ports;
  type.bind = bind_route;
  return type;
}

}  // namespace sluice
