#include "operators/format/record_reader.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

using Texts = std::vector<std::string>;

Framing csv(std::size_t fields = 0) {
  Framing framing;
  framing.quoted = true;
  framing.fields = fields;
  return framing;
}

Texts lines(std::string text, std::size_t max_record = 100) {
  return records_of(bytes_in_memory(std::move(text)), {}, max_record);
}
Texts csv_records(std::string text, std::size_t fields = 0, std::size_t max_record = 100) {
  return records_of(bytes_in_memory(std::move(text)), csv(fields), max_record);
}

}  // namespace

TEST_CASE("a line ends at LF or CR LF, and the last one needs neither") {
  CHECK(lines("").empty());
  CHECK(lines("a") == Texts{"1:a"});
  CHECK(lines("\n") == Texts{"1:"});
  CHECK(lines("a\n") == Texts{"1:a"});
  CHECK(lines("a\nb") == Texts{"1:a", "2:b"});
  CHECK(lines("a\r\n\r\nb\r\n") == Texts{"1:a", "2:", "3:b"});
  CHECK(lines("a\rb\n") == Texts{"1:a\rb"});
  CHECK(lines("a\r") == Texts{"1:a"});
}

TEST_CASE("a byte order mark is dropped at the start and kept elsewhere") {
  CHECK(lines("\xEF\xBB\xBF"
              "a\n\xEF\xBB\xBF"
              "b\n") == Texts{"1:a",
                              "2:\xEF\xBB\xBF"
                              "b"});
  CHECK(lines("\xEF\xBB\xBF").empty());
  CHECK(lines("\xEF\xBB") == Texts{"1:\xEF\xBB"});
  CHECK(lines("\xEF") == Texts{"1:\xEF"});
}

TEST_CASE("NUL bytes and invalid UTF-8 are data") {
  const std::string text("a\0b\n\xff\xc3\x28\n", 8);
  CHECK(lines(text) == Texts{std::string("1:a\0b", 5), "2:\xff\xc3\x28"});
}

TEST_CASE("a record longer than the limit is one bad record, and the next line is read") {
  const std::string limit(20, 'x');
  CHECK(lines(limit + "\nb\n", 20) == Texts{"1:" + limit, "2:b"});
  CHECK(lines(limit + "\r\nb\n", 20) == Texts{"1:" + limit, "2:b"});
  CHECK(lines(limit + "y\nb\n", 20) == Texts{"1:overlong:" + limit, "2:b"});
  CHECK(lines(limit + "y\r\nb\n", 20) == Texts{"1:overlong:" + limit, "2:b"});
  CHECK(lines("a\n" + limit + "y", 20) == Texts{"1:a", "2:overlong:" + limit});
  CHECK(lines(limit + "y\n" + limit + "z\nb", 20) ==
        Texts{"1:overlong:" + limit, "2:overlong:" + limit, "3:b"});
}

TEST_CASE("a line of 100 MiB costs one bad record and little memory") {
  std::size_t given = 0;
  constexpr std::size_t kHuge = 100u << 20;
  class Huge final : public ByteSource {
   public:
    explicit Huge(std::size_t& given) : given_(given) {}
    Result<Read> read(char* to, std::size_t capacity) override {
      if (given_ == kHuge + 3) return Read{Read::State::kEnd, 0};
      std::size_t n = std::min(capacity, kHuge + 3 - given_);
      for (std::size_t i = 0; i < n; ++i) to[i] = "\nb\n"[given_ + i < kHuge ? 1 : given_ + i - kHuge];
      largest_ = std::max(largest_, capacity);
      given_ += n;
      CHECK(largest_ < (4u << 20));  // the reader's buffer
      return Read{Read::State::kData, n};
    }

   private:
    std::size_t& given_;
    std::size_t largest_ = 0;
  };
  const Texts records = records_of(std::make_unique<Huge>(given), {}, 1 << 20);
  REQUIRE(records.size() == 2);
  CHECK(records[0].substr(0, 13) == "1:overlong:bb");
  CHECK(records[1] == "2:b");
}

TEST_CASE("a csv record ends at a line end outside of quotes") {
  CHECK(csv_records("a,b\nc,d\n") == Texts{"1:a,b", "2:c,d"});
  CHECK(csv_records("a,\"b\nc\"\nd,e\n") == Texts{"1:a,\"b\nc\"", "3:d,e"});
  CHECK(csv_records("\"a\r\nb\",c\r\nd,e\r\n") == Texts{"1:\"a\r\nb\",c", "3:d,e"});
  CHECK(csv_records("\"a\"\"\n\",b\nc,d") == Texts{"1:\"a\"\"\n\",b", "3:c,d"});
  CHECK(csv_records("a,\"b\"") == Texts{"1:a,\"b\""});
  CHECK(csv_records("a,\"b\"\r") == Texts{"1:a,\"b\""});
  CHECK(csv_records("a,\"\"\nb,c\n") == Texts{"1:a,\"\"", "2:b,c"});
}

