#include "api/login_environment.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/exec_plan.h"
#include "base/id.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr auto login_patience = 5s;
constexpr auto retry_after = 60s;
constexpr auto refresh_patience = 1s;

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

StartupFile stamp(std::string path) {
  StartupFile file{std::move(path)};
  struct stat info {};
  if (::stat(file.path.c_str(), &info) == 0) {
    file.size = S_ISDIR(info.st_mode) ? 0 : info.st_size;
    file.modified_ns = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
  }
  return file;
}

}  // namespace

std::string value_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

JsonObject to_json(const ShellAdditions& additions) {
  JsonArray files;
  for (const StartupFile& file : additions.files) {
    files.push_back(JsonObject{{"path", file.path}, {"size", file.size}, {"modified_ns", file.modified_ns}});
  }
  JsonObject variables;
  for (const auto& [name, value] : additions.variables) variables[name] = value;
  return {{"shell", additions.shell},
          {"base_path", additions.base_path},
          {"files", std::move(files)},
          {"variables", std::move(variables)}};
}

std::optional<ShellAdditions> shell_additions_from(const JsonObject& object) {
  ShellAdditions additions;
  additions.shell = text_or(object, "shell");
  additions.base_path = text_or(object, "base_path");
  const Json* files = object.if_contains("files");
  const JsonObject* variables = object_or_null(object, "variables");
  if (!files || !files->is_array() || !variables) return std::nullopt;
  for (const Json& item : files->get_array()) {
    if (!item.is_object()) return std::nullopt;
    const JsonObject& file = item.get_object();
    additions.files.push_back({text_or(file, "path"), integer_or(file, "size", -1), integer_or(file, "modified_ns")});
  }
  for (const auto& [name, value] : *variables) {
    if (!value.is_string()) return std::nullopt;
    additions.variables.emplace(name, value.get_string());
  }
  return additions;
}

Result<Environment> environment_between(std::string_view marker, std::string_view output) {
  const std::string mark = std::string(marker) + '\0';
  const size_t first = output.find(mark);
  if (first == std::string_view::npos) return invalid("the shell ended before it printed its environment");
  const size_t begin = first + mark.size();
  const size_t end = output.find(mark, begin);
  if (end == std::string_view::npos) return invalid("the shell ended while it printed its environment");
  return parse_env0(output.substr(begin, end - begin));
}

Environment added_by_shell(const Environment& base, const Environment& shell) {
  Environment added;
  for (const auto& [name, value] : shell) {
    if (name == "_" || name == "SHLVL" || name == "PWD" || name == "OLDPWD" || name == "TERM") continue;
    const auto before = base.find(name);
    if (before == base.end() || before->second != value) added.emplace(name, value);
  }
  return added;
}

LoginEnvironment::LoginEnvironment(Loop& loop, Jobs& jobs, const Gate& gate, const Home& home, Environment own)
    : loop_(loop),
      jobs_(jobs),
      gate_(gate),
      cache_path_(home.cache() + "/login-environment.json"),
      own_(std::move(own)) {}

std::vector<StartupFile> LoginEnvironment::look() const {
  const std::string home = value_in(own_, "HOME");
  std::vector<StartupFile> files;
  for (const char* name : {".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile", ".zshenv"}) {
    files.push_back(stamp(home + "/" + name));
  }
  for (const char* path : {"/etc/profile", "/etc/bash.bashrc", "/etc/environment", "/etc/profile.d"}) {
    files.push_back(stamp(path));
  }
  return files;
}

std::string LoginEnvironment::user_shell() const {
  std::string shell = value_in(own_, "SHELL");
  if (shell.empty()) {
    const passwd* entry = ::getpwuid(::getuid());
    if (entry && entry->pw_shell) shell = entry->pw_shell;
  }
  const bool speaks_sh = base_name(shell) == "bash" || base_name(shell) == "zsh";
  if (speaks_sh && shell.front() == '/' && ::access(shell.c_str(), X_OK) == 0) return shell;
  // The system's first: a PATH may lead into a workspace, where commands write.
  return find_program("bash", "/bin:/usr/bin:/usr/local/bin:" + value_in(own_, "PATH"));
}

SharedEnvironment LoginEnvironment::known() {
  if (!known_) load_cached();
  const bool retry = !trouble_.empty() && Clock::now() >= retry_at_;
  if (known_ && look() == files_ && !retry) return known_;
  const bool waited = asking_shell_ && Clock::now() >= asked_at_ + refresh_patience;
  return waited ? known_ : nullptr;
}

