#include "api/stdin_text.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "os/file.h"

namespace talaria {

Result<UniqueFd> stdin_with(std::string_view text) {
  UniqueFd writable(::memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!writable) return Error::from_errno("make room for the command's stdin");
  Result<> written = write_all(writable.get(), text);
  if (!written) return std::move(written).error().within("fill the command's stdin");
  if (::fcntl(writable.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
    return Error::from_errno("seal the command's stdin");
  }
  // Opened anew: read-only, and with an offset of its own that stands at the beginning.
  return open_file("/proc/self/fd/" + std::to_string(writable.get()), O_RDONLY);
}

}  // namespace talaria
