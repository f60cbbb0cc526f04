#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria {

// How a session's file server and its client talk: one packet for a request, one for its answer, on a SOCK_SEQPACKET
// pair. An opened file travels beside its answer.

enum class FileOperation : uint32_t {
  open,
  stat,
  list,       // begins to list a directory
  list_more,  // the next page of it; without paths
  read_link,
  make_directory,
  rename,
  remove,  // a file, a link or an empty directory
  set_mode,
  set_owner,  // of a regular file; a link is not followed
};

// How a file is opened: for reading, writing or both.
struct FileAccess {
  bool read = false;
  bool write = false;
  bool append = false;     // the others need `write`
  bool create = false;     // with the given mode, if it is not there
  bool exclusive = false;  // only if it is not there; needs `create`
  bool truncate = false;
  bool no_follow = false;  // not if it is a symbolic link
  bool operator==(const FileAccess&) const = default;
};

struct FileRequest {
  FileOperation operation = FileOperation::stat;
  FileAccess access = {};  // open
  bool follow = true;      // stat: what a symbolic link leads to, not the link
  bool replace = true;     // rename: what is there already
  uint32_t mode = 0;       // open, make_directory, set_mode; permission bits only
  uint32_t uid = 0;        // set_owner, as the sandbox sees them
  uint32_t gid = 0;
  std::string path = {};         // absolute
  std::string second_path = {};  // rename
  bool operator==(const FileRequest&) const = default;
};

enum class FileType : uint32_t { unknown, regular, directory, link, fifo, socket, character_device, block_device };
FileType file_type_of(uint32_t mode);      // st_mode
std::string_view describe(FileType type);  // "a FIFO"

// What stat(2) says, with ids as the sandbox sees them.
struct FileStat {
  FileType type = FileType::unknown;
  uint32_t mode = 0;  // permission bits, with setuid, setgid and sticky
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint64_t size = 0;
  uint64_t links = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t modified_ns = 0;  // since 1970
  int64_t changed_ns = 0;
  bool operator==(const FileStat&) const = default;
};

// Why the server itself did not do what was asked.
enum class FileRefusal : uint32_t {
  none,
  type,          // it is not a regular file, but what the answer's stat says
  process,       // it is a process's part of /proc, or was reached through it
  proc_write,    // it is of /proc and not only to be read
  view_changed,  // a protected file was replaced outside: the server ends, a new one will see it
  set_up,        // the server could not be confined: `step` and `text` say why
};

struct FileEntry {
  std::string name;
  FileType type = FileType::unknown;  // of the entry itself: a link is a link
  bool operator==(const FileEntry&) const = default;
};

struct FileAnswer {
  FileRefusal refusal = FileRefusal::none;
  int32_t number = 0;     // errno, or 0
  int32_t step = 0;       // SpaceStep, of set_up
  bool more = false;      // list: there are further pages
  FileStat stat = {};     // open, stat
  std::string text = {};  // where a link leads, where what was opened or looked at really is, or what failed
  std::vector<FileEntry> entries = {};
  bool operator==(const FileAnswer&) const = default;
};

inline constexpr size_t most_path_bytes = 4095;
inline constexpr size_t most_request_bytes = 32 + 2 * most_path_bytes;
inline constexpr size_t most_page_bytes = 32 << 10;
inline constexpr size_t most_answer_bytes = 96 + most_path_bytes + most_page_bytes;

// Whether a request makes sense; the same for who sends and who receives it.
Result<> check(const FileRequest& request);

// An encoded request or answer is decoded to an equal one; what decodes is what its encoding would be.
std::string encode(const FileRequest& request);
Result<FileRequest> decode_file_request(std::string_view bytes);
std::string encode(const FileAnswer& answer);
Result<FileAnswer> decode_file_answer(std::string_view bytes);

}  // namespace talaria
