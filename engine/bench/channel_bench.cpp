#include "engine/bench/channel_bench.hpp"

#include <fmt/format.h>
#include <cstring>
#include <functional>
#include <map>

#include "engine/bench/edge_fixture.hpp"
#include "engine/bench/two_cores.hpp"
#include "runtime/data/column_builder.hpp"
#include "runtime/ring/spsc_ring.hpp"

namespace sluice {
namespace {

constexpr std::size_t kBlockBytes = EdgeFixture::kBlockBytes;
constexpr std::uint64_t kBlocksAlone = 100'000;  // a sample of blocks that are not touched
constexpr std::uint64_t kBlocksFilled = 20'000;  // a sample of blocks that are written and read
constexpr std::uint32_t kTickEvery = 16;         // as a task's round

void relax() { __builtin_ia32_pause(); }

// Keeps a result alive that nothing else uses.
void keep(std::uint64_t value) { asm volatile("" : : "r"(value) : "memory"); }

std::uint64_t sum_words(const void* data, std::size_t words) {
  const auto* p = static_cast<const std::uint64_t*>(data);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += p[i];
  return sum;
}

// Receives until the end of the stream, a tick every few events, as a task does.
template <typename Read>
void drain_edge(EdgeFixture& edge, Read read) {
  const MonotonicClock clock;
  for (std::uint32_t events = 0;;) {
    Result<ReceiverEvent> event = edge.receiver->poll();
    SLUICE_CHECK(event.ok());
    if (event->kind == ReceiverEvent::Kind::end) return;
    if (event->kind == ReceiverEvent::Kind::batch) {
      read(event->received->batch);
      if (++events % kTickEvery == 0) edge.receiver->tick(clock.now_ns(), false);
    } else {
      edge.receiver->tick(clock.now_ns(), true);
      relax();
    }
  }
}

// Sends `blocks` full blocks whose fixed columns `fill` writes.
template <typename Fill>
void feed_edge(EdgeFixture& edge, std::uint64_t blocks, Fill fill) {
  for (std::uint64_t b = 0; b < blocks; ++b) {
    BlockWriter* writer;
    while ((writer = edge.sender->direct_writer(0)) == nullptr) relax();
    const std::uint32_t rows = writer->row_capacity();
    fill(*writer, rows);
    writer->set_rows(rows);
    edge.sender->direct_written(rows);
  }
  edge.sender->flush();
  edge.sender->end_of_stream();
}

Schema eight_words() {
  std::vector<Field> fields;
  for (int i = 0; i < 8; ++i) fields.push_back({fmt::format("c{}", i), Type::int64});
  return Schema(std::move(fields));
}

Schema hundred_bytes() {  // 8 + 8 + a string of 80 with its 4-byte offset
  return Schema({{"id", Type::int64}, {"time", Type::timestamp}, {"text", Type::string}});
}

void fill_words(BlockWriter& writer, std::uint32_t rows) {
  for (std::size_t c = 0; c < 8; ++c) {
    std::int64_t* out = writer.int64s(c);
    for (std::uint32_t r = 0; r < rows; ++r) out[r] = static_cast<std::int64_t>(r + c);
  }
}

std::uint64_t read_words(const Batch& batch) {
  std::uint64_t sum = 0;
  for (const Column& column : batch.columns) sum += sum_words(column.values, batch.rows);
  return sum;
}

class ChannelBench {
 public:
  BenchReport run(double seconds) {
    report_.name = "channel";
    report_.notes.push_back(
        fmt::format("blocks of {} KiB, window {} blocks; two pinned threads; near: a cache line goes there "
                    "and back in under 220 ns; samples during which that changed are left out",
                    kBlockBytes / 1024, EdgeFixture::kWindowBlocks));
    const MonotonicClock clock;
    const TimeNs until_ns = clock.now_ns() + static_cast<TimeNs>(seconds * kNsPerSecond);
    do {
      samples("cache line there and back between the cores", "", "ns").add(line_round_trip_ns());
      copy_bandwidth();
      cost_on_one_core();
      const double ring_ns = bare_ring_alone();
      const double edge_ns = edge_alone();
      ratio("edge alone ÷ bare ring of pointers, blocks/s", ring_ns, edge_ns);
      const double filled_ring_ns = bare_ring_filled();
      const double filled_edge_ns = edge_filled();
      ratio("edge ÷ bare ring, both written and read, blocks/s", filled_ring_ns, filled_edge_ns);
      hundred_byte_rows();
    } while (clock.now_ns() < until_ns);
    return std::move(report_);
  }

