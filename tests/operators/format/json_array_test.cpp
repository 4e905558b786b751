// The format json_array: the elements of an array in one document.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Framing array(std::vector<std::string> path = {}) {
  Framing framing;
  framing.array = std::move(path);
  return framing;
}

Texts elements(std::string text, std::vector<std::string> path = {}, std::size_t max_record = 100) {
  return records_of(bytes_in_memory(std::move(text)), array(std::move(path)), max_record);
}

// The error alone, without the words that every one ends with.
std::string broken(const std::string& text, std::vector<std::string> path = {}) {
  const Texts found = elements(text, std::move(path));
  if (found.empty()) return "no error";
  const std::string& last = found.back();
  const std::size_t end = last.find("; the records in front of it have been read");
  return last.substr(0, end) + (end == std::string::npos ? " (not told what has been read)" : "");
}

Json config(const char* records = nullptr, const char* schema = R"([{"name":"a","type":"int64"}])") {
  Json config{{"format", {{"type", "json_array"}}}};
  if (records != nullptr) config["format"]["records"] = records;
  if (schema != nullptr) config["schema"] = Json::parse(schema);
  return config;
}

}  // namespace

TEST_CASE("the elements of an array are records, whatever stands between them") {
  CHECK(elements("[]").empty());
  CHECK(elements(" [ \n ] \r\n").empty());
  CHECK(elements("[1]") == Texts{"1:1"});
  CHECK(elements("[{\"a\":1},{\"a\":2}]") == Texts{"1:{\"a\":1}", "1:{\"a\":2}"});
  CHECK(elements("[\n  {\"a\": [1, 2]} ,\r\n\r\n\t\"x,]\" \n, null\n]\n") ==
        Texts{"2:{\"a\": [1, 2]}", "4:\"x,]\"", "5:null"});
  CHECK(elements("\xEF\xBB\xBF[1,2]") == Texts{"1:1", "1:2"});
  CHECK(elements("[\"\\\"]\",\"\\\\\",\"}{\"]") == Texts{"1:\"\\\"]\"", "1:\"\\\\\"", "1:\"}{\""});
  CHECK(elements("[[],[[]],{}]") == Texts{"1:[]", "1:[[]]", "1:{}"});
}

TEST_CASE("a comma without an element is an empty record, which no object is") {
  CHECK(elements("[1,]") == Texts{"1:1", "1:"});
  CHECK(elements("[,1]") == Texts{"1:", "1:1"});
  const Parsed parsed = parse_text(config(), "[{\"a\":1},,\n]");
  CHECK(parsed.rows == Texts{"1"});
  CHECK(parsed.faults ==
        Texts{"line 1 [malformed_record] a comma has no element in front of it or behind it",
              "line 2 [malformed_record] a comma has no element in front of it or behind it"});
}

TEST_CASE("the array may stand anywhere in the document") {
  const std::string collection = R"({"type":"FeatureCollection","metadata":{"features":[9],"n":[{"]":"}"}]},
 "features":[{"a":1},{"a":2}],"bbox":[1,[2]],"features":[{"a":3}]})";
  CHECK(elements(collection, {"features"}) == Texts{"2:{\"a\":1}", "2:{\"a\":2}"});
  CHECK(elements(collection, {"metadata", "features"}) == Texts{"1:9"});
  CHECK(elements(collection, {"metadata", "n"}) == Texts{"1:{\"]\":\"}\"}"});
  CHECK(elements("[[1],{\"x\":[[2],[3]]},[4]]", {"1", "x", "1"}) == Texts{"1:3"});
  CHECK(elements("[[1],[2]]", {"0"}) == Texts{"1:1"});
  CHECK(elements("{\"a\\u0062\\/\":[1]}", {"ab/"}) == Texts{"1:1"});
  CHECK(elements("{\"" + std::string(500, 'x') + "\":1,\"\":[5]}", {""}) == Texts{"1:5"});
  CHECK(elements("{\"x\\\"\":[1]}", {"x\""}) == Texts{"1:1"});
}

