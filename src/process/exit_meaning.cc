#include "process/exit_meaning.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "process/command_words.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

struct Meaning {
  std::string_view programs;  // separated by spaces
  std::string_view needs;     // words the command must have, separated by spaces; a|b is either
  int code;
  std::string_view note;
};

constexpr Meaning meaning_table[] = {
    {"grep egrep fgrep zgrep rg ag ack", "", 1, "no lines matched"},
    {"grep egrep fgrep zgrep rg", "", 2, "an error, such as a file that could not be read or a bad pattern"},
    {"git", "grep", 1, "no lines matched"},
    {"git", "diff --exit-code|--quiet", 1, "there are differences"},
    {"git", "diff-index|diff-files|diff-tree --exit-code|--quiet", 1, "there are differences"},
    {"git", "merge-base --is-ancestor", 1, "the first commit is not an ancestor of the second"},
    {"git", "check-ignore", 1, "none of the paths is ignored"},
    {"git", "config", 1, "the key is not set"},
    {"git", "ls-files --error-unmatch", 1, "a path is not tracked"},
    {"git", "rev-parse --verify", 1, "there is no such revision"},
    {"git", "", 128, "a fatal error; its output says which"},
    {"git", "", 129, "the command line was not understood"},
    {"diff cmp sdiff colordiff zdiff zcmp", "", 1, "the files differ"},
    {"diff cmp sdiff colordiff zdiff zcmp", "", 2, "the files could not be compared"},
    {"test [ [[", "", 1, "the condition is false"},
    {"test [", "", 2, "the condition could not be read"},
    {"expr", "", 1, "the result is empty or 0"},
    {"find", "", 1, "some folders or files could not be read, or an action failed; what it printed still counts"},
    {"pgrep pkill pidof", "", 1, "no process matched"},
    {"killall", "", 1, "no process matched, or it could not be signalled"},
    {"which type hash", "", 1, "a program was not found"},
    {"command", "-v|-V", 1, "the program was not found"},
    {"getent", "", 2, "a key was not found"},
    {"ls", "", 2, "a named file could not be accessed"},
    {"make gmake", "-q|--question", 1, "a target is not up to date"},
    {"make gmake", "", 2, "a target failed; the lines before its error say why"},
    {"ssh", "", 255, "the connection failed; the remote command may not have run"},
    {"scp sftp", "", 255, "the connection failed"},
    {"timeout", "", 124, "the time limit passed and the command was ended"},
    {"timeout", "", 125, "timeout itself failed"},
    {"curl", "", 3, "the URL is not well formed"},
    {"curl", "", 5, "the name of the proxy could not be resolved"},
    {"curl", "", 6, "the name of the host could not be resolved"},
    {"curl", "", 7, "the connection was refused or failed"},
    {"curl", "", 18, "the transfer ended too early"},
    {"curl", "", 22, "the server answered with an HTTP error (400 or above)"},
    {"curl", "", 23, "the output could not be written"},
    {"curl", "", 26, "a file to send could not be read"},
    {"curl", "", 28, "the operation timed out"},
    {"curl", "", 35, "the TLS handshake failed"},
    {"curl", "", 47, "too many redirects"},
    {"curl", "", 52, "the server answered nothing"},
    {"curl", "", 56, "the connection broke while receiving"},
    {"curl", "", 60, "the certificate of the server could not be verified"},
    {"wget", "", 4, "a network failure"},
    {"wget", "", 5, "the certificate of the server could not be verified"},
    {"wget", "", 6, "the login was refused"},
    {"wget", "", 8, "the server answered with an error"},
    {"ping ping6", "", 1, "no answer came"},
    {"ping ping6", "", 2, "the host is unknown or another error"},
    {"dig", "", 9, "no name server answered"},
    {"rsync", "", 23, "some files could not be transferred"},
    {"rsync", "", 24, "some files vanished before they could be transferred"},
    {"rsync", "", 30, "the transfer timed out"},
    {"tar", "", 1, "some files differed or changed while they were read"},
    {"tar", "", 2, "a fatal error"},
    {"gzip gunzip zcat", "", 2, "a warning"},
    {"unzip", "", 1, "a warning; the files were extracted"},
    {"unzip", "", 11, "no file matched"},
    {"xargs", "", 123, "at least one of the commands failed"},
    {"xargs", "", 124, "a command ended with code 255, so xargs stopped"},
    {"jq", "-e|--exit-status", 1, "the last output was false or null"},
    {"jq", "", 2, "the usage or the input file was wrong"},
    {"jq", "", 3, "the program could not be compiled"},
    {"jq", "", 5, "the input was not valid, or the program raised an error"},
    {"pytest py.test", "", 1, "some tests failed"},
    {"pytest py.test", "", 2, "the run was interrupted, or tests could not be collected"},
    {"pytest py.test", "", 3, "an internal error"},
    {"pytest py.test", "", 4, "the command line was not understood"},
    {"pytest py.test", "", 5, "no tests were collected"},
    {"cargo", "test", 101, "the build or some tests failed"},
    {"go", "test", 1, "the build or some tests failed"},
    {"ctest", "", 8, "some tests failed"},
    {"mypy pyright eslint shellcheck flake8 ruff", "", 1, "problems were found"},
    {"black ruff", "--check", 1, "some files would be reformatted"},
    {"prettier", "--check|-c|--list-different|-l", 1, "some files are not formatted"},
    {"systemctl", "is-active|status", 3, "the unit is not active"},
    {"systemctl", "status", 4, "there is no such unit"},
    {"systemctl", "is-enabled", 1, "the unit is not enabled"},
    {"systemctl", "is-failed", 1, "the unit has not failed"},
    {"mountpoint", "", 32, "it is not a mount point"},
    {"flock", "-n|--nonblock|-w|--timeout", 1, "the lock is held by someone else"},
    {"apt apt-get", "", 100, "the operation failed; its output says why"},
    {"docker podman", "run", 125, "the container could not be started"},
    {"man", "", 16, "there is no such manual page"},
    {"read", "", 1, "the input ended"},
};

