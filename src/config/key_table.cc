#include <array>

#include "config/keys.h"
#include "config/profiles.h"

namespace talaria {
namespace {

constexpr int64_t month_seconds = int64_t{30} * 24 * 3600;
constexpr int64_t mebibyte = 1 << 20;

constexpr std::string_view sandbox_capabilities =
    "user_namespaces|namespaces|mounts|proc|loopback|devpts|command_namespaces|owner_mapping|landlock|landlock-N|"
    "seccomp|cgroups";

constexpr std::string_view answers = "allow|ask|deny";

#define FIELD(member) [](Settings& settings) -> Field { return &settings.member; }

// The table from which loading, checking, showing and the documentation come.
constexpr std::array table{
    ConfigKey{"exec.host", KeyKind::choice, "auto|sandbox|gateway|node", 0, 0,
              "where commands run when the call does not say", FIELD(exec.host)},
    ConfigKey{"exec.security", KeyKind::choice, "deny|allowlist|full", 0, 0,
              "which commands may run: none, those on the allowlist, or all", FIELD(exec.security)},
    ConfigKey{"exec.ask", KeyKind::choice, "off|on-miss|always", 0, 0, "when a person is asked before a command runs",
              FIELD(exec.ask)},
    ConfigKey{"exec.yield_ms", KeyKind::integer, "", 10, 120'000,
              "milliseconds a call waits before the command goes on in the background", FIELD(exec.yield_ms),
              default_yield_ms},
    ConfigKey{"exec.timeout", KeyKind::number, "", 0, month_seconds,
              "seconds after which a command is ended; 0 for never", FIELD(exec.timeout)},
    ConfigKey{"exec.max_output", KeyKind::integer, "", 1000, 200'000, "characters of output a call returns",
              FIELD(exec.max_output)},
    ConfigKey{"exec.pending_max_output", KeyKind::integer, "", 1000, 200'000,
              "characters of unread output a poll returns", FIELD(exec.pending_max_output)},
    ConfigKey{"exec.max_log_bytes", KeyKind::integer, "", mebibyte, mebibyte << 20,
              "bytes of output kept on disk for one job", FIELD(exec.max_log_bytes)},
    ConfigKey{"exec.allow_background", KeyKind::boolean, "", 0, 0, "whether a call may leave its command running",
              FIELD(exec.allow_background)},
    ConfigKey{"exec.notify_on_exit", KeyKind::boolean, "", 0, 0, "whether the session hears when a background job ends",
              FIELD(exec.notify_on_exit)},
    ConfigKey{"exec.notify_on_exit_empty_success", KeyKind::boolean, "", 0, 0,
              "whether it also hears of jobs that succeeded without output", FIELD(exec.notify_on_exit_empty_success)},
    ConfigKey{"exec.job_ttl", KeyKind::integer, "", 60, month_seconds, "seconds a finished job is kept",
              FIELD(exec.job_ttl)},
    ConfigKey{"exec.keep_state", KeyKind::boolean, "", 0, 0,
              "whether exec keeps the directory and variables from one call to the next", FIELD(exec.keep_state)},
    ConfigKey{"exec.sandbox.security", KeyKind::choice, "deny|allowlist|full", 0, 0,
              "the same as exec.security for commands in the sandbox", FIELD(exec.sandbox.security)},
    ConfigKey{"exec.sandbox.ask", KeyKind::choice, "off|on-miss|always", 0, 0,
              "the same as exec.ask for commands in the sandbox", FIELD(exec.sandbox.ask)},
    ConfigKey{"exec.elevated.enabled", KeyKind::boolean, "", 0, 0, "whether elevated commands exist at all",
              FIELD(exec.elevated.enabled)},
    ConfigKey{"exec.elevated.allowed", KeyKind::boolean, "", 0, 0, "whether a call may ask for elevation",
              FIELD(exec.elevated.allowed)},
    ConfigKey{"exec.elevated.mode", KeyKind::choice, "on|ask|full", 0, 0, "how elevated commands are approved",
              FIELD(exec.elevated.mode)},
    ConfigKey{"exec.elevated.via", KeyKind::choice, "none|sudo", 0, 0, "how an elevated command gets its rights",
              FIELD(exec.elevated.via)},
    ConfigKey{"sandbox.profile", KeyKind::text, built_in_profiles, 0, 0,
              "what commands in the sandbox see and may write", FIELD(sandbox.profile)},
    ConfigKey{"sandbox.network", KeyKind::choice, "as-profile|off|on", 0, 0,
              "whether they reach the host's network; with off they have a loopback of their own",
              FIELD(sandbox.network)},
    ConfigKey{"sandbox.readable", KeyKind::text_list, "", 0, 0, "further paths they see", FIELD(sandbox.readable)},
    ConfigKey{"sandbox.writable", KeyKind::text_list, "", 0, 0, "further paths they may change",
              FIELD(sandbox.writable)},
    ConfigKey{"sandbox.protected", KeyKind::text_list, "", 0, 0,
              "further names in the workspace that they may not change, such as .env or deploy/keys",
              FIELD(sandbox.protected_names)},
    ConfigKey{"sandbox.profiles", KeyKind::profiles, "", 0, 0, "profiles of your own", FIELD(sandbox.custom_profiles)},
    ConfigKey{"sandbox.root_identity", KeyKind::choice, "mapped|same", 0, 0,
              "who commands are when the gateway runs as root: a user nobody has, or root without capabilities",
              FIELD(sandbox.root_identity)},
    ConfigKey{"sandbox.first_id", KeyKind::integer, "", 1000, 4'000'000'000,
              "first of the user ids that root's sandboxes take", FIELD(sandbox.first_id)},
    ConfigKey{"sandbox.ids", KeyKind::integer, "", 1, 1'000'000, "how many of them there are", FIELD(sandbox.ids)},
    ConfigKey{
        "sandbox.without", KeyKind::text_list, sandbox_capabilities, 0, 0,
        "what to treat as missing on this machine, to see how the sandbox does without; landlock-N: Landlock is no "
        "newer than version N",
        FIELD(sandbox.without)},
    ConfigKey{"jobs.max_total_bytes", KeyKind::integer, "", mebibyte, int64_t{1} << 50,
              "bytes all jobs together may keep on disk; the oldest finished go first", FIELD(jobs.max_total_bytes)},
    ConfigKey{"session.idle_minutes", KeyKind::integer, "", 1, month_seconds / 60,
              "minutes without a call after which a session ends", FIELD(session.idle_minutes)},
    ConfigKey{"log.level", KeyKind::choice, "debug|info|warning|error", 0, 0, "least severe messages that are logged",
              FIELD(log.level)},
    ConfigKey{"terminal.env_passthrough", KeyKind::text_list, "", 0, 0,
              "variables that confined commands get beside the usual ones; on the plain host they have them anyway",
              FIELD(terminal.env_passthrough)},
    ConfigKey{"terminal.timeout", KeyKind::number, "", 1, month_seconds,
              "seconds after which a command of terminal is ended", FIELD(terminal.timeout)},
    ConfigKey{"code_execution.timeout", KeyKind::number, "", 1, month_seconds,
              "seconds after which a program of execute_code is ended; a call may ask for less",
              FIELD(code_execution.timeout)},
    ConfigKey{"code_execution.max_tool_calls", KeyKind::integer, "", 0, 1'000'000,
              "tool calls one program may make; a call may ask for less", FIELD(code_execution.max_tool_calls)},
    ConfigKey{"code_execution.max_stdout_bytes", KeyKind::integer, "", 1000, 16 * mebibyte,
              "the most of what it prints that is returned; all of it is in a file",
              FIELD(code_execution.max_stdout_bytes)},
    ConfigKey{"code_execution.max_stderr_bytes", KeyKind::integer, "", 1000, 16 * mebibyte,
              "the most of its errors that is returned", FIELD(code_execution.max_stderr_bytes)},
    ConfigKey{"code_execution.mode", KeyKind::choice, "project|strict", 0, 0,
              "where programs run: in the project with its Python, or in a directory of their own with the system's, "
              "and the workspace read-only",
              FIELD(code_execution.mode)},
    ConfigKey{"code_execution.max_parallel_calls", KeyKind::integer, "", 1, 64,
              "tool calls of one program that run at once; others wait", FIELD(code_execution.max_parallel_calls)},
    ConfigKey{"code_execution.kernel_idle_timeout", KeyKind::number, "", 1, month_seconds,
              "seconds without a call after which an interpreter that was kept is ended",
              FIELD(code_execution.kernel_idle_timeout)},
    ConfigKey{"files.read.deny", KeyKind::text_list, "", 0, 0,
              "files that are refused: globs such as ~/private or *.pem", FIELD(files.read.deny)},
    ConfigKey{"files.read.allow", KeyKind::text_list, "", 0, 0,
              "files that are allowed, also where Talaria itself would refuse", FIELD(files.read.allow)},
    ConfigKey{"files.read.ask", KeyKind::text_list, "", 0, 0, "files that need a person's yes", FIELD(files.read.ask)},
    ConfigKey{"files.read.otherwise", KeyKind::choice, answers, 0, 0, "what holds for all others",
              FIELD(files.read.otherwise)},
    ConfigKey{"files.write.deny", KeyKind::text_list, "", 0, 0,
              "files that are refused: globs such as migrations/** or *.lock", FIELD(files.write.deny)},
    ConfigKey{"files.write.allow", KeyKind::text_list, "", 0, 0,
              "files that are allowed, also where Talaria itself would refuse", FIELD(files.write.allow)},
    ConfigKey{"files.write.ask", KeyKind::text_list, "", 0, 0, "files that need a person's yes",
              FIELD(files.write.ask)},
    ConfigKey{"files.write.otherwise", KeyKind::choice, answers, 0, 0, "what holds for all others",
              FIELD(files.write.otherwise)},
    ConfigKey{"web.hosts.deny", KeyKind::text_list, "", 0, 0,
              "hosts that are refused: names such as example.org or *.internal", FIELD(web.hosts.deny)},
    ConfigKey{"web.hosts.allow", KeyKind::text_list, "", 0, 0, "hosts that are allowed", FIELD(web.hosts.allow)},
    ConfigKey{"web.hosts.ask", KeyKind::text_list, "", 0, 0, "hosts that need a person's yes", FIELD(web.hosts.ask)},
    ConfigKey{"web.hosts.otherwise", KeyKind::choice, answers, 0, 0, "what holds for all others",
              FIELD(web.hosts.otherwise)},
    ConfigKey{"web.allow_private_hosts", KeyKind::text_list, "", 0, 0,
              "hosts that may have a private address: names, host:port, networks such as 10.0.0.0/8, or *",
              FIELD(web.allow_private_hosts)},
    ConfigKey{"web.search.provider", KeyKind::choice, "none|searxng|brave|tavily", 0, 0,
              "who answers web_search; brave and tavily take their key from .env", FIELD(web.search.provider)},
    ConfigKey{"web.search.url", KeyKind::text, "", 0, 0,
              "where it is, or none for its usual place; searxng has no usual one", FIELD(web.search.url)},
    ConfigKey{"web.proxy", KeyKind::text, "", 0, 0,
              "a proxy for the web tools, such as http://proxy.example.org:3128, or none", FIELD(web.proxy)},
    ConfigKey{"web.timeout", KeyKind::number, "", 1, 600, "seconds one page may take", FIELD(web.timeout)},
    ConfigKey{"web.max_bytes", KeyKind::integer, "", 1024, 256 * mebibyte, "the most that is read of a page",
              FIELD(web.max_bytes)},
    ConfigKey{"toolsets", KeyKind::text_list, "terminal|file|web|code|skills", 0, 0, "the tools that agents are given",
              FIELD(toolsets)},
};

#undef FIELD

}  // namespace

std::span<const ConfigKey> config_keys() { return table; }

}  // namespace talaria
