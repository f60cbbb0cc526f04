#pragma once
#include <functional>
#include <memory>
#include <string>

#include "api/place.h"
#include "api/python_probes.h"
#include "code/interpreter_choice.h"

namespace talaria {

struct InterpreterWish {
  const Place& place;
  SessionRow session;
  InterpreterMode mode = InterpreterMode::project;
  std::string cwd{};     // where the program will run
  Environment client{};  // of the program that called us, where it gave them
};

// Which Python runs the programs of a session. Each one that is found is asked what it is, in the session's own place,
// once: after that a search costs a few looks at the disk. On the plain host that runs what is found in a workspace, so
// search there only for a program that may run.
class Interpreters {
 public:
  Interpreters(Loop& loop, Jobs& jobs, const Gate& gate, const Shells& shells, SessionFiles& files)
      : shells_(shells), files_(files), probes_(loop, jobs, gate) {}

  using Found = std::function<void(Result<Interpreter>)>;
  class Search;
  using Waiter = std::shared_ptr<Search>;
  // Calls with it: at once when it is known, else from the loop. Drop the handle and it is not called. An error with
  // the code cancelled: the sandbox is gone and another one may be tried; unavailable: there is no Python, and why.
  [[nodiscard]] Waiter find(const InterpreterWish& wish, Found found);

  // The sandbox is gone.
  void forget(const std::string& space) { probes_.forget(space); }

 private:
  const Shells& shells_;
  SessionFiles& files_;
  PythonProbes probes_;
};

}  // namespace talaria
