#include "process/limit_words.h"

#include "base/text.h"

namespace talaria {

std::string limit_words(std::string_view limit, uint64_t most, uint64_t peak) {
  const std::string raise = " If it needs more, the owner can raise it in a profile of sandbox.profiles.";
  if (limit == "memory") {
    return "it and the others of its sandbox took " + human_bytes(peak) + " of memory, and " + human_bytes(most) +
           " are allowed. Files in /tmp, the home and /dev/shm count, too: remove what is not needed." + raise;
  }
  if (limit == "processes") {
    return "it and the others of its sandbox had " + with_commas(peak) + " processes, and " + with_commas(most) +
           " are allowed." + raise;
  }
  if (limit == "disk") {
    return "it wrote " + human_bytes(peak) + " to the disk of the workspace, and " + human_bytes(most) +
           " are allowed." + raise;
  }
  if (limit == "disk_floor") {
    return "it wrote while the disk of the workspace had only " + human_bytes(peak) + " left; " + human_bytes(most) +
           " must stay free.";
  }
  if (limit == "files") {
    return "it made " + with_commas(peak) + " files on the disk of the workspace, and " + with_commas(most) +
           " are allowed." + raise;
  }
  if (limit == "files_floor") {
    return "it made files while the disk of the workspace had room for only " + with_commas(peak) + " more; " +
           with_commas(most) + " must stay free.";
  }
  if (limit == "memory_floor") {
    return "it took memory while the whole machine had only " + human_bytes(peak) + " left; " + human_bytes(most) +
           " must stay free. Files sent along sockets, and what waits in sockets, count, too.";
  }
  if (limit == "guarded_files") {
    return "protected files of the workspace changed " + with_commas(peak) +
           " times within seconds while it ran, perhaps not by it, and were put back or taken away each time; " +
           with_commas(most) + " are allowed. The violations name them: do not write to them.";
  }
  return "it reached a limit of its sandbox.";
}

}  // namespace talaria
