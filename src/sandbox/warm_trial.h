#pragma once
// For tests: a session with a warm base. Base and commands are this very test program, started in the sandbox under
// another name; what it does there is in warm_trial_test.cc.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "os/file.h"
#include "os/proc.h"
#include "sandbox/space_trial.h"

namespace talaria {

inline constexpr auto warm_patience = 20s;

// The base of a session in which nothing else runs, from outside; 0 when it has none.
// Of the holder's children: the others are the inits of commands, which may be on their way out.
inline pid_t base_of(SpaceTrial& trial) {
  for (const pid_t pid : descendants_of(trial.space().pid())) {
    const Result<std::string> name = read_file("/proc/" + std::to_string(pid) + "/comm");
    const bool is_init = !name || *name == "talaria-init\n";
    if (parent_of(pid) == trial.space().pid() && state_of(pid).value_or('Z') != 'Z' && !is_init) return pid;
  }
  return 0;
}

struct WarmOutcome {
  bool warm = false;
  Outcome outcome;
};

class WarmTrial : public SpaceTrial {
 public:
  explicit WarmTrial(ProfileKind kind = ProfileKind::workspace_write) : SpaceTrial(kind) {
    library = root + "/lib";
    CHECK(make_directories(library, 0755));
    const std::string self = *read_file("/proc/self/exe", 1 << 30);
    CHECK(write_file_atomically(library + "/trial", self, 0755, Durable::no));
  }

  // `kind` is a base that warm_trial_test.cc knows.
  void keep_warm(const std::string& id, const std::string& kind) {
    CHECK(prepare().empty());
    CHECK(space().warm({id, {program()}, {"TALARIA_TRIAL_BASE=" + kind}}));
  }

  // Whether it is refused before it has done anything: it is gone, and nothing was forked from it.
  bool refuses(const WarmOrder& order) {
    CHECK(prepare().empty());
    CHECK(space().warm(order));
    const auto deadline = Clock::now() + warm_patience;
    do {
      if (run_task(task("nothing", order.id)).warm) return false;
    } while (base_of(*this) > 0 && Clock::now() < deadline);
    return Clock::now() < deadline;
  }

  CommandOrder task(const std::string& name, const std::string& warm_id) {
    CHECK(prepare().empty());
    CommandOrder order = order_of({program()});
    order.environment.push_back("TALARIA_TRIAL_TASK=" + name);
    order.warm = warm_id;
    return order;
  }

  // A command that runs until it ends or `control` is closed.
  struct Running {
    UniqueFd control;
    UniqueFd output;
    std::optional<CommandReport> first;
  };
  Running begin(const CommandOrder& order, std::vector<NumberedFd> further = {}) {
    auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
    CHECK(prepare_control(mine.get()));
    auto [output, inner] = *make_pipe();
    CommandStreams streams{*open_file("/dev/null", O_RDONLY), std::move(inner), *open_file("/dev/null", O_WRONLY)};
    streams.further = std::move(further);
    CHECK(space().command(order, std::move(theirs), std::move(streams)));
    Running running{std::move(mine), std::move(output), {}};
    if (const Result<CommandReport> report = receive_report(running.control.get())) running.first = *report;
    return running;
  }

  static Outcome finish(const Running& running) {
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = ::read(running.output.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, count);
    while (true) {
      const Result<CommandReport> report = receive_report(running.control.get());
      if (!report) return {-1, text};
      if (report->kind != CommandReport::Kind::ended) continue;
      const int status = report->value;
      return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
    }
  }

  // A failed step is a status of -1 with its name and what was tried.
  WarmOutcome run_task(const CommandOrder& order, std::vector<NumberedFd> further = {}) {
    const Running running = begin(order, std::move(further));
    if (!running.first) return {false, {-1, "gone"}};
    if (running.first->kind == CommandReport::Kind::failed) {
      const std::string step(name_of(static_cast<SpaceStep>(running.first->value)));
      return {false, {-1, step + ": " + running.first->detail + ": " + std::to_string(running.first->other)}};
    }
    return {running.first->other == 1, finish(running)};
  }

  // Runs tasks until one was forked from the base, which is ready then.
  bool becomes_warm(const std::string& id) {
    const auto deadline = Clock::now() + warm_patience;
    while (Clock::now() < deadline) {
      if (run_task(task("nothing", id)).warm) return true;
    }
    return false;
  }

  // Inside, where no command can exchange it.
  std::string program() { return session().view.library + "/trial"; }
};

}  // namespace talaria
