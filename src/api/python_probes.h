#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/jobs.h"
#include "api/later.h"
#include "code/interpreter_facts.h"
#include "gate/gate.h"
#include "loop/loop.h"

namespace talaria {

// What came of asking a Python: one of the three.
struct PythonAnswer {
  std::optional<PythonFacts> facts{};
  std::string refusal{};           // why it cannot be used
  std::optional<Error> trouble{};  // it could not be asked, which says nothing about it
};

// Asks Pythons what they are, each once until it changes; all who ask at the same time share one errand.
class PythonProbes {
 public:
  PythonProbes(Loop& loop, Jobs& jobs, const Gate& gate) : loop_(loop), jobs_(jobs), gate_(gate) {}
  ~PythonProbes();

  struct Question {
    std::string space{};               // the sandbox; empty: the plain host
    std::vector<std::string> steps{};  // what must confine it there
    std::string program{};
    std::string stamp{};         // of the program
    std::string surroundings{};  // the stamps of what a shim goes by
    Environment environment{};
  };
  // What it answered in this state; null: ask. `surroundings` is called only where they count.
  const PythonAnswer* known(const std::string& space, const std::string& program, const std::string& stamp,
                            const std::function<std::string()>& surroundings) const;

  // Called from the loop. Drop the handle and it is not called.
  using Told = std::function<void(const PythonAnswer&)>;
  using Waiter = std::shared_ptr<Told>;
  [[nodiscard]] Waiter ask(Question question, Told told);

  // The sandbox is gone, and with it what was private to it.
  void forget(const std::string& space);

 private:
  using Key = std::pair<std::string, std::string>;  // sandbox and program
  struct Entry {
    std::string stamp;
    std::string surroundings;
    PythonAnswer answer;
    bool goes_by_surroundings = false;
    Clock::time_point until = Clock::time_point::max();
  };
  struct Asking {
    std::string stamp{};
    std::string surroundings{};
    std::string errand{};
    std::vector<std::weak_ptr<Told>> waiters{};
    Later refused{};
  };
  void answered(const Key& key, PythonAnswer answer);

  Loop& loop_;
  Jobs& jobs_;
  const Gate& gate_;
  std::map<Key, Entry> entries_;
  std::map<Key, Asking> asking_;
};

}  // namespace talaria
