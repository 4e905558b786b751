#include "engine/bench/two_cores.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/base/cache_line.hpp"
#include "runtime/base/clock.hpp"

namespace sluice {
namespace {

// Half-way between the two modes that were measured on such machines (70–115 and 330–500 ns).
constexpr double kFarNs = 220;

struct alignas(kCacheLineBytes) Line {
  std::atomic<std::uint32_t> value{0};
};

}  // namespace

bool pin_to_core(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core % std::max(1u, std::thread::hardware_concurrency()), &set);
  return ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) == 0;
}

double run_on_two_cores(const std::function<void()>& producer, const std::function<void()>& consumer) {
  const MonotonicClock clock;
  std::atomic<int> ready{0};
  TimeNs consumer_ended_ns = 0;
  std::thread other([&] {
    pin_to_core(1);
    ready.fetch_add(1);
    while (ready.load() < 2) {
    }
    consumer();
    consumer_ended_ns = clock.now_ns();
  });
  pin_to_core(0);
  while (ready.load() < 1) {
  }
  const TimeNs begun_ns = clock.now_ns();
  ready.fetch_add(1);
  producer();
  const TimeNs producer_ended_ns = clock.now_ns();
  other.join();
  return static_cast<double>(std::max(producer_ended_ns, consumer_ended_ns) - begun_ns) / kNsPerSecond;
}

double line_round_trip_ns() {
  constexpr std::uint32_t kRounds = 200;
  constexpr int kGroups = 15;
  Line ping;
  Line pong;
  std::vector<double> groups;
  const MonotonicClock clock;
  run_on_two_cores(
      [&] {
        std::uint32_t n = 0;
        for (int g = 0; g < kGroups; ++g) {
          const TimeNs begun_ns = clock.now_ns();
          for (std::uint32_t i = 0; i < kRounds; ++i) {
            ping.value.store(++n, std::memory_order_release);
            while (pong.value.load(std::memory_order_acquire) != n) {
            }
          }
          groups.push_back(static_cast<double>(clock.now_ns() - begun_ns) / kRounds);
        }
      },
      [&] {
        for (std::uint32_t n = 1; n <= kRounds * kGroups; ++n) {
          while (ping.value.load(std::memory_order_acquire) != n) {
          }
          pong.value.store(n, std::memory_order_release);
        }
      });
  std::nth_element(groups.begin(), groups.begin() + kGroups / 2, groups.end());
  return groups[kGroups / 2];
}

TwoCoreSample sample_on_two_cores(const std::function<void()>& producer,
                                  const std::function<void()>& consumer) {
  const bool far_before = line_round_trip_ns() > kFarNs;
  const double seconds = run_on_two_cores(producer, consumer);
  const bool far_after = line_round_trip_ns() > kFarNs;
  if (far_before != far_after) return {seconds, CoreDistance::changed};
  return {seconds, far_before ? CoreDistance::far : CoreDistance::near};
}

}  // namespace sluice
