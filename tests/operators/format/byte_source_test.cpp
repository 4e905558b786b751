#include "operators/format/byte_source.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/operators/format/format_harness.hpp"

namespace sluice::test {
namespace {

std::string some_text(std::size_t bytes) {
  std::string text;
  for (unsigned i = 0; text.size() < bytes; ++i) text += std::to_string(i * 2654435761u) + "\n";
  text.resize(bytes);
  return text;
}

Drained read_all(const std::string& bytes, Compression compression, std::size_t chunk = 0) {
  return drain(*decompressed(bytes_in_memory(bytes, chunk), compression, "f"));
}

}  // namespace

TEST_CASE("the first bytes tell the compression") {
  const std::string text = some_text(300'000);
  CHECK(read_all(text, Compression::detect).bytes == text);
  CHECK(read_all(gzip(text), Compression::detect).bytes == text);
  CHECK(read_all(zstd(text), Compression::detect).bytes == text);
  CHECK(read_all(gzip(text), Compression::none).bytes == gzip(text));
}

TEST_CASE("what is too short to be compressed is plain") {
  for (const std::string text : {"", "a", "\x1f", "\x28", "\x28\xb5", "\x28\xb5\x2f", "\x1f\x1f"}) {
    const Drained all = read_all(text, Compression::detect);
    CHECK(all.bytes == text);
    CHECK(all.error == "");
  }
}

TEST_CASE("several gzip members and several zstd frames are one stream") {
  const std::string a = some_text(100'000);
  const std::string b = "tail\n";
  CHECK(read_all(gzip(a) + gzip("") + gzip(b), Compression::detect).bytes == a + b);
  CHECK(read_all(zstd(a) + zstd(b), Compression::detect).bytes == a + b);
}

TEST_CASE("zeros behind the last gzip member are padding, anything else is damage") {
  CHECK(read_all(gzip("ab") + std::string(512, '\0'), Compression::gzip).error == "");
  const Drained garbage = read_all(gzip("ab") + "x", Compression::gzip);
  CHECK(garbage.bytes == "ab");
  CHECK(garbage.code == ErrorCode::corrupt_input);
  CHECK(read_all(gzip("ab") + std::string(3, '\0') + gzip("c"), Compression::gzip).code ==
        ErrorCode::corrupt_input);
  CHECK(read_all(zstd("ab") + "garbage", Compression::zstd).code == ErrorCode::corrupt_input);
}

TEST_CASE("a truncated stream gives its good part and then the error, which names the file") {
  const std::string text = some_text(1'000'000);
  for (const auto& whole : {gzip(text), zstd(text)}) {
    for (const std::size_t cut : {whole.size() / 2, whole.size() - 1}) {
      const Drained all = read_all(whole.substr(0, cut), Compression::detect);
      CHECK(all.code == ErrorCode::corrupt_input);
      CHECK(all.error.find("f: ") == 0);
      CHECK(text.substr(0, all.bytes.size()) == all.bytes);
      CHECK(all.bytes.size() > text.size() / 10);
    }
  }
}

TEST_CASE("a flipped byte is damage") {
  std::string bytes = gzip(some_text(50'000));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  CHECK(read_all(bytes, Compression::gzip).code == ErrorCode::corrupt_input);
}

TEST_CASE("an empty file is no compressed stream if it is said to be one") {
  CHECK(read_all("", Compression::gzip).code == ErrorCode::corrupt_input);
  CHECK(read_all("", Compression::zstd).code == ErrorCode::corrupt_input);
}

TEST_CASE("property: decompressed bytes do not depend on how the raw bytes come") {
  CHECK(rc::check([](const std::string& a, const std::string& b) {
    const bool gz = *rc::gen::arbitrary<bool>();
    const std::string raw = gz ? gzip(a) + gzip(b) : zstd(a) + zstd(b);
    const auto chunk = *rc::gen::inRange<std::size_t>(1, 9);
    const auto capacity = *rc::gen::inRange<std::size_t>(1, 9);
    auto source = decompressed(bytes_in_memory(raw, chunk), Compression::detect, "f");
    RC_ASSERT(drain(*source, capacity).bytes == a + b);
  }));
}

TEST_CASE("what cannot be opened is an error with the name as written") {
  const TempFolder folder;
  const auto missing = open_bytes(folder.path("none"), "none", Compression::detect);
  REQUIRE(!missing.ok());
  CHECK(missing.error().code() == ErrorCode::file_unreadable);
  CHECK(missing.error().message() == "none: No such file or directory");
  const auto directory = open_bytes(folder.path(""), "dir", Compression::detect);
  REQUIRE(!directory.ok());
  CHECK(directory.error().message() == "dir is a directory, not a file");
}

TEST_CASE("a named pipe without a writer waits, and ends when its writer is gone") {
  const TempFolder folder;
  const std::string path = folder.path("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  auto source = std::move(open_bytes(path, "pipe", Compression::detect)).value();
  char byte = 0;
  CHECK(source->read(&byte, 1)->state == ByteSource::Read::State::kWaits);
  std::FILE* writer = std::fopen(path.c_str(), "w");
  std::fputs("hello", writer);
  std::fflush(writer);
  char text[8];
  const auto got = source->read(text, sizeof text);
  CHECK(got->state == ByteSource::Read::State::kData);
  CHECK(source->read(text, sizeof text)->state != ByteSource::Read::State::kEnd);
  std::fclose(writer);
  CHECK(drain(*source).error == "");
}

}  // namespace sluice::test
