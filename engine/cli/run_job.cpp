#include "engine/cli/run_job.hpp"

#include <fmt/format.h>
#include <csignal>

#include "engine/cli/run_summary.hpp"
#include "engine/cli/terminal_log.hpp"
#include "runtime/base/units.hpp"

namespace sluice {
namespace {

constexpr TimeNs kSignalPollNs = 20 * kNsPerMs;
constexpr TimeNs kProgressNs = 500 * kNsPerMs;
constexpr int kExitFailed = 1;
constexpr int kExitInterrupted = 130;

// Keeps SIGINT and SIGTERM from killing the process, so that they can be asked for; before any thread starts,
// since threads inherit the mask.
class StopSignals {
 public:
  StopSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGINT);
    ::sigaddset(&set_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
    // A reader that has gone away is an error of that write, not the end of the process.
    ::signal(SIGPIPE, SIG_IGN);
    // So is a file that reaches the size limit of the process.
    ::signal(SIGXFSZ, SIG_IGN);
  }
  // A signal that comes while the job is ending has nothing left to stop, and must not kill the process that
  // has already said how the job ended.
  ~StopSignals() {
    while (take() != 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  // The signal that has come since the last call, or 0.
  int take() {
    const timespec now{};
    const int signal = ::sigtimedwait(&set_, nullptr, &now);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t set_;
  sigset_t before_;
};

class JobRunner {
 public:
  JobRunner(const Graph& graph, const RunSettings& settings) : graph_(graph), settings_(settings) {}

  int run(JobPlan plan) {
    Result<std::unique_ptr<Worker>> created = Worker::create(std::move(plan.node), log_);
    if (!created) {
      log_.write(LogLevel::error, created.error().message());
      return kExitFailed;
    }
    worker_ = std::move(created).value();
    started_ns_ = clock_.now_ns();
    worker_->start();
    while (!worker_->wait_for_end(kSignalPollNs)) watch();
    return finish(worker_->stop());
  }

 private:
  void watch() {
    if (const int signal = signals_.take(); signal != 0) on_signal(signal);
    const TimeNs now_ns = clock_.now_ns();
    if (!draining_ && settings_.duration_us && now_ns - started_ns_ >= *settings_.duration_us * kNsPerUs)
      drain();
    if (log_.shows_progress() && now_ns - progress_ns_ >= kProgressNs) show_progress(now_ns);
  }

  void on_signal(int signal) {
    if (first_signal_ != 0) {
      stopped_at_once_ = true;
      worker_->cancel();
      return;
    }
    first_signal_ = signal;
    log_.write(LogLevel::info, "stopping: what was read is carried through; once more to stop at once");
    drain();
  }

  void drain() {
    draining_ = true;
    worker_->drain();
  }

  void show_progress(TimeNs now_ns) {
    const RunTotals totals = read_totals(graph_, *worker_);
    const double seconds = static_cast<double>(now_ns - progress_ns_) / kNsPerSecond;
    if (progress_ns_ != 0) {
      const auto rate = [&](std::uint64_t now, std::uint64_t before) {
        return format_count(static_cast<std::uint64_t>(static_cast<double>(now - before) / seconds));
      };
      const std::string slowest = slowest_edge(graph_, *worker_);
      log_.progress(fmt::format("in {}/s, out {}/s, {} read{}{}{}", rate(totals.read, read_before_),
                                rate(totals.written, written_before_), format_count(totals.read),
                                totals.bad > 0 ? fmt::format(", {} bad", format_count(totals.bad)) : "",
                                slowest.empty() ? "" : "; ", slowest));
    }
    progress_ns_ = now_ns;
    read_before_ = totals.read;
    written_before_ = totals.written;
  }

  int finish(const Worker::End& end) {
    log_.clear_progress();
    // One that came while the last records were on their way: Ctrl-C also ends what feeds our standard input.
    if (const int signal = signals_.take(); signal != 0 && first_signal_ == 0) {
      first_signal_ = signal;
      draining_ = true;
    }
    const double seconds = static_cast<double>(clock_.now_ns() - started_ns_) / kNsPerSecond;
    const std::vector<std::string> differences = end.audit.differences(!end.cancelled);
    const bool failed = end.error.has_value() || !differences.empty();
    const bool interrupted = stopped_at_once_ || first_signal_ == SIGINT;
    if (end.error) log_.write(LogLevel::error, fmt::format("the job failed: {}", end.error->message()));
    for (const std::string& difference : differences) log_.write(LogLevel::error, "audit: " + difference);
    const RunTotals totals = read_totals(graph_, *worker_);
    if (settings_.json) {
      const std::string outcome = failed             ? "failed"
                                  : stopped_at_once_ ? "cancelled"
                                  : draining_        ? "drained"
                                                     : "done";
      log_.text(summary_json(graph_, totals, seconds, peak_memory_bytes(), outcome) + "\n");
    } else {
      log_.text(summary_text(totals, seconds, peak_memory_bytes(), !failed && !stopped_at_once_));
    }
    if (failed) return kExitFailed;
    return interrupted ? kExitInterrupted : 0;
  }

  const Graph& graph_;
  const RunSettings settings_;
  StopSignals signals_;
  TerminalLog log_;
  MonotonicClock clock_;
  std::unique_ptr<Worker> worker_;
  TimeNs started_ns_ = 0;
  TimeNs progress_ns_ = 0;
  std::uint64_t read_before_ = 0;
  std::uint64_t written_before_ = 0;
  int first_signal_ = 0;
  bool draining_ = false;
  bool stopped_at_once_ = false;
};

}  // namespace

int run_job(const Graph& graph, JobPlan plan, const RunSettings& settings) {
  return JobRunner(graph, settings).run(std::move(plan));
}

}  // namespace sluice
