#include "sandbox/file_protocol.h"

#include <sys/stat.h>

#include <cstring>

#include "base/unseen.h"

namespace talaria {
namespace {

enum Flag : uint32_t {
  flag_read = 1 << 0,
  flag_write = 1 << 1,
  flag_append = 1 << 2,
  flag_create = 1 << 3,
  flag_exclusive = 1 << 4,
  flag_truncate = 1 << 5,
  flag_no_follow = 1 << 6,
  flag_stay = 1 << 7,  // !follow
  flag_keep = 1 << 8,  // !replace
  all_flags = (1 << 9) - 1,
};

// What stands in front of the two paths.
struct RequestHead {
  uint32_t operation;
  uint32_t flags;
  uint32_t mode;
  uint32_t uid;
  uint32_t gid;
  uint32_t path_length;
  uint32_t second_length;
  uint32_t unused;
};
static_assert(sizeof(RequestHead) + 2 * most_path_bytes == most_request_bytes);

// What stands in front of the text and the entries. Without padding: all bytes of it are written.
struct AnswerHead {
  uint32_t refusal;
  int32_t number;
  int32_t step;
  uint32_t more;
  FileStat stat;
  uint32_t text_length;
  uint32_t entries_length;
};
static_assert(sizeof(FileStat) == 64 && sizeof(AnswerHead) == 88);
static_assert(sizeof(AnswerHead) + most_path_bytes + most_page_bytes <= most_answer_bytes);

constexpr size_t entry_head = 1 + 2;  // type and length of the name; less than the kernel's own

uint32_t flags_of(const FileRequest& request) {
  const FileAccess& access = request.access;
  uint32_t flags = 0;
  if (access.read) flags |= flag_read;
  if (access.write) flags |= flag_write;
  if (access.append) flags |= flag_append;
  if (access.create) flags |= flag_create;
  if (access.exclusive) flags |= flag_exclusive;
  if (access.truncate) flags |= flag_truncate;
  if (access.no_follow) flags |= flag_no_follow;
  if (!request.follow) flags |= flag_stay;
  if (!request.replace) flags |= flag_keep;
  return flags;
}

void take_flags(FileRequest& request, uint32_t flags) {
  request.access = {.read = (flags & flag_read) != 0,
                    .write = (flags & flag_write) != 0,
                    .append = (flags & flag_append) != 0,
                    .create = (flags & flag_create) != 0,
                    .exclusive = (flags & flag_exclusive) != 0,
                    .truncate = (flags & flag_truncate) != 0,
                    .no_follow = (flags & flag_no_follow) != 0};
  request.follow = !(flags & flag_stay);
  request.replace = !(flags & flag_keep);
}

Result<> check_path(const std::string& path) {
  if (path.empty() || path[0] != '/') return invalid("\"" + shown_line(path) + "\" must be an absolute path");
  if (path.size() > most_path_bytes) return invalid("a path must not be longer than 4095 bytes");
  if (path.find('\0') != std::string::npos) return invalid("a path must not hold a zero byte");
  return ok;
}

Result<> check_access(const FileAccess& access) {
  if (!access.read && !access.write) return invalid("a file is opened for reading, for writing or for both");
  if (!access.write && (access.append || access.create || access.exclusive || access.truncate))
    return invalid("append, create, exclusive and truncate need write");
  if (access.exclusive && !access.create) return invalid("exclusive needs create");
  return ok;
}

bool takes_mode(const FileRequest& request) {
  return request.operation == FileOperation::make_directory || request.operation == FileOperation::set_mode ||
         (request.operation == FileOperation::open && request.access.create);
}

Error garbled() { return invalid("a message of the file server's protocol is malformed"); }

template <class T>
Result<T> take_head(std::string_view& bytes) {
  T head;
  if (bytes.size() < sizeof head) return garbled();
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  return head;
}

template <class T>
std::string begin_with(const T& head, size_t more) {
  std::string bytes;
  bytes.reserve(sizeof head + more);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
  return bytes;
}

bool is_type(uint32_t value) { return value <= static_cast<uint32_t>(FileType::block_device); }

bool is_name(std::string_view name) {
  return !name.empty() && name.find('/') == name.npos && name.find('\0') == name.npos;
}

Result<std::vector<FileEntry>> decode_entries(std::string_view bytes) {
  std::vector<FileEntry> entries;
  while (!bytes.empty()) {
    if (bytes.size() < entry_head || !is_type(static_cast<uint8_t>(bytes[0]))) return garbled();
    const auto type = static_cast<FileType>(bytes[0]);
    const size_t length = static_cast<uint8_t>(bytes[1]) | static_cast<size_t>(static_cast<uint8_t>(bytes[2])) << 8;
    bytes.remove_prefix(entry_head);
    const std::string_view name = bytes.substr(0, length);
    if (name.size() != length || !is_name(name)) return garbled();
    entries.push_back({std::string(name), type});
    bytes.remove_prefix(length);
  }
  return entries;
}

}  // namespace

FileType file_type_of(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return FileType::regular;
    case S_IFDIR: return FileType::directory;
    case S_IFLNK: return FileType::link;
    case S_IFIFO: return FileType::fifo;
    case S_IFSOCK: return FileType::socket;
    case S_IFCHR: return FileType::character_device;
    case S_IFBLK: return FileType::block_device;
    default: return FileType::unknown;
  }
}

