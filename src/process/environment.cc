#include "process/environment.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "process/environment_names.h"
#include "process/secret_value.h"

namespace talaria {
namespace {

constexpr size_t most_value_bytes = 128 * 1024;  // the kernel's own limit for one string of an environment
constexpr size_t most_bytes = 1024 * 1024;

bool is_letter_or_underscore(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_valid_name(std::string_view name) {
  return !name.empty() && is_letter_or_underscore(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter_or_underscore(c) || (c >= '0' && c <= '9');
  });
}

bool is_forbidden(const std::string& name, const std::string& value) {
  if (matches_any(our_names(), name) || matches_any(injection_names(), name)) return true;
  const bool listed = matches_any(program_names(), name) || matches_any(code_names(), name) ||
                      matches_any(other_forbidden_names(), name);
  if (!listed) return false;
  return !(matches_any(pager_names(), name) && (value.empty() || value == "cat"));
}

std::string shown(std::string_view name) { return "'" + std::string(first_characters(name, 64)) + "'"; }

Result<> check_names(const Environment& variables) {
  for (const auto& [name, value] : variables) {
    if (is_valid_name(name)) continue;
    return invalid("env: " + shown(name) +
                   " is not a variable name; use letters, digits and underscores, and no digit first");
  }
  return ok;
}

Result<> check_values(const Environment& variables) {
  size_t total = 0;
  for (const auto& [name, value] : variables) {
    if (value.find('\0') != std::string::npos) {
      return invalid("env: the value of " + shown(name) + " holds a NUL character, which no program can receive");
    }
    const size_t bytes = name.size() + value.size() + 2;  // with '=' and the final NUL
    if (bytes > most_value_bytes) {
      return invalid("env: " + shown(name) + " has " + human_bytes(value.size()) + ", more than the " +
                     human_bytes(most_value_bytes) + " a variable may have; pass it in a file");
    }
    total += bytes;
    if (total > most_bytes) {
      return invalid("env: with " + shown(name) + " the variables take more than " + human_bytes(most_bytes) +
                     " in all; pass some of them in files");
    }
  }
  return ok;
}

Result<> check_forbidden(const Environment& variables) {
  std::vector<std::string> blocked;
  for (const auto& [name, value] : variables) {
    if (is_forbidden(name, value)) blocked.push_back(std::string(first_characters(name, 64)));
  }
  if (blocked.empty()) return ok;
  const bool path = lower(blocked.front()) == "path";
  std::string message = path ? "Security Violation: Custom '" + blocked.front() + "' variable"
                             : "Security Violation: Environment variable '" + blocked.front() + "'";
  message += " is forbidden during host execution.";
  if (blocked.size() > 1) message += " (blocked override keys: " + join(blocked, ", ") + ")";
  return Error(ErrorCode::denied, message);
}

// What makes a word of a name that of a secret. A word counts when it ends so: APIKEY, PGPASSWORD, OAUTH.
constexpr std::string_view secret_endings[] = {
    "KEY",  "TOKEN",  "SECRET",  "PASSWORD",  "PASSWD",      "PASSPHRASE", "PASSCODE", "CREDENTIAL", "AUTH",
    "KEYS", "TOKENS", "SECRETS", "PASSWORDS", "CREDENTIALS", "WEBHOOK",    "WEBHOOKS", "DSN",        "BEARER",
};
// Too short to be looked for inside a longer word.
constexpr std::string_view secret_words[] = {"PASS", "PWD", "PAT", "CRED", "CREDS", "JWT", "COOKIE", "APPKEY"};
// English words and settings that only look like it.
constexpr std::string_view harmless_words[] = {"MONKEY", "DONKEY",  "TURKEY", "HOCKEY",
                                               "JOCKEY", "WHISKEY", "HOTKEY", "LESSKEY"};
// The thing itself is elsewhere: these name where.
constexpr std::string_view place_words[] = {"FILE", "FILES",  "PATH",      "DIR",    "SOCK", "SOCKET",  "TTY", "NAME",
                                            "TYPE", "METHOD", "ALGORITHM", "LENGTH", "SIZE", "TIMEOUT", "TTL", "LIMIT"};
constexpr std::string_view harmless_names[] = {"PWD",        "OLDPWD",      "SSH_AUTH_SOCK", "XAUTHORITY",
                                               "MAX_TOKENS", "GIT_ASKPASS", "SSH_ASKPASS",   "SUDO_ASKPASS"};
// Addresses that usually carry a password.
constexpr std::string_view secret_names[] = {
    "DATABASE_URL", "REDIS_URL",    "MONGODB_URI", "MONGO_URL",     "POSTGRES_URL", "POSTGRESQL_URL",   "MYSQL_URL",
    "AMQP_URL",     "RABBITMQ_URL", "SMTP_URL",    "CLOUDAMQP_URL", "BROKER_URL",   "CELERY_BROKER_URL"};

template <size_t n>
bool is_one_of(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_secret_word(std::string_view word) {
  if (is_one_of(harmless_words, word)) return false;
  return is_one_of(secret_words, word) || std::any_of(std::begin(secret_endings), std::end(secret_endings),
                                                      [&](std::string_view ending) { return word.ends_with(ending); });
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

// What every program may expect. TALARIA_HOME and HERMES_HOME are not among them: our home is not in the view, so
// nothing inside could use them.
constexpr std::string_view expected_names[] = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TERM", "TZ",
                                               "TMPDIR", "SHELL", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_*",
                                               // Where toolchains are, which the view shows.
                                               "PYENV_ROOT", "NVM_DIR", "RUSTUP_HOME", "GOROOT", "JAVA_HOME",
                                               "VOLTA_HOME", "BUN_INSTALL", "DOTNET_ROOT"};
// The whole of what an agent's program gets unasked.
constexpr std::string_view script_names[] = {
    "PATH",   "HOME",  "USER",       "LOGNAME",     "LANG",         "LC_*",  "TERM",         "TZ",
    "TMPDIR", "SHELL", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "XDG_*", "TALARIA_HOME", "HERMES_HOME"};
// Coarser than is_secret_name: what is dropped here is one line of configuration away.
constexpr std::string_view secret_parts[] = {"KEY",    "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL",
                                             "PASSWD", "AUTH",  "DSN",    "WEBHOOK",  "BEARER"};

bool may_hold_secret(std::string_view name) {
  const std::string capitals = upper(name);
  return is_secret_name(capitals) || std::any_of(std::begin(secret_parts), std::end(secret_parts),
                                                 [&](auto part) { return capitals.find(part) != std::string::npos; });
}

// A registry's token has the prefix of what chooses the registry: NPM_CONFIG_REGISTRY, UV_PUBLISH_TOKEN.
bool decides_what_runs(std::string_view name) {
  return matches_any(program_names(), name) || (matches_any(code_names(), name) && !is_secret_name(name));
}

Result<> unpassed(std::string_view name, const std::string& reason) {
  if (reason.empty()) return ok;
  return Error(ErrorCode::denied, shown(name) + " cannot be passed to commands and programs: " + reason);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Why each of these names is not passed to `whom`, said once.
std::vector<std::string> refusals(const std::vector<std::string>& names, std::string_view whom) {
  std::vector<std::string> sentences;
  for (const std::string& name : names) {
    const std::string reason = why_never_passed(name);
    if (reason.empty()) continue;
    std::string sentence = shown(name) + " is not passed to " + std::string(whom) + ": " + reason;
    if (!contains(sentences, sentence)) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

bool is_script_name(std::string_view name) {
  return std::any_of(std::begin(script_names), std::end(script_names), [&](std::string_view pattern) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
  });
}

}  // namespace

Result<> check_call_env(const Environment& variables) {
  TRY(check_names(variables));
  TRY(check_forbidden(variables));
  TRY(check_values(variables));
  return ok;
}

Environment host_environment(const Environment& snapshot) {
  Environment inherited;
  for (const auto& [name, value] : snapshot) {
    const bool dropped =
        matches_any(our_names(), name) || matches_any(injection_names(), name) || is_provider_credential(name);
    if (!dropped) inherited.emplace(name, value);
  }
  return inherited;
}

Result<> check_sandbox_call_env(const Environment& variables) {
  TRY(check_names(variables));
  TRY(check_values(variables));
  return ok;
}

SandboxEnvironment sandbox_environment(const Environment& snapshot, const std::vector<std::string>& passthrough) {
  SandboxEnvironment result;
  for (const auto& [name, value] : snapshot) {
    const bool expected = matches_any(expected_names, name) && !may_hold_secret(name);
    const bool wanted = expected || contains(passthrough, name);
    if (wanted && why_never_passed(name).empty()) result.variables.emplace(name, value);
  }
  result.refused = refusals(passthrough, "commands in the sandbox");
  return result;
}

SandboxEnvironment script_variables(const Environment& snapshot, const std::vector<std::string>& passthrough) {
  SandboxEnvironment result;
  for (const auto& [name, value] : snapshot) {
    const bool expected = is_script_name(name) && !may_hold_secret(name);
    const bool wanted = expected || (contains(passthrough, name) && why_never_passed(name).empty());
    if (wanted) result.variables.emplace(name, value);
  }
  std::vector<std::string> others = passthrough;
  std::erase_if(others, is_script_name);
  result.refused = refusals(others, "programs");
  return result;
}

std::string why_never_passed(std::string_view name) {
  if (!is_valid_name(name)) return "it is not a variable name";
  if (is_provider_credential(name)) return "it is a credential of a model provider, the agent's and not its commands'";
  if (matches_any(our_names(), name)) return "it is Talaria's own and nothing inside can use it";
  if (matches_any(injection_names(), name)) return "it injects code or options into every program";
  return "";
}

Result<> check_passed_name(std::string_view name) { return unpassed(name, why_never_passed(name)); }

std::string why_never_declared(std::string_view name) {
  std::string why = why_never_passed(name);
  return why.empty() && decides_what_runs(name) ? "it decides which programs and modules run" : why;
}

Result<> check_declared_name(std::string_view name) { return unpassed(name, why_never_declared(name)); }

bool is_provider_credential(std::string_view name) { return matches_any(provider_credential_names(), name); }

bool is_secret_name(std::string_view name) {
  const std::string capitals = upper(name);
  if (is_one_of(harmless_names, capitals)) return false;
  if (is_one_of(secret_names, capitals) || is_provider_credential(capitals)) return true;
  const std::vector<std::string> words = split(capitals, '_');
  if (words.size() > 1 && words.back() == "SK") return true;
  return !is_one_of(place_words, words.back()) && std::any_of(words.begin(), words.end(), is_secret_word);
}

bool is_secret_variable(std::string_view name, std::string_view value) {
  return is_secret_name(name) || holds_secret(value);
}

std::vector<std::string> to_envp(const Environment& environment) {
  std::vector<std::string> variables;
  variables.reserve(environment.size());
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  return variables;
}

Result<Environment> parse_env0(std::string_view bytes) {
  Environment environment;
  while (!bytes.empty()) {
    const std::string_view variable = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(bytes.size(), variable.size() + 1));
    if (variable.empty()) continue;
    const size_t equals = variable.find('=', 1);  // a name may not be empty, so one that starts with '=' is taken whole
    if (equals == std::string_view::npos) {
      return invalid("read an environment: " + shown(variable) + " has no '='");
    }
    environment.insert_or_assign(std::string(variable.substr(0, equals)), std::string(variable.substr(equals + 1)));
  }
  return environment;
}

}  // namespace talaria
