#include "talaria/job_stream.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "base/unseen.h"
#include "process/lost_range.h"
#include "rpc/base64.h"
#include "rpc/gateway_start.h"
#include "talaria/ending.h"
#include "talaria/gateway.h"
#include "talaria/print.h"
#include "talaria/signals.h"
#include "talaria/terminal_mode.h"

namespace talaria {
namespace {

constexpr size_t most_output = 1 << 20;  // beyond it we stop reading, and the gateway stops sending
constexpr size_t input_size = 64 << 10;
constexpr auto write_pause = 100ms;
constexpr auto write_patience = 30s;  // in which a keeper that was lost is found again, or its jobs are lost

// How much one write(2) may take without blocking once poll says there is room.
size_t safe_write_size(int fd) {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) ? most_output : 4096;
}

}  // namespace

JobStream::JobStream(Home home, RpcClient client, StreamOptions options)
    : home_(std::move(home)), client_(std::move(client)), options_(std::move(options)) {
  if (options_.yield) yield_at_ = Clock::now() + *options_.yield;
  if (options_.input == Input::none) input_closed_ = true;
  output_limit_ = safe_write_size(STDOUT_FILENO);
}

int JobStream::run() {
  // From here on Ctrl-C is the job's, also while it is being started.
  const bool window = options_.input == Input::terminal;
  if (options_.owns_job) signals_ = catch_signals(window ? WindowChanges::tell : WindowChanges::ignore);
  else std::signal(SIGPIPE, SIG_IGN);
  Result<> result = open();
  std::optional<RawMode> raw;
  if (options_.input == Input::terminal && !exit_code_) raw.emplace(STDIN_FILENO);
  while (true) {
    // What was under way when it ended no longer matters.
    if (!result) result = exit_code_ ? Result<>(ok) : recover(result.error());
    if (!result || over()) break;  // the end may come with the answer to a new subscription
    result = step();
  }
  raw.reset();
  // What we say starts on a line of its own where a person sees both.
  const bool silent = last_words_.empty() && about_sandbox_.empty() && afterword_.empty();
  if (!silent && last_byte_ != '\n' && is_terminal(STDOUT_FILENO)) print("\n");
  if (!last_words_.empty()) complain(last_words_);
  for (const std::string& sentence : about_sandbox_) complain(sentence);
  if (!afterword_.empty()) remark(afterword_);
  if (result) return *exit_code_;
  const bool left = leave_at_ && Clock::now() >= *leave_at_;
  return fail(result.error(), left ? 128 + heard_ : options_.owns_job ? exit_own_failure : 1);
}

Result<> JobStream::open() {
  if (options_.start) TRY(start_job());
  if (exit_code_) return ok;
  JsonObject params{{"id", options_.job}, {"offset", offset_}};
  if (options_.until_gone) params["follow"] = "gone";
  if (options_.owns_job) params["everyByte"] = true;
  TRY(ask("jobs/subscribe", params_of(std::move(params))));
  if (ending_) TRY(end_job());
  TRY(pass_on_heard());
  return take_messages();  // the first output may have come together with the answer
}

// A repeated start of the same id is the same job, so this is also how we find it again.
Result<> JobStream::start_job() {
  const JsonObject result = TRY(ask("jobs/start", params_of(*options_.start)));
  const JsonObject& details = details_of(result);
  const std::string job = text_or(details, "sessionId");
  if (boolean_or(result, "isError") || job.empty()) {
    if (options_.collect) ending_result_ = {{"text", text_of(result)}, {"details", details}, {"isError", true}};
    else complain(for_people(text_of(result)));
    finish(exit_code_of(details));
    return ok;
  }
  if (const std::string warning = text_or(details, "warning"); !warning.empty() && offset_ == 0) complain(warning);
  // What a person should know of where it runs; programs read it from the result.
  else if (const std::string note = text_or(details, "note");
           offset_ == 0 && (is_terminal(STDERR_FILENO) || workspace_is_hidden(details)) && !note.empty())
    remark(note);
  return settle_input(details);
}

// After a lost connection: says again what was under way. It carries its offset, so nothing arrives twice.
Result<> JobStream::settle_input(const JsonObject& details) {
  if (!writing_ && !write_again_at_) return ok;
  writing_.reset();
  write_again_at_.reset();
  if (text_or(details, "status") != "running") {
    input_closed_ = true;
    return ok;
  }
  return send_input();
}

// The gateway may be restarted at any time; only a failure that a new one would repeat is final.
Result<> JobStream::recover(Error why) {
  while ((why.code() == ErrorCode::unavailable || nobody_listens(why)) && reconnects_.again()) {
    Result<RpcClient> found = connect_or_start_gateway(home_);
    const bool connected = static_cast<bool>(found);
    Result<> reopened = connected ? Result<>(ok) : Result<>(found.error());
    if (connected) {
      client_.emplace(*std::move(found));
      reopened = open();
    }
    if (reopened) {
      reconnects_.progress();
      return ok;
    }
    if (exit_code_) return ok;
    why = reopened.error();
  }
  return why;
}

