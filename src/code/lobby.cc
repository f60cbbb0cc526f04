#include "code/lobby.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <climits>

#include "base/text.h"
#include "code/script_message.h"
#include "json/fields.h"
#include "os/file.h"
#include "os/socket.h"

namespace talaria {
namespace {

constexpr std::array<std::string_view, 5> known_ends = {"ok", "exit", "error", "syntax", "interrupted"};

Result<LobbyMessage> read_packet(const JsonObject& object) {
  Fields fields(object, "field");
  if (TRY(fields.boolean("channel")).value_or(false)) return LobbyMessage(ChannelOffer{});
  if (const auto number = TRY(fields.integer("hello", INT64_MIN, INT64_MAX))) {
    return LobbyMessage(HelloAnswer{*number});
  }
  const auto run = TRY(fields.integer("ended", INT64_MIN, INT64_MAX));
  if (!run) return invalid("it is neither a channel nor the end of a run nor a hello");
  const auto how = TRY(fields.text("how"));
  const auto exit_code = TRY(fields.integer("exit_code", INT_MIN, INT_MAX));
  if (!how || std::ranges::find(known_ends, *how) == known_ends.end()) {
    return invalid("\"how\" must be one of ok, exit, error, syntax, interrupted");
  }
  if (!exit_code) return invalid("\"exit_code\" is missing");
  return LobbyMessage(ScriptRunEnd{*run, *how, static_cast<int>(*exit_code)});
}

Result<int> socket_option(int fd, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, option, &value, &length) != 0) return Error::from_errno("look at a channel");
  return value;
}

}  // namespace

Result<LobbyEnds> make_lobby() {
  auto [ours, theirs] = TRY(socket_pair(SOCK_SEQPACKET));
  TRY(set_nonblocking(ours.get()));
  struct stat status {};
  if (::fstat(theirs.get(), &status) != 0) return Error::from_errno("look at the script's socket");
  return LobbyEnds{std::move(ours), std::move(theirs), status.st_ino};
}

Result<std::string> run_packet(int64_t run, const RunOrder& order) {
  JsonObject object{{"run", run}, {"keep", order.keep}, {"staging", nullptr}};
  if (!order.staging.empty()) object["staging"] = order.staging;
  JsonArray argv;
  for (const std::string& word : order.argv) argv.emplace_back(word);
  object["argv"] = std::move(argv);
  std::string packet = write_json(object);
  if (packet.size() > longest_lobby_packet) {
    return invalid("the arguments of a program may take " + with_commas(longest_lobby_packet) +
                   " bytes, and these take " + with_commas(packet.size()));
  }
  return packet;
}

std::string hello_packet(int64_t number) { return R"({"hello":)" + std::to_string(number) + "}"; }

Result<UniqueFd> program_file(std::string_view source) {
  UniqueFd writable(::memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!writable) return Error::from_errno("make room for the program");
  Result<> written = write_all(writable.get(), source);
  if (!written) return std::move(written).error().within("hand over the program");
  if (::fcntl(writable.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    return Error::from_errno("seal the program");
  }
  if (::lseek(writable.get(), 0, SEEK_SET) != 0) return Error::from_errno("rewind the program");
  return writable;
}

Result<LobbyMessage> parse_lobby_packet(std::string_view packet) {
  const auto malformed = [packet](const Error& why) {
    return invalid("the script sent a malformed packet (" + why.message() + "): " + quoted_beginning(packet));
  };
  const Result<JsonObject> object = parse_json_object(packet);
  if (!object) return malformed(object.error());
  Result<LobbyMessage> message = read_packet(*object);
  if (!message) return malformed(message.error());
  return message;
}

Result<> check_channel(int fd) {
  const Error refused = invalid("the script offered a channel that is not one end of a socketpair");
  const Result<int> domain = socket_option(fd, SO_DOMAIN), type = socket_option(fd, SO_TYPE);
  if (!domain || *domain != AF_UNIX || !type || *type != SOCK_STREAM) return refused;
  sockaddr_un address{};
  socklen_t length = sizeof address;
  // What is connected to a listening socket has a name at the other end.
  const int connected = ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length);
  if (connected != 0 || length > sizeof address.sun_family) return refused;
  return ok;
}

}  // namespace talaria
