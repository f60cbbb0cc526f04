#include "sandbox/shown_sources.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/unseen.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/mounts.h"
#include "sandbox/order_bytes.h"
#include "sandbox/owner_mappings.h"

namespace talaria {
namespace {

constexpr size_t longest_trouble = 1000;

// Mounts may be copied by the owner of a mount namespace: root is that of the host's, anybody else makes one.
Result<> enter_own_namespaces() {
  if (::geteuid() == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) return ok;
  return Error::from_errno("make namespaces to copy mounts in");
}

// What only the owner may look at is no use to a user that is nobody.
Result<> show_to_user(int mount, int place, int owner, OwnerMappings& mappings) {
  const Result<> mapped = mappings.apply(mount, owner, Owners::mapped);
  struct stat status {};
  if (mapped || ::fstat(place, &status) != 0) return mapped;
  const mode_t needed = S_ISDIR(status.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  if ((status.st_mode & needed) == needed) return ok;
  return Error(ErrorCode::denied,
               "only its owner may read it, and its file system cannot show another: " + mapped.error().message());
}

Result<UniqueFd> open_shown(const SourcesOrder::Source& source, int root, OwnerMappings& mappings) {
  const UniqueFd place = TRY(open_inside(root, source.path)), owner = TRY(open_inside(root, source.owner));
  struct stat status {};
  if (::fstat(place.get(), &status) != 0) return Error::from_errno("look at " + source.path);
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
    return invalid(shown_line(source.path) + " is neither a directory nor a regular file");
  }
  UniqueFd mount = TRY(clone_mount(place.get(), Reach::whole_tree));
  const MountFlags flags{.read_only = true, .no_setuid = true, .no_devices = true, .unbindable = true};
  TRY(restrict_mount(mount.get(), flags, Reach::whole_tree));
  TRY(show_to_user(mount.get(), place.get(), owner.get(), mappings));
  return mount;
}

void tell(int socket, uint32_t index, const Result<UniqueFd>& opened) {
  std::string packet(reinterpret_cast<const char*>(&index), sizeof index);
  Result<size_t> sent = static_cast<size_t>(0);
  if (opened) sent = send_some(socket, packet, {opened->get()});
  if (opened && sent) return;
  const Error& why = opened ? sent.error() : opened.error();
  (void)send_some(socket, packet + why.message().substr(0, longest_trouble));
}

}  // namespace

std::string owner_of_source(const MountPlan& view, const std::string& source) {
  std::string owner = source;
  for (const MountStep& step : view.steps) {  // a later one lies over the earlier ones
    if (step.kind == MountKind::bind && step.writable && is_within(source, step.source)) owner = step.source;
    if (step.kind == MountKind::hide && is_within(source, step.target)) owner = source;
  }
  return owner;
}

std::string encode(const SourcesOrder& order) {
  OrderWriter writer;
  writer.raw(order.identity);
  writer.raw(static_cast<uint32_t>(order.sources.size()));
  for (const SourcesOrder::Source& source : order.sources) {
    writer.text(source.path);
    writer.text(source.owner);
  }
  return std::move(writer.bytes);
}

Result<SourcesOrder> decode_sources_order(std::string_view bytes) {
  OrderReader reader(bytes);
  SourcesOrder order;
  order.identity = TRY(reader.raw<Identity>());
  for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) {
    SourcesOrder::Source source;
    source.path = TRY(reader.text());
    source.owner = TRY(reader.text());
    order.sources.push_back(std::move(source));
  }
  if (!reader.at_end()) return invalid("an order to open has more in it than belongs there");
  return order;
}

void open_shown_sources(const SourcesOrder& order, int socket) {
  const Result<> entered = enter_own_namespaces();
  const UniqueFd root(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  OwnerMappings mappings(order.identity);
  for (uint32_t index = 0; index < order.sources.size(); ++index) {
    tell(socket, index,
         entered ? open_shown(order.sources[index], root.get(), mappings) : Result<UniqueFd>(entered.error()));
  }
}

Result<ReceivedSource> receive_source(int socket) {
  char packet[sizeof(uint32_t) + longest_trouble];
  Received received = TRY(receive_some(socket, packet, sizeof packet));
  if (received.closed || received.count == 0) return ReceivedSource{.over = received.closed};
  if (received.count < sizeof(uint32_t)) return invalid("a packet about an opened file is too short");
  OpenedSource source;
  std::memcpy(&source.index, packet, sizeof source.index);
  source.trouble.assign(packet + sizeof source.index, received.count - sizeof source.index);
  if (!received.fds.empty()) source.mount = std::move(received.fds.front());
  else if (source.trouble.empty()) source.trouble = "nothing was opened";
  return ReceivedSource{.source = std::move(source)};
}

}  // namespace talaria
