#include "os/reserve.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>

#include "os/file.h"

namespace talaria {
namespace {

constexpr int pieces = 8;  // an inode each
constexpr size_t piece_bytes = 16 << 10;
constexpr uint64_t plenty_bytes = 1 << 20;
constexpr uint64_t plenty_inodes = 64;

std::string folder_of(const std::string& home) { return home + "/reserve"; }
std::string piece_of(const std::string& home, int number) { return folder_of(home) + "/" + std::to_string(number); }

struct Room {
  uint64_t bytes = UINT64_MAX;
  uint64_t inodes = UINT64_MAX;
};

Room room_at(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return {};
  // Some file systems have no number of inodes to run out of.
  return {static_cast<uint64_t>(info.f_bavail) * info.f_frsize, info.f_files == 0 ? UINT64_MAX : info.f_favail};
}

}  // namespace

Result<> make_reserve(const std::string& home) {
  for (int number = 1; number <= pieces; ++number) {
    const std::string piece = piece_of(home, number);
    if (exists(piece)) continue;
    const Room room = room_at(home);
    if (room.bytes < plenty_bytes || room.inodes < plenty_inodes) return ok;
    TRY(make_directories(folder_of(home)));
    UniqueFd fd = TRY(open_file(piece, O_WRONLY | O_CREAT | O_TRUNC));
    // Written, not only reserved: a file with a hole in it holds nothing.
    if (Result<> written = write_all(fd.get(), std::string(piece_bytes, '\1')); !written) {
      ::unlink(piece.c_str());
      return written;
    }
  }
  return ok;
}

void use_reserve_when_full(const std::string& home) {
  const Room room = room_at(home);
  if (room.bytes < pieces * piece_bytes || room.inodes < pieces) give_up_reserve(home);
}

void give_up_reserve(const std::string& home) {
  for (int number = 1; number <= pieces; ++number) ::unlink(piece_of(home, number).c_str());
}

}  // namespace talaria
