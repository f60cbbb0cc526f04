#include "product/attack_test_bait.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "base/id.h"
#include "os/file.h"
#include "os/random.h"
#include "os/socket.h"
#include "programs/attack.h"

namespace talaria {
namespace {

std::string text_in(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? *text : "unreadable";
}

// Beside this test where its programs were copied together, else where it was built.
std::string attack_program() {
  const std::string beside = program_path("programs/attack");
  return exists(beside) ? beside : TALARIA_ATTACK;
}

}  // namespace

std::string look_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return "missing";
  std::string text = "mode " + std::to_string(status.st_mode) + ", owner " + std::to_string(status.st_uid) + ":" +
                     std::to_string(status.st_gid) + ", inode " + std::to_string(status.st_ino) + ", links " +
                     std::to_string(status.st_nlink) + ", changed " + std::to_string(status.st_mtim.tv_sec) + "." +
                     std::to_string(status.st_mtim.tv_nsec);
  char attributes[256];
  const ssize_t length = ::llistxattr(path.c_str(), attributes, sizeof attributes);
  if (length > 0) text += ", attributes " + std::string(attributes, static_cast<size_t>(length) - 1);
  if (S_ISREG(status.st_mode)) text += ": " + text_in(path);
  return text;
}

Bait::Bait(House& house)
    : house_(house),
      tag_(id_from(random_u64())),
      secret_(std::string(attack::secret_mark) + id_from(random_u64()) + id_from(random_u64())) {
  outside_ = testing::TempDir() + "o" + tag_;
  folders_.push_back(outside_);
  list_ = {{"tag", tag_},
           {"home", house_.environment()["HOME"]},
           {"own", house_.root()},
           {"workspace", house_.workspace()},
           {"outside", outside_}};
  lay_files();
  lay_protected_names();
  lay_programs();
  lay_sockets();
  lay_memory();
  lay_key();
  lay_terminal();
  start_victim();
  machine_ = look_of_machine();
  clock_ = clock_offset();
}

void Bait::put(const std::string& path, const std::string& text, mode_t mode) {
  const std::string folder = path.substr(0, path.rfind('/'));
  ASSERT_TRUE(make_directories(folder, 0755));
  ASSERT_TRUE(write_file_atomically(path, text, mode));
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  files_[path] = look_of(path);
}

// Open to everyone: what keeps them must be the sandbox, not their mode.
void Bait::lay_files() {
  const std::string text = secret_ + "\n";
  put(outside_ + "/bait", text, 0666);
  ASSERT_EQ(::chmod(outside_.c_str(), 0777), 0);
  for (const char* name : {"/.ssh/id_ed25519", "/.aws/credentials", "/.netrc", "/.gnupg/secring.gpg", "/.kube/config",
                           "/.docker/config.json", "/.npmrc", "/.git-credentials", "/home-bait", "/.bash_history",
                           "/documents/x", "/.config/gh/hosts.yml"}) {
    put(list_["home"] + name, text, 0666);
  }
  ASSERT_TRUE(make_directories(house_.root(), 0700));
  put(house_.root() + "/own-bait", text, 0666);
  if (::geteuid() != 0) return;
  list_["other_home"] = "/home/talaria-bait-" + tag_;
  folders_.push_back(list_["other_home"]);
  put(list_["other_home"] + "/.ssh/id_ed25519", text, 0644);
  // Where a sandbox may look, and no more than that.
  list_["shown"] = "/var/lib/talaria-bait-" + tag_;
  folders_.push_back(list_["shown"]);
  put(list_["shown"] + "/bait", "as it was\n", 0666);
  ASSERT_EQ(::chmod(list_["shown"].c_str(), 0777), 0);
}

void Bait::lay_protected_names() {
  const std::string& workspace = house_.workspace();
  for (const std::string& folder : {workspace, workspace + "/deep/down"}) {
    for (const char* name : {"/.git/objects", "/.git/refs"}) ASSERT_TRUE(make_directories(folder + name, 0755));
    put(folder + "/.git/HEAD", "ref: refs/heads/main\n");
    put(folder + "/.git/config", "[core]\n\trepositoryformatversion = 0\n");
    put(folder + "/.git/hooks/pre-commit", "#!/bin/sh\necho as it was\n", 0755);
  }
  for (const char* name : {"/.vscode/mcp.json", "/.mcp.json", "/.claude/settings.json", "/.bashrc"}) {
    put(workspace + name, "as it was\n");
  }
}