std::string_view describe(FileType type) {
  switch (type) {
    case FileType::regular: return "a regular file";
    case FileType::directory: return "a directory";
    case FileType::link: return "a symbolic link";
    case FileType::fifo: return "a FIFO";
    case FileType::socket: return "a socket";
    case FileType::character_device: return "a character device";
    case FileType::block_device: return "a block device";
    case FileType::unknown: break;
  }
  return "of no known type";
}

Result<> check(const FileRequest& request) {
  if (request.mode & ~0777U) return invalid("a mode is at most 0777");
  if (request.mode != 0 && !takes_mode(request)) return invalid("a mode is for what is made or set");
  if ((request.uid != 0 || request.gid != 0) && request.operation != FileOperation::set_owner)
    return invalid("only set_owner takes an owner");
  if (request.operation == FileOperation::open) {
    TRY(check_access(request.access));
  } else if (request.access != FileAccess()) {
    return invalid("only open takes an access");
  }
  if (!request.follow && request.operation != FileOperation::stat) return invalid("only stat looks at links");
  if (request.operation == FileOperation::rename) {
    TRY(check_path(request.second_path));
  } else if (!request.replace || !request.second_path.empty()) {
    return invalid("only rename takes a second path");
  }
  if (request.operation != FileOperation::list_more) return check_path(request.path);
  if (!request.path.empty()) return invalid("further pages of a list take no path");
  return ok;
}

std::string encode(const FileRequest& request) {
  const RequestHead head{static_cast<uint32_t>(request.operation),
                         flags_of(request),
                         request.mode,
                         request.uid,
                         request.gid,
                         static_cast<uint32_t>(request.path.size()),
                         static_cast<uint32_t>(request.second_path.size()),
                         0};
  return begin_with(head, request.path.size() + request.second_path.size()) + request.path + request.second_path;
}

Result<FileRequest> decode_file_request(std::string_view bytes) {
  const RequestHead head = TRY(take_head<RequestHead>(bytes));
  if (head.operation > static_cast<uint32_t>(FileOperation::set_owner) || head.flags > all_flags || head.unused != 0)
    return garbled();
  if (uint64_t{head.path_length} + head.second_length != bytes.size()) return garbled();
  FileRequest request;
  request.operation = static_cast<FileOperation>(head.operation);
  take_flags(request, head.flags);
  request.mode = head.mode;
  request.uid = head.uid;
  request.gid = head.gid;
  request.path = bytes.substr(0, head.path_length);
  request.second_path = bytes.substr(head.path_length);
  TRY(check(request));
  return request;
}

std::string encode(const FileAnswer& answer) {
  std::string entries;
  for (const FileEntry& entry : answer.entries) {
    entries += static_cast<char>(entry.type);
    entries += static_cast<char>(entry.name.size());
    entries += static_cast<char>(entry.name.size() >> 8);
    entries += entry.name;
  }
  const AnswerHead head{static_cast<uint32_t>(answer.refusal),
                        answer.number,
                        answer.step,
                        answer.more ? 1U : 0U,
                        answer.stat,
                        static_cast<uint32_t>(answer.text.size()),
                        static_cast<uint32_t>(entries.size())};
  return begin_with(head, answer.text.size() + entries.size()) + answer.text + entries;
}

Result<FileAnswer> decode_file_answer(std::string_view bytes) {
  if (bytes.size() > most_answer_bytes) return garbled();
  const AnswerHead head = TRY(take_head<AnswerHead>(bytes));
  if (head.refusal > static_cast<uint32_t>(FileRefusal::set_up) || head.more > 1) return garbled();
  if (!is_type(static_cast<uint32_t>(head.stat.type))) return garbled();
  if (uint64_t{head.text_length} + head.entries_length != bytes.size()) return garbled();
  FileAnswer answer;
  answer.refusal = static_cast<FileRefusal>(head.refusal);
  answer.number = head.number;
  answer.step = head.step;
  answer.more = head.more == 1;
  answer.stat = head.stat;
  answer.text = bytes.substr(0, head.text_length);
  answer.entries = TRY(decode_entries(bytes.substr(head.text_length)));
  return answer;
}

}  // namespace talaria
