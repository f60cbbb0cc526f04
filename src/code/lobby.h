#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// The lobby is the one socket that a script process is born with: packets of one JSON object each, in both directions.
inline constexpr size_t longest_lobby_packet = 64 << 10;

struct LobbyEnds {
  UniqueFd ours;
  UniqueFd theirs;
  uint64_t inode = 0;  // of theirs: a process has the lobby only if its fd is a socket with this number
};
Result<LobbyEnds> make_lobby();

// How a program is to be run.
struct RunOrder {
  bool keep = false;                   // the interpreter stays for the next program
  std::string staging = {};            // a directory to be made, run in and removed; empty: none
  std::vector<std::string> argv = {};  // sys.argv
};
// What we say. The program itself goes along as a file, and after it one end of a channel.
Result<std::string> run_packet(int64_t run, const RunOrder& order);
std::string hello_packet(int64_t number);
// A sealed file in memory with the program, at its beginning.
Result<UniqueFd> program_file(std::string_view source);

// What a script process says.
struct ChannelOffer {
  bool operator==(const ChannelOffer&) const = default;
};
struct HelloAnswer {
  int64_t number = 0;
  bool operator==(const HelloAnswer&) const = default;
};
// A run is over, as the process says it.
struct ScriptRunEnd {
  int64_t run = 0;
  std::string how = {};  // "ok", "exit", "error", "syntax" or "interrupted"
  int exit_code = 0;
  bool operator==(const ScriptRunEnd&) const = default;
};
using LobbyMessage = std::variant<ChannelOffer, HelloAnswer, ScriptRunEnd>;
// The error quotes the beginning of the packet.
Result<LobbyMessage> parse_lobby_packet(std::string_view packet);

// A channel must be one end of a stream socketpair: anything else that a script hands us could be made to answer for
// us to somebody else, or never to end.
Result<> check_channel(int fd);

}  // namespace talaria