// What an earlier gateway learned. When the start-up files have changed since, it still is what we have until then.
void LoginEnvironment::load_cached() {
  Result<std::string> text = read_file(cache_path_);
  if (!text) return;
  Result<JsonObject> object = parse_json_object(*text);
  if (!object) return;
  std::optional<ShellAdditions> cached = shell_additions_from(*object);
  if (!cached || cached->shell != user_shell() || cached->base_path != value_in(own_, "PATH")) return;
  files_ = std::move(cached->files);
  from_shell_ = true;
  become_known(std::move(cached->variables));
}

LoginEnvironment::Waiter LoginEnvironment::when_known(std::function<void()> call) {
  auto waiter = std::make_shared<std::function<void()>>(std::move(call));
  waiters_.push_back(waiter);
  if (!asking_shell_) {
    asked_at_ = Clock::now();
    ask_shell(Gate::Interactive::yes);
  }
  if (known_ && !overdue_) overdue_ = loop_.at(asked_at_ + refresh_patience, [this] { tell_waiters(); });
  return waiter;
}

void LoginEnvironment::ask_shell(Gate::Interactive interactive) {
  asking_shell_ = true;
  asking_ = look();
  const std::string shell = user_shell();
  const std::string marker = "talaria-" + id_from(random_u64()) + id_from(random_u64());
  Environment base = host_environment(own_);
  base["TERM"] = "dumb";
  Result<Permit> permit =
      shell.empty() ? Error(ErrorCode::not_found, "neither bash nor zsh is installed, and only they are asked")
                    : gate_.login_environment(shell, interactive, marker, std::move(base));
  if (!permit) {
    refusal_ =
        Later(loop_, [this, marker, error = permit.error()] { take_answer(Gate::Interactive::no, marker, error); });
    return;
  }
  jobs_.run_errand(
      std::move(*permit), {.timeout = login_patience}, [this, interactive, marker](Result<Jobs::ErrandEnd> end) {
        take_answer(interactive, marker, end ? Result<std::string>(std::move(end->output)) : std::move(end).error());
      });
}

void LoginEnvironment::take_answer(Gate::Interactive interactive, const std::string& marker,
                                   Result<std::string> output) {
  Result<Environment> shell = output ? environment_between(marker, *output) : std::move(output).error();
  // An interactive shell may wait for a terminal that is not there; a plain one rarely does.
  if (!shell && interactive == Gate::Interactive::yes) return ask_shell(Gate::Interactive::no);
  asking_shell_ = false;
  files_ = asking_;
  if (!shell) {
    trouble_ = "the environment of the login shell could not be read (" + shell.error().message() +
               "); commands run with " + (from_shell_ ? "what was read before" : "the gateway's own");
    retry_at_ = Clock::now() + retry_after;
    return from_shell_ ? tell_waiters() : become_known({});
  }
  trouble_.clear();
  // What commands must not inherit must not be on disk either.
  ShellAdditions additions{user_shell(), value_in(own_, "PATH"), files_,
                           host_environment(added_by_shell(own_, *shell))};
  from_shell_ = true;
  (void)write_file_atomically(cache_path_, write_json(to_json(additions)), 0600, Durable::no);
  become_known(std::move(additions.variables));
}

void LoginEnvironment::become_known(Environment additions) {
  Environment all = host_environment(own_);
  for (auto& [name, value] : additions) all.insert_or_assign(name, std::move(value));
  for (const char* name : {"_", "PWD", "OLDPWD", "SHLVL"}) all.erase(name);
  secrets_ = std::make_shared<const Environment>(secrets_in(all));
  const std::string path = value_in(all, "PATH") + ":/bin:/usr/bin";
  shell_ = find_program("bash", path);
  if (shell_.empty()) shell_ = find_program("sh", path);
  known_ = std::make_shared<const Environment>(std::move(all));
  tell_waiters();
}

void LoginEnvironment::tell_waiters() {
  overdue_ = {};
  std::vector<std::weak_ptr<std::function<void()>>> waiters;
  waiters.swap(waiters_);
  for (const auto& waiter : waiters) {
    if (const Waiter call = waiter.lock()) (*call)();
  }
}

}  // namespace talaria
