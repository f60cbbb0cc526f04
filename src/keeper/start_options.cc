#include "keeper/start_options.h"

#include <utility>

#include "keeper/protocol.h"

namespace talaria {
namespace {

Result<> check_fds(const StartOptions& options) {
  TRY(check_numbers(numbers_of(options.fds), options.terminal ? StreamKind::terminal : StreamKind::pipes));
  if (options.kept.size() > most_kept_fds) {
    return invalid("a job keeps at most " + std::to_string(most_kept_fds) + " descriptors");
  }
  return ok;
}

// The descriptors of a start, in the order of the protocol.
std::vector<UniqueFd> fds_of(StartOptions& options) {
  std::vector<UniqueFd> fds;
  if (!options.terminal && options.stdin_kind == Stdin::fd) fds.push_back(std::move(options.stdin_fd));
  for (NumberedFd& one : options.fds) fds.push_back(std::move(one.fd));
  for (UniqueFd& one : options.kept) fds.push_back(std::move(one));
  return fds;
}

std::string_view input_name(const StartOptions& options) {
  if (options.terminal) return "terminal";
  switch (options.stdin_kind) {
    case Stdin::null: return "null";
    case Stdin::pipe: return "pipe";
    case Stdin::fd: return "fd";
  }
  return "null";
}

}  // namespace

Result<Frame> start_frame(const Command& command, StartOptions options) {
  TRY(check_fds(options));
  std::vector<std::string> strings = command.argv;
  for (const auto& [name, value] : command.environment) strings.push_back(name + "=" + value);
  const std::vector<int> numbers = numbers_of(options.fds);
  if (!numbers.empty() || !options.kept.empty()) options.steps.emplace_back(fds_step);
  const WindowSize window = options.terminal.value_or(WindowSize{});
  JsonObject header = {{"op", "start"},
                       {"job", options.job},
                       {"argc", command.argv.size()},
                       {"envc", command.environment.size()},
                       {"cwd", command.cwd},
                       {"stdin", input_name(options)},
                       {"rows", window.rows},
                       {"cols", window.cols},
                       {"timeout_ms", milliseconds_of(options.timeout)},
                       {"grace_ms", milliseconds_of(options.grace)},
                       {"max_log_bytes", options.max_log_bytes},
                       {"in_memory", options.in_memory},
                       {"space", options.space},
                       {"steps", JsonArray(options.steps.begin(), options.steps.end())},
                       {"numbers", JsonArray(numbers.begin(), numbers.end())},
                       {"kept", options.kept.size()},
                       {"warm", options.warm},
                       {"meta", std::move(options.meta)}};
  return Frame{std::move(header), pack_strings(strings), fds_of(options)};
}

}  // namespace talaria