TEST_CASE("an array that is not there is told with what stands in its place") {
  const std::string at = "error: doc:";
  CHECK(broken("") == at + "1: the document is empty; a JSON array is expected");
  CHECK(broken("\xEF\xBB\xBF\n ") == at + "2: the document is empty; a JSON array is expected");
  CHECK(broken("{\"a\":[1]}").find("1: the document is an object and no array; name the place") !=
        std::string::npos);
  CHECK(broken("12").find("1: the document is a number and no array") != std::string::npos);
  CHECK(broken("\n\nhello") == at + "3: \"h\" begins no JSON value");
  CHECK(broken(std::string("\0", 1)) == at + "1: the byte 0x00 begins no JSON value");
  CHECK(broken("{\"a\":1}", {"b"}) == at + "1: the document holds no /b");
  CHECK(broken("{}", {"b"}) == at + "1: the document holds no /b");
  CHECK(broken("[]", {"0"}) == at + "1: the document holds no /0");
  CHECK(broken("{\"b\":\n{}}", {"b"}) == at + "2: /b is an object and no array");
  CHECK(broken("{\"b\":null}", {"b", "c"}) == at + "1: there is no /b/c: null stands in its way");
  CHECK(broken("{\"b\":{\"x\":1},\"b\":{\"c\":[]}}", {"b", "c"}) == at + "1: the document holds no /b/c");
  CHECK(broken("{\"b\" [1]}", {"b"}) == at + "1: \"[\" stands where \":\" is expected");
  CHECK(broken("{b:[1]}", {"b"}) == at + "1: \"b\" stands where a key is expected");
  CHECK(broken("{\"a\":[}],\"b\":[1]}", {"b"}) == at + "1: \"}\" closes another bracket than stands open");
}

TEST_CASE("a document that ends early or goes on is an error behind its good records") {
  const std::string at = "error: doc:";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"[1,\n2", "2: the document ends inside the element that begins here"},
      {"[1,2,{\"a\":\"]", "1: the document ends inside the element that begins here"},
      {"[1,2,\n", "2: the document ends before its array is closed"},
      {"[1,2]\n[3]", "2: \"[\" follows the end of the document"},
      {"[1,2]]", "1: \"]\" follows the end of the document"},
      {"[1,2] x", "1: \"x\" follows the end of the document"},
      {"[1,2,{\"a\":1],3]",
       "1: \"]\" closes another bracket than stands open, so it cannot be told where the "
       "next element begins"},
      {"[1,2,3}",
       "1: \"}\" closes another bracket than stands open, so it cannot be told where the next "
       "element begins"}};
  for (const auto& [text, wanted] : table) {
    CAPTURE(text);
    CHECK(broken(text) == at + wanted);
    CHECK(elements(text)[0] == "1:1");
  }
  CHECK(broken("{\"f\":[1]", {"f"}) ==
        at + "1: the document ends behind its array and before it is complete");
  CHECK(broken("{\"f\":[1],\"g", {"f"}) ==
        at + "1: the document ends behind its array and before it is complete");
  CHECK(broken("{\"e\":1,\"f", {"f"}) == at + "1: the document ends before /f");
  CHECK(broken("{\"f\":[1]]", {"f"}) == at + "1: \"]\" stands where \",\" or \"}\" is expected");
  CHECK(broken("{\"f\":[1]} 2", {"f"}) == at + "1: \"2\" follows the end of the document");
}

TEST_CASE("an input that fails gives the whole elements first and no cut one") {
  CHECK(records_of(pieces(
                       "[1,2,3", [] { return 2; }, true),
                   array()) == Texts{"1:1", "1:2", "error: the input failed"});
}

