#include "runtime/worker/chain.hpp"

#include <algorithm>
#include <utility>

namespace sluice {

// Takes what one call of a stage's operator emits.
class Chain::StageEmitter final : public Emitter {
 public:
  StageEmitter(Stage& stage, Progress& progress) : stage_(stage), progress_(progress) {}

  void emit(std::uint32_t port, const Batch& batch) override {
    SLUICE_CHECK(port < progress_.emitted.size() && !progress_.has_emitted[port],
                 "operator {} emitted twice on port {} in one call", stage_.name, port);
    if (batch.rows == 0) return;
    progress_.emitted[port] = batch;
    progress_.has_emitted[port] = true;
    if (port != stage_.errors_port) stage_.counters->records_out.add(batch.rows);
  }
  void emit_watermark(EventTimeUs watermark) override { progress_.emitted_watermark = watermark; }
  void emit_idle() override { progress_.emitted_idle = true; }

 private:
  Stage& stage_;
  Progress& progress_;
};

Chain::Chain(std::vector<Stage> stages, std::vector<std::unique_ptr<EdgeSender>>& edges)
    : stages_(std::move(stages)), progress_(stages_.size()), edges_(edges) {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    progress_[i].emitted.resize(stages_[i].outputs.size());
    progress_[i].has_emitted.resize(stages_[i].outputs.size());
    const TimeNs interval_ns = stages_[i].op->tick_interval_ns();
    if (interval_ns > 0) tickers_.push_back({static_cast<std::uint32_t>(i), interval_ns});
  }
}

Chain::~Chain() { close(); }

Result<void> Chain::open() {
  for (; opened_ < stages_.size(); ++opened_) {
    Stage& stage = stages_[opened_];
    if (Result<void> opened = stage.op->open(stage.context); !opened) {
      return std::move(opened).error().within("operator " + stage.name);
    }
  }
  return {};
}

void Chain::close() {
  while (opened_ > 0) stages_[--opened_].op->close();
}

Result<Chain::Status> Chain::poll(TimeNs now_ns) {
  return start(0, {Event::Kind::poll, 0}, 0, nullptr, now_ns);
}

Result<Chain::Status> Chain::process(std::uint32_t port, const Batch& batch, TimeNs now_ns) {
  return start(0, {Event::Kind::data, 0}, port, &batch, now_ns);
}

Result<Chain::Status> Chain::watermark(EventTimeUs watermark, TimeNs now_ns) {
  return start(0, {Event::Kind::watermark, watermark}, 0, nullptr, now_ns);
}

Result<Chain::Status> Chain::idle(TimeNs now_ns) {
  return start(0, {Event::Kind::idle, 0}, 0, nullptr, now_ns);
}

Result<Chain::Status> Chain::input_ended(std::uint32_t port, TimeNs now_ns) {
  return start(0, {Event::Kind::input_ended, 0}, port, nullptr, now_ns);
}

Result<Chain::Status> Chain::finish(TimeNs now_ns) {
  return start(0, {Event::Kind::finish, 0}, 0, nullptr, now_ns);
}

TimeNs Chain::next_tick_ns(TimeNs now_ns) {
  TimeNs next_ns = kNever;
  for (Ticker& ticker : tickers_) {
    if (ticker.next_ns == 0) ticker.next_ns = now_ns + ticker.interval_ns;
    next_ns = std::min(next_ns, ticker.next_ns);
  }
  return next_ns;
}

void Chain::postpone_ticks(TimeNs by_ns) {
  for (Ticker& ticker : tickers_) ticker.next_ns += by_ns;
}

Result<Chain::Status> Chain::tick(TimeNs now_ns) {
  for (Ticker& ticker : tickers_) {
    if (ticker.next_ns > now_ns) continue;
    ticker.next_ns = now_ns + ticker.interval_ns;
    return start(ticker.stage, {Event::Kind::tick, 0}, 0, nullptr, now_ns);
  }
  return Status::kReady;
}

Result<Chain::Status> Chain::start(std::uint32_t stage, Event event, std::uint32_t port, const Batch* batch,
                                   TimeNs now_ns) {
  SLUICE_CHECK(stack_.empty());
  SLUICE_TRY(enter(stage, event, port, batch, now_ns));
  return run(now_ns);
}

Result<Chain::Status> Chain::run(TimeNs now_ns) {
  bool resumed = false;
  while (!stack_.empty()) {
    const std::uint32_t stage = stack_.back();
    Progress& p = progress_[stage];
    if (p.next_delivery < p.deliveries.size()) {
      SLUICE_ASSIGN(const bool delivered, deliver(stage, now_ns));
      if (!delivered) return Status::kBlocked;
      continue;
    }
    p.deliveries.clear();
    p.next_delivery = 0;
    const bool poll = p.event.kind == Event::Kind::poll;
    if (p.step.next == Step::Next::kWaits && !poll) {
      // A run that is to end does not wait: the operator is resumed early, once, to see that and let go. If
      // it waits all the same, it waits for something outside, such as the reader of a pipe, and must not
      // keep its thread from the other tasks and from being cancelled.
      const bool draining = stages_[stage].context.draining->load(std::memory_order_relaxed);
      if (now_ns < p.step.until_ns && (!draining || p.let_go)) {
        wait_until_ns_ = p.step.until_ns;
        return Status::kWaits;
      }
      p.let_go = draining;
      SLUICE_TRY(resume(stage, now_ns));
      continue;
    }
    if (p.step.next == Step::Next::kHasMore && !poll) {
      if (std::exchange(resumed, true)) return Status::kHasMore;
      SLUICE_TRY(resume(stage, now_ns));
      continue;
    }
    if (pass_event_on(stage)) continue;
    stack_.pop_back();
    if (poll) {
      if (p.step.next == Step::Next::kFinished) return Status::kFinished;
      if (p.step.next == Step::Next::kHasMore) return Status::kHasMore;
      wait_until_ns_ = p.step.next == Step::Next::kWaits ? p.step.until_ns : now_ns;
      return Status::kWaits;
    }
    if (stack_.empty() && p.event.kind == Event::Kind::finish) return Status::kFinished;
  }
  return Status::kReady;
}

