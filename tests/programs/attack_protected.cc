// Changing what other programs act on: names in the workspace that may be read but not changed.
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>

#include "attack.h"

namespace attack {
namespace {

// All of them are there when the session begins; each file holds "as it was".
constexpr const char* protected_files[] = {".git/hooks/pre-commit",
                                           ".git/config",
                                           ".mcp.json",
                                           ".vscode/mcp.json",
                                           "deep/down/.git/hooks/pre-commit",
                                           "deep/down/.git/config",
                                           ".claude/settings.json",
                                           ".bashrc"};
constexpr const char* protected_folders[] = {".git", ".git/hooks", ".vscode", ".claude", "deep/down/.git"};

void put(const std::string& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
  if (fd < 0) return;
  (void)!::write(fd, text.data(), text.size());
  ::close(fd);
}

void write(Attempt& attempt) {
  for (const char* file : protected_files) attempt.must_not_open_to_write(file);
  for (const std::string folder : {".git/hooks", ".claude", "deep/down/.git/hooks"}) {
    attempt.must_fail("create in " + folder, ::open((folder + "/new").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0755));
  }
}

void truncate(Attempt& attempt) {
  for (const char* file : protected_files) {
    attempt.must_fail(std::string("truncate ") + file, ::truncate(file, 0));
    attempt.must_fail(std::string("open with O_TRUNC ") + file, ::open(file, O_RDONLY | O_TRUNC | O_CLOEXEC));
  }
}

void unlink(Attempt& attempt) {
  for (const char* file : protected_files) attempt.must_fail(std::string("unlink ") + file, ::unlink(file));
  for (const char* folder : protected_folders) attempt.must_fail(std::string("rmdir ") + folder, ::rmdir(folder));
}

void rename_over(Attempt& attempt) {
  for (const char* file : protected_files) {
    put("evil", "evil\n");
    attempt.must_fail(std::string("rename over ") + file, ::rename("evil", file));
    attempt.must_fail(std::string("exchange with ") + file,
                      ::syscall(SYS_renameat2, AT_FDCWD, "evil", AT_FDCWD, file, RENAME_EXCHANGE));
    attempt.must_fail(std::string("rename away ") + file, ::rename(file, "evil"));
  }
  ::unlink("evil");
}

// The folder goes, with what is protected in it, and another comes in its place.
void move_parent(Attempt& attempt) {
  for (const char* folder : protected_folders) {
    attempt.must_fail(std::string("rename ") + folder, ::rename(folder, "gone"));
    ::mkdir("other", 0755);
    attempt.must_fail(std::string("exchange ") + folder,
                      ::syscall(SYS_renameat2, AT_FDCWD, "other", AT_FDCWD, folder, RENAME_EXCHANGE));
  }
  ::rmdir("other");
  ::rmdir("gone");
}

void metadata(Attempt& attempt) {
  for (const char* file : protected_files) {
    attempt.must_fail(std::string("chmod ") + file, ::chmod(file, 0777));
    attempt.must_fail(std::string("chown ") + file, ::chown(file, ::getuid(), ::getgid()));
    attempt.must_fail(std::string("utimes ") + file, ::utimes(file, nullptr));
    attempt.must_fail(std::string("setxattr ") + file, ::setxattr(file, "user.talaria", "x", 1, 0));
  }
}

void hard_link(Attempt& attempt) {
  for (const char* file : protected_files) {
    attempt.must_fail(std::string("link ") + file, ::link(file, "hard"));
    const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    attempt.must_fail("link by /proc", ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, "hard", AT_SYMLINK_FOLLOW));
    attempt.must_fail("reopen by /proc", ::open(self.c_str(), O_RDWR | O_CLOEXEC));
    ::close(fd);
  }
  ::unlink("hard");
}

// The same files by every other name they have: from below, from the root, by /proc, by a directory's descriptor.
void other_names(Attempt& attempt) {
  const int here = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int git = ::open(".git", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const std::string& workspace = attempt.bait["workspace"];
  for (const std::string file : protected_files) {
    for (const std::string prefix : {"/proc/self/cwd/", "/proc/self/root/", "./deep/../", "/proc/2/cwd/"}) {
      attempt.must_not_open_to_write(prefix + (prefix.ends_with("root/") ? workspace.substr(1) + "/" : "") + file);
    }
    attempt.must_fail("openat " + file, ::openat(here, file.c_str(), O_RDWR | O_CLOEXEC));
  }
  attempt.must_fail("openat config", ::openat(git, "config", O_RDWR | O_CLOEXEC));
  attempt.must_fail("openat ../.mcp.json", ::openat(git, "../.mcp.json", O_RDWR | O_CLOEXEC));
  attempt.must_fail("unlinkat config", ::unlinkat(git, "config", 0));
  attempt.must_fail("renameat config", ::renameat(git, "config", here, "evil"));
}

std::atomic<bool> race_is_over = false;

void* rename_for_ever(void*) {
  while (!race_is_over) {
    put("evil", "evil\n");
    ::rename("evil", ".mcp.json");
    ::syscall(SYS_renameat2, AT_FDCWD, "evil", AT_FDCWD, ".git/config", RENAME_EXCHANGE);
    ::rename("deep", "deeper");
    ::rename("deeper", "deep");
  }
  return nullptr;
}

void race(Attempt& attempt) {
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, rename_for_ever, nullptr) != 0) return attempt.note("no thread");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    for (const char* file : {".mcp.json", ".git/config", "deep/down/.git/config", "deeper/down/.git/config"}) {
      const int fd = ::open(file, O_WRONLY | O_CLOEXEC);
      if (fd < 0) continue;
      attempt.broke(std::string("won the race for ") + file);
      (void)!::write(fd, "evil\n", 5);
      ::close(fd);
    }
  }
  race_is_over = true;
  ::pthread_join(thread, nullptr);
  ::rename("deeper", "deep");
  ::unlink("evil");
  attempt.note("a second of renames won nothing");
}