TEST_CASE("an element longer than the limit is one bad record, and the next is read") {
  const std::string limit = "\"" + std::string(18, 'x') + "\"";
  CHECK(elements("[" + limit + ",1]", {}, 20) == Texts{"1:" + limit, "1:1"});
  CHECK(elements("[" + limit + "\n\n\n  ,1]", {}, 20) == Texts{"1:" + limit, "4:1"});
  CHECK(elements("[1" + limit + "\n,\n2]", {}, 20) == Texts{"1:overlong:1" + limit.substr(0, 19), "3:2"});
  CHECK(elements("[\n[" + limit + ",\n" + limit + "]]", {}, 20) ==
        Texts{"2:overlong:[" + limit.substr(0, 19)});
  CHECK(elements("[1" + std::string(4000, ' ') + ",2]", {}, 20) == Texts{"1:1", "1:2"});
  CHECK(elements("[1" + std::string(4200, ' ') + ",2]", {}, 20) ==
        Texts{"1:overlong:1" + std::string(19, ' '), "1:2"});
  CHECK(elements("[1" + limit, {}, 20) ==
        Texts{"error: doc:1: the document ends inside an element that is longer than max_record; the records "
              "in front of it have been read"});
}

TEST_CASE("an element of 100 MiB costs one bad record and little memory") {
  constexpr std::size_t kHuge = 100u << 20;
  class Huge final : public ByteSource {
   public:
    Result<Read> read(char* to, std::size_t capacity) override {
      CHECK(capacity < (4u << 20));  // the reader's buffer
      const std::string_view head = "[\"";
      const std::string_view tail = "\",2]";
      std::size_t n = 0;
      for (; n < capacity && given_ < head.size() + kHuge + tail.size(); ++n, ++given_)
        to[n] = given_ < head.size() ? head[given_] : given_ < kHuge + 2 ? 'b' : tail[given_ - kHuge - 2];
      return n == 0 ? Read{Read::State::kEnd, 0} : Read{Read::State::kData, n};
    }

   private:
    std::size_t given_ = 0;
  };
  const Texts records = records_of(std::make_unique<Huge>(), array(), 1 << 20);
  REQUIRE(records.size() == 2);
  CHECK(records[0].substr(0, 13) == "1:overlong:\"b");
  CHECK(records[1] == "1:2");
}

TEST_CASE("what stands around the array may be longer than any record") {
  const std::string large = "\"" + std::string(3'000'000, 'x') + "\"";
  CHECK(elements("{" + large + ":" + large + ",\"f\":[1],\"g\":[" + large + "]}", {"f"}, 100) ==
        Texts{"1:1"});
}

TEST_CASE("elements that are no objects, or no JSON, are bad records, and the next is read") {
  const Parsed parsed = parse_text(config(),
                                   "[{\"a\":1},7,{\"a\":tru},\n{\"a\":1} {\"a\":2},{\"a\":\"\xFF\"},"
                                   "{\"a\" 5},nul,[1],{\"a\":2}]");
  CHECK(parsed.rows == Texts{"1", "2"});
  REQUIRE(parsed.faults.size() == 7);
  CHECK(parsed.faults[0] == "line 1 [malformed_record] the record is not a JSON object");
  CHECK(parsed.faults[2].substr(0, 54) == "line 2 [malformed_record] the record is not valid JSON");
  for (const std::string& fault : parsed.faults) CHECK(fault.find("[malformed_record]") == 7);
}

TEST_CASE("elements read as jsonl records do, over several lines too") {
  const auto schema = R"([{"name":"a","type":"int64"},{"name":"m","from":"/p/m","type":"float64"}])";
  const Parsed parsed = parse_text(config(nullptr, schema), R"([
  {
    "a": 9007199254740993,
    "p": {"m": 2.5}
  },
  {"a": 1, "a": 2}
])");
  CHECK(parsed.rows == Texts{"9007199254740993 2.5", "1 null"});
  CHECK(parse_text(config("/rows", nullptr), "{\"rows\":[{\"x\":1},{\"x\":2.5,\"y\":true}]}").rows ==
        Texts{"1.0 null", "2.5 true"});
}

