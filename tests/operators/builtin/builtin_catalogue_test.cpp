#include "operators/builtin/builtin_catalogue.hpp"

#include <doctest/doctest.h>

#include <set>

namespace sluice {
namespace {

TEST_CASE("Every type in the catalogue has a help text, and an example that its own table accepts") {
  std::set<std::string> names;
  for (const OperatorType& type : builtin_catalogue().types()) {
    CAPTURE(type.type);
    CHECK(names.insert(type.type).second);
    CHECK(builtin_catalogue().find(type.type) == &type);
    CHECK(type.summary.ends_with("."));
    Problems problems;
    check_fields(type.fields, Json::parse(type.example), "", problems);
    for (const Problem& p : problems) FAIL_CHECK(p.pointer << ": " << p.message);
    for (const FieldSpec& field : type.fields) CHECK(field.help.ends_with("."));
    CHECK((type.kind == OperatorKind::source) == type.inputs.empty());
    CHECK((type.kind == OperatorKind::sink) == type.outputs.empty());
    CHECK(static_cast<bool>(type.bind));
  }
}

TEST_CASE("A type with an errors port takes on_error") {
  for (const OperatorType& type : builtin_catalogue().types()) {
    CAPTURE(type.type);
    bool port = false, field = false;
    for (const PortSpec& p : type.outputs) port |= p.name == "errors";
    for (const FieldSpec& f : type.fields) field |= f.name == "on_error";
    if (type.kind != OperatorKind::sink) CHECK(port == field);
  }
}

}  // namespace
}  // namespace sluice
