#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/utf8.h"
#include "os/file.h"
#include "rpc/base64.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/signals.h"
#include "talaria/tool_call.h"

extern char** environ;

namespace talaria {
namespace {

constexpr int exit_timeout = 124, exit_interrupted = 130;
constexpr size_t most_source = 15 << 20;

struct CodeOptions {
  std::optional<std::string> file;
  std::optional<std::string> text;
  std::optional<std::string> session;
  std::optional<std::string> mode;
  std::optional<std::string> trace;
  std::optional<std::string> toolsets;
  std::optional<double> timeout;
  std::optional<int64_t> max_tool_calls;
  bool reset = false;
  bool json = false;
};

Result<std::string> read_source(const CodeOptions& options) {
  if (options.text) return *options.text;
  if (*options.file == "-") return read_stdin();
  return read_file(*options.file, most_source);
}

Result<std::string> valid_source(const CodeOptions& options) {
  std::string source = TRY(read_source(options));
  if (is_utf8(source)) return source;
  const std::string name = options.text ? "the program" : *options.file == "-" ? "stdin" : *options.file;
  return invalid(name + " is not UTF-8, which a program must be; convert it, for example with iconv -t utf-8");
}

// The gateway takes of it what the rules let through.
JsonObject own_variables() {
  JsonObject variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !is_utf8(text)) continue;
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

Result<JsonObject> request(const CodeOptions& options) {
  JsonObject arguments{{"code", TRY(valid_source(options))}, {"yieldMs", 0}};
  set_if(arguments, "session", options.session);
  set_if(arguments, "mode", options.mode);
  set_if(arguments, "timeout", options.timeout);
  set_if(arguments, "max_tool_calls", options.max_tool_calls);
  if (options.reset) arguments["reset"] = true;
  if (options.trace) arguments["trace"] = true;
  JsonObject here = TRY(session_here(std::nullopt, options.toolsets));
  const std::string cwd = text_or(here, "cwd");
  return params_of({{"name", "execute_code"},
                    {"arguments", std::move(arguments)},
                    {"session", std::move(here)},
                    {"cwd", cwd},
                    {"environment", own_variables()},
                    {"progress", !options.json},
                    {"output", !options.json}});
}

// One line that is overwritten by the next on a terminal; lines of their own elsewhere.
class ProgressLine {
 public:
  void show(const JsonObject& news) {
    std::string text = text_or(news, "message");
    if (const Json* fraction = news.if_contains("fraction"); fraction && fraction->is_number()) {
      text = std::to_string(static_cast<int>(fraction->to_number<double>() * 100)) + " %  " + text;
    }
    if (!terminal_) return remark(text);
    const std::string line = "\r\033[K" + for_terminal(text).substr(0, 200);
    (void)write_all(STDERR_FILENO, line);
    shown_ = true;
  }
  void clear() {
    if (std::exchange(shown_, false)) (void)write_all(STDERR_FILENO, "\r\033[K");
  }

