#include "api/inline_runs.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "api/command_environment.h"
#include "api/shell_state.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr size_t most_at_once = 4;
constexpr size_t most_message = 4096;

SnippetResult not_started(const std::string& why) { return {SnippetResult::End::not_started, 0, "", why}; }

}  // namespace

InlineRuns::~InlineRuns() {
  for (const Running& one : running_) {
    if (!one.errand.empty()) parts_.jobs.drop_errand(one.errand);
  }
}

void InlineRuns::run(const Place& place, std::string directory, int seconds, std::vector<std::string> commands,
                     Done done) {
  place_ = place;
  directory_ = std::move(directory);
  seconds_ = seconds;
  commands_ = std::move(commands);
  done_ = std::move(done);
  results_.resize(commands_.size());
  running_.resize(commands_.size());
  CommandEnvironment made = command_environment(
      parts_, {place_.settings, session_, caller_, place_.environment, place_.sandbox.get(), place_.grants});
  environment_ = std::move(made.variables);
  environment_["TALARIA"] = "skill";
  if (const SharedEnvironment known = parts_.environment.secrets()) made.secrets.insert(known->begin(), known->end());
  secrets_ = std::make_shared<const Environment>(std::move(made.secrets));
  start_more();
}

void InlineRuns::start_more() {
  while (next_ < commands_.size() && under_way_ < most_at_once) {
    const size_t index = next_++;
    if (Result<> started = start(index); !started) results_[index] = not_started(started.error().message());
    else ++under_way_;
  }
  if (under_way_ > 0 || next_ < commands_.size()) return;
  later_ = Later(parts_.loop, [this] {
    const Done done = std::exchange(done_, nullptr);
    done(std::move(results_));  // may destroy us
  });
}

Result<> InlineRuns::start(size_t index) {
  const std::string& shell = parts_.environment.shell();
  if (shell.empty()) return Error(ErrorCode::not_found, "neither bash nor sh is on the PATH");
  GateRequest request = TRY(gate_request_at(place_));
  request.text = commands_[index];
  request.session = session_.id;
  request.job = "inline-shell";
  request.door = caller_.door;
  Permit permit = TRY(parts_.gate.permit({plain_shell(shell, commands_[index]), directory_, environment_}, request));

  running_[index].errors = UniqueFd(::memfd_create("stderr", MFD_CLOEXEC));
  if (!running_[index].errors) return Error::from_errno("make room for its messages");
  Jobs::Errand errand;
  errand.timeout = std::chrono::seconds(seconds_);
  errand.leaves_nothing = true;
  errand.errors = UniqueFd(::fcntl(running_[index].errors.get(), F_DUPFD_CLOEXEC, 0));
  if (place_.sandbox) {
    errand.space = place_.sandbox->request.space;
    errand.steps = place_.sandbox->steps;
  }
  running_[index].errand = parts_.jobs.run_errand(
      std::move(permit), std::move(errand), [this, index](const Result<Jobs::ErrandEnd>& end) { ended(index, end); });
  return ok;
}

void InlineRuns::ended(size_t index, const Result<Jobs::ErrandEnd>& end) {
  running_[index].errand.clear();
  --under_way_;
  SnippetResult& result = results_[index];
  Result<std::string> errors = read_at(running_[index].errors.get(), 0, most_message);
  running_[index].errors.reset();
  if (end) {
    const bool signalled = end->exit_signal != 0;
    result.end = signalled ? SnippetResult::End::signalled : SnippetResult::End::exited;
    result.number = signalled ? end->exit_signal : end->exit_code;
    result.output = masked(end->output);
    if (errors) result.message = masked(*std::move(errors));
  } else if (end.error().code() == ErrorCode::timed_out) {
    result.end = SnippetResult::End::timed_out;
    result.number = seconds_;
  } else {
    result = not_started(end.error().message());
  }
  start_more();
}

std::string InlineRuns::masked(std::string text) const { return parts_.secrets.mask(secrets_).hide(std::move(text)); }

}  // namespace talaria
