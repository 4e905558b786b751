#include "operators/builtin/generator_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "operators/binding/binding.hpp"
#include "operators/time/time_text.hpp"
#include "runtime/base/units.hpp"
#include "runtime/data/hash.hpp"

namespace sluice {
namespace {

constexpr std::uint32_t kMaxTextLength = 16 << 20;

// Which parameters a kind of column takes, and of which types it can be.
struct GenRule {
  std::string name;
  std::vector<std::string> parameters;
  std::vector<std::string> required;
  std::vector<Type> types;  // empty: any
};

const std::vector<GenRule>& gen_rules() {
  static const std::vector<GenRule> rules = {
      {"sequence", {"start", "step"}, {}, {Type::int64}},
      {"constant", {"value"}, {"value"}, {}},
      {"uniform", {"min", "max"}, {"min", "max"}, {Type::int64, Type::float64}},
      {"normal", {"mean", "stddev"}, {}, {Type::float64}},
      {"zipf", {"n", "s"}, {"n"}, {Type::int64}},
      {"choice", {"values", "weights"}, {"values"}, {}},
      {"text", {"length", "min_length", "max_length", "alphabet"}, {}, {Type::string}},
      {"timestamp", {"start", "step"}, {}, {Type::timestamp}},
  };
  return rules;
}

std::vector<std::string> gen_names() {
  std::vector<std::string> names;
  for (const GenRule& rule : gen_rules()) names.push_back(rule.name);
  return names;
}

// Reads the parameters of one entry, and keeps where it stands for the problems.
class Entry {
 public:
  Entry(const Json& json, std::uint64_t seed, const std::string& pointer, Problems& problems)
      : json_(json),
        pointer_(pointer),
        problems_(problems),
        name_(json["name"].get<std::string>()),
        type_(*parse_type(json["type"].get<std::string>())),
        seed_(hash_bytes(name_, hash_word(seed))) {}

  std::unique_ptr<ColumnGenerator> bind();

 private:
  std::unique_ptr<ColumnGenerator> bind_sequence();
  std::unique_ptr<ColumnGenerator> bind_choice(const Json& values, const std::string& at);
  std::unique_ptr<ColumnGenerator> bind_uniform();
  std::unique_ptr<ColumnGenerator> bind_text();
  std::unique_ptr<ColumnGenerator> bind_timestamps();
  std::optional<std::vector<double>> weights(std::size_t values);
  bool follows(const GenRule& rule);
  std::optional<Literal> literal(const Json& value, const std::string& at);

  std::nullptr_t problem(const std::string& field, ErrorCode code, std::string message,
                         std::string hint = "") {
    problems_.push_back({pointer_ + field, code, std::move(message), std::move(hint)});
    return nullptr;
  }
  bool has(const char* field) const { return json_.contains(field); }
  double number(const char* field, double left_out) const { return json_.value(field, left_out); }
  std::optional<std::int64_t> integer(const char* field, std::int64_t left_out);

