#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "store/store.h"
#include "tools/operation.h"

namespace talaria {

// What happened to jobs, told once. An event waits in the store until someone who may hear it listens; while the store
// cannot be written, it waits here.
class EventBoard {
 public:
  EventBoard(Loop& loop, Store& store, std::function<void(const std::string&)> on_trouble);
  ~EventBoard();

  // Stores it, unless the job already has one of that kind and key, and tells who listens.
  void add(EventRow event);
  // Nobody need hear any more how this job ended: they know.
  void withdraw_exit(const std::string& session, const std::string& job);
  // Nobody need hear anything of this job any more.
  void withdraw(const std::string& job);

  // Stored ones first, then new ones. Each is delivered to one subscriber. Empty session: all sessions'.
  [[nodiscard]] OperationPtr subscribe(const std::string& session, Delivery delivery,
                                       std::function<void(JsonObject)> deliver);
  // Called when somebody has heard of the end of a job before that event is stored.
  void on_end_told(std::function<void(const std::string& job)> tell) { on_end_told_ = std::move(tell); }
  // A subscriber has it for good. True for the one call that says so first.
  bool acknowledge(int64_t event);

 private:
  struct Listener;
  class Subscription;
  bool offer(const EventRow& event, const std::shared_ptr<Listener>& listener);
  Result<bool> deliver_to(const std::shared_ptr<Listener>& asked);
  void begin_again();
  void deliver_soon();
  void deliver();
  Result<bool> give_id(EventRow& event);
  Result<int64_t> next_id();
  void store(const EventRow& event);
  bool mark(int64_t id);
  Result<std::vector<EventRow>> undelivered(const std::optional<std::string>& session, int64_t& after, bool& whole);

  Loop& loop_;
  Store& store_;
  std::function<void(const std::string&)> on_trouble_;
  std::function<void(const std::string&)> on_end_told_;
  std::list<std::weak_ptr<Listener>> listeners_;
  std::map<int64_t, std::weak_ptr<Listener>> offered_;  // not acknowledged yet
  // Not stored yet: events, when others were delivered, and jobs nobody need hear of.
  std::map<int64_t, EventRow> unstored_;
  std::map<int64_t, EpochMs> marks_;
  std::set<std::string> withdrawn_;
  int64_t last_id_ = 0;
  bool delivering_soon_ = false;
  Loop::Timer read_again_;
  std::string said_trouble_;  // of the last reading
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// As subscribers get it.
JsonObject to_json(const EventRow& event);

}  // namespace talaria