void Bait::lay_programs() {
  const std::string program = text_in(attack_program());
  ASSERT_TRUE(
      program.starts_with("\x7f"
                          "ELF"))
      << "cannot read " << attack_program();
  const std::string& workspace = house_.workspace();
  put(workspace + "/attack", program, 0755);
  if (::geteuid() != 0) return;  // only root can make files that are more than whoever runs them
  put(workspace + "/setuid", program, 04755);
  put(workspace + "/setgid", program, 02755);
  put(workspace + "/capable", program, 0755);
  vfs_cap_data capabilities{};
  capabilities.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  capabilities.data[0].permitted = 1U << CAP_DAC_OVERRIDE | 1U << CAP_SYS_ADMIN;
  ASSERT_EQ(::setxattr((workspace + "/capable").c_str(), "security.capability", &capabilities, XATTR_CAPS_SZ_2, 0), 0);
  files_[workspace + "/capable"] = look_of(workspace + "/capable");
  for (const char* name : {"setuid", "setgid", "capable"}) list_[name] = workspace + "/" + name;
}

void Bait::start_victim() {
  auto input = *make_pipe();
  auto out = *make_pipe();
  auto err = *make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.first.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.second.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.second.get(), 2);
  std::string path = house_.workspace() + "/attack", word = "victim";
  std::string variable = "TALARIA_BAIT=" + secret_, file = "TALARIA_BAIT_FILE=" + outside_ + "/bait";
  char* argv[] = {path.data(), word.data(), nullptr};
  char* environment[] = {variable.data(), file.data(), nullptr};
  pid_t pid = 0;
  ASSERT_EQ(::posix_spawn(&pid, path.c_str(), &actions, nullptr, argv, environment), 0);
  posix_spawn_file_actions_destroy(&actions);
  victim_ = std::make_unique<Running>(pid, std::move(input.second), std::move(out.first), std::move(err.first));
  const std::string line = victim_->await_output("\n");
  char address[32] = {}, fd[16] = {};
  ASSERT_EQ(std::sscanf(line.c_str(), "ready %31s %15s", address, fd), 2) << line;
  list_["victim"] = std::to_string(pid);
  list_["victim_address"] = address;
  list_["victim_fd"] = fd;
}

void Bait::look_at_victim(std::vector<std::string>& damage) {
  const std::string question = "question " + std::to_string(++questions_);
  (void)write_all(victim_->input(), question + "\n");
  const std::string& said = victim_->await_output(question + ": ");  // a line is written at once
  const std::string answer = said.substr(std::min(said.rfind(question), said.size()));
  if (answer != question + ": untouched.\n") damage.push_back("the victim says: " + answer);
}

void Bait::look_at_files(std::vector<std::string>& damage) const {
  for (const auto& [path, before] : files_) {
    const std::string now = look_of(path);
    if (now != before) damage.push_back(path + " was " + before.substr(0, 300) + " and is " + now.substr(0, 300));
  }
  const auto names = list_directory(outside_);
  if (!names || names->size() != 2) damage.push_back("something new or missing in " + outside_);
  for (const char* name : {"/.profile", "/.bashrc", "/.attacked", "/.config/autostart"}) {
    if (exists(list_.at("home") + name)) damage.push_back("there is " + list_.at("home") + name);
  }
}

std::vector<std::string> Bait::damage() {
  std::vector<std::string> found;
  look_at_files(found);
  look_at_sockets(found);
  look_at_memory(found);
  look_at_terminal(found);
  look_at_victim(found);
  const std::map<std::string, std::string> machine = look_of_machine();
  for (const auto& [what, before] : machine_) {
    if (machine.at(what) != before) found.push_back(what + " was " + before + " and is " + machine.at(what));
  }
  if (std::abs(clock_offset() - clock_) > 1) found.push_back("the clock was set");
  return found;
}

std::string Bait::write_list() {
  std::string text;
  for (const auto& [name, value] : list_) text += name + "=" + value + "\n";
  const std::string path = house_.workspace() + "/bait-list";
  EXPECT_TRUE(write_file_atomically(path, text, 0644));
  return path;
}

Bait::~Bait() {
  victim_.reset();
  forget_memory();
  for (const std::string& folder : folders_) EXPECT_TRUE(remove_tree(folder));
}

}  // namespace talaria
