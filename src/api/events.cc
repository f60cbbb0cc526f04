#include "api/events.h"

namespace talaria {

struct EventBoard::Listener {
  std::string session;
  Delivery delivery;
  std::function<void(JsonObject)> deliver;
};

// What the subscriber holds; its going is the end of the subscription.
class EventBoard::Subscription : public Operation {
 public:
  Subscription(EventBoard& board, std::shared_ptr<Listener> listener)
      : board_(board), alive_(board.alive_), listener_(std::move(listener)) {}
  ~Subscription() override {
    listener_.reset();
    if (*alive_) board_.deliver_soon();  // what it did not acknowledge is for another
  }

 private:
  EventBoard& board_;
  std::shared_ptr<bool> alive_;
  std::shared_ptr<Listener> listener_;
};

EventBoard::EventBoard(Loop& loop, Store& store, std::function<void(const std::string&)> on_trouble)
    : loop_(loop), store_(store), on_trouble_(std::move(on_trouble)) {}

EventBoard::~EventBoard() { *alive_ = false; }

void EventBoard::add(EventRow event) {
  event.created_ms = epoch_ms();
  Result<std::optional<int64_t>> added = store_.events().add(event);
  if (!added) return on_trouble_(added.error().message());
  if (*added) deliver_soon();
}

void EventBoard::withdraw(const std::string& job) {
  Result<> withdrawn = store_.events().withdraw(job, epoch_ms());
  if (!withdrawn) on_trouble_(withdrawn.error().message());
}

void EventBoard::withdraw_exit(const std::string& session, const std::string& job) {
  const Result<std::vector<EventRow>> waiting = store_.events().undelivered(session);
  if (!waiting) return on_trouble_(waiting.error().message());
  for (const EventRow& event : *waiting) {
    if (event.job != job || event.kind == "pattern") continue;
    const Result<bool> marked = store_.events().mark_delivered(event.id, epoch_ms());
    if (!marked) return on_trouble_(marked.error().message());
  }
}

OperationPtr EventBoard::subscribe(const std::string& session, Delivery delivery,
                                   std::function<void(JsonObject)> deliver) {
  auto listener = std::make_shared<Listener>(Listener{session, delivery, std::move(deliver)});
  listeners_.push_back(listener);
  deliver_soon();
  return std::make_unique<Subscription>(*this, std::move(listener));
}

bool EventBoard::acknowledge(int64_t event) {
  offered_.erase(event);  // an earlier gateway may have offered it
  const Result<bool> marked = store_.events().mark_delivered(event, epoch_ms());
  if (!marked) on_trouble_(marked.error().message());
  return marked && *marked;
}

// True when this listener is to get it now.
bool EventBoard::offer(const EventRow& event, const std::shared_ptr<Listener>& listener) {
  const auto offered = offered_.find(event.id);
  if (offered != offered_.end() && !offered->second.expired()) return false;
  if (listener->delivery == Delivery::acknowledged) {
    offered_[event.id] = listener;
    return true;
  }
  const Result<bool> ours = store_.events().mark_delivered(event.id, epoch_ms());
  if (!ours) on_trouble_(ours.error().message());
  return ours && *ours;
}

void EventBoard::deliver_soon() {
  listeners_.remove_if([](const auto& listener) { return listener.expired(); });
  if (delivering_soon_ || listeners_.empty()) return;
  delivering_soon_ = true;
  loop_.post([this, alive = alive_] {
    if (*alive) deliver();
  });
}

void EventBoard::deliver() {
  delivering_soon_ = false;
  const auto listeners = listeners_;  // a listener may subscribe or leave inside its call
  for (const auto& weak : listeners) {
    const std::shared_ptr<Listener> asked = weak.lock();
    if (!asked) continue;
    const std::optional<std::string> session =
        asked->session.empty() ? std::nullopt : std::optional<std::string>(asked->session);
    Result<std::vector<EventRow>> waiting = store_.events().undelivered(session);
    if (!waiting) return on_trouble_(waiting.error().message());
    for (const EventRow& event : *waiting) {
      if (asked.use_count() == 1) break;  // left meanwhile; the rest waits for the next one
      if (offer(event, asked)) asked->deliver(to_json(event));
    }
  }
}

JsonObject to_json(const EventRow& event) {
  JsonObject object = {{"id", event.id},     {"session", event.session}, {"job", event.job},
                       {"kind", event.kind}, {"text", event.text},       {"createdAt", event.created_ms}};
  Result<Json> details = parse_json(event.details_json);
  object["details"] = details ? std::move(*details) : Json(JsonObject());
  return object;
}

}  // namespace talaria
