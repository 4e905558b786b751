#include "runtime/data/block_batch.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstring>
#include <numeric>
#include <string>

#include "tests/runtime/data/random_rows.hpp"

namespace sluice {
namespace {

// Fills blocks of one size with rows, one block after another, and reads each back at once.
class Blocks {
 public:
  Blocks(const Schema& schema, std::size_t block_bytes)
      : writer_(schema), reader_(schema), size_(block_bytes) {
    block_.reserve(block_bytes);
  }

  // `rows`: indexes into the batch; appended as a range if they are one and `as_range`.
  void write(const Batch& batch, const std::vector<std::uint32_t>& rows, bool as_range) {
    std::uint32_t done = 0;
    const auto count = static_cast<std::uint32_t>(rows.size());
    while (done < count) {
      if (!writer_.begun()) begin();
      const std::uint32_t n = as_range ? writer_.append(batch, rows[done], count - done)
                                       : writer_.append(batch, rows.data() + done, count - done);
      RC_ASSERT(writer_.rows() <= writer_.row_capacity());
      done += n;
      if (done == count) return;
      if (writer_.rows() == 0) {
        // Refused by an empty block: it says itself how large a block would have to be.
        RC_ASSERT(writer_.block_bytes_for_row(batch, rows[done]) > size_);
        ++too_large_;
        ++done;
      } else {
        finish();
      }
    }
  }

  void finish() {
    if (!writer_.begun()) return;
    if (writer_.rows() == 0) return writer_.abandon();
    const BatchHeader header = writer_.finish(++sequence_);
    RC_ASSERT(header.bytes <= size_);
    const Result<Batch> batch = reader_.read({block_.data(), size_});
    RC_ASSERT(batch.ok());
    RC_ASSERT(batch.value().rows > 0u);
    RC_ASSERT(reader_.header().sequence == sequence_);
    RC_ASSERT(reader_.header().records_in == batch.value().rows);
    for (std::uint32_t r = 0; r < batch.value().rows; ++r) rows_.push_back(test::row(batch.value(), r));
  }

  const std::vector<test::Row>& rows() const { return rows_; }
  std::size_t too_large() const { return too_large_; }

 private:
  void begin() {
    // What an earlier owner left in the block must not show.
    std::memset(block_.data(), 0xA5, size_);
    writer_.begin({block_.data(), size_});
  }

