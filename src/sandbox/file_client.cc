#include "sandbox/file_client.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>

#include "base/unseen.h"
#include "os/socket.h"
#include "sandbox/space.h"

namespace talaria {
namespace {

std::string describe(const FileRequest& request) {
  const std::string path = shown_line(request.path);
  switch (request.operation) {
    case FileOperation::open: return "open " + path;
    case FileOperation::stat: return "look at " + path;
    case FileOperation::list:
    case FileOperation::list_more: return "list " + path;
    case FileOperation::read_link: return "read the link " + path;
    case FileOperation::make_directory: return "make the directory " + path;
    case FileOperation::rename: return "rename " + path + " to " + shown_line(request.second_path);
    case FileOperation::remove: return "remove " + path;
    case FileOperation::set_mode: return "set the mode of " + path;
    case FileOperation::set_owner: return "set the owner of " + path;
  }
  return path;
}

Error refusal_of(const FileAnswer& answer) {
  switch (answer.refusal) {
    case FileRefusal::type:
      if (answer.stat.type == FileType::link) return {ErrorCode::denied, "it is a symbolic link, not to be followed"};
      return {ErrorCode::denied, "it is " + std::string(describe(answer.stat.type)) + ", not a regular file"};
    case FileRefusal::process:
      return {ErrorCode::denied, "it belongs to a process; only a command in the sandbox can look at processes"};
    case FileRefusal::proc_write: return {ErrorCode::denied, "what is in /proc can only be read"};
    case FileRefusal::view_changed:
      return {ErrorCode::unavailable, "a protected file was replaced; the sandbox's file server must be started again"};
    case FileRefusal::set_up:
      return to_error({static_cast<SpaceStep>(answer.step), answer.number, answer.text})
          .within("start the sandbox's file server");
    case FileRefusal::none: break;
  }
  return {ErrorCode::system, "refused"};
}

bool is_regular(const UniqueFd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Error to_error(const FileRequest& request, const FileAnswer& answer) {
  if (answer.refusal != FileRefusal::none) return refusal_of(answer).within(describe(request));
  if (answer.number == EWOULDBLOCK && request.operation == FileOperation::open)
    return Error(ErrorCode::unavailable, "another process holds it by a lease; try again").within(describe(request));
  return Error::from_number(answer.number, describe(request));
}

Result<FileClient> FileClient::adopt(UniqueFd socket, std::chrono::milliseconds patience) {
  // The kernel keeps the time: one system call less than poll(2) for each answer.
  const timeval limit{patience.count() / 1000, patience.count() % 1000 * 1000};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    if (::setsockopt(socket.get(), SOL_SOCKET, option, &limit, sizeof limit) != 0)
      return Error::from_errno("prepare the socket of a file server");
  }
  return FileClient(std::move(socket));
}

// After an unanswered question, answers would no longer belong to their questions.
Error FileClient::give_up(ErrorCode code, std::string message) {
  socket_.reset();
  return {code, std::move(message)};
}

Result<FileAnswer> FileClient::exchange(const FileRequest& request, UniqueFd* opened) {
  TRY(check(request));
  const auto is_gone = [&] { return give_up(ErrorCode::unavailable, "the sandbox's file server is gone"); };
  const auto is_silent = [&] {
    return give_up(ErrorCode::timed_out, "the sandbox's file server did not answer in time");
  };
  if (!socket_) return is_gone();
  const Result<size_t> sent = send_some(socket_.get(), encode(request));
  if (sent && *sent == 0) return is_silent();
  // Even when nobody listens: the last words of one who could not start are there to be read.
  char buffer[most_answer_bytes + 1];
  Result<Received> received = receive_some(socket_.get(), buffer, sizeof buffer);
  if (!received || received->closed) return is_gone();
  if (received->count == 0) return is_silent();
  Result<FileAnswer> answer = decode_file_answer({buffer, received->count});
  if (!answer) return give_up(ErrorCode::unavailable, answer.error().message());
  if (!sent || answer->refusal == FileRefusal::view_changed || answer->refusal == FileRefusal::set_up) socket_.reset();
  if (answer->refusal != FileRefusal::none) return refusal_of(*answer);
  const bool expects_file = opened && answer->number == 0;
  if (received->fds.size() != (expects_file ? 1 : 0) || (expects_file && !is_regular(received->fds[0])))
    return give_up(ErrorCode::unavailable, "the sandbox's file server handed out something else than a file");
  if (expects_file) *opened = std::move(received->fds[0]);
  return answer;
}

Result<FileAnswer> FileClient::ask(const FileRequest& request, UniqueFd* opened) {
  Result<FileAnswer> answer = exchange(request, opened);
  if (!answer) return std::move(answer).error().within(describe(request));
  if (answer->number != 0) return to_error(request, *answer);
  return answer;
}

Result<OpenedFile> FileClient::open(const std::string& path, const FileAccess& access, uint32_t mode) {
  OpenedFile file;
  const FileRequest request{
      .operation = FileOperation::open, .access = access, .mode = access.create ? mode : 0, .path = path};
  FileAnswer answer = TRY(ask(request, &file.fd));
  file.stat = answer.stat;
  file.real_path = std::move(answer.text);
  return file;
}

Result<FileStat> FileClient::stat(const std::string& path, Links links) {
  return TRY(ask({.operation = FileOperation::stat, .follow = links == Links::followed, .path = path})).stat;
}

Result<FoundFile> FileClient::find(const std::string& path) {
  FileAnswer answer = TRY(ask({.operation = FileOperation::stat, .path = path}));
  return FoundFile{answer.stat, std::move(answer.text)};
}

Result<FileListing> FileClient::list(const std::string& path, size_t most) {
  FileListing listing;
  FileRequest request{.operation = FileOperation::list, .path = path};
  while (true) {
    Result<FileAnswer> page = exchange(request, nullptr);
    if (!page) return std::move(page).error().within("list " + shown_line(path));
    if (page->number != 0) return Error::from_number(page->number, "list " + path);
    for (FileEntry& entry : page->entries) {
      listing.complete = listing.entries.size() < most;
      if (!listing.complete) return listing;
      listing.entries.push_back(std::move(entry));
    }
    if (!page->more) return listing;
    request = {.operation = FileOperation::list_more};
  }
}

Result<std::string> FileClient::read_link(const std::string& path) {
  return TRY(ask({.operation = FileOperation::read_link, .path = path})).text;
}

Result<> FileClient::make_directory(const std::string& path, uint32_t mode) {
  TRY(ask({.operation = FileOperation::make_directory, .mode = mode, .path = path}));
  return ok;
}

Result<> FileClient::rename(const std::string& from, const std::string& to, Existing existing) {
  TRY(ask({.operation = FileOperation::rename,
           .replace = existing == Existing::replaced,
           .path = from,
           .second_path = to}));
  return ok;
}

Result<> FileClient::remove(const std::string& path) {
  TRY(ask({.operation = FileOperation::remove, .path = path}));
  return ok;
}

Result<> FileClient::set_mode(const std::string& path, uint32_t mode) {
  TRY(ask({.operation = FileOperation::set_mode, .mode = mode, .path = path}));
  return ok;
}

Result<> FileClient::set_owner(const std::string& path, uint32_t uid, uint32_t gid) {
  TRY(ask({.operation = FileOperation::set_owner, .uid = uid, .gid = gid, .path = path}));
  return ok;
}

}  // namespace talaria
