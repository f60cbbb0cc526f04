#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/identity.h"
#include "sandbox/view.h"

namespace talaria {

// What is opened on the host for a sandbox to show.
struct SourcesOrder {
  struct Source {
    std::string path;
    std::string owner;  // whose owner the sandbox's user stands for, where owners are mapped: see owner_of_source
  };
  Identity identity{};  // of the sandbox
  std::vector<Source> sources{};
};
// Itself. But what commands may write they may exchange for something of others that happens to lie there: in that the
// sandbox's user is whose it is in the rest of it, and nobody else's.
std::string owner_of_source(const MountPlan& view, const std::string& source);
std::string encode(const SourcesOrder& order);
Result<SourcesOrder> decode_sources_order(std::string_view bytes);

// Opens each as a mount that is attached nowhere: read-only, without devices and set-user-id, owned by the sandbox's
// user where owners are mapped. Says of each what came of it, in a packet of its own on `socket` (SOCK_SEQPACKET). It
// may hang in a file system that does, and takes the calling process out of the host's namespaces if that is an
// ordinary user's: for a process of its own.
void open_shown_sources(const SourcesOrder& order, int socket);

struct OpenedSource {
  uint32_t index = 0;     // among the sources of the order
  std::string trouble{};  // why it was not opened
  UniqueFd mount{};
};
// The next packet; nothing when there is none now or none will come.
struct ReceivedSource {
  std::optional<OpenedSource> source{};
  bool over = false;
};
Result<ReceivedSource> receive_source(int socket);

}  // namespace talaria