  const Json& json_;
  const std::string& pointer_;
  Problems& problems_;
  std::string name_;
  Type type_;
  std::uint64_t seed_;
};

std::optional<std::int64_t> Entry::integer(const char* field, std::int64_t left_out) {
  if (!has(field)) return left_out;
  const Json& value = json_[field];
  const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  if (value.is_number_integer() && !too_large) return value.get<std::int64_t>();
  problem(std::string("/") + field, ErrorCode::wrong_type,
          fmt::format("\"{}\" of a column of type int64 takes an integer of 64 bits, not {}", field,
                      value.dump()));
  return std::nullopt;
}

bool Entry::follows(const GenRule& rule) {
  const std::size_t before = problems_.size();
  for (const auto& [field, value] : json_.items()) {
    if (field == "name" || field == "type" || field == "gen") continue;
    if (std::find(rule.parameters.begin(), rule.parameters.end(), field) != rule.parameters.end()) continue;
    problem("/" + pointer_step(field), ErrorCode::unknown_field,
            fmt::format("\"{}\" is not a parameter of gen \"{}\"", field, rule.name),
            fmt::format("it takes {}", fmt::join(rule.parameters, ", ")));
  }
  for (const std::string& field : rule.required) {
    if (has(field.c_str())) continue;
    problem("", ErrorCode::missing_field, fmt::format("gen \"{}\" needs the field \"{}\"", rule.name, field));
  }
  if (!rule.types.empty() && std::find(rule.types.begin(), rule.types.end(), type_) == rule.types.end()) {
    std::vector<std::string_view> names;
    for (const Type t : rule.types) names.push_back(type_name(t));
    problem(
        "/type", ErrorCode::type_mismatch,
        fmt::format("gen \"{}\" makes {}, not {}", rule.name, fmt::join(names, " or "), type_name(type_)));
  }
  return problems_.size() == before;
}

std::optional<Literal> Entry::literal(const Json& value, const std::string& at) {
  Literal out;
  if (value.is_null()) return out;
  switch (type_) {
    case Type::int64:
      if (!value.is_number_integer() ||
          (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
        break;
      out.kind = Literal::Kind::integer;
      out.integer = value.get<std::int64_t>();
      return out;
    case Type::float64:
      if (!value.is_number()) break;
      out.kind = Literal::Kind::number;
      out.number = value.get<double>();
      return out;
    case Type::boolean:
      if (!value.is_boolean()) break;
      out.kind = Literal::Kind::boolean;
      out.boolean = value.get<bool>();
      return out;
    case Type::timestamp:
      if (!value.is_string()) break;
      if (const auto us = parse_iso8601_us(value.get<std::string>())) {
        out.kind = Literal::Kind::integer;
        out.integer = *us;
        return out;
      }
      break;
    case Type::string:
      if (!value.is_string()) break;
      out.kind = Literal::Kind::text;
      out.text = value.get<std::string>();
      return out;
    case Type::json:
      out.kind = Literal::Kind::text;
      out.text = value.dump();
      return out;
  }
  problem(at, ErrorCode::wrong_type,
          fmt::format("{} is not a value of type {}", value.dump(), type_name(type_)),
          type_ == Type::timestamp ? "write it like \"2015-05-17T10:05:00Z\"" : "");
  return std::nullopt;
}

std::unique_ptr<ColumnGenerator> Entry::bind_sequence() {
  const auto start = integer("start", 0);
  const auto step = integer("step", 1);
  return start && step ? make_sequence(name_, *start, *step) : nullptr;
}

std::optional<std::vector<double>> Entry::weights(std::size_t values) {
  std::vector<double> weights;
  if (!has("weights")) return weights;
  double sum = 0;
  for (const Json& w : json_["weights"]) sum += weights.emplace_back(w.get<double>());
  if (weights.size() != values) {
    problem("/weights", ErrorCode::bad_value,
            fmt::format("there are {} weights for {} values", weights.size(), values),
            "give one weight a value");
    return std::nullopt;
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    problem("/weights", ErrorCode::out_of_range, "the weights must have a finite sum above 0");
    return std::nullopt;
  }
  return weights;
}

std::unique_ptr<ColumnGenerator> Entry::bind_choice(const Json& values, const std::string& at) {
  std::vector<Literal> literals;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (auto value = literal(values[i], at.empty() ? fmt::format("/values/{}", i) : at)) {
      literals.push_back(*std::move(value));
    }
  }
  const auto chosen_weights = weights(values.size());
  if (literals.size() != values.size() || !chosen_weights) return nullptr;
  return make_choice(type_, std::move(literals), *chosen_weights, seed_);
}

std::unique_ptr<ColumnGenerator> Entry::bind_uniform() {
  const std::string above = "\"min\" is above \"max\"";
  if (type_ == Type::int64) {
    const auto min = integer("min", 0);
    const auto max = integer("max", 0);
    if (!min || !max) return nullptr;
    if (*min > *max) return problem("/min", ErrorCode::out_of_range, above);
    return make_uniform_int64(*min, *max, seed_);
  }
  const double min = number("min", 0), max = number("max", 1);
  if (min > max) return problem("/min", ErrorCode::out_of_range, above);
  return make_uniform_float64(min, max, seed_);
}

std::unique_ptr<ColumnGenerator> Entry::bind_text() {
  if (has("length") && (has("min_length") || has("max_length"))) {
    return problem("/length", ErrorCode::bad_value,
                   "\"length\" goes without \"min_length\" and \"max_length\"");
  }
  if (has("min_length") != has("max_length")) {
    return problem("", ErrorCode::missing_field, "\"min_length\" and \"max_length\" go together");
  }
  TextShape shape;
  shape.min_length = json_.value("min_length", json_.value("length", shape.min_length));
  shape.max_length = json_.value("max_length", json_.value("length", shape.max_length));
  shape.alphabet = json_.value("alphabet", "");
  if (shape.min_length > shape.max_length) {
    return problem("/min_length", ErrorCode::out_of_range, "\"min_length\" is above \"max_length\"");
  }
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (has("alphabet") && shape.alphabet.empty()) {
    return problem("/alphabet", ErrorCode::bad_value, "the alphabet has no character");
  }
  if (!std::all_of(shape.alphabet.begin(), shape.alphabet.end(), ascii) || shape.alphabet.size() > 256) {
    return problem("/alphabet", ErrorCode::bad_value,
                   "the alphabet takes up to 256 characters, all of them ASCII");
  }
  return make_text(std::move(shape), seed_);
}

std::unique_ptr<ColumnGenerator> Entry::bind_timestamps() {
  std::int64_t start_us = 0, step_us = 1'000'000;
  if (has("start")) {
    const auto parsed =
        json_["start"].is_string() ? parse_iso8601_us(json_["start"].get<std::string>()) : std::nullopt;
    if (!parsed) {
      return problem("/start", ErrorCode::bad_value, fmt::format("{} is not a time", json_["start"].dump()),
                     "write it like \"2015-05-17T10:05:00Z\"");
    }
    start_us = *parsed;
  }
  if (has("step")) {
    const Json& step = json_["step"];
    if (!step.is_string()) {
      return problem("/step", ErrorCode::wrong_type, fmt::format("{} is not a duration", step.dump()),
                     "write it like \"250ms\"");
    }
    const auto parsed = parse_signed_duration_us(step.get<std::string>());
    if (!parsed) return problem("/step", parsed.error().code(), parsed.error().message());
    step_us = *parsed;
  }
  return make_timestamps(name_, start_us, step_us);
}

std::unique_ptr<ColumnGenerator> Entry::bind() {
  const auto gen = json_["gen"].get<std::string>();
  const auto& rules = gen_rules();
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const GenRule& r) { return r.name == gen; });
  if (!follows(*rule)) return nullptr;
  if (gen == "sequence") return bind_sequence();
  if (gen == "constant") return bind_choice(Json::array({json_["value"]}), "/value");
  if (gen == "uniform") return bind_uniform();
  if (gen == "normal") return make_normal(number("mean", 0), number("stddev", 1), seed_);
  if (gen == "zipf") return make_zipf(json_["n"].get<std::uint64_t>(), number("s", 1), seed_);
  if (gen == "choice") return bind_choice(json_["values"], "");
  if (gen == "text") return bind_text();
  return bind_timestamps();
}

}  // namespace

