#include "tests/engine/random_graphs/random_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/engine/random_graphs/random.hpp"
#include "tests/engine/random_graphs/random_expressions.hpp"
#include "tests/engine/random_graphs/random_input.hpp"

namespace sluice::reference {
namespace {

using nlohmann::json;

// Of a stream that another operator reads, if the reference follows it or not.
constexpr std::int64_t kMostRecords = 4000, kMostUnknown = 100'000;

// The end of a branch of the graph: what comes out of its last ports.
struct Stream {
  std::vector<std::string> from;  // "id.port"; several are a union
  Table table;                    // without records where the reference does not know them
  std::int64_t records = 0;       // about how many there are
  std::uint32_t sources = 0;      // a bit each
  bool timed = false;
  bool ordered = true;         // the order of its records is a function of the input
  bool known = true;           // the table is what comes
  bool known_in_order = true;  // and in that order
  bool of_window = false;      // window_start is a window that closes
};

std::string us(std::int64_t duration) { return fmt::format("{}us", duration); }
class JobMaker {
 public:
  JobMaker(std::uint64_t seed, const TemporaryFolder& folder) : random_(seed), folder_(folder) {}

  RandomJob make() {
    large_ = random_.one_in(3);
    const std::int64_t sources = random_.between(1, 2);
    for (std::int64_t i = 0; i < sources; ++i) add_source(static_cast<std::uint32_t>(i));
    for (std::int64_t left = random_.between(1, 6); left > 0; --left) add_operator();
    for (Stream& stream : std::exchange(streams_, {})) write(std::move(stream));
    return {{{"name", "random"}, {"operators", operators_}, {"edges", edges_}}, std::move(written_)};
  }

 private:
  // ---- the graph ----

  std::string add(const std::string& type, json config, const std::vector<const Stream*>& inputs,
                  const std::vector<std::string>& ports = {"in"}) {
    const std::string id = fmt::format("{}_{}", type, operators_.size());
    operators_.push_back({{"id", id}, {"type", type}, {"config", std::move(config)}});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (const std::string& from : inputs[i]->from) {
        edges_.push_back({{"from", from}, {"to", id + "." + ports[i]}});
      }
    }
    return id;
  }

  void write(Stream stream) {
    Written written;
    written.file = fmt::format("out{}.csv", written_.size());
    written.columns = stream.table.columns;
    if (stream.known) written.lines = csv_lines(stream.table);
    add("file_sink", {{"path", folder_.path(written.file)}, {"format", "csv"}}, {&stream});
    written_.push_back(std::move(written));
  }

  // A port that nothing else reads: written, or left open.
  void may_write(Stream stream) {
    if (random_.one_in(2)) write(std::move(stream));
  }

  Stream errors_of(const std::string& id) {
    Stream errors;
    errors.from = {id + ".errors"};
    errors.known = false;
    for (const char* name : {"input", "operator", "code", "message"}) {
      errors.table.columns.push_back({name, Kind::text});
    }
    return errors;
  }

  // The reference no longer knows what comes.
  static void forget(Stream& stream) {
    stream.known = stream.known_in_order = false;
    stream.table.records.clear();
  }

  // ---- sources ----

  void add_source(std::uint32_t number) {
    Stream stream;
    const bool wild = random_.one_in(6);
    stream.table = random_table(large_, wild, random_);
    stream.records = static_cast<std::int64_t>(stream.table.records.size());
    stream.sources = 1u << number;
    const bool csv = random_.one_in(2);
    const std::string file = fmt::format("in{}", number);
    folder_.write(file, csv ? as_csv(stream.table, random_) : as_jsonl(stream.table, random_));
    const json schema = {{{"name", "t"}, {"type", "timestamp"}, {"format", "epoch_us"}},
                         {{"name", "k"}, {"type", "string"}},
                         {{"name", "g"}, {"type", "int64"}},
                         {{"name", "v"}, {"type", "int64"}},
                         {{"name", "x"}, {"type", "float64"}},
                         {{"name", "j"}, {"type", "json"}}};
    const std::string source = add("file_source",
                                   {{"path", folder_.path(file)},
                                    {"format", csv ? "csv" : "jsonl"},
                                    {"schema", schema},
                                    {"max_record", "4KiB"}},
                                   {});
    may_write(errors_of(source));
    stream.from = {source};
    if (large_ || wild) forget(stream);
    if (random_.one_in(8)) {
      streams_.push_back(std::move(stream));
      return;
    }
    const std::int64_t bound = random_.between(0, 30) * kSecond;
    const std::string time =
        add("event_time", {{"column", "t"}, {"max_out_of_orderness", us(bound)}}, {&stream});
    may_write(errors_of(time));
    stream.table = with_event_time(std::move(stream.table), 0, bound);
    stream.from = {time};
    stream.timed = true;
    streams_.push_back(std::move(stream));
  }

