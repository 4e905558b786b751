#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "operators/config/catalogue.hpp"
#include "operators/config/field_text.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

// The value under test and where it stands.
struct Place {
  const FieldSpec& spec;
  const Json& value;
  const std::string& pointer;
  Problems& problems;

  void add(ErrorCode code, std::string message, std::string hint = {}) const {
    problems.push_back({pointer, code, std::move(message), std::move(hint)});
  }
};

void check_value(const FieldSpec& spec, const Json& value, const std::string& pointer, Problems& problems);

void wrong_type(const Place& at, std::string hint = {}) {
  at.add(ErrorCode::wrong_type,
         fmt::format("\"{}\" takes {}, not {}", at.spec.name, describe_field_type(at.spec),
                     describe_value(at.value)),
         std::move(hint));
}

bool require_string(const Place& at) {
  if (at.value.is_string()) return true;
  wrong_type(at);
  return false;
}

void check_range(const Place& at, long double value, const std::string& shown) {
  const FieldRange range = range_of(at.spec);
  if (value >= range.minimum && value <= range.maximum) return;
  at.add(ErrorCode::out_of_range,
         fmt::format("\"{}\" is {}, but must be {}", at.spec.name, shown, describe_range(at.spec)));
}

// Text in quotes that would be a number without them is the commonest slip.
std::string unquote_hint(const Json& value) {
  if (!value.is_string()) return {};
  const std::string& text = value.get_ref<const std::string&>();
  const bool number =
      !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789.-") == std::string::npos;
  return number ? fmt::format("write {} without quotes", text) : std::string();
}

void check_integer(const Place& at) {
  if (!at.value.is_number_integer()) {
    const bool whole =
        at.value.is_number_float() && std::trunc(at.value.get<double>()) == at.value.get<double>();
    return wrong_type(
        at, whole ? "write it with digits alone, without a fraction or exponent" : unquote_hint(at.value));
  }
  const bool is_unsigned = at.value.is_number_unsigned();
  const long double value = is_unsigned ? static_cast<long double>(at.value.get<std::uint64_t>())
                                        : static_cast<long double>(at.value.get<std::int64_t>());
  check_range(at, value, at.value.dump());
}

void check_number(const Place& at) {
  if (!at.value.is_number()) return wrong_type(at, unquote_hint(at.value));
  check_range(at, at.value.get<double>(), at.value.dump());
}

void check_text(const Place& at) {
  if (!require_string(at) || at.spec.values.empty()) return;
  const std::string& text = at.value.get_ref<const std::string&>();
  if (std::find(at.spec.values.begin(), at.spec.values.end(), text) != at.spec.values.end()) return;
  at.add(ErrorCode::bad_value,
         fmt::format("\"{}\" is {}, but must be {}", at.spec.name, quote_value(text), one_of(at.spec.values)),
         did_you_mean(text, at.spec.values));
}

// A quantity with its unit in the text; a bare number gets the hint to write one.
template <typename Parse>
void check_quantity(const Place& at, Parse parse, std::string_view example) {
  if (at.value.is_number())
    return wrong_type(at, fmt::format("write a unit too, in quotes, like \"{}\"", example));
  if (!require_string(at)) return;
  const std::string& text = at.value.get_ref<const std::string&>();
  const auto parsed = parse(text);
  if (!parsed.ok())
    return at.add(parsed.error().code(), fmt::format("\"{}\": {}", at.spec.name, parsed.error().message()));
  check_range(at, static_cast<long double>(parsed.value()), quote_value(text));
}

void check_duration(const Place& at) {
  if (at.spec.minimum < 0) return check_quantity(at, parse_signed_duration_us, "5s");
  check_quantity(at, parse_duration_us, "5s");
}

void check_type_name(const Place& at) {
  if (!require_string(at)) return;
  const std::string& text = at.value.get_ref<const std::string&>();
  if (parse_type(text)) return;
  at.add(ErrorCode::bad_value,
         fmt::format("\"{}\" is {}, but must be {}", at.spec.name, quote_value(text), one_of(type_names())),
         did_you_mean(text, type_names()));
}

bool check_list_size(const Place& at) {
  if (!at.value.is_array()) {
    wrong_type(at, at.value.is_object() || at.value.is_null() ? "" : "put it into brackets: [ … ]");
    return false;
  }
  if (at.value.size() < at.spec.min_items) {
    at.add(ErrorCode::out_of_range,
           fmt::format("\"{}\" has {} {}, but needs at least {}", at.spec.name, at.value.size(),
                       at.value.size() == 1 ? "item" : "items", at.spec.min_items));
  } else if (at.spec.max_items > 0 && at.value.size() > at.spec.max_items) {
    at.add(ErrorCode::out_of_range, fmt::format("\"{}\" has {} items, but takes at most {}", at.spec.name,
                                                at.value.size(), at.spec.max_items));
  }
  return true;
}

void check_columns(const Place& at) {
  if (!check_list_size(at)) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    const std::string pointer = fmt::format("{}/{}", at.pointer, i);
    const Json& item = at.value[i];
    if (!item.is_string()) {
      at.problems.push_back(
          {pointer, ErrorCode::wrong_type,
           fmt::format("\"{}\" lists names of columns, not {}", at.spec.name, describe_value(item)), ""});
    } else if (!seen.insert(item.get_ref<const std::string&>()).second) {
      at.problems.push_back({pointer, ErrorCode::duplicate_name,
                             fmt::format("\"{}\" names the column {} twice", at.spec.name,
                                         quote_value(item.get_ref<const std::string&>())),
                             ""});
    }
  }
}

