#pragma once
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace talaria {

// A descriptor that a command finds under this number.
struct NumberedFd {
  int number = -1;
  UniqueFd fd;
};

inline constexpr size_t most_numbered_fds = 8;
inline constexpr int highest_numbered_fd = 63;

// What a command's standard streams are.
enum class StreamKind { pipes, terminal };

// 2 takes the place of stderr, which a terminal does not have apart; 3 to 63 are further ones.
Result<> check_numbers(const std::vector<int>& numbers, StreamKind streams);
std::vector<int> numbers_of(const std::vector<NumberedFd>& fds);

// The same between fork and exec: `fd` lies above all numbers, so that none is overwritten before its turn.
struct PlacedFd {
  int number;
  int fd;
};

// A copy above all numbers, close-on-exec, in place of `fd`; an invalid one stays as it is.
Result<> lift(UniqueFd& fd);
Result<std::vector<PlacedFd>> lift(std::vector<NumberedFd>& fds);
// Closes all above 2 but those; 0 or an errno.
int close_all_but(std::vector<int> kept);
// Puts each where it belongs, open across exec. 0 or an errno; system calls only.
int place(const PlacedFd* first, size_t count);

}  // namespace talaria
