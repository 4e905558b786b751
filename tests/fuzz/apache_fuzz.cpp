// apache_common and apache_combined. See check_format for what is required.
#include "tests/fuzz/format_property.hpp"

namespace {

const std::vector<std::string> kConfigs = {
    R"({"format": "apache_combined"})", R"({"format": "apache_common"})",
    R"({"format": "apache_combined", "schema": [{"name": "time", "type": "string"}, {"name": "status", "type": "float64"}, {"name": "agent"}, {"name": "user"}]})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::check_format(kConfigs, {data, size});
  return 0;
}