  BlockWriter writer_;
  BlockReader reader_;
  AlignedBuffer block_;
  const std::size_t size_;
  std::uint64_t sequence_ = 0;
  std::size_t too_large_ = 0;
  std::vector<test::Row> rows_;
};

TEST_CASE(
    "What is appended to blocks is read back from them in order, and only what no block can hold is left "
    "out") {
  CHECK(rc::check("round trip through blocks", [] {
    test::RandomRows random(*rc::gen::arbitrary<std::uint64_t>());
    const Schema schema = random.schema(8);
    const std::size_t block_bytes = std::size_t{4096} << random.below(5);
    RC_PRE(BlockWriter::least_block_bytes(schema) <= block_bytes);
    const std::size_t longest = std::size_t{1} << random.below(15);
    Blocks blocks(schema, block_bytes);
    std::vector<test::Row> expected;
    for (auto batches = *rc::gen::inRange(1, 6); batches > 0; --batches) {
      const std::vector<test::Row> rows = random.rows(schema, 1 + random.below(500), longest);
      BatchStaging staging = test::stage(schema, rows);
      const bool as_range = random.below(2) == 0;
      std::vector<std::uint32_t> chosen;
      if (as_range) {
        const std::size_t begin = random.below(rows.size());
        chosen.resize(random.below(rows.size() - begin + 1));
        std::iota(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(begin));
      } else {
        chosen.resize(random.below(2 * rows.size()));
        for (auto& c : chosen) c = static_cast<std::uint32_t>(random.below(rows.size()));
      }
      blocks.write(staging.view(), chosen, as_range);
      for (const std::uint32_t c : chosen) expected.push_back(rows[c]);
    }
    blocks.finish();
    RC_ASSERT(blocks.rows().size() + blocks.too_large() == expected.size());
    // In order, with gaps only where a row was too large.
    std::size_t next = 0;
    for (const test::Row& row : blocks.rows()) {
      while (next < expected.size() && expected[next] != row) ++next;
      RC_ASSERT(next < expected.size());
      ++next;
    }
  }));
}

TEST_CASE("A row that just fits an empty block fits, and one byte too many is refused, at every block size") {
  const Schema schema({{"s", Type::string}});
  for (std::size_t block_bytes = 4096; block_bytes <= 1 << 20; block_bytes *= 4) {
    std::size_t fits = 0;
    std::size_t refused = block_bytes;
    AlignedBuffer block;
    block.reserve(block_bytes);
    while (fits + 1 < refused) {
      const std::size_t length = (fits + refused) / 2;
      BatchStaging staging(schema);
      staging.column(0).append_string(std::string(length, 'x'));
      BlockWriter writer(schema);
      writer.begin({block.data(), block_bytes});
      const bool taken = writer.append(staging.view(), 0u, 1u) == 1;
      CHECK(taken == (writer.block_bytes_for_row(staging.view(), 0) <= block_bytes));
      (taken ? fits : refused) = length;
    }
    CHECK(fits > block_bytes - 1024);  // little is lost beside the largest record
  }
}

// A block of three rows of a number and a string, open to damage.
struct Written {
  Written() {
    block.reserve(kBytes);
    BatchStaging staging(schema);
    for (const char* text : {"one", "two", "three"}) {
      staging.column(0).append_int64(1);
      text[0] == 'o' ? staging.column(1).append_null() : staging.column(1).append_string(text);
    }
    BlockWriter writer(schema);
    writer.begin({block.data(), kBytes});
    REQUIRE(writer.append(staging.view(), 0u, 3u) == 3);
    writer.finish(1);
  }
  BatchHeader& header() { return *reinterpret_cast<BatchHeader*>(block.data()); }
  ColumnPlace& place(std::size_t i) {
    return reinterpret_cast<ColumnPlace*>(block.data() + sizeof(BatchHeader))[i];
  }
  std::int32_t& last_offset() {
    return reinterpret_cast<std::int32_t*>(block.data() + place(1).values)[header().rows];
  }
  std::string read(std::size_t bytes = kBytes) {
    BlockReader reader(schema);
    const Result<Batch> batch = reader.read({block.data(), bytes});
    return batch.ok() ? "" : batch.error().message();
  }

  static constexpr std::size_t kBytes = 4096;
  const Schema schema{std::vector<Field>{{"n", Type::int64}, {"s", Type::string}}};
  AlignedBuffer block;
};

TEST_CASE("A damaged header is an error that says what is damaged") {
  constexpr std::uint32_t kFar = 0xFFFFFFF8;  // a multiple of 8 that overflows when anything is added
  struct Damage {
    const char* said;
    void (*to)(Written&);
  };
  const Damage damages[] = {
      {"wrong magic number", [](Written& w) { w.header().magic ^= 1; }},
      {"wrong number of columns", [](Written& w) { w.header().columns = 1; }},
      {"wrong number of columns", [](Written& w) { w.header().columns = kFar; }},
      {"longer than its block", [](Written& w) { w.header().bytes = Written::kBytes + 1; }},
      {"too short", [](Written& w) { w.header().bytes = sizeof(BatchHeader); }},
      {"values out of bounds", [](Written& w) { w.header().rows = kFar; }},
      {"values out of bounds", [](Written& w) { w.header().rows = 10000; }},
      {"values out of bounds", [](Written& w) { w.place(0).values = kFar; }},
      {"values out of bounds", [](Written& w) { w.place(0).values += 1; }},
      {"values out of bounds", [](Written& w) { w.place(0).values = w.header().bytes - 16; }},
      {"validity out of bounds", [](Written& w) { w.place(0).validity = kFar; }},
      {"validity out of bounds", [](Written& w) { w.place(1).validity = w.header().bytes; }},
      {"strings out of bounds", [](Written& w) { w.place(1).data = kFar; }},
      {"strings out of bounds", [](Written& w) { w.place(1).data_bytes = kFar; }},
      {"string offsets out of bounds", [](Written& w) { w.last_offset() = 4000; }},
      {"string offsets out of bounds", [](Written& w) { w.last_offset() = -1; }},
  };
  CHECK(Written().read() == "");
  for (const Damage& damage : damages) {
    CAPTURE(damage.said);
    Written written;
    damage.to(written);
    const std::string said = written.read();
    CHECK(said.find(damage.said) != std::string::npos);
  }
  CHECK(Written().read(sizeof(BatchHeader) - 1).find("too short") != std::string::npos);
}

}  // namespace
}  // namespace sluice