Result<> JobStream::step() {
  enum { socket, input, signals, output, count };
  const bool want_socket = !exit_code_ && output_.size() - written_ < most_output;
  const bool want_input = !exit_code_ && !input_closed_ && !input_ended_ && input_.empty();
  pollfd entries[count] = {{want_socket ? client_->fd() : -1, POLLIN, 0},
                           {want_input ? STDIN_FILENO : -1, POLLIN, 0},
                           {signals_.get(), POLLIN, 0},
                           {written_ < output_.size() ? STDOUT_FILENO : -1, POLLOUT, 0}};
  if (::poll(entries, count, wait_milliseconds()) < 0 && errno != EINTR) return Error::from_errno("poll");
  if (entries[output].revents) TRY(write_output());
  if (entries[signals].revents) TRY(take_signal());
  if (entries[socket].revents) {
    TRY(client_->receive());
    reconnects_.progress();
    TRY(take_messages());
  }
  if (entries[input].revents) TRY(read_input());
  if (write_again_at_ && !exit_code_ && Clock::now() >= *write_again_at_) {
    write_again_at_.reset();
    TRY(send_input());
  }
  if (kill_at_ && !exit_code_ && Clock::now() >= *kill_at_) TRY(end_job());
  if (give_up_at_ && !exit_code_ && Clock::now() >= *give_up_at_) {
    last_words_ = "the command was told to end, and nothing is heard of it: talaria ps shows whether it runs";
    finish(128 + SIGTERM);
  }
  if (yield_at_ && Clock::now() >= *yield_at_ && !exit_code_) {
    complain("still running as " + options_.job + " (talaria log -f " + options_.job + ", talaria kill " +
             options_.job + ")");
    finish(0);
  }
  return ok;
}

