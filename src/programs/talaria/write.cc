#include <unistd.h>

#include "rpc/base64.h"
#include "talaria/commands.h"
#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct WriteOptions {
  std::string id;
  std::optional<std::string> data;
  bool eof = false;
  bool no_newline = false;
  bool json = false;
};

Result<JsonObject> send(Gateway& gateway, const std::string& id, std::string_view data, bool eof) {
  return gateway.call("jobs/write", params_of({{"id", id}, {"data", base64_encode(data)}, {"eof", eof}}),
                      Repeat::may_run_twice);
}

// Piece by piece: each is answered when the job has room for it, so any amount passes through.
Result<JsonObject> send_stdin(Gateway& gateway, const WriteOptions& options) {
  int64_t accepted = 0;
  char buffer[64 << 10];
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno("read stdin");
    const bool last = count == 0;
    if (last && !options.eof) return JsonObject{{"accepted", accepted}, {"stdinOpen", true}};
    JsonObject result = TRY(send(gateway, options.id, {buffer, static_cast<size_t>(count)}, last));
    accepted += integer_or(result, "accepted");
    result["accepted"] = accepted;
    if (last) return result;
  }
}

int run(const WriteOptions& options) {
  if (!options.data && !options.eof) return usage_error("write", "give the text to write, - for stdin, or --eof");
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  std::string data = options.data.value_or("");
  if (options.data && !options.no_newline) data += '\n';
  Result<JsonObject> result =
      options.data == "-" ? send_stdin(*gateway, options) : send(*gateway, options.id, data, options.eof);
  if (!result) return fail(result.error());
  if (options.json) print_json(*result);
  return 0;
}

Run declare_write(CommandLine& line) {
  auto options = std::make_shared<WriteOptions>();
  line.required("ID", options->id, "The job, or the beginning of its id");
  line.optional("DATA", options->data, "A line of text; - takes stdin, byte for byte");
  line.flag("--eof", options->eof, "Close its stdin afterwards");
  line.flag("--no-newline", options->no_newline, "Do not end the text with a newline");
  line.flag("--json", options->json, "Print how many bytes were accepted");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand write_command = {"write", "Write to a job's stdin",
                                  R"(  talaria write k3f9 yes                    one line
  talaria write k3f9 - --eof < data.bin     a file, then the end
  talaria write k3f9 --eof                  only the end)",
                                  declare_write};

}  // namespace talaria
