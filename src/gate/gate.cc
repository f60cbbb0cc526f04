#include "gate/gate.h"

#include <algorithm>

namespace talaria {
namespace {

// A login bash leaves it to the profile to read ~/.bashrc; for a user who has no profile we do it, as a terminal would.
constexpr std::string_view read_bashrc =
    "if [ -n \"$BASH_VERSION\" ] && [ -r ~/.bashrc ] && [ ! -e ~/.bash_profile ] && [ ! -e ~/.bash_login ] && "
    "[ ! -e ~/.profile ]; then . ~/.bashrc; fi\n";

// Must be understood by every Python 3. A venv's .pth files may print before, so the answer has a line of its own.
// `base` is the interpreter itself, whatever links and environments lead to it; `library` is where it loads its own
// modules from.
constexpr std::string_view describe_python = R"(import sys, os, json, site
try:
    import _ctypes
    ctypes = True
except ImportError:
    ctypes = False
real = os.path.realpath
stdlib = os.path.dirname(os.__file__)
library = [stdlib, os.path.join(sys.base_prefix, 'lib')] + [p for p in sys.path if p.endswith('lib-dynload')]
sys.stdout.write('\ntalaria-python ' + json.dumps({
    'version': list(sys.version_info[:3]),
    'implementation': sys.implementation.name,
    'executable': sys.executable,
    'base': real(getattr(sys, '_base_executable', None) or sys.executable),
    'prefix': sys.prefix,
    'base_prefix': sys.base_prefix,
    'ctypes': ctypes,
    'stdlib': stdlib,
    'library': sorted(set(library + [real(p) for p in library])),
    'site': site.getsitepackages(),
}) + '\n')
)";

bool is_python_path(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return path.starts_with('/') && path.find('\0') == std::string::npos && name.starts_with("python") &&
         std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

Verdict Gate::judge(const GateRequest& request) const {
  return talaria::judge(request.host, request.security, request.ask);
}

Result<Permit> Gate::permit(Command command, const GateRequest& request) const {
  const Verdict verdict = judge(request);
  TRY(record_(request, verdict));
  if (verdict.decision != Decision::allow) return Error(ErrorCode::denied, verdict.reason);
  return Permit(std::move(command));
}

Result<Permit> Gate::search(std::vector<std::string> argv, const std::string& cwd,
                            std::map<std::string, std::string> environment) const {
  const std::string program = argv.empty() ? "" : argv.front();
  const std::string name = program.substr(program.find_last_of('/') + 1);
  if (!program.starts_with('/') || (name != "rg" && name != "grep")) {
    return invalid("search with " + program + ": not the path of rg or grep");
  }
  for (const std::string& word : argv) {
    if (word == "--") break;
    if (word.starts_with("--pre") || word.starts_with("--hostname-bin") || word == "-z" || word == "--search-zip") {
      return invalid("search with " + word + ": it starts another program");
    }
  }
  GateRequest request;
  request.text = name;
  TRY(record_(request, {Decision::allow, "our own errand", "search"}));
  return Permit({std::move(argv), cwd, std::move(environment)});
}

Result<Permit> Gate::pdf_text(const std::string& pdftotext, std::map<std::string, std::string> environment) const {
  if (!pdftotext.starts_with('/') || !pdftotext.ends_with("/pdftotext")) {
    return invalid("read a PDF with " + pdftotext + ": not the path of pdftotext");
  }
  GateRequest request;
  request.text = "pdftotext";
  TRY(record_(request, {Decision::allow, "our own errand", "pdf-text"}));
  return Permit({{pdftotext, "-q", "-enc", "UTF-8", "-layout", "-", "-"}, "/", std::move(environment)});
}

Result<Permit> Gate::python_facts(const std::string& python, std::map<std::string, std::string> environment) const {
  if (!is_python_path(python)) return invalid("ask " + python + " for its version: not the path of a Python");
  GateRequest request;
  request.text = "python";
  TRY(record_(request, {Decision::allow, "our own errand", "python-facts"}));
  return Permit({{python, "-I", "-X", "utf8", "-c", std::string(describe_python)}, "/", std::move(environment)});
}

Result<Permit> Gate::remove_staging(const std::string& directory) const {
  const std::string name = directory.substr(directory.find_last_of('/') + 1);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!directory.starts_with("/tmp/talaria-code-") || directory != "/tmp/" + name ||
      !std::ranges::all_of(name, plain)) {
    return invalid("remove " + directory + ": not the directory of a program");
  }
  GateRequest request;
  request.text = "rm";
  TRY(record_(request, {Decision::allow, "our own errand", "remove-staging"}));
  return Permit({{"/bin/rm", "-rf", "--", directory}, "/", {}});
}

void Gate::note(const ToolUse& use, const FileGate& gate) const {
  if (!record_use_) return;
  for (const FileVerdict& one : gate.verdicts()) {
    record_use_(use, (one.use == FileUse::read ? "read " : "write ") + one.path, one.verdict);
  }
}

void Gate::note(const ToolUse& use, const WebGate& gate) const {
  if (!record_use_) return;
  for (const WebVerdict& one : gate.verdicts()) record_use_(use, "ask " + one.host, one.verdict);
}

FileGate Gate::files(const RuleList& read, const RuleList& write, const FilePlaces& places, OwnState own) const {
  return {read, write, places, std::move(own)};
}

WebGate Gate::web(RuleList hosts) const { return WebGate(std::move(hosts)); }

Result<Permit> Gate::login_environment(const std::string& shell, Interactive interactive, const std::string& marker,
                                       std::map<std::string, std::string> environment) const {
  const std::string name = shell.substr(shell.find_last_of('/') + 1);
  if (shell.empty() || shell.front() != '/' || (name != "bash" && name != "zsh")) {
    return invalid("read the login environment with " + shell + ": not the path of bash or zsh");
  }
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (marker.empty() || !std::all_of(marker.begin(), marker.end(), plain)) {
    return invalid("read the login environment: a marker is lower-case letters, digits and dashes");
  }
  GateRequest request;
  request.text = shell + " (login environment)";
  request.host = Host::gateway;
  TRY(record_(request, {Decision::allow, "our own errand", "login-environment"}));
  const std::string script =
      std::string(read_bashrc) + "printf '%s\\0' " + marker + "; command env -0; printf '%s\\0' " + marker;
  // Start-up files may print anything, so what we want comes between two markers; `command` steps over aliases.
  Command command{{shell, "-l"}, "/", std::move(environment)};
  if (interactive == Interactive::yes) command.argv.push_back("-i");
  command.argv.insert(command.argv.end(), {"-c", script});
  return Permit(std::move(command));
}

}  // namespace talaria
