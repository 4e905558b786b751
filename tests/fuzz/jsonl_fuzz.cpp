// jsonl: one object a line. See check_format for what is required.
#include "tests/fuzz/format_property.hpp"

namespace {

const std::vector<std::string> kConfigs = {
    R"({"format": "jsonl", "schema": [{"name": "a", "type": "int64"}, {"name": "b", "type": "float64"}, {"name": "c"}, {"name": "d", "type": "json"}, {"name": "e", "type": "bool"}]})",
    R"({"format": "jsonl"})",
    R"({"format": "jsonl", "schema": [{"name": "all", "from": "/a", "type": "json"}, {"name": "part", "from": "/a/b/0", "type": "json"}, {"name": "again", "from": "/a/b"}]})",
    R"({"format": "jsonl", "schema": [{"name": "t", "from": "/a/~1~0", "type": "timestamp"}, {"name": "e", "from": "/a/1", "type": "timestamp", "format": "epoch_ms"}]})"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::fuzz::check_format(kConfigs, {data, size});
  return 0;
}
