#include "sandbox/numbered_fd.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "os/descriptors.h"

namespace talaria {
namespace {

// Above all numbers there must be room for what a sandbox moves out of their way.
constexpr uint64_t fewest_open_files = highest_numbered_fd + 17;

Error no_room_above() {
  const int number = errno;
  if (open_files_limit() >= fewest_open_files) return Error::from_number(number, "move a descriptor out of the way");
  return Error::with_number(ErrorCode::unavailable, EINVAL,
                            "the limit of open files is too low for the sandbox: it must be " +
                                std::to_string(fewest_open_files) +
                                " or more. The owner of this machine can raise it (ulimit -n 1024) and restart Talaria "
                                "(talaria serve --stop --end-jobs)");
}

}  // namespace

Result<> check_numbers(const std::vector<int>& numbers, StreamKind streams) {
  if (numbers.size() > most_numbered_fds) {
    return invalid("a command can be given " + std::to_string(most_numbered_fds) + " numbered descriptors, not " +
                   std::to_string(numbers.size()));
  }
  for (const int number : numbers) {
    const std::string name = "descriptor " + std::to_string(number);
    if (number < 2 || number > highest_numbered_fd) {
      return invalid(name + " cannot be given to a command: only 2 (its stderr) and 3 to " +
                     std::to_string(highest_numbered_fd) + " can");
    }
    if (std::ranges::count(numbers, number) > 1) return invalid(name + " is given to the command twice");
    if (number == 2 && streams == StreamKind::terminal) {
      return invalid(name + " cannot be given to a command with a terminal: its stderr is the terminal");
    }
  }
  return ok;
}

std::vector<int> numbers_of(const std::vector<NumberedFd>& fds) {
  std::vector<int> numbers;
  for (const NumberedFd& one : fds) numbers.push_back(one.number);
  return numbers;
}

Result<> lift(UniqueFd& fd) {
  if (!fd) return ok;
  UniqueFd above(::fcntl(fd.get(), F_DUPFD_CLOEXEC, highest_numbered_fd + 1));
  if (!above) return no_room_above();
  fd = std::move(above);
  return ok;
}

Result<std::vector<PlacedFd>> lift(std::vector<NumberedFd>& fds) {
  std::vector<PlacedFd> placed;
  for (NumberedFd& one : fds) {
    TRY(lift(one.fd));
    placed.push_back({one.number, one.fd.get()});
  }
  return placed;
}

int close_all_but(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned first = 3;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (fd < 0 || number < first) continue;
    if (number > first && ::close_range(first, number - 1, 0) != 0) return errno;
    first = number + 1;
  }
  return ::close_range(first, ~0U, 0) == 0 ? 0 : errno;
}

int place(const PlacedFd* first, size_t count) {
  for (const PlacedFd* one = first; one != first + count; ++one) {
    if (::dup2(one->fd, one->number) < 0) return errno;
  }
  return 0;
}

}  // namespace talaria
