#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace talaria {

// Choices are texts: the same words arrive as tool parameters, and one parser of the part that uses them reads both.
// A loaded Settings holds only words that config_keys() allows.

// exec.yield_ms where neither the file nor the environment says.
constexpr int64_t default_yield_ms = 10'000;

struct ElevatedSettings {
  bool enabled = false;
  bool allowed = false;
  std::string mode = "on";
  std::string via = "none";
  bool operator==(const ElevatedSettings&) const = default;
};

// The policy of commands in the sandbox, beside that of the plain host.
struct ExecSandboxSettings {
  std::string security = "full";
  std::string ask = "off";
  bool operator==(const ExecSandboxSettings&) const = default;
};

struct ExecSettings {
  std::string host = "auto";
  std::string security = "full";
  std::string ask = "off";
  std::optional<int64_t> yield_ms;  // absent: not configured, so the environment or the default decides
  double timeout = 1800;            // seconds
  int64_t max_output = 30'000;      // characters
  int64_t pending_max_output = 30'000;
  int64_t max_log_bytes = 64 << 20;
  bool allow_background = true;
  bool notify_on_exit = true;
  bool notify_on_exit_empty_success = false;
  int64_t job_ttl = 1800;  // seconds
  int64_t max_jobs = 0;    // 0: as many as the keeper's descriptors allow
  bool keep_state = false;
  ExecSandboxSettings sandbox;
  ElevatedSettings elevated;
  bool operator==(const ExecSettings&) const = default;
};

struct SandboxSettings {
  std::string profile = "workspace-write";  // a built-in one or a name of custom_profiles
  std::string network = "as-profile";
  std::string root_identity = "mapped";
  int64_t first_id = 64'000;
  int64_t ids = 1000;
  std::vector<std::string> readable;
  std::vector<std::string> writable;
  std::vector<std::string> protected_names;
  std::vector<std::string> without;
  JsonObject custom_profiles;  // {name: {base, readable, writable, protected_names, network, limits}}
  bool operator==(const SandboxSettings&) const = default;
};

struct JobsSettings {
  int64_t max_total_bytes = int64_t{2} << 30;
  bool operator==(const JobsSettings&) const = default;
};

struct SessionSettings {
  int64_t idle_minutes = 30;
  bool operator==(const SessionSettings&) const = default;
};

struct GatewaySettings {
  int64_t max_connections = 0;  // 0: as many as its descriptors allow
  bool operator==(const GatewaySettings&) const = default;
};

struct LogSettings {
  std::string level = "info";
  bool operator==(const LogSettings&) const = default;
};

struct TerminalSettings {
  std::vector<std::string> env_passthrough;
  double timeout = 180;  // seconds
  bool operator==(const TerminalSettings&) const = default;
};

struct CodeSettings {
  double timeout = 300;  // seconds
  int64_t max_tool_calls = 50;
  int64_t max_stdout_bytes = 50'000;
  int64_t max_stderr_bytes = 10'000;
  std::string mode = "project";
  int64_t max_parallel_calls = 8;
  double kernel_idle_timeout = 1800;  // seconds
  bool operator==(const CodeSettings&) const = default;
};

// The owner's rules on files or hosts; see policy/rule_list.h.
struct RuleSettings {
  std::vector<std::string> allow;
  std::vector<std::string> ask;
  std::vector<std::string> deny;
  std::string otherwise = "allow";
  bool operator==(const RuleSettings&) const = default;
};

struct FilesSettings {
  RuleSettings read;
  RuleSettings write;
  bool operator==(const FilesSettings&) const = default;
};

struct WebSearchSettings {
  std::string provider = "none";
  std::string url = "none";
  bool operator==(const WebSearchSettings&) const = default;
};

struct WebSettings {
  RuleSettings hosts;
  std::vector<std::string> allow_private_hosts;
  WebSearchSettings search;
  std::string proxy = "none";
  double timeout = 30;  // seconds
  int64_t max_bytes = 8 << 20;
  bool operator==(const WebSettings&) const = default;
};

struct SkillsSettings {
  std::vector<std::string> external_dirs;         // as written: ~ and ${VAR} are the reader's to expand
  std::vector<std::string> trusted_project_dirs;  // real paths
  bool project_discovery = true;
  std::vector<std::string> disabled;
  bool template_vars = true;
  bool inline_shell = false;
  double inline_shell_timeout = 10;  // seconds
  std::vector<std::string> inline_shell_trust;
  int64_t prompt_budget_chars = 16'000;
  std::map<std::string, std::string> config;  // dotted key below skills.config → value as text
  bool operator==(const SkillsSettings&) const = default;
};

// Everything config.yaml can say, with the defaults of what it does not.
struct Settings {
  ExecSettings exec;
  SandboxSettings sandbox;
  JobsSettings jobs;
  SessionSettings session;
  GatewaySettings gateway;
  LogSettings log;
  TerminalSettings terminal;
  CodeSettings code_execution;
  FilesSettings files;
  WebSettings web;
  SkillsSettings skills;
  std::vector<std::string> toolsets = {"terminal", "file", "web", "code", "skills"};
  bool operator==(const Settings&) const = default;
};

// A missing file means all defaults. Errors read "/x/config.yaml:3:10: exec.timeout must be …".
Result<Settings> load_settings(const std::string& path);
// The same of a text; errors start with "line:column: ".
Result<Settings> parse_settings(std::string_view text);

// A key in the text that nothing reads. Only the outermost one of a section is named.
struct UnknownKey {
  std::string key;  // dotted; a name that holds a dot itself is in quotes
  size_t line = 0;
  std::string suggestion;  // the known key that was probably meant, or empty
  bool operator==(const UnknownKey&) const = default;
};
Result<std::vector<UnknownKey>> unknown_keys(std::string_view text);

}  // namespace talaria