bool has_word(std::string_view list, char separator, std::string_view word) {
  const std::vector<std::string> words = split(list, separator);
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool has_needed(std::string_view needs, const std::vector<std::string>& words) {
  if (needs.empty()) return true;
  for (const std::string& choice : split(needs, ' ')) {
    const bool found = std::any_of(words.begin() + 1, words.end(),
                                   [&](const std::string& word) { return has_word(choice, '|', word); });
    if (!found) return false;
  }
  return true;
}

std::optional<std::string> program_note(const std::vector<std::string>& words, int code) {
  if (words.empty()) return std::nullopt;
  for (const Meaning& meaning : meaning_table) {
    if (meaning.code != code || !has_word(meaning.programs, ' ', words.front())) continue;
    if (has_needed(meaning.needs, words)) return words.front() + ": " + std::string(meaning.note);
  }
  return std::nullopt;
}

std::optional<std::string> general_note(int code) {
  if (code == 126) return "a program was found but could not be executed: check its permissions";
  if (code == 127) return "a program was not found: check the spelling, and whether it is installed";
  for (int signal : {2, 3, 4, 6, 7, 8, 9, 11, 13, 15, 24, 25}) {
    if (code != 128 + signal) continue;
    const std::string why = signal == 9 ? " (often because memory ran out)" : "";
    return "a child was killed by " + signal_name(signal) + " under the shell" + why;
  }
  return std::nullopt;
}

// The part the code came from, if that is sure. `a && b` may have ended at a.
const CommandPart* deciding_part(const std::vector<CommandPart>& parts) {
  for (const CommandPart& part : parts) {
    if (part.words.front() == "set") return nullptr;  // -e and pipefail change which code comes out
    if (part.separator == "&&") return nullptr;
  }
  const std::string& first = parts.back().words.front();
  static constexpr std::string_view keywords = "! { } if then else elif fi for while until do done case esac function";
  return has_word(keywords, ' ', first) ? nullptr : &parts.back();
}

}  // namespace

std::optional<std::string> meaning_of_exit(std::string_view command, int code) {
  if (code == 0) return std::nullopt;
  if (const auto parts = split_command(command)) {
    if (const CommandPart* part = deciding_part(*parts)) {
      if (auto note = program_note(program_words(part->words), code)) return note;
    }
  }
  return general_note(code);
}

}  // namespace talaria
