#include "store/notebook.h"

#include <fcntl.h>
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

std::string text_of_round(int64_t number) {
  char text[64];
  std::snprintf(text, sizeof text, "round %0*lld\n", static_cast<int>(round_digits), static_cast<long long>(number));
  return text;
}

bool is_notebook(const std::string& text) { return text.size() >= round_line && text.starts_with("round "); }

int64_t round_in(const std::string& text) {
  int64_t number = 0;
  if (!is_notebook(text)) return 0;
  const char* begin = text.data() + 6;
  (void)std::from_chars(begin, begin + round_digits, number);
  return number;
}

// Where the lines of the jobs end.
size_t end_of_lines(const std::string& text) { return std::min(text.find('\0'), text.size()); }

}  // namespace

Result<UniqueFd> Notebook::open_or_make() const {
  UniqueFd fd = TRY(open_file(path_, O_RDWR | O_CREAT));
  if (!is_notebook(TRY(read_at(fd.get(), 0, round_line)))) {
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
  const Result<std::string> text = read_file(path_);
  if (!text || !is_notebook(*text)) return jobs;
  const size_t end = end_of_lines(*text);
  for (size_t at = round_line; at + job_line <= end; at += job_line) {
    std::string job = text->substr(at, id_length);
    if (looks_like_id(job) && (*text)[at + id_length] == '\n') jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<> Notebook::note_removed(const std::string& job) const {
  if (job.size() != id_length) return invalid("\"" + job + "\" is no id of a job");
  (void)make();  // if that fails, so does what follows, and says why
  const Result<std::string> text = read_file(path_);
  const size_t end = text ? std::max(end_of_lines(*text), round_line) : round_line;
  return write_at(end, job + "\n");
}

Result<> Notebook::clear_removed() const {
  const std::string text = TRY(read_file(path_));
  const size_t end = end_of_lines(text);
  if (end <= round_line) return ok;
  // From the end on: what is left of it after a kill is a shorter list.
  UniqueFd fd = TRY(open_file(path_, O_RDWR));
  if (text.size() > notebook_room && ::ftruncate(fd.get(), static_cast<off_t>(notebook_room)) != 0) {
    return Error::from_errno("shorten " + path_);
  }
  return write_at(round_line, std::string(std::min(end, notebook_room) - round_line, '\0'));
}

Result<int64_t> Notebook::next_round(int64_t above) const {
  const Result<std::string> text = read_file(path_);
  const int64_t next = std::max(text ? round_in(*text) : 0, above) + 1;
  TRY(write_at(0, text_of_round(next)));
  return next;
}

}  // namespace talaria
