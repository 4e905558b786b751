// json_array: the elements of an array that stands somewhere in a document. See check_format for what is
// required.
#include "tests/fuzz/format_property.hpp"

namespace {

const std::vector<std::string> kConfigs = {
    R"({"format": "json_array", "schema": [{"name": "a", "type": "int64"}, {"name": "b"}]})",
    R"({"format": {"type": "json_array", "records": "/a"}, "schema": [{"name": "a", "type": "json"}]})",
    R"({"format": {"type": "json_array", "records": "/a/1/b"}, "schema": [{"name": "a", "type": "json"}]})",
    R"({"format": {"type": "json_array", "records": "/0"}, "schema": [{"name": "a", "type": "float64"}]})",
    R"({"format": {"type": "json_array", "records": "/\"~0/"}, "schema": [{"name": "a"}]})",
    R"({"format": "json_array"})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::check_format(kConfigs, {data, size});
  return 0;
}
