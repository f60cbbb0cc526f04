#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "os/fd.h"
#include "sandbox/file_protocol.h"
#include "sandbox/view.h"

struct stat;

namespace talaria {

// What a file server does, in the view of the process it runs in. What it hands out is chosen so that the receiver, who
// may be more powerful, cannot be used against itself:
// - only regular files. A directory would lead the receiver out of the view by "..", with its own rights; a device,
// FIFO
//   or socket could block it or do things by being opened.
// - nothing that belongs to a process in /proc, nor anything reached through its links (exe, fd, root, cwd): the only
//   process there is the server. Other files of /proc are opened for reading only.
// The receiver must read and write what it gets, not map it (a command may shrink it) nor open it once more.
class FileOperations {
 public:
  // `mounts` is what the view was built by.
  explicit FileOperations(const MountPlan& mounts);

  FileAnswer take(const FileRequest& request, UniqueFd& opened);

 private:
  enum class Use { look, change };

  bool view_holds() const;
  UniqueFd resolve(const std::string& path, uint64_t flags, Use use, FileAnswer& answer, uint64_t mode = 0) const;
  FileRefusal judge(int fd, const struct stat& status, Use use) const;

  FileAnswer open_once(const FileRequest& request, UniqueFd& opened) const;
  FileAnswer open(const FileRequest& request, UniqueFd& opened) const;
  FileAnswer stat_once(const FileRequest& request) const;
  FileAnswer stat(const FileRequest& request) const;
  FileAnswer list(const FileRequest& request);
  FileAnswer list_more();
  FileAnswer read_link(const FileRequest& request) const;
  FileAnswer make_directory(const FileRequest& request) const;
  FileAnswer rename(const FileRequest& request) const;
  FileAnswer remove(const FileRequest& request) const;
  FileAnswer set_mode(const FileRequest& request) const;
  FileAnswer set_owner(const FileRequest& request) const;

  std::vector<std::string> guarded_;    // paths held by a mount on themselves
  std::optional<dev_t> own_processes_;  // the device of our own /proc
  UniqueFd listed_;                     // between the pages of a list
};

}  // namespace talaria