TEST_CASE("a quote inside a field without quotes is data") {
  CHECK(csv_records("5\"10,b\nc,d\"\ne,f\n") == Texts{"1:5\"10,b", "2:c,d\"", "3:e,f"});
}

TEST_CASE("a stray quote costs its own line and no other") {
  CHECK(csv_records("a,\"b\nc,d\ne,f\n") == Texts{"1:broken:a,\"b", "2:c,d", "3:e,f"});
  CHECK(csv_records("a,\"b\nc,\"d\"\ne,f\n") == Texts{"1:broken:a,\"b", "2:c,\"d\"", "3:e,f"});
  CHECK(csv_records("a,\"b\"x\nc,d\n") == Texts{"1:broken:a,\"b\"x", "2:c,d"});
  CHECK(csv_records("a,\"b") == Texts{"1:broken:a,\"b"});
}

TEST_CASE("a quote that a later line happens to close is stray if the number of fields then is wrong") {
  const std::string text = "a,\"b,c\nd,e,f\ng,h\",i\nj,k,l\n";
  CHECK(csv_records(text, 4) == Texts{"1:broken:a,\"b,c", "2:d,e,f", "3:g,h\",i", "4:j,k,l"});
  CHECK(csv_records(text, 3) == Texts{"1:a,\"b,c\nd,e,f\ng,h\",i", "4:j,k,l"});
}

TEST_CASE("a quote that nothing closes within the limit is stray") {
  std::string text = "a,\"b\n";
  for (int i = 0; i < 30; ++i) text += "some,more\n";
  Texts wanted{"1:broken:a,\"b"};
  for (int i = 0; i < 30; ++i) wanted.push_back(std::to_string(i + 2) + ":some,more");
  text += "x,\"\n";
  wanted.push_back("32:broken:x,\"");
  CHECK(csv_records(text, 2, 100) == wanted);
}

TEST_CASE("a comment's quotes open nothing") {
  Framing framing = csv();
  framing.comment = '#';
  CHECK(records_of(bytes_in_memory("# it,\"s\na,b\n"), framing) == Texts{"1:# it,\"s", "2:a,b"});
}

TEST_CASE("an input that fails gives its whole records first and not the cut one") {
  CHECK(records_of(pieces(
            "a\nb\nc", [] { return 2; }, true)) == Texts{"1:a", "2:b", "error: the input failed"});
}

TEST_CASE("property: records do not depend on how the reads fall") {
  CHECK(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::weightedElement<char>({{6, 'a'},
                                                                                       {3, ','},
                                                                                       {3, '"'},
                                                                                       {3, '\n'},
                                                                                       {1, '\r'},
                                                                                       {1, '\xEF'},
                                                                                       {1, '\xBB'},
                                                                                       {1, '\xBF'},
                                                                                       {1, '#'}}));
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 7)));
    const auto limit = *rc::gen::inRange<std::size_t>(16, 40);
    RC_PRE(*std::max_element(sizes.begin(), sizes.end()) > 0);
    Framing framing = *rc::gen::element(Framing{}, csv(), csv(2), csv(3));
    if (*rc::gen::arbitrary<bool>()) framing.comment = '#';
    std::size_t next = 0;
    const auto in_pieces =
        records_of(pieces(text, [&] { return sizes[next++ % sizes.size()]; }), framing, limit);
    RC_ASSERT(in_pieces == records_of(bytes_in_memory(text), framing, limit));
  }));
}

TEST_CASE("property: every line of a stream of lines comes out once, in order") {
  CHECK(rc::check([](const std::vector<std::string>& wild) {
    std::string text;
    Texts wanted;
    for (std::string line : wild) {
      std::erase_if(line, [](char c) { return c == '\n' || c == '\r'; });
      text += line + "\n";
      wanted.push_back(std::to_string(wanted.size() + 1) + ":" + line);
    }
    RC_PRE(text.substr(0, 3) != "\xEF\xBB\xBF");
    RC_ASSERT(lines(text, 1 << 20) == wanted);
  }));
}

}  // namespace sluice::test