void check_list(const Place& at) {
  if (!check_list_size(at) || at.spec.members.empty()) return;
  FieldSpec item = at.spec.members.front();
  if (item.name.empty()) item.name = at.spec.name;
  for (std::size_t i = 0; i < at.value.size(); ++i) {
    check_value(item, at.value[i], fmt::format("{}/{}", at.pointer, i), at.problems);
  }
}

void check_object(const Place& at) {
  if (!at.value.is_object()) return wrong_type(at);
  check_fields(at.spec.members, at.value, at.pointer, at.problems);
}

const FieldSpec* member_named(const FieldSpec& spec, std::string_view name) {
  const auto it = std::find_if(spec.members.begin(), spec.members.end(),
                               [&](const FieldSpec& m) { return m.name == name; });
  return it == spec.members.end() ? nullptr : &*it;
}

using Forms = std::vector<const FieldSpec*>;

// Object forms that each fix the values of a string field "type" are told apart by it. If the value's type
// fits none, one sentence lists all of them; nothing else of the object can be judged then. True if the forms
// were cut down or a problem added.
bool choose_by_type(const Place& at, Forms& forms) {
  std::vector<std::string> all;
  Forms fitting;
  const auto type = at.value.is_object() ? at.value.find("type") : at.value.end();
  for (const FieldSpec* form : forms) {
    const FieldSpec* member = member_named(*form, "type");
    if (member == nullptr || member->values.empty()) return true;
    all.insert(all.end(), member->values.begin(), member->values.end());
    const bool fits = type != at.value.end() && type->is_string() &&
                      std::find(member->values.begin(), member->values.end(),
                                type->get_ref<const std::string&>()) != member->values.end();
    if (fits) fitting.push_back(form);
  }
  if (!fitting.empty()) return forms = std::move(fitting), true;
  FieldSpec any_type = *member_named(*forms.front(), "type");
  any_type.values = all;
  any_type.required = true;
  if (type != at.value.end()) {
    check_value(any_type, *type, at.pointer + "/type", at.problems);
  } else {
    at.add(ErrorCode::missing_field,
           fmt::format("\"{}\" needs the field \"type\": {}", at.spec.name, one_of(all)));
  }
  return false;
}

void check_any_of(const Place& at) {
  Forms forms;
  for (const FieldSpec& form : at.spec.members) {
    if (accepts_json_type(form, at.value)) forms.push_back(&form);
  }
  if (forms.empty()) return wrong_type(at, unquote_hint(at.value));
  if (forms.size() > 1 && at.value.is_object() && !choose_by_type(at, forms)) return;
  Problems fewest;
  for (const FieldSpec* form : forms) {
    FieldSpec named = *form;
    if (named.name.empty()) named.name = at.spec.name;
    Problems found;
    check_value(named, at.value, at.pointer, found);
    if (found.empty()) return;
    if (fewest.empty() || found.size() < fewest.size()) fewest = std::move(found);
  }
  std::move(fewest.begin(), fewest.end(), std::back_inserter(at.problems));
}

void check_value(const FieldSpec& spec, const Json& value, const std::string& pointer, Problems& problems) {
  const Place at{spec, value, pointer, problems};
  switch (spec.type) {
    case FieldType::boolean:
      return value.is_boolean() ? void() : wrong_type(at);
    case FieldType::integer:
      return check_integer(at);
    case FieldType::number:
      return check_number(at);
    case FieldType::string:
      return check_text(at);
    case FieldType::duration:
      return check_duration(at);
    case FieldType::size:
      return check_quantity(at, parse_size_bytes, "64KiB");
    case FieldType::rate:
      return check_quantity(at, parse_rate_per_second, "1000/s");
    case FieldType::expression:
    case FieldType::column:
      return void(require_string(at));
    case FieldType::columns:
      return check_columns(at);
    case FieldType::type:
      return check_type_name(at);
    case FieldType::object:
      return check_object(at);
    case FieldType::list:
      return check_list(at);
    case FieldType::any_of:
      return check_any_of(at);
    case FieldType::any:
      return;
  }
}

std::vector<std::string> names_of(const std::vector<FieldSpec>& fields) {
  std::vector<std::string> names;
  for (const FieldSpec& field : fields) names.push_back(field.name);
  return names;
}

void unknown_field(const std::vector<FieldSpec>& fields, const std::string& name, const std::string& pointer,
                   Problems& problems) {
  const std::vector<std::string> names = names_of(fields);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = names.empty() ? "no fields are known here" : "known here: " + one_of(names, "and");
  problems.push_back({pointer, ErrorCode::unknown_field,
                      fmt::format("the field {} is not known here", quote_value(name)), std::move(hint)});
}

}  // namespace

void check_fields(const std::vector<FieldSpec>& fields, const Json& config, const std::string& prefix,
                  Problems& problems) {
  if (!config.is_object()) {
    problems.push_back({prefix, ErrorCode::wrong_type,
                        fmt::format("an object is needed here, not {}", describe_value(config)),
                        "write { … }"});
    return;
  }
  for (const FieldSpec& field : fields) {
    if (!field.required || config.contains(field.name)) continue;
    problems.push_back({prefix, ErrorCode::missing_field,
                        fmt::format("the required field \"{}\" is missing", field.name),
                        field.values.empty() ? field.help : "it is " + one_of(field.values)});
  }
  for (const auto& item : config.items()) {
    const std::string& name = item.key();
    const std::string pointer = prefix + "/" + pointer_step(name);
    const auto spec =
        std::find_if(fields.begin(), fields.end(), [&](const FieldSpec& f) { return f.name == name; });
    if (spec == fields.end()) {
      unknown_field(fields, name, pointer, problems);
    } else {
      check_value(*spec, item.value(), pointer, problems);
    }
  }
}

}  // namespace sluice
