#include "code/script_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "base/text.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr size_t most_channels = 256;
constexpr size_t most_outstanding = 16;       // requests of one channel
constexpr size_t most_unsent_one = 32 << 20;  // bytes of one channel
constexpr size_t most_unsent_all = 64 << 20;  // bytes of all channels
// In one run: a program that goes on asking in spite of its answers does not look at them.
constexpr int64_t most_refused = 10'000;

// A packet without bytes reads like the end of the connection.
bool hung_up(int fd) {
  pollfd look{fd, POLLRDHUP, 0};
  return ::poll(&look, 1, 0) < 0 || (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

std::string passed_over(const ScriptFrame& frame) {
  if (frame.kind == ScriptFrame::Kind::oversize) {
    return "This call takes " + with_commas(frame.bytes) + " bytes, and " + human_bytes(longest_script_frame) + " (" +
           with_commas(longest_script_frame) + " bytes) is the most.";
  }
  return "Too many large calls came at once, so this one of " + with_commas(frame.bytes) +
         " bytes was not taken. Make fewer in parallel.";
}

}  // namespace

ScriptServer::ScriptServer(Loop& loop, UniqueFd lobby, Events events)
    : loop_(loop),
      lobby_(std::move(lobby)),
      events_(std::make_shared<const Events>(std::move(events))),
      calls_(loop, load_, events_->call,
             [this](uint64_t channel, std::string frame) { answer(channel, std::move(frame)); }),
      progress_(loop, events_->progress) {
  (void)set_nonblocking(lobby_.get());
  listen();
}

void ScriptServer::listen() {
  Result<Loop::Watch> watch = loop_.on_readable(lobby_.get(), [this] { receive(); });
  if (watch) readable_ = *std::move(watch);
  else retry_ = loop_.after(100ms, [this] { listen(); });
}

Result<> ScriptServer::send_run(int64_t run, const RunOrder& order, std::string_view source) {
  const std::string packet = TRY(run_packet(run, order));
  const UniqueFd program = TRY(program_file(source));
  auto [ours, theirs] = TRY(socket_pair(SOCK_STREAM));
  TRY(send(packet, {program.get(), theirs.get()}));
  open_channel(std::move(ours));
  run_ = run;
  return ok;
}

Result<> ScriptServer::send_hello(int64_t number) {
  TRY(send(hello_packet(number), {}));
  hello_ = number;
  return ok;
}

Result<> ScriptServer::send(std::string_view packet, const std::vector<int>& fds) {
  if (broken_) return Error(ErrorCode::unavailable, "the script process is not served any more");
  Result<size_t> sent = send_some(lobby_.get(), packet, fds);
  if (!sent) return std::move(sent).error().within("speak to the script process");
  if (*sent == 0) return Error(ErrorCode::conflict, "the script process does not read what it is told");
  return ok;
}

void ScriptServer::begin(RunLimits limits) {
  progress_.clear();
  if (!broken_ && !cut_) calls_.begin(std::move(limits));
}

RunTally ScriptServer::end() {
  progress_.clear();
  return calls_.end();
}

RunTally ScriptServer::cut() {
  cut_ = true;
  progress_.clear();
  for (auto& [number, client] : clients_) client.channel->fall_silent();
  calls_.drop_all();
  return calls_.end();
}

void ScriptServer::receive() {
  static thread_local char buffer[longest_lobby_packet + 1];  // one more than allowed, so that more is noticed
  Result<Received> received = receive_some(lobby_.get(), buffer, sizeof buffer);
  if (!received) return close();
  if (received->closed && hung_up(lobby_.get())) return close();
  if (received->count == 0 && !received->closed) return;
  if (received->count > longest_lobby_packet) {
    return break_off(invalid("the script sent a packet of more than " + with_commas(longest_lobby_packet) + " bytes"));
  }
  take({buffer, received->count}, std::move(received->fds));
}

void ScriptServer::take(std::string_view packet, std::vector<UniqueFd> fds) {
  Result<LobbyMessage> message = parse_lobby_packet(packet);
  if (!message) return break_off(message.error());
  if (std::holds_alternative<ChannelOffer>(*message)) return admit(std::move(fds));
  const std::shared_ptr<const Events> events = events_;
  // What nobody asked for was made up by the program.
  if (const auto* hello = std::get_if<HelloAnswer>(&*message)) {
    if (hello_ != hello->number) return;
    hello_.reset();
    if (events->hello) events->hello(hello->number);
  } else if (const auto& end = std::get<ScriptRunEnd>(*message); run_ == end.run) {
    run_.reset();
    if (events->ended) events->ended(end);
  }
}

void ScriptServer::admit(std::vector<UniqueFd> fds) {
  if (fds.size() != 1) {
    return break_off(invalid("the script offered a channel with " + std::to_string(fds.size()) +
                             " file descriptors instead of one"));
  }
  if (const Result<> checked = check_channel(fds[0].get()); !checked) {
    // Its other end may be gone already: a thread that ended as soon as it began.
    if (hung_up(fds[0].get())) return;
    return break_off(checked.error());
  }
  open_channel(std::move(fds[0]));
}

void ScriptServer::open_channel(UniqueFd fd) {
  if (clients_.size() >= most_channels) return;
  const uint64_t number = ++last_channel_;
  ScriptChannel::Events events{
      .frame = [this, number](const ScriptFrame& frame) { take_frame(number, frame); },
      .drained = [this, number] { drained(number); },
      .closed = [this, number] { drop_channel(number); },
  };
  Client& client = clients_[number];
  client.channel = std::make_unique<ScriptChannel>(loop_, load_, std::move(fd), std::move(events));
  if (cut_) return client.channel->fall_silent();
  regulate(client);
}

void ScriptServer::take_frame(uint64_t channel, const ScriptFrame& frame) {
  if (frame.kind != ScriptFrame::Kind::message) {
    return take_message(channel, ScriptRefusal{std::nullopt, passed_over(frame)}, frame.bytes);
  }
  Result<ScriptMessage> message = parse_script_message(frame.text);
  if (!message) return break_off(message.error());
  take_message(channel, std::move(*message), frame.text.size());
}

void ScriptServer::take_message(uint64_t channel, ScriptMessage message, size_t bytes) {
  if (auto* progress = std::get_if<ScriptProgress>(&message)) {
    if (calls_.active()) progress_.offer(std::move(*progress));
    return;
  }
  ++clients_.at(channel).outstanding;
  const std::shared_ptr<bool> alive = alive_;
  if (const auto* refusal = std::get_if<ScriptRefusal>(&message)) calls_.refuse(channel, refusal->id, refusal->why);
  else calls_.arrive(channel, std::move(std::get<ScriptRequest>(message)), bytes);
  if (!*alive) return;
  if (calls_.tally().refused > most_refused) {
    return break_off(invalid("it made more than " + with_commas(most_refused) + " calls that were refused"));
  }
  if (const auto at = clients_.find(channel); at != clients_.end()) regulate(at->second);
}

void ScriptServer::answer(uint64_t channel, std::string frame) {
  const auto at = clients_.find(channel);
  if (at == clients_.end()) return;
  --at->second.outstanding;
  at->second.channel->send(std::move(frame));
  regulate(at->second);
}

// Who does not read answers, or asks faster than they can be given, is not listened to for a while.
void ScriptServer::regulate(Client& client) {
  const bool crowded = load_.unsent > most_unsent_all;
  if (crowded != crowded_) {
    crowded_ = crowded;
    for (auto& [number, other] : clients_) regulate(other);
    return;
  }
  const bool listen = !crowded && client.outstanding < most_outstanding && client.channel->unsent() <= most_unsent_one;
  client.channel->set_reading(listen ? ScriptChannel::Reading::on : ScriptChannel::Reading::off);
}

void ScriptServer::drained(uint64_t channel) {
  regulate(clients_.at(channel));
  calls_.pump();
}

void ScriptServer::drop_channel(uint64_t channel) {
  clients_.erase(channel);
  calls_.drop_channel(channel);
  if (!clients_.empty()) regulate(clients_.begin()->second);
}

void ScriptServer::close() {
  readable_ = {};
  retry_ = {};
  const std::shared_ptr<const Events> events = events_;
  if (events->closed) events->closed();
}

void ScriptServer::break_off(const Error& why) {
  broken_ = true;
  readable_ = {};
  retry_ = {};
  progress_.clear();
  calls_.drop_all();
  clients_.clear();
  const std::shared_ptr<const Events> events = events_;
  if (events->broken) events->broken(why);
}

}  // namespace talaria
