#include "runtime/worker/task.hpp"

#include <algorithm>

namespace sluice {
namespace {

std::uint32_t groups_of(const std::vector<Task::Input>& inputs) {
  std::uint32_t groups = 0;
  for (const Task::Input& input : inputs) groups = std::max(groups, input.group + 1);
  return groups;
}

}  // namespace

Task::Task(std::string name, std::vector<Chain::Stage> stages, std::vector<Input> inputs,
           std::vector<std::unique_ptr<EdgeSender>> edges, bool is_source, TimeNs linger_ns,
           const std::atomic<bool>& draining)
    : name_(std::move(name)),
      is_source_(is_source),
      linger_ns_(linger_ns),
      draining_(draining),
      inputs_(std::move(inputs)),
      edges_(std::move(edges)),
      chain_(std::move(stages), edges_),
      alignment_(groups_of(inputs_)) {
  several_ports_ = std::any_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.port > 0; });
}

Result<bool> Task::do_work(TimeNs now_ns) {
  wake_at_ns_ = kNever;
  bool worked = false;
  bool idle = false;
  mind_ticks(now_ns);
  for (int i = 0; i < kEventsPerRound && !idle && phase_ != Phase::done; ++i) {
    SLUICE_ASSIGN(const bool stepped, step(now_ns));
    worked |= stepped;
    idle = !stepped;
  }
  for (Input& input : inputs_) input.receiver->tick(now_ns, idle);
  const bool blocked = status_ == Chain::Status::kBlocked;
  stalled_ = blocked || status_ == Chain::Status::kWaits;
  if (!idle || blocked) {
    idle_since_ns_ = kNever;
  } else if (idle_since_ns_ == kNever) {
    idle_since_ns_ = now_ns;
  }
  flush_edges(idle_since_ns_ != kNever && now_ns - idle_since_ns_ >= kIdleFlushNs, now_ns);
  // One edge without credit must not keep what the others were given: come back when it has lingered long
  // enough.
  if (blocked && edges_pending()) wake_at_ns_ = std::min(wake_at_ns_, now_ns + linger_ns_);
  if (phase_ == Phase::running) wake_at_ns_ = std::min(wake_at_ns_, chain_.next_tick_ns(now_ns));
  return worked;
}

bool Task::edges_pending() const {
  return std::any_of(edges_.begin(), edges_.end(), [](const auto& edge) { return edge && edge->pending(); });
}

Result<bool> Task::step(TimeNs now_ns) {
  if (!chain_.idle()) return take(chain_.run(now_ns));
  switch (phase_) {
    case Phase::running:
      if (chain_.next_tick_ns(now_ns) <= now_ns) return take(chain_.tick(now_ns));
      return is_source_ ? step_source(now_ns) : step_inputs(now_ns);
    case Phase::finishing:
      return take(chain_.finish(now_ns));
    case Phase::flushing:
      flush_edges(true, now_ns);
      if (edges_pending()) return false;
      phase_ = Phase::done;
      return true;
    case Phase::done:
      return false;
  }
  return false;
}

// Looks at how far the chain came with an event. False: it cannot go on just now.
Result<bool> Task::take(Result<Chain::Status> status) {
  if (!status) return std::move(status).error();
  status_ = *status;
  switch (status_) {
    case Chain::Status::kBlocked:
      return false;
    case Chain::Status::kWaits:
      wake_at_ns_ = chain_.wait_until_ns();
      return false;
    case Chain::Status::kReady:
    case Chain::Status::kHasMore:
      if (chain_.idle()) current_.reset();
      return true;
    case Chain::Status::kFinished:
      current_.reset();
      phase_ = phase_ == Phase::running ? Phase::finishing : Phase::flushing;
      status_ = Chain::Status::kReady;
      return true;
  }
  return false;
}

Result<bool> Task::step_source(TimeNs now_ns) {
  if (draining_.load(std::memory_order_relaxed)) {
    phase_ = Phase::finishing;
    return true;
  }
  if (now_ns < source_waits_until_ns_) {
    wake_at_ns_ = source_waits_until_ns_;
    return false;
  }
  Result<Chain::Status> status = chain_.poll(now_ns);
  // A source that has nothing just now leaves the chain free; it is asked again when it said.
  if (status.ok() && *status == Chain::Status::kWaits && chain_.idle()) {
    source_waits_until_ns_ = chain_.wait_until_ns();
    status_ = Chain::Status::kReady;
    wake_at_ns_ = source_waits_until_ns_;
    return false;
  }
  return take(std::move(status));
}

