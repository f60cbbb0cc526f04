#include "talaria/trace_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {

Result<TraceFile> TraceFile::open(const std::string& path) {
  const Was was = exists(path) ? Was::there : Was::absent;
  // A FIFO that nobody reads is an error instead of a wait.
  const int create = was == Was::absent ? O_CREAT : 0;
  UniqueFd fd = TRY(open_file(path, O_WRONLY | create | O_NONBLOCK, 0644));
  if (::fcntl(fd.get(), F_SETFL, 0) != 0) return Error::from_errno("open " + path);
  return TraceFile(path, std::move(fd), was);
}

TraceFile::~TraceFile() {
  struct stat info {};
  if (!fd_ || was_ == Was::there || ::fstat(fd_.get(), &info) != 0) return;
  if (S_ISREG(info.st_mode) && info.st_size == 0) ::unlink(path_.c_str());
}

Result<> TraceFile::write(std::string_view text) {
  struct stat info {};
  if (::fstat(fd_.get(), &info) != 0) return Error::from_errno("write " + path_);
  if (S_ISREG(info.st_mode) && ::ftruncate(fd_.get(), 0) != 0) return Error::from_errno("write " + path_);
  if (Result<> written = write_all(fd_.get(), text); !written) {
    return Error::from_number(written.error().number(), "write " + path_);
  }
  return ok;
}

}  // namespace talaria