std::vector<FieldSpec> generated_column_fields() {
  const double kMaxLength = kMaxTextLength;
  return {
      {.name = "name", .type = FieldType::string, .required = true, .help = "The column's name."},
      {.name = "type", .type = FieldType::type, .required = true, .help = "The column's type."},
      {.name = "gen",
       .type = FieldType::string,
       .required = true,
       .help = "How its values are made: sequence (start, step), constant (value), uniform (min, max), "
               "normal (mean, "
               "stddev), zipf (n, s), choice (values, weights), text (length, or min_length and max_length; "
               "alphabet), timestamp (start, step).",
       .values = gen_names()},
      {.name = "start",
       .type = FieldType::any,
       .help = "The first value: an integer for a sequence (0), a time like \"2015-05-17T10:05:00Z\" for a "
               "timestamp "
               "(1970-01-01)."},
      {.name = "step",
       .type = FieldType::any,
       .help =
           "From row to row: an integer for a sequence (1), a duration like \"250ms\" for a timestamp (1s)."},
      {.name = "value", .type = FieldType::any, .help = "The constant, of the column's type, or null."},
      {.name = "min", .type = FieldType::number, .help = "The smallest value of uniform."},
      {.name = "max",
       .type = FieldType::number,
       .help = "The largest value of uniform; not reached by float64."},
      {.name = "mean", .type = FieldType::number, .default_text = "0", .help = "The mean of normal."},
      {.name = "stddev",
       .type = FieldType::number,
       .default_text = "1",
       .help = "The standard deviation of normal.",
       .minimum = 0,
       .maximum = 1e300},
      {.name = "n",
       .type = FieldType::integer,
       .help = "The number of values of zipf: 1 (the most frequent) to n.",
       .minimum = 1,
       .maximum = 1e15},
      {.name = "s",
       .type = FieldType::number,
       .default_text = "1",
       .help = "The exponent of zipf: value k has a frequency in proportion to 1 / k^s.",
       .minimum = 0,
       .maximum = 20},
      {.name = "values",
       .type = FieldType::list,
       .help = "The values of choice, of the column's type, or null.",
       .members = {{.type = FieldType::any}},
       .min_items = 1},
      {.name = "weights",
       .type = FieldType::list,
       .help = "How often each value is chosen, in proportion; alike if left out.",
       .members = {{.type = FieldType::number, .minimum = 0, .maximum = 1e300}},
       .min_items = 1},
      {.name = "length",
       .type = FieldType::integer,
       .default_text = "16",
       .help = "The length of each text, in bytes.",
       .minimum = 0,
       .maximum = kMaxLength},
      {.name = "min_length",
       .type = FieldType::integer,
       .help = "The smallest length of a text, in bytes.",
       .minimum = 0,
       .maximum = kMaxLength},
      {.name = "max_length",
       .type = FieldType::integer,
       .help = "The largest length of a text, in bytes.",
       .minimum = 0,
       .maximum = kMaxLength},
      {.name = "alphabet",
       .type = FieldType::string,
       .help =
           "The characters of which texts are made, all ASCII; a to z and 2 to 7 if left out (the fastest)."},
  };
}

std::unique_ptr<ColumnGenerator> bind_generated_column(const Json& entry, std::uint64_t seed,
                                                       const std::string& pointer, Problems& problems) {
  return Entry(entry, seed, pointer, problems).bind();
}

}  // namespace sluice
