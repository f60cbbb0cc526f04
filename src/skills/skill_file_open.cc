#include "skills/skill_file_open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cctype>
#include <climits>
#include <vector>

#include "base/text.h"
#include "skills/skill_body_text.h"

namespace talaria {
namespace {

constexpr size_t most_path_bytes = 4096;

std::string descriptor_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

Result<std::string> path_of(int fd) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(descriptor_path(fd).c_str(), path, sizeof path);
  if (length < 0) return Error::from_errno("find out where an open file is");
  return std::string(path, static_cast<size_t>(length));
}

bool lies_in(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder.ends_with('/') ? folder : folder + "/");
}

bool is_drive(std::string_view part) {
  return part.size() >= 2 && std::isalpha(static_cast<unsigned char>(part[0])) && part[1] == ':';
}

}  // namespace

Result<InnerFolder> InnerFolder::open(const std::string& path) {
  InnerFolder folder;
  folder.fd_ = UniqueFd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.fd_) return Error::from_errno("open " + path);
  return folder;
}

Result<std::string> InnerFolder::real_path() const { return path_of(fd_.get()); }

Result<HeldFile> InnerFolder::find(const std::string& relative) const {
  struct open_how how {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  HeldFile file;
  file.fd = UniqueFd(static_cast<int>(::syscall(SYS_openat2, fd_.get(), relative.c_str(), &how, sizeof how)));
  const std::string shown = "\"" + shown_line(relative) + "\"";
  if (!file.fd) return Error::from_errno(shown);
  if (::fstat(file.fd.get(), &file.info) != 0) return Error::from_errno(shown);
  if (file.info.st_nlink == 0) return Error::from_number(ENOENT, shown);
  file.real_path = TRY(path_of(file.fd.get()));
  if (!lies_in(file.real_path, TRY(path_of(fd_.get()))))
    return Error(ErrorCode::denied, shown + " leads outside the folder");
  return file;
}

Result<UniqueFd> open_to_read(const HeldFile& file) {
  if (!S_ISREG(file.info.st_mode)) return invalid("it is " + std::string(kind_of(file.info)) + ", not a file");
  UniqueFd fd(::open(descriptor_path(file.fd.get()).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + file.real_path);
  return fd;
}

std::string_view kind_of(const struct stat& info) {
  switch (info.st_mode & S_IFMT) {
    case S_IFREG: return "a file";
    case S_IFDIR: return "a folder";
    case S_IFLNK: return "a link";
    case S_IFIFO: return "a named pipe";
    case S_IFSOCK: return "a socket";
    case S_IFCHR:
    case S_IFBLK: return "a device";
  }
  return "something unknown";
}

Result<std::string> check_inner_path(std::string_view path) {
  if (path.empty()) return invalid("the path is empty; give one such as references/guide.md");
  if (path.size() > most_path_bytes)
    return invalid("the path is longer than " + with_commas(most_path_bytes) + " bytes");
  const std::string shown = "\"" + shortened(shown_line(path), 200) + "\"";
  if (path.find('\0') != std::string_view::npos) return invalid(shown + " has a NUL byte in it");
  if (path.find('\\') != std::string_view::npos) return invalid(shown + " has a backslash in it; folders end with /");
  if (path.front() == '/') return invalid(shown + " is absolute; give a path relative to the folder");
  std::vector<std::string> parts;
  for (std::string& part : split(path, '/')) {
    if (part == "..") return invalid(shown + " has \"..\" in it; give a path inside the folder");
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
  }
  if (!parts.empty() && is_drive(parts.front())) return invalid(shown + " names a drive; give a relative path");
  return parts.empty() ? std::string(".") : join(parts, "/");
}

}  // namespace talaria