// The next input that has an event gives it.
Result<bool> Task::step_inputs(TimeNs now_ns) {
  if (settle_due_) {
    SLUICE_ASSIGN(settle_due_, settle(now_ns));
    if (settle_due_) return true;
  }
  if (alignment_.applies()) align_inputs();
  bool all_ended = true;
  bool some_held = false;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Input& input = inputs_[next_input_];
    next_input_ = (next_input_ + 1) % inputs_.size();
    if (input.receiver->ended()) continue;
    all_ended = false;
    if (several_ports_ && !chain_.takes(input.port)) continue;
    if (!input.idle && alignment_.holds(input.group)) {
      some_held = true;
      continue;
    }
    SLUICE_ASSIGN(ReceiverEvent event, input.receiver->poll());
    if (event.kind == ReceiverEvent::Kind::nothing) continue;
    alignment_.progress();
    return take_event(input, std::move(event), now_ns);
  }
  if (some_held) {
    if (!alignment_.patient(now_ns)) return true;
    wake_at_ns_ = std::min(wake_at_ns_, alignment_.patient_until_ns());
  }
  if (all_ended) phase_ = Phase::finishing;
  return all_ended;
}

void Task::align_inputs() {
  if (!chain_.crowded()) {
    alignment_.release();
    return;
  }
  alignment_.begin();
  for (const Input& input : inputs_) {
    const bool counts = !input.idle && input.watermark != kWatermarkEnd && chain_.takes(input.port);
    if (counts) alignment_.see(input.group, input.watermark);
  }
  alignment_.end();
}

Result<bool> Task::take_event(Input& input, ReceiverEvent event, TimeNs now_ns) {
  settle_due_ = event.kind != ReceiverEvent::Kind::batch;
  switch (event.kind) {
    case ReceiverEvent::Kind::batch:
      input.idle = idle_ = false;
      current_ = std::move(event.received);
      return take(chain_.process(input.port, current_->batch, now_ns));
    case ReceiverEvent::Kind::watermark:
      input.idle = idle_ = false;
      input.watermark = event.watermark_us;
      break;
    case ReceiverEvent::Kind::idle:
      input.idle = true;
      break;
    case ReceiverEvent::Kind::end:
      end_input(input);
      break;
    case ReceiverEvent::Kind::nothing:
      break;
  }
  return true;
}

void Task::end_input(Input& input) {
  input.watermark = kWatermarkEnd;
  if (!several_ports_) return;
  const bool others = std::any_of(inputs_.begin(), inputs_.end(), [&](const Input& other) {
    return other.port == input.port && other.watermark != kWatermarkEnd;
  });
  if (!others) ended_ports_.push_back(input.port);
}

// The task's event-time watermark is the least of its inputs' that have neither ended nor gone idle. When all
// have ended finish() says so; when the rest is idle, idle() does.
Result<bool> Task::settle(TimeNs now_ns) {
  if (!ended_ports_.empty()) {
    const std::uint32_t port = ended_ports_.back();
    ended_ports_.pop_back();
    SLUICE_TRY(take(chain_.input_ended(port, now_ns)));
    return true;
  }
  EventTimeUs least = kWatermarkEnd;
  bool some_idle = false;
  for (const Input& input : inputs_) {
    if (input.watermark == kWatermarkEnd) continue;
    if (input.idle) {
      some_idle = true;
    } else {
      least = std::min(least, input.watermark);
    }
  }
  if (least == kWatermarkEnd) {
    if (!some_idle || idle_) return false;
    idle_ = true;
    SLUICE_TRY(take(chain_.idle(now_ns)));
    return true;
  }
  if (least <= watermark_) return false;
  watermark_ = least;
  SLUICE_TRY(take(chain_.watermark(least, now_ns)));
  return true;
}

// What the chain could not do was not quiet of its input: ticks count the time in which it could.
void Task::mind_ticks(TimeNs now_ns) {
  if (stalled_) chain_.postpone_ticks(now_ns - last_round_ns_);
  last_round_ns_ = now_ns;
}

void Task::flush_edges(bool idle, TimeNs now_ns) {
  for (const auto& edge : edges_) {
    if (!edge) continue;
    if (idle) {
      edge->flush();
    } else {
      edge->flush_older(now_ns - linger_ns_);
    }
  }
}

void Task::account_work(TimeNs begun_ns, TimeNs ended_ns) {
  account_rest(begun_ns);
  counters_.busy_ns.add(static_cast<std::uint64_t>(ended_ns - begun_ns));
  accounted_until_ns_ = ended_ns;
}

void Task::account_rest(TimeNs now_ns) {
  if (accounted_until_ns_ == 0) accounted_until_ns_ = now_ns;
  Counter& where = status_ == Chain::Status::kBlocked ? counters_.blocked_ns : counters_.idle_ns;
  where.add(static_cast<std::uint64_t>(std::max<TimeNs>(0, now_ns - accounted_until_ns_)));
  accounted_until_ns_ = now_ns;
}

void Task::close() {
  chain_.close();
  current_.reset();
  for (const auto& edge : edges_) {
    if (edge) edge->abandon();
  }
  phase_ = Phase::done;
}

}  // namespace sluice
