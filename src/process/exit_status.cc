#include "process/exit_status.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

struct SignalName {
  std::string_view name;  // without SIG
  int number;
};

// Where a number has two names, the usual one comes first.
constexpr SignalName signal_table[] = {
    {"HUP", SIGHUP},       {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"ILL", SIGILL},   {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT},     {"BUS", SIGBUS},   {"FPE", SIGFPE},     {"KILL", SIGKILL}, {"USR1", SIGUSR1},
    {"SEGV", SIGSEGV},     {"USR2", SIGUSR2}, {"PIPE", SIGPIPE},   {"ALRM", SIGALRM}, {"TERM", SIGTERM},
    {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD}, {"CONT", SIGCONT},   {"STOP", SIGSTOP}, {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU}, {"URG", SIGURG},     {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},
    {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"IO", SIGIO},     {"PWR", SIGPWR},
    {"SYS", SIGSYS},       {"IOT", SIGABRT},  {"CLD", SIGCHLD},    {"POLL", SIGIO},
};

// SIGRTMIN is the C library's, not the kernel's, and only known at run time.
bool is_real_time(int number) { return number >= SIGRTMIN && number <= SIGRTMAX; }

int parse_number(std::string_view text) {
  int number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && number >= 0 ? number : -1;
}

std::vector<std::string> signal_names() {
  std::vector<std::string> names;
  for (const SignalName& signal : signal_table) names.emplace_back(signal.name);
  return names;
}

}  // namespace

ExitStatus ExitStatus::from_wait(int status) {
  if (WIFSIGNALED(status)) return {.code = 0, .signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status), .signal = 0};
}

ExitStatus ExitStatus::from_waitid(int how, int value) {
  if (how == CLD_EXITED) return {.code = value, .signal = 0};
  return {.code = 0, .signal = value};
}

std::string signal_name(int number) {
  for (const SignalName& signal : signal_table) {
    if (signal.number == number) return "SIG" + std::string(signal.name);
  }
  if (!is_real_time(number)) return "signal " + std::to_string(number);
  return number == SIGRTMIN ? "SIGRTMIN" : "SIGRTMIN+" + std::to_string(number - SIGRTMIN);
}

Result<int> parse_signal(std::string_view text) {
  const std::string given = lower(trim(text));
  std::string_view name = given;
  if (name.starts_with("sig")) name.remove_prefix(3);
  for (const SignalName& signal : signal_table) {
    if (name == lower(signal.name)) return signal.number;
  }
  if (name == "rtmin") return SIGRTMIN;
  if (name == "rtmax") return SIGRTMAX;
  int number = parse_number(given);
  if (name.starts_with("rtmin+")) number = SIGRTMIN + std::min(parse_number(name.substr(6)), 64);
  else if (number >= SIGRTMIN && !is_real_time(number)) number = -1;
  // 32 and 33 belong to the C library's threads; 0 would send nothing.
  if ((number > 0 && number < 32) || is_real_time(number)) return number;

  std::string message = "unknown signal \"" + std::string(first_characters(trim(text), 64)) + "\"";
  const std::vector<std::string> meant = nearest(name, signal_names());
  if (!meant.empty()) message += "; near: " + join(meant, ", ");
  return invalid(message + "; known: " + join(signal_names(), ", ") + ", RTMIN+n, or a number from 1 to " +
                 std::to_string(SIGRTMAX));
}

}  // namespace talaria
