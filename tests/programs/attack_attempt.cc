#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <deque>
#include <fstream>

#include "attack.h"

namespace attack {
namespace {

const char* name_of(int number) {
  const char* name = ::strerrorname_np(number);
  return name ? name : "?";
}

// What a line can show.
std::string printable(std::string text) {
  if (text.size() > 200) text.resize(200);
  for (char& letter : text) {
    if (letter < ' ' || letter > '~') letter = ' ';
  }
  return text;
}

}  // namespace

Bait Bait::read(const char* path) {
  Bait bait;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) bait.values_[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return bait;
}

const std::string& Bait::operator[](const std::string& name) const {
  static const std::string none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

long Bait::number(const std::string& name) const { return std::strtol((*this)[name].c_str(), nullptr, 0); }

bool Attempt::must_fail(const std::string& what, long result) {
  if (result >= 0) {
    broke(what);
    return false;
  }
  Answer& answer = answers_[name_of(errno)];
  if (answer.count++ == 0) answer.example = what;
  return true;
}

bool Attempt::must_be_filtered(const std::string& what, long result) {
  const int number = errno;
  if (result < 0 && number != EPERM && number != EACCES && number != ENOSYS) {
    broke(what + " reached the kernel: " + name_of(number));
    return false;
  }
  errno = number;
  return must_fail(what, result);
}

void Attempt::must_hold_no_secret(const std::string& what, const std::string& text) {
  const size_t at = text.find(secret_mark);
  if (at != std::string::npos) broke(what + ": " + text.substr(at));
  else note(what + ": no secret");
}

void Attempt::must_not_read(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    must_fail("open " + path, -1);
    return;
  }
  ::close(fd);
  must_hold_no_secret(path, text_of(path));
}

void Attempt::must_not_open_to_write(const std::string& path) {
  for (const int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_APPEND}) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    must_fail("open to write " + path, fd);
    if (fd >= 0) ::close(fd);
  }
}

void Attempt::broke(const std::string& what) { breaks_.push_back(what); }
void Attempt::note(const std::string& what) { notes_.push_back(what); }

std::string Attempt::verdict(const std::string& name) const {
  const auto line = [&](const char* word, const std::vector<std::string>& parts) {
    std::string text = std::string(word) + ": " + name + ": ";
    for (size_t i = 0; i < parts.size() && i < 6; ++i) text += (i ? "; " : "") + printable(parts[i]);
    if (parts.size() > 6) text += "; and " + std::to_string(parts.size() - 6) + " more";
    return text;
  };
  if (!breaks_.empty()) return line("BROKE", breaks_);
  std::vector<std::string> parts;
  for (const auto& [number, answer] : answers_) {
    parts.push_back(number + " " + std::to_string(answer.count) + " times, as " + answer.example);
  }
  parts.insert(parts.end(), notes_.begin(), notes_.end());
  return parts.empty() ? "odd: " + name + ": tried nothing" : line("held", parts);
}

std::string text_of(const std::string& path, size_t most) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return "";
  std::string text(most, 0);
  size_t length = 0;
  for (ssize_t count; length < most && (count = ::read(fd, text.data() + length, most - length)) > 0;) length += count;
  ::close(fd);
  text.resize(length);
  return text;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* listing = ::opendir(folder.c_str());
  if (!listing) return names;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  ::closedir(listing);
  return names;
}

std::vector<std::string> tree_of(const std::string& folder, size_t most) {
  std::vector<std::string> all;
  std::deque<std::string> waiting = {folder};
  while (!waiting.empty() && all.size() < most) {
    const std::string next = waiting.front();
    waiting.pop_front();
    for (const std::string& name : names_in(next)) {
      all.push_back((next == "/" ? "" : next) + "/" + name);
      struct stat status {};
      if (::lstat(all.back().c_str(), &status) == 0 && S_ISDIR(status.st_mode)) waiting.push_back(all.back());
    }
  }
  return all;
}

void undo_file(int fd, const std::string& path) {
  if (fd < 0) return;
  ::close(fd);
  ::unlink(path.c_str());
}

std::string with_errno(long result) { return result < 0 ? name_of(errno) : "ok"; }

Output output_of(const std::vector<std::string>& argv) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDONLY);
    ::setsid();
    ::dup2(null, 0);
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    std::vector<char*> pointers;
    for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    ::alarm(5);
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  Output output;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof buffer)) > 0;) output.text.append(buffer, count);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace attack
