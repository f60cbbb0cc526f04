#include "files/write_target.h"

#include <cerrno>

#include "files/version_book.h"

namespace talaria {

Error why_no_place(const Error& error) {
  // What is merely missing is made; this is "missing/../f".
  if (error.number() == ENOENT) return {ErrorCode::not_found, "it leads through a folder that is not there"};
  return error;
}

Result<WriteTarget> look_at_target(FileSystem& files, const std::string& real_path) {
  const Result<FileStat> stat = files.stat(real_path, FileSystem::Links::looked_at);
  if (!stat && stat.error().number() == ENOENT) return WriteTarget{real_path, std::nullopt};
  if (!stat) return stat.error();
  if (stat->type == FileType::directory) return invalid("it is a directory; give the path of a file in it");
  if (stat->type != FileType::regular)
    return Error(ErrorCode::denied, "it is " + std::string(describe(stat->type)) + ", not a regular file");
  const Result<OpenedFile> writable = files.open(real_path, {.write = true, .no_follow = true});
  // A program that runs cannot be written, but replaced.
  if (!writable && writable.error().number() != ETXTBSY) return writable.error();
  return WriteTarget{real_path, *stat};
}

Result<> check_unchanged(FileSystem& files, const WriteTarget& target) {
  const Result<FileStat> now = files.stat(target.real_path, FileSystem::Links::looked_at);
  if (!now && now.error().number() != ENOENT) return now.error();
  const bool same = now ? target.existing && version_of(*now) == version_of(*target.existing) : !target.existing;
  if (same) return ok;
  return Error(ErrorCode::conflict, "it was changed by somebody else at the same time; try again");
}

}  // namespace talaria
