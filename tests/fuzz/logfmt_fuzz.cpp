// logfmt: key=value pairs. See check_format for what is required.
#include "tests/fuzz/format_property.hpp"

namespace {

const std::vector<std::string> kConfigs = {
    R"({"format": "logfmt", "schema": [{"name": "a", "type": "int64"}, {"name": "b"}, {"name": "c", "type": "bool"}, {"name": "d", "from": "b", "type": "json"}]})",
    R"({"format": "logfmt"})",
    R"({"format": "logfmt", "schema": [{"name": "ts", "type": "timestamp"}, {"name": "f", "type": "float64"}]})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::check_format(kConfigs, {data, size});
  return 0;
}