 private:
  Samples& samples(const std::string& quantity, const std::string& situation, const std::string& unit) {
    for (BenchRow& row : report_.rows) {
      if (row.quantity == quantity && row.situation == situation) return row.samples;
    }
    report_.rows.push_back({quantity, situation, unit, {}});
    return report_.rows.back().samples;
  }

  // Runs both sides and gives the time a block, or 0 if the cores moved meanwhile.
  double measure(std::uint64_t blocks, const std::function<void()>& producer,
                 const std::function<void()>& consumer) {
    const TwoCoreSample sample = sample_on_two_cores(producer, consumer);
    last_distance_ = sample.distance;
    if (sample.distance == CoreDistance::changed) return 0;
    return sample.seconds * 1e9 / static_cast<double>(blocks);
  }

  std::string situation() const { return last_distance_ == CoreDistance::far ? "far" : "near"; }

  void add(const std::string& quantity, const std::string& unit, double value) {
    if (value > 0) samples(quantity, situation(), unit).add(value);
  }

  // Only of two samples taken in the same mode.
  void ratio(const std::string& quantity, double base_ns, double ns) {
    if (base_ns > 0 && ns > 0 && situation() == base_situation_)
      samples(quantity, situation(), "ratio").add(base_ns / ns);
  }

  void copy_bandwidth() {
    constexpr std::size_t kBytes = 64 << 20;
    static const auto from = std::make_unique<char[]>(kBytes);
    static const auto to = std::make_unique<char[]>(kBytes);
    const MonotonicClock clock;
    const TimeNs begun_ns = clock.now_ns();
    std::memcpy(to.get(), from.get(), kBytes);
    keep(static_cast<std::uint64_t>(to[kBytes / 2]));
    samples("memory copy, one core, 64 MiB", "", "GB/s")
        .add(static_cast<double>(kBytes) / static_cast<double>(clock.now_ns() - begun_ns));
  }

  // Ring, credit, gate and block states by turns on one thread: what the protocol costs without a line
  // changing cores.
  void cost_on_one_core() {
    constexpr std::uint64_t kBlocks = 20'000;
    EdgeFixture edge(eight_words());
    const MonotonicClock clock;
    const TimeNs begun_ns = clock.now_ns();
    for (std::uint64_t b = 0; b < kBlocks; ++b) {
      BlockWriter* writer = edge.sender->direct_writer(0);
      writer->set_rows(writer->row_capacity());
      edge.sender->direct_written(writer->row_capacity());
      edge.sender->flush();
      Result<ReceiverEvent> event = edge.receiver->poll();
      keep(event->received->batch.rows);
      if (b % kTickEvery == 0) edge.receiver->tick(begun_ns + static_cast<TimeNs>(b), false);
    }
    samples("ring + credit + gate, by turns on one core", "", "ns/block")
        .add(static_cast<double>(clock.now_ns() - begun_ns) / kBlocks);
  }

  double bare_ring_alone() {
    SpscRing<void*> ring(EdgeFixture::kWindowBlocks);
    const double ns = measure(
        kBlocksAlone,
        [&] {
          for (std::uint64_t b = 0; b < kBlocksAlone; ++b) {
            while (!ring.push(&ring)) relax();
            ring.publish();
          }
        },
        [&] {
          void* block;
          for (std::uint64_t b = 0; b < kBlocksAlone; ++b) {
            while (!ring.pop(block)) relax();
            ring.release();
          }
        });
    add("bare ring of pointers", "ns/block", ns);
    base_situation_ = situation();
    return ns;
  }