 private:
  bool terminal_ = is_terminal(STDERR_FILENO);
  bool shown_ = false;
};

// Waits for the answer and passes on what comes before it; absent when it was interrupted.
Result<std::optional<JsonObject>> await_result(RpcClient& client, int64_t id) {
  const UniqueFd signals = catch_signals(WindowChanges::ignore);
  ProgressLine progress;
  while (true) {
    while (std::optional<RpcMessage> message = client.next()) {
      if (const auto* news = std::get_if<RpcNotification>(&*message)) {
        if (news->method == "tools/progress") progress.show(news->params);
        if (news->method != "tools/output") continue;
        progress.clear();
        print(TRY(base64_decode(text_or(news->params, "data"))));
      }
      const auto* response = std::get_if<RpcResponse>(&*message);
      if (!response || response->id != Json(id)) continue;
      progress.clear();
      if (const auto* error = std::get_if<RpcError>(&response->outcome)) return to_error(*error);
      const Json& answer = std::get<Json>(response->outcome);
      return std::optional(answer.is_object() ? answer.get_object() : JsonObject());
    }
    pollfd watched[] = {{client.fd(), POLLIN, 0}, {signals.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR) return Error::from_errno("wait for the gateway");
    if (watched[1].revents && next_signal(signals) != 0) {
      progress.clear();
      return std::optional<JsonObject>();
    }
    if (watched[0].revents) TRY(client.receive());
  }
}

int exit_code_of_run(const JsonObject& details) {
  const std::string status = text_or(details, "status");
  if (status == "success") return 0;
  if (status == "timeout") return exit_timeout;
  if (status == "interrupted") return exit_interrupted;
  const int64_t code = integer_or(details, "exit_code", 1);
  if (code < 0) return static_cast<int>(128 - code);
  return code == 0 ? 1 : static_cast<int>(code & 0xff);
}

// Its output was shown as it came.
void show_ending(const JsonObject& details) {
  const std::string errors = text_or(details, "stderr");
  if (!errors.empty()) remark(for_terminal(errors));
  const std::string status = text_or(details, "status"), error = text_or(details, "error");
  const bool told = !error.empty() && errors.find(error) != std::string::npos;  // the traceback says it
  if (status != "success" && !told) complain(error);
  if (const std::string hint = text_or(details, "hint"); !hint.empty()) remark(hint);
  if (const Json* notes = details.if_contains("notes"); notes && notes->is_array()) {
    for (const Json& note : notes->get_array()) remark("(" + std::string(note.as_string()) + ")");
  }
}

int finish(const CodeOptions& options, const JsonObject& result) {
  JsonObject details = details_of(result);
  if (options.trace) {
    const std::string trace = text_or(details, "trace");
    details.erase("trace");
    if (*options.trace == "-") remark(trace);
    else if (Result<> written = write_file_atomically(*options.trace, trace, 0644, Durable::no); !written) {
      complain("the trace: " + written.error().message());
    }
  }
  if (options.json) print_json(details);
  else show_ending(details);
  return exit_code_of_run(details);
}

int run(const CodeOptions& options) {
  if (options.file.has_value() == options.text.has_value()) {
    return usage_error("code", "give a FILE, - for stdin, or -c TEXT");
  }
  if (options.reset && !options.session) return usage_error("code", "--reset needs --session");
  Result<JsonObject> params = request(options);
  if (!params) return fail(params.error());
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  Result<int64_t> id = gateway->client.send("tools/call", *std::move(params));
  if (!id) return fail(id.error());
  Result<std::optional<JsonObject>> result = await_result(gateway->client, *id);
  if (!result) return fail(after_lost_call(result.error()));
  if (*result) return finish(options, **result);
  complain("interrupted: the program and what it called are being stopped");  // by the end of our connection
  return exit_interrupted;
}

Run declare(CommandLine& line) {
  auto options = std::make_shared<CodeOptions>();
  line.optional("FILE", options->file, "The program; - takes stdin");
  line.option("-c", options->text, "TEXT", "The program itself");
  line.option("--session", options->session, "NAME", "Keep the interpreter under this name, or use the one kept");
  line.flag("--reset", options->reset, "With --session: start it anew");
  line.option("--timeout", options->timeout, "SECONDS", "End it after this time (most: code_execution.timeout)");
  line.option("--max-tool-calls", options->max_tool_calls, "N",
              "Tool calls it may make (most: code_execution.max_tool_calls)");
  line.option("--mode", options->mode, "MODE", "project or strict (default: code_execution.mode)");
  line.option("--toolsets", options->toolsets, "A,B", "Give the session these toolsets only, from now on");
  line.option("--trace", options->trace, "FILE", "Write a timeline of its tool calls; - to stderr");
  line.flag("--json", options->json, "Print the whole result as JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand code_command = {"code", "Run a Python program that calls tools (execute_code)",
                                 R"(  talaria code -c 'print(6 * 7)'
  talaria code report.py --trace calls.txt
  echo 'from hermes_tools import terminal; print(terminal("date")["output"])' | talaria code -
  talaria code --session data -c 'import csv; rows = list(csv.reader(open("a.csv")))'
  talaria code --session data -c 'print(len(rows))')",
                                 declare};

}  // namespace talaria
