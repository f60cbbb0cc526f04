#pragma once
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "store/store.h"
#include "tools/operation.h"

namespace talaria {

// What happened to jobs, told once. An event waits in the store until someone who may hear it listens.
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
  // A subscriber has it for good. True for the one call that says so first.
  bool acknowledge(int64_t event);

 private:
  struct Listener;
  class Subscription;
  bool offer(const EventRow& event, const std::shared_ptr<Listener>& listener);
  void deliver_soon();
  void deliver();

  Loop& loop_;
  Store& store_;
  std::function<void(const std::string&)> on_trouble_;
  std::list<std::weak_ptr<Listener>> listeners_;
  std::map<int64_t, std::weak_ptr<Listener>> offered_;  // not acknowledged yet
  bool delivering_soon_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// As subscribers get it.
JsonObject to_json(const EventRow& event);

}  // namespace talaria