  // ---- operators ----

  Stream take_stream() {
    const auto i =
        static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(streams_.size()) - 1));
    Stream stream = streams_[i];
    // Now and then others read it too.
    if (!random_.one_in(5)) streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(i));
    return stream;
  }

  void give(Stream stream) {
    const bool usable =
        !columns_of(stream.table, {Kind::integer, Kind::text, Kind::number, Kind::time}).empty();
    if (stream.known) {
      stream.records = static_cast<std::int64_t>(stream.table.records.size());
    } else {
      forget(stream);
    }
    if (usable && stream.records <= (stream.known ? kMostRecords : kMostUnknown)) {
      streams_.push_back(std::move(stream));
    } else {
      write(std::move(stream));
    }
  }

  Stream output(const Stream& in, const std::string& from, Table table) {
    Stream out = in;
    out.from = {from};
    out.table = std::move(table);
    return out;
  }

  void add_operator() {
    if (streams_.empty()) return;
    Stream in = take_stream();
    const std::int64_t choice = random_.between(0, 12);
    if (choice == 0) return add_filter(in);
    if (choice == 1) return add_map(in);
    if (choice == 2) return add_route(in);
    if (choice == 3) return add_union(in);
    if (choice == 4) return add_top(in);
    if (choice == 5 && in.timed && in.ordered) return add_dedup(in);
    if (choice == 6 && in.timed) return add_over(in);
    if (choice == 7) return add_unnest(in);
    if (choice == 8) return add_sample(in);
    if (choice <= 10) return add_join(in);
    add_window(in);
  }

  void add_filter(const Stream& in) {
    const Condition where = risky_condition(in.table, random_);
    const std::string id = add("filter", {{"where", where.text}}, {&in});
    may_write(errors_of(id));
    give(output(in, id, filter(in.table, where)));
  }

  void add_map(const Stream& in) {
    std::vector<Computed> columns;
    json config = json::array();
    for (std::int64_t n = random_.between(1, 3); n > 0; --n) {
      columns.push_back(random_computed(in.table, fmt::format("c{}", next_name_++), random_));
      config.push_back({{"name", columns.back().column.name}, {"expr", columns.back().text}});
    }
    const std::string id = add("map", {{"columns", config}, {"keep", true}}, {&in});
    give(output(in, id, map(in.table, columns)));
  }

  void add_route(const Stream& in) {
    std::vector<Condition> routes;
    json config = json::array();
    for (std::int64_t n = random_.between(1, 2); n > 0; --n) {
      routes.push_back(risky_condition(in.table, random_));
      config.push_back({{"port", fmt::format("p{}", routes.size())}, {"where", routes.back().text}});
    }
    const std::string id = add("route", {{"routes", config}}, {&in});
    may_write(errors_of(id));
    const std::vector<Table> tables = route(in.table, routes);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string port = i < routes.size() ? fmt::format("{}.p{}", id, i + 1) : id + ".otherwise";
      give(output(in, port, tables[i]));
    }
  }

  void add_union(const Stream& in) {
    const auto alike = [&](const Stream& other) {
      const auto same = [](const Column& a, const Column& b) { return a.name == b.name && a.kind == b.kind; };
      return other.timed == in.timed && other.from != in.from &&
             std::equal(other.table.columns.begin(), other.table.columns.end(), in.table.columns.begin(),
                        in.table.columns.end(), same);
    };
    const auto other = std::find_if(streams_.begin(), streams_.end(), alike);
    if (other == streams_.end()) return add_window(in);
    Stream all = in;
    all.from.insert(all.from.end(), other->from.begin(), other->from.end());
    std::sort(all.from.begin(), all.from.end());
    all.from.erase(std::unique(all.from.begin(), all.from.end()), all.from.end());
    if (all.from.size() != in.from.size() + other->from.size()) return add_window(in);
    all.table.records.insert(all.table.records.end(), other->table.records.begin(),
                             other->table.records.end());
    all.records += other->records;
    all.sources |= other->sources;
    all.known = in.known && other->known;
    all.ordered = all.known_in_order = false;
    all.of_window = false;
    streams_.erase(other);
    give(std::move(all));
  }

  void add_top(const Stream& in) {
    const auto usable = columns_of(in.table, {Kind::integer, Kind::text, Kind::number, Kind::time});
    std::vector<Order> by;
    std::vector<std::size_t> per;
    json by_config = json::array(), per_config = json::array();
    by.push_back({random_.element(usable), random_.one_in(2)});
    by_config.push_back(
        {{"column", in.table.columns[by[0].column].name}, {"order", by[0].descending ? "desc" : "asc"}});
    if (in.of_window) {
      per.push_back(in.table.column("window_start"));
    } else if (random_.one_in(2)) {
      per = some_keys(in.table);
    }
    for (const std::size_t c : per) per_config.push_back(in.table.columns[c].name);
    const std::int64_t n = random_.between(1, 8);
    json config = {{"n", n}, {"by", by_config}};
    if (!per.empty()) config["per"] = per_config;
    const std::string id = add("top_n", std::move(config), {&in});
    Stream out = output(in, id, top(in.table, static_cast<std::size_t>(n), by, per));
    write(std::move(out));
  }

  std::vector<std::size_t> some_keys(const Table& table) {
    std::vector<std::size_t> keys = columns_of(table, {Kind::integer, Kind::text});
    while (keys.size() > 2 || (!keys.empty() && random_.one_in(4))) {
      keys.erase(keys.begin() + random_.between(0, static_cast<std::int64_t>(keys.size()) - 1));
    }
    return keys;
  }

  static json names(const Table& table, const std::vector<std::size_t>& columns) {
    json list = json::array();
    for (const std::size_t c : columns) list.push_back(table.columns[c].name);
    return list;
  }

  void add_dedup(const Stream& in) {
    const std::vector<std::size_t> keys = some_keys(in.table);
    if (keys.empty()) return add_window(in);
    const std::int64_t within = random_.between(1, 60) * kSecond;
    const std::string id = add("dedup", {{"keys", names(in.table, keys)}, {"within", us(within)}}, {&in});
    OnTimeAndLate split = dedup(in.table, keys, within);
    Stream out = output(in, id, std::move(split.out));
    Stream late = output(in, id + ".late", std::move(split.late));
    out.known = out.known_in_order = in.known && in.known_in_order;
    may_write(std::move(late));
    give(std::move(out));
  }

  void add_unnest(const Stream& in) {
    const auto arrays = columns_of(in.table, {Kind::json});
    if (arrays.empty()) return add_window(in);
    const std::string value = fmt::format("item{}", next_name_++);
    const std::string key = random_.one_in(2) ? fmt::format("at{}", next_name_++) : "";
    json config = {{"column", in.table.columns[arrays[0]].name}, {"value", value}};
    if (!key.empty()) config["key"] = key;
    const std::string id = add("unnest", std::move(config), {&in});
    may_write(errors_of(id));
    give(output(in, id, unnest(in.table, arrays[0], key, value)));
  }

  void add_sample(const Stream& in) {
    json config = {{"rate", 0.5}};
    const std::vector<std::size_t> by = some_keys(in.table);
    if (by.empty() && !in.ordered) return add_window(in);
    if (!by.empty()) config["by"] = names(in.table, by);
    Stream out = output(in, add("sample", std::move(config), {&in}), in.table);
    out.known = out.known_in_order = false;
    give(std::move(out));
  }

  struct Aggregates {
    std::vector<Aggregate> list;
    json config = json::array();
    bool ordered = false;    // the results depend on the order
    bool estimates = false;  // the reference does not know them
  };

  Aggregates aggregates(const Stream& in) {
    Aggregates all;
    for (std::int64_t n = random_.between(1, 5); n > 0; --n) {
      Aggregate a;
      a.name = fmt::format("a{}", next_name_++);
      std::vector<std::string> functions = {"count"};
      const auto usable = columns_of(in.table, {Kind::integer, Kind::text, Kind::number, Kind::time});
      const std::size_t c = random_.element(usable);
      if (!random_.one_in(6)) {
        a.column = c;
        functions = {"count", "count_distinct", "min", "max", "approx_distinct"};
        if (in.ordered) functions.insert(functions.end(), {"first", "last", "approx_top"});
        const Kind kind = in.table.columns[c].kind;
        if (kind == Kind::integer || kind == Kind::number)
          functions.insert(functions.end(),
                           {"sum", "avg", "var", "stddev", "quantile", "quantile", "approx_quantile"});
      }
      a.function = random_.element(functions);
      json config = {{"name", a.name}, {"fn", a.function}};
      if (a.column) config["expr"] = quoted(in.table.columns[c].name);
      if (a.function.ends_with("quantile")) {
        a.p = random_.element<double>({0, 0.25, 0.5, 0.75, 1});
        config["p"] = a.p;
      }
      if (random_.one_in(4)) {
        a.where = random_condition(in.table, random_);
        config["where"] = a.where->text;
      }
      all.ordered |= a.function == "first" || a.function == "last";
      all.config.push_back(std::move(config));
      if (a.function.starts_with("approx_")) {
        all.estimates = true;
        a.function = "count";  // a stand-in, which nobody reads
      }
      all.list.push_back(std::move(a));
    }
    return all;
  }

  // What the reference knows of results that were computed by aggregates.
  void judge(Stream& out, const Stream& in, const Aggregates& a, bool depends_on_order) {
    out.known = in.known && !a.estimates && (in.known_in_order || !(a.ordered || depends_on_order));
    out.known_in_order = out.known && in.known_in_order;
  }

  void add_over(const Stream& in) {
    const std::vector<std::size_t> keys = some_keys(in.table);
    const std::int64_t range = random_.between(1, 100) * kSecond;
    const Aggregates a = aggregates(in);
    json config = {{"range", us(range)}, {"aggregates", a.config}};
    if (!keys.empty()) config["keys"] = names(in.table, keys);
    const std::string id = add("over", std::move(config), {&in});
    OnTimeAndLate split = over(in.table, keys, range, a.list);
    Stream out = output(in, id, std::move(split.out));
    judge(out, in, a, false);
    may_write(output(in, id + ".late", std::move(split.late)));
    hide_estimates(out, a);
    give(std::move(out));
  }

  // Columns of estimates have the kinds of their own results, and no values that one knows.
  void hide_estimates(Stream& out, const Aggregates& a) {
    for (std::size_t i = 0; i < a.list.size(); ++i) {
      const std::string function = a.config[i]["fn"];
      if (!function.starts_with("approx_")) continue;
      const std::size_t column = out.table.column(a.list[i].name);
      if (function == "approx_quantile") out.table.columns[column].kind = Kind::number;
      if (function == "approx_top") out.table.columns[column].kind = Kind::json;
      for (Record& record : out.table.records) record.cells[column] = {};
    }
  }

  void add_window(const Stream& in) {
    WindowSpec spec;
    std::vector<Windows> kinds = {Windows::global};
    if (in.ordered) kinds.push_back(Windows::count);
    if (in.timed) {
      kinds.insert(kinds.end(), {Windows::tumbling, Windows::tumbling, Windows::sliding, Windows::sliding});
      if (in.ordered) kinds.insert(kinds.end(), {Windows::session, Windows::session});
    }
    spec.kind = random_.element(kinds);
    spec.timed = in.timed;
    spec.keys = some_keys(in.table);
    const Aggregates a = aggregates(in);
    spec.aggregates = a.list;
    json window;
    bool longest = false;
    spec.size = random_.between(1, 120) * kSecond;
    switch (spec.kind) {
      case Windows::tumbling:
        spec.offset = random_.one_in(2) ? 0 : random_.between(0, spec.size - 1);
        window = {{"type", "tumbling"}, {"size", us(spec.size)}, {"offset", us(spec.offset)}};
        break;
      case Windows::sliding:
        spec.slide =
            std::max<std::int64_t>(spec.size / random_.between(1, 6), 1) + random_.between(-1, 1) * 7;
        window = {{"type", "sliding"}, {"size", us(spec.size)}, {"slide", us(spec.slide)}};
        break;
      case Windows::session:
        spec.size = random_.between(1, 20) * kSecond;
        window = {{"type", "session"}, {"gap", us(spec.size)}};
        longest = random_.one_in(4);
        if (longest) window["max_length"] = us(random_.between(1, 60) * kSecond);
        break;
      case Windows::count:
        spec.size = random_.between(1, 20);
        window = {{"type", "count"}, {"size", spec.size}};
        break;
      case Windows::global:
        spec.size = in.timed && random_.one_in(2) ? random_.between(10, 1000) * kSecond : 0;
        window = {{"type", "global"}};
        if (spec.size > 0) window["emit_every"] = us(spec.size);
        break;
    }
    json config = {{"window", window}, {"aggregates", a.config}};
    if (!spec.keys.empty()) config["keys"] = names(in.table, spec.keys);
    const bool of_time = spec.kind != Windows::count && spec.kind != Windows::global;
    if (of_time && random_.one_in(3)) {
      spec.lateness = random_.between(1, 60) * kSecond;
      config["allowed_lateness"] = us(spec.lateness);
    }
    const std::string id = add("window_aggregate", std::move(config), {&in});
    const bool by_order = spec.kind == Windows::session || spec.kind == Windows::count;
    OnTimeAndLate split = sluice::reference::window(in.table, spec);
    if (of_time) {
      Stream late = output(in, id + ".late", std::move(split.late));
      late.known = in.known && !longest && (in.known_in_order || !by_order);
      may_write(std::move(late));
    }
    Stream out = output(in, id, std::move(split.out));
    judge(out, in, a, by_order);
    out.known &= !longest;
    out.known_in_order = false;
    if (spec.kind == Windows::sliding) out.records *= 6;
    out.timed = of_time;
    out.of_window = of_time;
    hide_estimates(out, a);
    if (!of_time) return write(std::move(out));
    give(std::move(out));
  }

  void add_join(const Stream& in) {
    const auto partner = [&](const Stream& other) {
      return other.timed && in.timed && !shared_keys(in.table, other.table).empty();
    };
    const auto found = std::find_if(streams_.begin(), streams_.end(), partner);
    if (found == streams_.end()) return add_window(in);
    const Stream right = *found;
    JoinSpec spec;
    std::vector<Join> kinds = {Join::interval, Join::interval};
    if (in.ordered && right.ordered) kinds.push_back(Join::asof);
    if ((in.sources & right.sources) == 0 && !large_) {
      kinds.push_back(Join::lookup_all);
      if (right.ordered) kinds.push_back(Join::lookup_first);
    }
    spec.kind = random_.element(kinds);
    spec.left = random_.one_in(2);
    json on = json::array();
    for (const auto& [l, r] : shared_keys(in.table, right.table)) {
      spec.on.emplace_back(l, r);
      on.push_back({in.table.columns[l].name, right.table.columns[r].name});
      if (spec.on.size() == 2 || random_.one_in(2)) break;
    }
    json config = {{"on", on}, {"kind", spec.left ? "left" : "inner"}};
    if (spec.kind == Join::interval) {
      spec.lowest = random_.between(-20, 5) * kSecond;
      spec.highest = spec.lowest + random_.between(0, 20) * kSecond;
      config["type"] = "interval";
      config["within"] = {us(spec.lowest), us(spec.highest)};
    } else if (spec.kind == Join::asof) {
      config["type"] = "asof";
    } else {
      config["type"] = "lookup";
      config["matches"] = spec.kind == Join::lookup_all ? "all" : "first";
    }
    Joined all = join(in.table, right.table, spec);
    if (has_twins(all.out)) return add_window(in);
    const std::string id = add("join", std::move(config), {&in, &right}, {"left", "right"});
    may_write(errors_of(id));
    if (spec.kind == Join::interval || spec.kind == Join::asof) {
      may_write(output(in, id + ".late_left", std::move(all.late_left)));
      may_write(output(right, id + ".late_right", std::move(all.late_right)));
    }
    Stream out = output(in, id, std::move(all.out));
    const bool by_order = spec.kind == Join::asof || spec.kind == Join::lookup_first;
    out.records = std::max(in.records, right.records) * (spec.kind == Join::asof ? 1 : 10);
    out.sources |= right.sources;
    out.known = in.known && right.known &&
                (!by_order || (right.known_in_order && (in.known_in_order || spec.kind != Join::asof)));
    out.ordered = out.known_in_order = false;
    out.of_window = false;
    give(std::move(out));
  }

  // Pairs of columns of the same kind and name.
  static std::vector<std::pair<std::size_t, std::size_t>> shared_keys(const Table& left, const Table& right) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t c = 0; c < left.columns.size(); ++c) {
      const Column& column = left.columns[c];
      const std::size_t other = right.column(column.name);
      const bool usable = column.kind == Kind::integer || column.kind == Kind::text;
      if (usable && other < right.columns.size() && right.columns[other].kind == column.kind)
        pairs.emplace_back(c, other);
    }
    return pairs;
  }

  static bool has_twins(const Table& table) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.column(table.columns[c].name) != c) return true;
    }
    return false;
  }

  Random random_;
  const TemporaryFolder& folder_;
  json operators_ = json::array();
  json edges_ = json::array();
  std::vector<Stream> streams_;
  std::vector<Written> written_;
  int next_name_ = 0;
  bool large_ = false;  // too many records for the reference
};

}  // namespace

RandomJob random_job(std::uint64_t seed, const TemporaryFolder& folder) {
  return JobMaker(seed, folder).make();
}

}  // namespace sluice::reference
