#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What a sandbox must refuse, tried from inside: many small attempts, each in a process of its own and each with one
// line at the end, "held: NAME: what was answered" or "BROKE: NAME: what it got". What it can reach for outside is in
// a file of bait. An attempt judges what it sees; whether anything happened outside, only the outside can tell.
namespace attack {

// Every secret that lies outside begins with this, so an attempt knows one when it sees it.
inline constexpr std::string_view secret_mark = "talaria-secret-";

// What there is to reach for, by name: "victim" is the pid of a process, "tcp" a port, "home" a directory …
class Bait {
 public:
  static Bait read(const char* path);
  // Empty, or 0, when the outside has not laid it out.
  const std::string& operator[](const std::string& name) const;
  long number(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

// One attempt under way.
class Attempt {
 public:
  explicit Attempt(const Bait& all_bait) : bait(all_bait) {}

  // A call that must fail: its errno is noted, a success is a break. Whether it failed.
  bool must_fail(const std::string& what, long result);
  // A call that must not reach the kernel: of the errors only EPERM, EACCES and ENOSYS say that it did not.
  bool must_be_filtered(const std::string& what, long result);
  // Text that came from somewhere: a break when there is a secret in it.
  void must_hold_no_secret(const std::string& what, const std::string& text);
  // A file that must not be there, or not hold a secret; and one that must not open for writing.
  void must_not_read(const std::string& path);
  void must_not_open_to_write(const std::string& path);
  void broke(const std::string& what);
  void note(const std::string& what);

  // "held: NAME: …", "BROKE: NAME: …", or "odd: NAME: …" when nothing was tried.
  std::string verdict(const std::string& name) const;

  const Bait& bait;

 private:
  struct Answer {
    std::string example;
    int count = 0;
  };
  std::map<std::string, Answer> answers_;  // by errno
  std::vector<std::string> notes_;
  std::vector<std::string> breaks_;
};

// Whether an attempt does no lasting harm even where everything is let through, so that it may be tried on the plain
// host too. The others are made in a sandbox only, and only when it can be seen that this is one.
enum class Harm { none, possible };

struct NamedAttempt {
  const char* name;
  void (*run)(Attempt&);
  Harm harm = Harm::possible;
};
using Attempts = std::span<const NamedAttempt>;

Attempts devices();
Attempts files();
Attempts floods();
Attempts hygiene();
Attempts ipc();
Attempts kernel();
Attempts mounts();
Attempts namespaces();
Attempts ourselves();
Attempts privileges();
Attempts processes();
Attempts protected_names();
Attempts secrets();
Attempts services();
Attempts sockets();
Attempts system_calls();
Attempts terminals();

// Programs of their own: one that is attacked, one that says who it is, ones that want to outlive their session.
int be_victim();
int say_who();
int leave_behind(const std::string& how, const std::string& mark);

// --- what many attempts need ---

std::string text_of(const std::string& path, size_t most = 1 << 16);
// All of a tree below `folder`, nearest first, never through links; at most `most` entries.
std::vector<std::string> tree_of(const std::string& folder, size_t most);
std::vector<std::string> names_in(const std::string& folder);
std::string with_errno(long result);
// Closes and removes again what should not have come to be.
void undo_file(int fd, const std::string& path);
// The output and exit code of a program; stdin is /dev/null.
struct Output {
  int code = -1;
  std::string text;
};
Output output_of(const std::vector<std::string>& argv);

}  // namespace attack