// What is not there yet cannot be covered beforehand. It must be gone when the command has ended: for the outside.
void make_new(Attempt& attempt) {
  for (const char* folder : {"fresh", "fresh/.git", "fresh/.git/hooks", "fresh/.vscode", "fresh/.git/objects",
                             "fresh/.git/refs", "linked", "pointed", "evil-git", "evil-git/hooks"}) {
    ::mkdir(folder, 0755);
  }
  put("fresh/.git/HEAD", "ref: refs/heads/main\n");
  put("fresh/.git/hooks/pre-commit", "#!/bin/sh\necho evil\n");
  put("fresh/.git/config", "[core]\n\tfsmonitor = echo evil\n");
  put("evil-git/hooks/pre-commit", "#!/bin/sh\necho evil\n");
  put("fresh/.vscode/tasks.json", "{\"evil\": 1}\n");
  put("fresh/.envrc", "echo evil\n");
  put("fresh/.bashrc", "echo evil\n");
  put("pointed/.git", "gitdir: ../evil-git\n");
  if (::symlink("../evil-git", "linked/.git") != 0) attempt.note("no link: " + with_errno(-1));
  attempt.note("made, for the sweep to find");
}

// The folder around a protected one goes and another takes its name: what is protected went along.
void move_ancestor(Attempt& attempt) {
  if (::rename("deep", "moved") != 0) return attempt.note("rename: " + with_errno(-1));
  for (const char* folder : {"deep", "deep/down", "deep/down/.git", "deep/down/.git/hooks"}) ::mkdir(folder, 0755);
  put("deep/down/.git/hooks/pre-commit", "#!/bin/sh\necho evil\n");
  put("deep/down/.git/config", "[core]\n\tfsmonitor = echo evil\n");
  attempt.must_not_open_to_write("moved/down/.git/hooks/pre-commit");
  attempt.must_not_open_to_write("moved/down/.git/config");
}

constexpr NamedAttempt all[] = {
    {"write", write},
    {"truncate", truncate},
    {"unlink", unlink},
    {"rename_over", rename_over},
    {"move_parent", move_parent},
    {"metadata", metadata},
    {"hard_link", hard_link},
    {"other_names", other_names},
    {"race", race},
    {"make_new", make_new},
    {"move_ancestor", move_ancestor},
};

}  // namespace

Attempts protected_names() { return all; }

}  // namespace attack
