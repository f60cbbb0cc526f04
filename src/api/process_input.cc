// process write, send-keys, paste, submit: what a job reads.
#include "api/process_call.h"
#include "base/text.h"
#include "base/utf8.h"
#include "terminal/keys.h"
#include "terminal/modes.h"
#include "terminal/paste.h"

namespace talaria {
namespace {

constexpr size_t modes_head = 256 << 10;
constexpr size_t modes_tail = 1 << 20;
constexpr auto input_patience = 10s;
constexpr size_t most_named = 20;

// The modes a program has set by now. They are set at its start or lately: the middle of a long log is not read.
ModeTracker modes_in(const ByteSource& source) {
  ModeTracker modes;
  const auto feed = [&](uint64_t begin, uint64_t end) {
    while (begin < end) {
      Result<std::string> bytes = source.read(begin, static_cast<size_t>(end - begin));
      if (!bytes || bytes->empty()) return;
      modes.feed(*bytes);
      begin += bytes->size();
    }
  };
  const uint64_t head = std::min<uint64_t>(source.size, modes_head);
  const uint64_t tail = source.size > modes_head + modes_tail ? source.size - modes_tail : head;
  feed(0, head);
  feed(tail, source.size);
  return modes;
}

std::string bytes_text(size_t count) { return with_commas(count) + (count == 1 ? " byte" : " bytes"); }

class InputCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    if (finished(wish_.row.state)) {
      return fail_soon(
          Error(ErrorCode::conflict, "Job " + id() + " stdin is not writable: " + standing_sentence(wish_.row)));
    }
    const bool asks_modes = wish_.row.tty && (arguments().action == ProcessAction::paste || !arguments().keys.empty());
    if (!asks_modes) {
      prepare_ = Later(parts_.loop, [this] { send(ModeTracker()); });
      return;
    }
    reading_ = parts_.outputs.open(
        id(), [this](const Result<ByteSource>& source) { send(source ? modes_in(*source) : ModeTracker()); });
  }

 private:
  struct Input {
    std::string bytes;
    bool eof = false;
    std::string done_text;
  };

  void send(const ModeTracker& modes) {
    Result<Input> input = make_input(modes);
    if (!input) return fail(input.error());
    Result<KeeperClient*> keeper = parts_.jobs.keeper();
    if (!keeper) return fail(keeper.error());
    input_ = *std::move(input);
    writing_ = (*keeper)->write(id(), input_.bytes, input_.eof, {},
                                [this](Result<JobStatus> status) { sent(std::move(status)); });
    deadline_ = parts_.loop.after(input_patience, [this] { still_waiting(); });
  }

  Result<Input> make_input(const ModeTracker& modes) const {
    switch (arguments().action) {
      case ProcessAction::write: return write_input();
      case ProcessAction::send_keys: return keys_input(modes);
      case ProcessAction::paste: return paste_input(modes);
      default: return submit_input();
    }
  }

  Result<Input> write_input() const {
    if (!arguments().data && !arguments().eof) return invalid("process write needs \"data\", or \"eof\": true");
    Input input{arguments().data.value_or(""), arguments().eof, ""};
    input.done_text = "Wrote " + bytes_text(input.bytes.size()) + " to job " + id();
    // A terminal stays open: the end of file is a key, and the program may go on reading.
    if (input.eof) input.done_text += wish_.row.tty ? " (sent the end-of-file key)" : " (stdin closed)";
    input.done_text += ".";
    return input;
  }

  Result<Input> keys_input(const ModeTracker& modes) const {
    Input input;
    input.bytes = arguments().literal.value_or("");
    input.bytes += TRY(decode_hex(arguments().hex));
    input.bytes += TRY(encode_keys(arguments().keys, KeyMode{modes.application_cursor()}));
    if (input.bytes.empty()) return invalid("process send-keys needs \"keys\", \"literal\" or \"hex\"");
    input.done_text = "Sent " + what_keys() + " (" + bytes_text(input.bytes.size()) + ") to job " + id() + ".";
    return input;
  }

  // "5 characters of text, C-c, Enter": the names, not the text, which may be a password.
  std::string what_keys() const {
    std::vector<std::string> sent;
    const size_t characters = count_characters(arguments().literal.value_or(""));
    if (characters > 0) {
      sent.push_back(with_commas(characters) + (characters == 1 ? " character" : " characters") + " of text");
    }
    for (const std::string& byte : arguments().hex) sent.push_back(byte);
    sent.insert(sent.end(), arguments().keys.begin(), arguments().keys.end());
    if (sent.size() > most_named) {
      sent.resize(most_named);
      sent.emplace_back("…");
    }
    return join(sent, ", ");
  }

  Result<Input> paste_input(const ModeTracker& modes) const {
    if (!arguments().text || arguments().text->empty()) return invalid("process paste needs \"text\"");
    const bool bracketed = wish_.row.tty && arguments().bracketed.value_or(modes.bracketed_paste());
    Input input;
    // Only a terminal turns the Enter key's carriage return into a line end.
    const std::string body = wish_.row.tty ? paste_bytes(*arguments().text, Bracketed::no) : *arguments().text;
    input.bytes = bracketed ? paste_bytes(*arguments().text, Bracketed::yes) : body;
    input.done_text = "Pasted " + std::to_string(count_characters(body)) + " chars to job " + id() + ".";
    return input;
  }

  Result<Input> submit_input() const {
    Input input{wish_.row.tty ? "\r" : "\n", false, ""};
    input.done_text = "Submitted to job " + id() + (wish_.row.tty ? " (sent CR)." : " (sent a newline).");
    return input;
  }

  void sent(Result<JobStatus> status) {
    deadline_ = {};
    if (!status) {
      return fail(Error(status.error().code(), "Job " + id() + " stdin is not writable: " + status.error().message()));
    }
    if (LiveJob* job = parts_.jobs.live(id())) job->row.stdin_open = status->stdin_open;
    reply(status->stdin_open);
  }

  // The bytes wait at the keeper and go in as the command reads; the caller need not wait with them.
  void still_waiting() {
    writing_ = {};
    input_.done_text += " The command has not read all of it yet; the rest waits.";
    reply(true);
  }

  void reply(bool open) {
    ToolResult result;
    result.text = input_.done_text;
    result.details = {
        {"status", "running"}, {"sessionId", id()}, {"accepted", input_.bytes.size()}, {"stdinOpen", open}};
    answer(std::move(result));
  }

  Input input_;
  Later prepare_;
  Outputs::Pending reading_;
  KeeperClient::Call writing_;
  Loop::Timer deadline_;
};

}  // namespace

OperationPtr start_input(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  return begin_call<InputCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