TEST_CASE("100,000 nested brackets are a bad record if they close, else the end of the document") {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Parsed parsed = parse_text(config(), "[" + deep + ",{\"a\":" + deep + "},{\"a\":5}]");
  CHECK(parsed.rows == Texts{"5"});
  REQUIRE(parsed.faults.size() == 2);
  CHECK(parsed.faults[0] == "line 1 [malformed_record] the record nests deeper than 1024 levels");
  CHECK(parse_text(config(), std::string(100'000, '[')).error.find("ends inside the element") !=
        std::string::npos);
  CHECK(broken("{\"x\":" + deep + ",\"f\":[1]}", {"f"}) == "1:1 (not told what has been read)");
}

TEST_CASE("mistakes in a json_array format are found while the graph is checked") {
  const auto problems = [](const char* format, const std::string& sample) {
    return format_problems({{"format", Json::parse(format)}}, sample);
  };
  CHECK(problems(R"("json_array")", "[{\"a\":1}]").empty());
  CHECK(problems(R"("json_array")", "[]") == Texts{"/format [missing_field]"});
  CHECK(problems(R"("json_array")", "{\"a\":1}") == Texts{"/format [missing_field]"});
  CHECK(problems(R"({"type":"json_array","records":"/a~"})", "") == Texts{"/format/records [bad_value]"});
  CHECK(problems(R"({"type":"json_array","records":1})", "") == Texts{"/format/records [wrong_type]"});
  CHECK(problems(R"({"type":"json_array","header":true})", "") == Texts{"/format/header [unknown_field]"});
  CHECK(problems(R"({"type":"jsonl","records":"/a"})", "") == Texts{"/format/records [unknown_field]"});
}

TEST_CASE("property: elements do not depend on how the reads fall") {
  CHECK(rc::check([] {
    const auto inside = *rc::gen::container<std::string>(rc::gen::weightedElement<char>({{4, '1'},
                                                                                         {4, ','},
                                                                                         {3, '"'},
                                                                                         {2, '\n'},
                                                                                         {3, ' '},
                                                                                         {1, '\\'},
                                                                                         {2, '['},
                                                                                         {2, ']'},
                                                                                         {1, '{'},
                                                                                         {1, '}'},
                                                                                         {1, ':'}}));
    const auto path = *rc::gen::element(Texts{}, Texts{"f"}, Texts{"f", "1"}, Texts{"0"});
    const auto head =
        *rc::gen::element<std::string>("[", "{\"f\":[", "{\"f\":[0,[", "[[", " {\"e\":[1],\"f\":[");
    const auto tail = *rc::gen::element<std::string>("]", "]}", "]]}", "]] ", "", "] x");
    const std::string text = head + inside + tail;
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 7)));
    RC_PRE(*std::max_element(sizes.begin(), sizes.end()) > 0);
    const auto limit = *rc::gen::inRange<std::size_t>(16, 40);
    std::size_t next = 0;
    const auto in_pieces =
        records_of(pieces(text, [&] { return sizes[next++ % sizes.size()]; }), array(path), limit);
    RC_ASSERT(in_pieces == records_of(bytes_in_memory(text), array(path), limit));
  }));
}

TEST_CASE("property: each element of an array comes out once, in order, however it is printed") {
  CHECK(rc::check([](const std::vector<std::string>& wild, bool nested) {
    Json values = Json::array();
    for (const std::string& text : wild)
      values.push_back({{"text", text}, {"list", {text, 1, nullptr, {{"k", text}}}}});
    const std::string printed =
        values.dump(*rc::gen::element(-1, 0, 3), ' ', true, Json::error_handler_t::replace);
    const std::string document = nested ? "{\"x\":[{}],\"rows\":" + printed + ",\"y\":1}" : printed;
    const auto found = elements(document, nested ? Texts{"rows"} : Texts{}, 1 << 20);
    RC_ASSERT(found.size() == wild.size());
    const Json again = Json::parse(printed);
    for (std::size_t i = 0; i < found.size(); ++i)
      RC_ASSERT(Json::parse(found[i].substr(found[i].find(':') + 1)) == again[i]);
  }));
}

}  // namespace sluice::test