int JobStream::wait_milliseconds() const {
  std::optional<Clock::time_point> next;
  for (const auto& time : {kill_at_, give_up_at_, yield_at_, write_again_at_}) {
    if (time && !exit_code_ && (!next || *time < *next)) next = time;
  }
  if (!next) return -1;  // the job's output and end, the gateway's death, our reader or a signal wakes us
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

// --- what the gateway says ---

Result<> JobStream::take_messages() {
  while (std::optional<RpcMessage> message = client_->next()) {
    if (const auto* response = std::get_if<RpcResponse>(&*message)) TRY(take(*response));
    if (const auto* notice = std::get_if<RpcNotification>(&*message)) {
      if (notice->method == "jobs/output") take_output(notice->params);
      if (notice->method == "jobs/ended") take_ended(notice->params);
    }
  }
  return ok;
}

Result<> JobStream::take(const RpcResponse& response) {
  if (!writing_ || response.id != Json(*writing_)) return ok;
  writing_.reset();
  if (const auto* error = std::get_if<RpcError>(&response.outcome)) {
    const Error why = to_error(*error);
    if (why.code() == ErrorCode::unavailable || why.code() == ErrorCode::timed_out) {
      write_again(why);
      return ok;
    }
    // A job that closed its stdin, or ended, wants no more: what any writer into a pipe would find out, too.
    input_.clear();
    input_closed_ = true;
    return ok;
  }
  write_until_.reset();
  input_taken_ += input_.size();
  input_.clear();
  if (input_ended_) input_closed_ = true;
  return ok;
}

// The gateway has lost the keeper, and finds it again. Were it never to, the command would wait for the rest of its
// input for ever, and to end that input here would make it take a part for the whole.
void JobStream::write_again(const Error& why) {
  const Clock::time_point now = Clock::now();
  if (!write_until_) write_until_ = now + write_patience;
  write_again_at_ = now + write_pause;
  if (now < *write_until_ || exit_code_) return;
  write_again_at_.reset();
  input_closed_ = true;
  last_words_ = "the rest of the input cannot be passed on: " + why.message() +
                ". The command may be running without it. Check with: talaria ps";
  finish(options_.owns_job ? exit_own_failure : 1);
}

void JobStream::take_output(const JsonObject& params) {
  const auto offset = static_cast<uint64_t>(integer_or(params, "offset"));
  Result<std::string> data = base64_decode(text_or(params, "data"));
  if (!data || offset + data->size() <= offset_) return;
  if (offset < offset_) data->erase(0, offset_ - offset);
  if (offset > offset_) {
    lost_ += offset - offset_;
    gap_ += offset - offset_;
    gap_because_ = text_or(params, "lostBecause");
  }
  if (!data->empty()) note_gap();
  offset_ = static_cast<uint64_t>(integer_or(params, "next"));
  while (options_.skip_lines > 0) {
    const size_t end = data->find('\n');
    data->erase(0, end == std::string::npos ? end : end + 1);
    if (end == std::string::npos) break;
    --options_.skip_lines;
  }
  if (options_.collect) options_.collect->add(*data);
  else if (!deaf_) output_ += *data;
  if (options_.stop_at && offset_ >= *options_.stop_at) {
    note_gap();
    finish(0);
  }
}

// Says in its place that bytes are missing, however many pieces we heard of it in.
void JobStream::note_gap() {
  if (gap_ == 0) return;
  const std::string text = loss_sentence(gap_, gap_because_);
  gap_ = 0;
  if (options_.collect) return options_.collect->add("\n[" + text + "]\n");
  notices_.push_back({output_.size(), "[" + text + "]"});
  say_notices();
}

void JobStream::say_notices() {
  for (; !notices_.empty() && notices_.front().at <= written_; notices_.pop_front()) {
    if (last_byte_ != '\n' && is_terminal(STDOUT_FILENO)) print("\n");
    last_byte_ = '\n';
    remark(notices_.front().text);
  }
}

void JobStream::take_ended(const JsonObject& params) {
  note_gap();
  const JsonObject* details = object_or_null(params, "details");
  if (!options_.owns_job) return take_watched_end(details ? *details : JsonObject(), text_or(params, "text"));
  finish(details ? exit_code_of(*details) : exit_own_failure);
  ending_result_ = {{"text", text_or(params, "text")}, {"details", details ? *details : JsonObject()}};
  if (options_.collect) return;
  if (details && options_.afterword) afterword_ = options_.afterword(*details);
  // What a command left is not where it was left: whoever looks for it should know.
  if (details) {
    about_sandbox_ = {violations_sentence(*details), private_files_sentence(*details), network_sentence(*details)};
  }
  std::erase(about_sandbox_, "");
  if (deaf_) {
    finish(128 + SIGPIPE);
    return tell_write_error();
  }
  if (lost_ > 0 && !(details && details->contains("error"))) return tell_loss();
  if (*exit_code_ == 127 || *exit_code_ == 126) return;  // bash said it itself
  last_words_ = for_people(text_or(params, "text"));
  if (details && last_words_.empty() && is_terminal(STDERR_FILENO)) last_words_ = leftovers_text(*details);
}

// Whoever only watches was shown all there is, however the command ended; unless nobody could show it, or it ended with
// its keeper.
void JobStream::take_watched_end(const JsonObject& details, const std::string& text) {
  if (exit_code_) return;  // all that was wanted came before it
  const bool lost = text_or(details, "status") == "lost" && !options_.stop_at;
  const bool cut_off = lost || details.contains("error");
  finish(cut_off ? 1 : 0);
  if (cut_off) last_words_ = for_people(text);
}

// A person who sees the prompt again takes it all for over.
std::string JobStream::leftovers_text(const JsonObject& details) const {
  const int64_t count = integer_or(details, "childrenStillRunning");
  if (count == 0) return "";
  return std::to_string(count) + (count == 1 ? " process it started still runs" : " processes it started still run") +
         " (talaria log -f " + options_.job + ", talaria kill " + options_.job + ")";
}

// Whoever reads our stdout takes it for all there was, so this is no success.
void JobStream::tell_loss() {
  last_words_ = "the output is not whole; the command's own exit code was " + std::to_string(*exit_code_);
  if (options_.owns_job && *exit_code_ == 0) finish(exit_own_failure);
}

// --- stdin and stdout ---

Result<> JobStream::read_input() {
  char buffer[input_size];
  const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return ok;
  if (count <= 0) input_ended_ = true;
  else input_.assign(buffer, static_cast<size_t>(count));
  return send_input();
}

Result<> JobStream::send_input() {
  if (input_.empty() && !input_ended_) return ok;
  JsonObject params{{"id", options_.job}, {"data", base64_encode(input_)}};
  params["at"] = input_taken_;
  if (input_ended_) params["eof"] = true;
  writing_ = 0;  // from here on it may have arrived, whatever happens
  writing_ = TRY(client_->send("jobs/write", params_of(std::move(params))));
  return ok;
}

Result<> JobStream::write_output() {
  const size_t end = notices_.empty() ? output_.size() : notices_.front().at;
  const ssize_t count = ::write(STDOUT_FILENO, output_.data() + written_, std::min(end - written_, output_limit_));
  if (count > 0) last_byte_ = output_[written_ + static_cast<size_t>(count) - 1];
  if (count >= 0) written_ += static_cast<size_t>(count);
  else if (errno != EINTR && errno != EAGAIN) TRY(stop_writing(errno));
  say_notices();
  if (written_ < output_.size()) return ok;
  output_.clear();
  written_ = 0;
  return ok;
}

// Nobody reads any more: a program in a pipeline would get SIGPIPE now, and the job stands for that program. Or there
// is no room: then somebody wants to know.
Result<> JobStream::stop_writing(int number) {
  written_ = output_.size();
  deaf_ = true;
  if (number != EPIPE) write_error_ = number;
  if (options_.owns_job && !exit_code_) return ending_ ? Result<>(ok) : end_job();
  if (!exit_code_) finish(0);
  tell_write_error();
  return ok;
}

void JobStream::tell_write_error() {
  if (write_error_ == 0) return;
  last_words_ = Error::from_number(write_error_, "cannot write").message();
  finish(options_.owns_job ? exit_own_failure : 1);
}

}  // namespace talaria