  double edge_alone() {
    EdgeFixture edge(eight_words());
    const double ns = measure(
        kBlocksAlone, [&] { feed_edge(edge, kBlocksAlone, [](BlockWriter&, std::uint32_t) {}); },
        [&] { drain_edge(edge, [](const Batch&) {}); });
    add("edge alone (blocks already filled)", "ns/block", ns);
    return ns;
  }

  double bare_ring_filled() {
    const std::size_t words = std::size_t{rows_per_block()} * 8;
    const auto blocks = std::make_unique<std::uint64_t[]>(words * (EdgeFixture::kWindowBlocks + 32));
    SpscRing<std::uint64_t*> ring(EdgeFixture::kWindowBlocks);
    const double ns = measure(
        kBlocksFilled,
        [&] {
          for (std::uint64_t b = 0; b < kBlocksFilled; ++b) {
            std::uint64_t* block = &blocks[b % (EdgeFixture::kWindowBlocks + 32) * words];
            // Room first: a slot that is free says that the consumer is done with the block of one round
            // before.
            while (ring.pending() >= EdgeFixture::kWindowBlocks) relax();
            for (std::size_t i = 0; i < words; ++i) block[i] = i;
            ring.push(block);
            ring.publish();
          }
        },
        [&] {
          std::uint64_t* block;
          std::uint64_t sum = 0;
          for (std::uint64_t b = 0; b < kBlocksFilled; ++b) {
            while (!ring.pop(block)) relax();
            sum += sum_words(block, words);
            ring.release();
          }
          keep(sum);
        });
    add("bare ring, blocks written and read", "ns/block", ns);
    base_situation_ = situation();
    return ns;
  }

  double edge_filled() {
    EdgeFixture edge(eight_words());
    std::uint64_t sum = 0;
    const double ns = measure(
        kBlocksFilled, [&] { feed_edge(edge, kBlocksFilled, fill_words); },
        [&] { drain_edge(edge, [&](const Batch& batch) { sum += read_words(batch); }); });
    keep(sum);
    const double rows = rows_per_block();
    add("edge, 64-byte rows written, handed over and read", "million rows/s", ns > 0 ? rows * 1e3 / ns : 0);
    return ns;
  }

  void hundred_byte_rows() {
    constexpr std::uint64_t kRows = 2'000'000;
    BatchStaging staging(hundred_bytes());
    const std::string text(80, 'x');
    for (std::uint32_t r = 0; r < kTargetBatchRows; ++r) {
      staging.column(0).append_int64(r);
      staging.column(1).append_int64(r);
      staging.column(2).append_string(text);
    }
    const Batch batch = staging.view();
    EdgeFixture edge(hundred_bytes());
    std::uint64_t sum = 0;
    const double ns = measure(
        kRows / batch.rows * batch.rows,
        [&] {
          for (std::uint64_t i = 0; i < kRows / batch.rows; ++i) {
            for (std::uint32_t done = 0; done < batch.rows;) {
              done += edge.sender->append(batch, done, batch.rows - done, 0).appended;
              if (done < batch.rows) relax();
            }
          }
          edge.sender->flush();
          edge.sender->end_of_stream();
        },
        [&] {
          drain_edge(edge, [&](const Batch& b) {
            sum += sum_words(b.column(0).values, b.rows) + sum_words(b.column(1).values, b.rows);
            sum += sum_words(b.column(2).data, b.rows * text.size() / 8);
          });
        });
    keep(sum);
    if (ns == 0) return;
    add("edge, 100-byte rows appended, handed over and read", "million rows/s", 1e3 / ns);
    add("edge, the same", "GB/s", 100 / ns);
    const Samples& copy = samples("memory copy, one core, 64 MiB", "", "GB/s");
    samples("edge, 100-byte rows ÷ memory copy", situation(), "ratio").add(100 / ns / copy.median());
  }

  static std::uint32_t rows_per_block() {
    EdgeFixture edge(eight_words());
    return edge.sender->direct_writer(0)->row_capacity();
  }

  BenchReport report_;
  CoreDistance last_distance_ = CoreDistance::near;
  std::string base_situation_;
};

}  // namespace

BenchReport bench_channel(double seconds) { return ChannelBench().run(seconds); }

}  // namespace sluice
