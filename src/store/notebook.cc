#include "store/notebook.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/id.h"
#include "os/file.h"
#include "os/reserve.h"
#include "store/database.h"

namespace talaria {
namespace {

// "round 000000000012\n", then a line for each removed job, then zeros up to here or to the last of them.
constexpr size_t round_digits = 12;
constexpr size_t round_line = 6 + round_digits + 1;
constexpr size_t job_line = id_length + 1;
constexpr size_t notebook_room = 16 << 10;
// Millions of removed jobs: a longer one is not ours.
constexpr size_t longest_notebook = 16 << 20;

std::string text_of_round(int64_t number) {
  char text[64];
  std::snprintf(text, sizeof text, "round %0*lld\n", static_cast<int>(round_digits), static_cast<long long>(number));
  return text;
}

bool is_notebook(const std::string& text) {
  if (text.size() < round_line || !text.starts_with("round ")) return false;
  const std::string_view digits = std::string_view(text).substr(6, round_digits);
  return digits.find_first_not_of("0123456789") == digits.npos && text[round_line - 1] == '\n';
}

int64_t round_in(const std::string& text) {
  int64_t number = 0;
  if (!is_notebook(text)) return 0;
  const char* begin = text.data() + 6;
  (void)std::from_chars(begin, begin + round_digits, number);
  return number;
}

// The first line that is still empty. Each has its place, so that a stray byte spoils one line and moves no other.
size_t next_line(const std::string& text) {
  size_t at = round_line;
  while (at < text.size() && text.find_first_not_of('\0', at) < at + job_line) at += job_line;
  return at;
}

// A pipe would keep us waiting, and through a link we would write into another file.
Result<UniqueFd> open_regular(const std::string& path, int flags) {
  UniqueFd fd = TRY(open_file(path, flags | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno("look at " + path);
  if (!S_ISREG(info.st_mode)) return Error(ErrorCode::denied, path + " is not a regular file. Move it away");
  return fd;
}

}  // namespace

Result<UniqueFd> Notebook::open_or_make() const {
  UniqueFd fd = TRY(open_regular(path_, O_RDWR | O_CREAT));
  const bool too_long = ::lseek(fd.get(), 0, SEEK_END) > static_cast<off_t>(longest_notebook);
  ::lseek(fd.get(), 0, SEEK_SET);
  if (too_long || !is_notebook(TRY(read_at(fd.get(), 0, round_line)))) {
    if (::ftruncate(fd.get(), 0) != 0) return Error::from_errno("shorten " + path_);
    TRY(write_all(fd.get(), text_of_round(0)));
  }
  const auto size = static_cast<size_t>(::lseek(fd.get(), 0, SEEK_END));
  // Written, not only reserved: a file with a hole in it holds nothing.
  if (size < notebook_room) TRY(write_all(fd.get(), std::string(notebook_room - size, '\0')));
  return fd;
}

Result<> Notebook::make() const {
  TRY(open_or_make());
  return ok;
}

// Empty where there is none.
Result<std::string> Notebook::read() const {
  const Result<UniqueFd> fd = open_regular(path_, O_RDONLY);
  if (!fd && fd.error().code() == ErrorCode::not_found) return std::string();
  if (!fd) return fd.error();
  const off_t size = ::lseek(fd->get(), 0, SEEK_END);
  if (size > static_cast<off_t>(longest_notebook)) return std::string();
  std::string text = TRY(read_at(fd->get(), 0, static_cast<size_t>(size)));
  return is_notebook(text) ? std::move(text) : std::string();
}

Result<> Notebook::write_at(uint64_t offset, const std::string& text) const {
  const auto attempt = [&]() -> Result<> {
    UniqueFd fd = TRY(open_or_make());
    const ssize_t count = ::pwrite(fd.get(), text.data(), text.size(), static_cast<off_t>(offset));
    if (count == static_cast<ssize_t>(text.size())) return ok;
    if (count >= 0) errno = ENOSPC;
    return Error::from_errno("write " + path_);
  };
  Result<> written = attempt();
  if (written || !means_full_disk(written.error())) return written;
  give_up_reserve(path_.substr(0, path_.find_last_of('/')));
  return attempt();
}

std::vector<std::string> Notebook::removed() const {
  std::vector<std::string> jobs;
  const Result<std::string> text = read();
  if (!text) return jobs;
  for (size_t at = round_line; at + job_line <= text->size(); at += job_line) {
    std::string job = text->substr(at, id_length);
    if (looks_like_id(job) && (*text)[at + id_length] == '\n') jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<> Notebook::note_removed(const std::string& job) const {
  if (job.size() != id_length) return invalid("\"" + job + "\" is no id of a job");
  (void)make();  // if that fails, so does what follows, and says why
  return write_at(next_line(TRY(read())), job + "\n");
}

Result<> Notebook::clear_removed() const {
  const std::string text = TRY(read());
  const size_t end = text.find_last_not_of('\0') + 1;
  if (end <= round_line) return ok;
  // From the end on: what is left of it after a kill is a shorter list.
  UniqueFd fd = TRY(open_regular(path_, O_RDWR));
  if (text.size() > notebook_room && ::ftruncate(fd.get(), static_cast<off_t>(notebook_room)) != 0) {
    return Error::from_errno("shorten " + path_);
  }
  return write_at(round_line, std::string(std::min(end, notebook_room) - round_line, '\0'));
}

Result<int64_t> Notebook::next_round(int64_t above) const {
  const int64_t next = std::max(round_in(TRY(read())), above) + 1;
  TRY(write_at(0, text_of_round(next)));
  return next;
}

}  // namespace talaria
