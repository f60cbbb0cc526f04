#include "api/events.h"

#include <algorithm>
#include <limits>

namespace talaria {
namespace {

// While nothing can be stored; then the oldest goes.
constexpr size_t most_unstored = 5000;
constexpr size_t most_at_once = 100;
constexpr size_t most_offered = 20'000;
constexpr Clock::duration read_again_after = 1s;
// Ids stay below 2^53, as JSON wants them, for half a billion rounds.
constexpr int64_t ids_in_a_round = 1 << 24;

std::string event_key(int64_t id) { return "event:" + std::to_string(id); }

}  // namespace

struct EventBoard::Listener {
  std::string session;
  Delivery delivery;
  std::function<void(JsonObject)> deliver;
  int64_t after = 0;  // the last event it was considered for
};

// What the subscriber holds; its going is the end of the subscription.
class EventBoard::Subscription : public Operation {
 public:
  Subscription(EventBoard& board, std::shared_ptr<Listener> listener)
      : board_(board), alive_(board.alive_), listener_(std::move(listener)) {}
  ~Subscription() override {
    listener_.reset();
    if (*alive_) board_.begin_again();  // what it did not acknowledge is for another
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
  event.created_ms = store_.timeline().now();
  event.created_skew_ms = store_.timeline().skew_ms();
  const Result<bool> given = give_id(event);
  if (!given) return on_trouble_(given.error().message());
  if (!*given) return;
  if (unstored_.size() >= most_unstored) {
    store_.drop_waiting(event_key(unstored_.begin()->first));
    unstored_.erase(unstored_.begin());
  }
  const int64_t id = event.id;
  store(unstored_.insert_or_assign(id, std::move(event)).first->second);
  deliver_soon();
}

// False when the job has that event already. We alone give ids, so that an event has one before it is stored.
Result<bool> EventBoard::give_id(EventRow& event) {
  for (const auto& [id, other] : unstored_) {
    if (other.job == event.job && other.kind == event.kind && other.key == event.key) return false;
  }
  if (TRY(store_.events().known(event.job, event.kind, event.key))) return false;
  event.id = TRY(next_id());
  return true;
}

// Never one that was given before, also by a gateway that was killed before it could store what it had told: each
// begins with a round of its own, which is noted outside of the database.
Result<int64_t> EventBoard::next_id() {
  const bool round_is_over = last_id_ % ids_in_a_round == ids_in_a_round - 1;
  if (last_id_ == 0 || round_is_over) {
    const int64_t above = std::max(last_id_, TRY(store_.events().last_id())) / ids_in_a_round;
    const Result<int64_t> round = store_.notebook().next_round(above);
    if (!round) on_trouble_("after a kill of the gateway, ids of events may come twice: " + round.error().message());
    last_id_ = (round ? *round : above + 1) * ids_in_a_round;
  }
  return ++last_id_;
}

void EventBoard::store(const EventRow& event) {
  PendingWrite change;
  change.key = event_key(event.id);
  change.write = [this, id = event.id]() -> Result<> {
    const auto waiting = unstored_.find(id);
    return waiting == unstored_.end() ? Result<>(ok) : store_.events().put(waiting->second);
  };
  change.stored = [this, id = event.id] { unstored_.erase(id); };
  if (const Result<> stored = store_.write_now(std::move(change)); !stored) on_trouble_(stored.error().message());
}

// True for the one who marked it, and may tell.
bool EventBoard::mark(int64_t id) {
  if (const auto waiting = unstored_.find(id); waiting != unstored_.end()) {
    if (waiting->second.delivered_ms) return false;
    waiting->second.delivered_ms = store_.timeline().now();
    // The next gateway would find the end of the job, and nothing in the store that says it was told.
    if (on_end_told_ && waiting->second.kind == "exit") on_end_told_(waiting->second.job);
    store(waiting->second);
    return true;
  }
  const Result<bool> untold = marks_.contains(id) ? Result<bool>(false) : store_.events().is_undelivered(id);
  if (!untold) on_trouble_(untold.error().message());
  if (!untold || !*untold) return false;
  marks_[id] = store_.timeline().now();
  PendingWrite change;
  change.key = "delivered:" + std::to_string(id);
  change.write = [this, id]() -> Result<> {
    TRY(store_.events().mark_delivered(id, marks_[id]));
    return ok;
  };
  change.stored = [this, id] { marks_.erase(id); };
  if (const Result<> stored = store_.write_now(std::move(change)); !stored) on_trouble_(stored.error().message());
  return true;
}

// Stored or not, oldest first, that come after the event `after`; `whole` says whether these are all.
Result<std::vector<EventRow>> EventBoard::undelivered(const std::optional<std::string>& session, int64_t& after,
                                                      bool& whole) {
  std::vector<EventRow> rows = TRY(store_.events().undelivered(session, after, static_cast<int>(most_at_once)));
  whole = rows.size() < most_at_once;
  const int64_t last = whole ? std::numeric_limits<int64_t>::max() : rows.back().id;
  std::erase_if(rows, [&](const EventRow& row) { return marks_.contains(row.id) || withdrawn_.contains(row.job); });
  for (auto waiting = unstored_.upper_bound(after); waiting != unstored_.end() && waiting->first <= last; ++waiting) {
    const EventRow& event = waiting->second;
    if (!event.delivered_ms && (!session || event.session == *session)) rows.push_back(event);
  }
  std::sort(rows.begin(), rows.end(), [](const EventRow& a, const EventRow& b) { return a.id < b.id; });
  if (!whole) after = last;
  else if (!rows.empty()) after = rows.back().id;
  return rows;
}

void EventBoard::withdraw(const std::string& job) {
  for (auto& [id, event] : unstored_) {
    if (event.job == job && !event.delivered_ms) event.delivered_ms = store_.timeline().now();
  }
  withdrawn_.insert(job);
  PendingWrite change;
  change.key = "withdraw:" + job;
  change.write = [this, job, now = store_.timeline().now()] { return store_.events().withdraw(job, now); };
  change.stored = [this, job] { withdrawn_.erase(job); };
  if (const Result<> stored = store_.write_now(std::move(change)); !stored) on_trouble_(stored.error().message());
}

void EventBoard::withdraw_exit(const std::string& session, const std::string& job) {
  Result<std::vector<int64_t>> ends = store_.events().untold_ends(session, job);
  if (!ends) return on_trouble_(ends.error().message());
  for (const auto& [id, event] : unstored_) {
    const bool ours = event.session == session && event.job == job && event.kind != "pattern";
    if (ours && !event.delivered_ms) ends->push_back(id);
  }
  for (const int64_t id : *ends) (void)mark(id);
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
  return mark(event);
}

// Whether this listener is to get it now.
bool EventBoard::offer(const EventRow& event, const std::shared_ptr<Listener>& listener) {
  const auto offered = offered_.find(event.id);
  if (offered != offered_.end() && !offered->second.expired()) return false;
  if (listener->delivery == Delivery::acknowledged) {
    offered_[event.id] = listener;
    // More than are kept in the store: the first ones were withdrawn or given up.
    if (offered_.size() > most_offered) offered_.erase(offered_.begin());
    return true;
  }
  return mark(event.id);
}

void EventBoard::begin_again() {
  for (const auto& weak : listeners_) {
    if (const std::shared_ptr<Listener> listener = weak.lock()) listener->after = 0;
  }
  deliver_soon();
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
  bool more = false;
  std::string trouble;
  const auto listeners = listeners_;  // a listener may subscribe or leave inside its call
  for (const auto& weak : listeners) {
    const std::shared_ptr<Listener> asked = weak.lock();
    if (!asked) continue;
    const Result<bool> went_on = deliver_to(asked);
    if (!went_on) trouble = went_on.error().message();
    more = more || (went_on && *went_on);
  }
  if (!trouble.empty()) {
    if (trouble != said_trouble_) on_trouble_(trouble);
    read_again_ = loop_.after(read_again_after, [this] { deliver_soon(); });
  }
  said_trouble_ = trouble;
  if (more) deliver_soon();
}

// Some of what waits for it; true when there may be more.
Result<bool> EventBoard::deliver_to(const std::shared_ptr<Listener>& asked) {
  const std::optional<std::string> session =
      asked->session.empty() ? std::nullopt : std::optional<std::string>(asked->session);
  bool whole = false;
  const std::vector<EventRow> waiting = TRY(undelivered(session, asked->after, whole));
  const int64_t after = asked->after;
  for (const EventRow& event : waiting) {
    if (asked.use_count() == 1) return false;  // left meanwhile; the rest waits for the next one
    if (offer(event, asked)) asked->deliver(to_json(event));
    if (asked->after != after) return true;  // another left meanwhile, and what it had not acknowledged comes again
  }
  return !whole;
}

JsonObject to_json(const EventRow& event) {
  JsonObject object = {{"id", event.id},     {"session", event.session},
                       {"job", event.job},   {"kind", event.kind},
                       {"text", event.text}, {"createdAt", event.created_ms + event.created_skew_ms}};
  Result<Json> details = parse_json(event.details_json);
  object["details"] = details ? std::move(*details) : Json(JsonObject());
  return object;
}

}  // namespace talaria
