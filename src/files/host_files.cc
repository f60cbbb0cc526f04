#include "files/host_files.h"
#include "base/unseen.h"

namespace talaria {

Result<FileAnswer> HostFiles::ask(const FileRequest& request, UniqueFd* opened) {
  if (Result<> sane = check(request); !sane) return std::move(sane).error().within(shown_line(request.path));
  UniqueFd file;
  FileAnswer answer = operations_.take(request, file);
  if (answer.refusal == FileRefusal::process)
    return Error(ErrorCode::denied,
                 "open " + shown_line(request.path) + ": it belongs to a process; use a command to look at it");
  if (answer.refusal != FileRefusal::none || answer.number != 0) return to_error(request, answer);
  if (opened) *opened = std::move(file);
  return answer;
}

Result<OpenedFile> HostFiles::open(const std::string& path, const FileAccess& access, uint32_t mode) {
  OpenedFile file;
  FileAnswer answer = TRY(ask(
      {.operation = FileOperation::open, .access = access, .mode = access.create ? mode : 0, .path = path}, &file.fd));
  file.stat = answer.stat;
  file.real_path = std::move(answer.text);
  return file;
}

Result<FileStat> HostFiles::stat(const std::string& path, Links links) {
  return TRY(ask({.operation = FileOperation::stat, .follow = links == Links::followed, .path = path})).stat;
}

Result<FoundFile> HostFiles::find(const std::string& path) {
  FileAnswer answer = TRY(ask({.operation = FileOperation::stat, .path = path}));
  return FoundFile{answer.stat, std::move(answer.text)};
}

Result<FileListing> HostFiles::list(const std::string& path, size_t most) {
  FileListing listing;
  FileRequest request{.operation = FileOperation::list, .path = path};
  while (true) {
    FileAnswer page = TRY(ask(request));
    for (FileEntry& entry : page.entries) {
      listing.complete = listing.entries.size() < most;
      if (!listing.complete) return listing;
      listing.entries.push_back(std::move(entry));
    }
    if (!page.more) return listing;
    request = {.operation = FileOperation::list_more};
  }
}

Result<std::string> HostFiles::read_link(const std::string& path) {
  return TRY(ask({.operation = FileOperation::read_link, .path = path})).text;
}

Result<> HostFiles::make_directory(const std::string& path, uint32_t mode) {
  TRY(ask({.operation = FileOperation::make_directory, .mode = mode, .path = path}));
  return ok;
}

Result<> HostFiles::rename(const std::string& from, const std::string& to, Existing existing) {
  TRY(ask({.operation = FileOperation::rename,
           .replace = existing == Existing::replaced,
           .path = from,
           .second_path = to}));
  return ok;
}

Result<> HostFiles::remove(const std::string& path) {
  TRY(ask({.operation = FileOperation::remove, .path = path}));
  return ok;
}

Result<> HostFiles::set_mode(const std::string& path, uint32_t mode) {
  TRY(ask({.operation = FileOperation::set_mode, .mode = mode, .path = path}));
  return ok;
}

Result<> HostFiles::set_owner(const std::string& path, uint32_t uid, uint32_t gid) {
  TRY(ask({.operation = FileOperation::set_owner, .uid = uid, .gid = gid, .path = path}));
  return ok;
}

}  // namespace talaria