Result<void> Chain::enter(std::uint32_t stage, Event event, std::uint32_t port, const Batch* batch,
                          TimeNs now_ns) {
  Stage& s = stages_[stage];
  Progress& p = progress_[stage];
  stack_.push_back(stage);
  p.event = event;
  p.passed_on = false;
  p.let_go = false;
  StageEmitter emitter(s, p);
  switch (event.kind) {
    case Event::Kind::poll:
      return take_step(stage, static_cast<Source&>(*s.op).poll(emitter, now_ns));
    case Event::Kind::data:
      s.counters->records_in.add(batch->rows);
      return take_step(stage, s.op->process(port, *batch, emitter, now_ns));
    case Event::Kind::watermark:
      return take_step(stage, s.op->watermark(event.watermark_us, emitter, now_ns));
    case Event::Kind::idle:
      return take_step(stage, s.op->idle(emitter, now_ns));
    case Event::Kind::input_ended:
      return take_step(stage, s.op->input_ended(port, emitter, now_ns));
    case Event::Kind::tick:
      return take_step(stage, s.op->tick(emitter, now_ns));
    case Event::Kind::finish:
      return take_step(stage, s.op->finish(emitter, now_ns));
  }
  return {};
}

Result<void> Chain::resume(std::uint32_t stage, TimeNs now_ns) {
  StageEmitter emitter(stages_[stage], progress_[stage]);
  return take_step(stage, stages_[stage].op->resume(emitter, now_ns));
}

Result<void> Chain::take_step(std::uint32_t stage, Result<Step> step) {
  if (!step) return std::move(step).error().within("operator " + stages_[stage].name);
  progress_[stage].step = *step;
  queue_emissions(stage);
  return {};
}

void Chain::queue_emissions(std::uint32_t stage) {
  Progress& p = progress_[stage];
  for (std::size_t port = 0; port < p.emitted.size(); ++port) {
    if (!p.has_emitted[port]) continue;
    p.has_emitted[port] = false;
    for (const TargetPlan& target : stages_[stage].outputs[port]) {
      p.deliveries.push_back({Delivery::Kind::batch, &target, &p.emitted[port], 0});
    }
  }
  if (p.emitted_watermark) {
    queue_to_all(stage, {Delivery::Kind::watermark, nullptr, nullptr, *p.emitted_watermark});
    p.emitted_watermark.reset();
  }
  if (std::exchange(p.emitted_idle, false)) queue_to_all(stage, {Delivery::Kind::idle, nullptr, nullptr, 0});
}

void Chain::queue_to_all(std::uint32_t stage, Delivery delivery) {
  for (const auto& targets : stages_[stage].outputs) {
    for (const TargetPlan& target : targets) {
      delivery.target = &target;
      progress_[stage].deliveries.push_back(delivery);
    }
  }
}

// Once the operator is done with an event, what it means for those behind it: a watermark or the end goes on.
bool Chain::pass_event_on(std::uint32_t stage) {
  Progress& p = progress_[stage];
  if (p.passed_on) return false;
  p.passed_on = true;
  if (p.event.kind == Event::Kind::watermark) {
    const EventTimeUs passed = stages_[stage].op->passed_on(p.event.watermark_us);
    if (passed != kWatermarkNone) queue_to_all(stage, {Delivery::Kind::watermark, nullptr, nullptr, passed});
  } else if (p.event.kind == Event::Kind::idle) {
    if (stages_[stage].op->passes_idle()) queue_to_all(stage, {Delivery::Kind::idle, nullptr, nullptr, 0});
  } else if (p.event.kind == Event::Kind::finish) {
    queue_to_all(stage, {Delivery::Kind::finish, nullptr, nullptr, 0});
  }
  return !p.deliveries.empty();
}

Result<bool> Chain::deliver(std::uint32_t stage, TimeNs now_ns) {
  Progress& p = progress_[stage];
  const Delivery& d = p.deliveries[p.next_delivery];
  if (d.target->kind == TargetPlan::Kind::edge) {
    EdgeSender& edge = *edges_[d.target->edge.value];
    switch (d.kind) {
      case Delivery::Kind::batch:
        if (!p.batch_begun) edge.begin(*d.batch);
        p.batch_begun = true;
        if (!edge.advance(now_ns)) return false;
        p.batch_begun = false;
        break;
      case Delivery::Kind::watermark:
        edge.watermark(d.watermark_us);
        break;
      case Delivery::Kind::idle:
        edge.idle();
        break;
      case Delivery::Kind::finish:
        edge.end_of_stream();
        break;
    }
    ++p.next_delivery;
    return true;
  }
  const Delivery next = d;
  ++p.next_delivery;
  Event event{Event::Kind::data, next.watermark_us};
  switch (next.kind) {
    case Delivery::Kind::batch:
      break;
    case Delivery::Kind::watermark:
      event.kind = Event::Kind::watermark;
      break;
    case Delivery::Kind::idle:
      event.kind = Event::Kind::idle;
      break;
    case Delivery::Kind::finish:
      event.kind = Event::Kind::finish;
      break;
  }
  SLUICE_TRY(enter(next.target->stage, event, next.target->input_port, next.batch, now_ns));
  return true;
}

}  // namespace sluice
