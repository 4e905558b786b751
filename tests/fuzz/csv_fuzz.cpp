// csv: quotes, headers, decimals, comments. See check_format for what is required.
#include "tests/fuzz/format_property.hpp"

namespace {

const std::vector<std::string> kConfigs = {
    R"({"format": {"type": "csv", "header": false}, "schema": [{"name": "a"}, {"name": "b", "type": "int64"}, {"name": "c", "type": "float64"}]})",
    R"({"format": "csv"})",
    R"({"format": "csv", "schema": [{"name": "a", "type": "bool"}, {"name": "b", "type": "timestamp"}]})",
    R"({"format": {"type": "csv", "delimiter": ";", "decimal": ",", "comment": "#", "null_values": ["", "NA"]}, "schema": [{"name": "a", "from": 1, "type": "float64"}, {"name": "b", "from": 3, "type": "json"}]})",
    R"({"format": {"type": "csv", "header": false, "quote": "'", "delimiter": "\t"}, "schema": [{"name": "a", "type": "timestamp", "format": "%Y-%m-%d %H:%M:%S"}]})",
    R"({"format": {"type": "csv", "header": false}})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::check_format(kConfigs, {data, size});
  return 0;
}
