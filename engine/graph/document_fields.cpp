#include "engine/graph/document_fields.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/graph/graph.hpp"

namespace sluice {
namespace {

FieldSpec field(std::string name, FieldType type, std::string help, std::string default_text = "") {
  FieldSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.help = std::move(help);
  spec.default_text = std::move(default_text);
  return spec;
}

FieldSpec required(FieldSpec spec) { return spec.required = true, spec; }

FieldSpec ranged(FieldSpec spec, double minimum, double maximum) {
  spec.minimum = minimum;
  spec.maximum = maximum;
  return spec;
}

FieldSpec one_of_values(FieldSpec spec, std::vector<std::string> values) {
  return spec.values = std::move(values), spec;
}

FieldSpec with_members(FieldSpec spec, std::vector<FieldSpec> members) {
  return spec.members = std::move(members), spec;
}

FieldSpec at_least_one(FieldSpec spec) { return spec.min_items = 1, spec; }

FieldSpec profile_field(std::string help) {
  return one_of_values(field("profile", FieldType::string, std::move(help)),
                       {"throughput", "latency", "balanced"});
}

FieldSpec runtime_field() {
  return with_members(
      field("runtime", FieldType::object,
            "How the graph is run; options of the command line stand above it."),
      {profile_field("Sizes of windows, marks and blocks: for many records, for short delays, or between the "
                     "two (the default)."),
       ranged(field("memory", FieldType::size, "All memory for data in flight.", "256MiB"),
              static_cast<double>(kMinMemoryBytes), static_cast<double>(kMaxMemoryBytes)),
       ranged(field("state_memory", FieldType::size,
                    "What the operators of one task may keep between records (groups, sessions, rows that "
                    "wait), outside memory; more fails the job.",
                    "256MiB"),
              static_cast<double>(kMinStateBytes), static_cast<double>(kMaxMemoryBytes)),
       ranged(field("threads", FieldType::integer, "Threads that run the tasks; left out: one a processor."),
              1, kMaxThreads)});
}

FieldSpec placement_field() {
  return with_members(
      field("placement", FieldType::object, "Where the operator's tasks run in a cluster."),
      {field("labels", FieldType::any, "Labels that the node must carry: an object of strings."),
       field("with", FieldType::string, "The id of an operator to stand beside.")});
}

FieldSpec partition_field() {
  FieldSpec name = one_of_values(
      field("", FieldType::string, "Task to task of equal number, in turn, or every record to all."),
      {"forward", "rebalance", "broadcast"});
  FieldSpec hash = with_members(
      field("", FieldType::object, "Records of equal keys go to the same task."),
      {required(at_least_one(field("hash", FieldType::columns, "The columns that make the key.")))});
  return with_members(
      field("partition", FieldType::any_of,
            "Which task a record goes to. Left out: by key into a keyed operator, forward if both "
            "sides are equally parallel, else rebalance."),
      {std::move(name), std::move(hash)});
}

FieldSpec loss_field() {
  const std::vector<std::string> policies = {"none", "combine", "sketch", "sample", "subset", "drop"};
  FieldSpec name = one_of_values(field("", FieldType::string, "The policy alone."), policies);
  FieldSpec object = with_members(
      field("", FieldType::object, "The policy with its options."),
      {required(one_of_values(field("policy", FieldType::string, "What may be lost."), policies)),
       one_of_values(
           field("mode", FieldType::string,
                 "Of sample: coins, a reservoir a key, or by key. Of drop: which records go first."),
           {"uniform", "reservoir", "universe", "newest", "oldest"}),
       at_least_one(field("keys", FieldType::columns, "Of sample: the key of reservoir and universe.")),
       ranged(field("p_min", FieldType::number, "Of sample: the smallest share of records that is kept."),
              0.000001, 1)});
  return with_members(
      field("loss", FieldType::any_of,
            "The most that may be lost on this edge under pressure. This version runs every edge lossless.",
            "none"),
      {std::move(name), std::move(object)});
}

FieldSpec credits_field() {
  return with_members(
      field("credits", FieldType::object, "Overrides of the profile for this edge."),
      {profile_field("The profile of this edge alone."),
       ranged(field("window", FieldType::number,
                    "Blocks that may be outstanding, as a fraction of the receiver's pool share."),
              0.001, 0.9),
       ranged(field("high", FieldType::number,
                    "High watermark, as a fraction of the window: the sender slows down."),
              0.01, 1),
       ranged(field("low", FieldType::number,
                    "Low watermark, as a fraction of the window: the sender speeds up again."),
              0, 1),
       ranged(field("min_blocks", FieldType::integer, "Blocks that the window never falls below."), 1,
              65536)});
}

bool follows(std::string_view text, bool (*first)(char), bool (*rest)(char)) {
  return !text.empty() && text.size() <= 63 && first(text.front()) &&
         std::all_of(text.begin() + 1, text.end(), rest);
}

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

const std::vector<FieldSpec>& operator_fields() {
  static const std::vector<FieldSpec> fields = {
      required(
          field("id", FieldType::string, "A name of its own: a letter or _, then letters, digits and _.")),
      required(
          field("type", FieldType::string, "What the operator does; `sluice operators` lists the types.")),
      ranged(field("parallelism", FieldType::integer, "Tasks that run the operator side by side.", "1"), 1,
             kMaxParallelism),
      field("config", FieldType::any, "The fields of the type."), placement_field()};
  return fields;
}

const std::vector<FieldSpec>& edge_fields() {
  static const std::vector<FieldSpec> fields = {
      required(field("from", FieldType::string, "The id of an operator, or id.port; without a port: out.")),
      required(field("to", FieldType::string, "The id of an operator, or id.port; without a port: in.")),
      partition_field(), loss_field(), credits_field()};
  return fields;
}

const std::vector<FieldSpec>& document_fields() {
  static const std::vector<FieldSpec> fields = {
      field("$schema", FieldType::string, "For editors: where the schema of this document lies."),
      required(field("name", FieldType::string, "Names the job: small letters, digits and -.")),
      field("description", FieldType::string, "What the graph is for."),
      runtime_field(),
      with_members(field("plugins", FieldType::list, "Shared libraries with operators of your own."),
                   {field("", FieldType::string, "The path of a library.")}),
      required(
          with_members(field("operators", FieldType::list, "What computes."),
                       {with_members(field("", FieldType::object, "One operator."), operator_fields())})),
      with_members(field("edges", FieldType::list, "What joins an output port to an input port."),
                   {with_members(field("", FieldType::object, "One edge."), edge_fields())})};
  return fields;
}

bool is_graph_name(std::string_view text) {
  return follows(text, is_lower_or_digit, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_operator_id(std::string_view text) {
  return follows(text, is_letter, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace sluice
