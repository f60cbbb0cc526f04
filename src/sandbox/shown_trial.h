#pragma once
// For tests: a session's sandbox that is told what to show while it stands, as the keeper does it.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "os/file.h"
#include "os/socket.h"
#include "sandbox/file_trial.h"
#include "sandbox/shown_sources.h"

namespace talaria {

// A skill inside our own home, which every sandbox hides, and a token beside it. The home is in the workspace, where it
// is covered; or it is beside it, and so where the sandbox has its own /tmp.
class SkillTrial : public FileTrial {
 public:
  enum class Home { sealed, writable };  // what is in its place inside
  explicit SkillTrial(ProfileKind kind = ProfileKind::workspace_write, Home place = Home::sealed) : FileTrial(kind) {
    if (place == Home::sealed) own = workspace + "/own";
    write(own + "/key", "our key\n", 0600);
    skill = own + "/skills/pdf";
    token = own + "/token.json";
    write(skill + "/SKILL.md", "the skill\n");
    write(skill + "/scripts/run.sh", "#!/bin/sh\necho ran\n", 0755);
    write(token, "the token\n", 0600);
  }

  static void write(const std::string& path, const std::string& text, mode_t mode = 0644) {
    CHECK(make_directories(path.substr(0, path.rfind('/')), 0755));
    CHECK(write_file_atomically(path, text, mode, Durable::no));
    CHECK(::chmod(path.c_str(), mode) == 0);
  }

  std::string skill, token;
};

inline ShownPath same(const std::string& path) { return {path, path}; }

inline ShowWish wish_for(const ShownPath& path) {
  struct stat status {};
  (void)::lstat(path.source.c_str(), &status);
  return {path, status.st_dev, status.st_ino};
}

// In a process of its own, by the index of the source.
inline std::vector<OpenedSource> open_sources_apart(const SourcesOrder& order) {
  auto [mine, theirs] = *socket_pair(SOCK_SEQPACKET);
  const pid_t child = ::fork();
  CHECK(child >= 0);
  if (child == 0) {
    open_shown_sources(*decode_sources_order(encode(order)), theirs.get());
    ::_exit(0);
  }
  theirs.reset();
  std::vector<OpenedSource> opened;
  while (true) {
    Result<ReceivedSource> received = receive_source(mine.get());
    CHECK(received);
    if (received->over) break;
    CHECK(received->source && received->source->index == opened.size());
    opened.push_back(std::move(*received->source));
  }
  CHECK(::waitpid(child, nullptr, 0) == child);
  return opened;
}

inline ShowAnswer tell_holder(SessionSpace& space, const ShowOrder& order, const std::vector<UniqueFd>& mounts = {}) {
  auto [mine, theirs] = *socket_pair(SOCK_STREAM);
  CHECK(space.show(order, mounts, std::move(theirs)));
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = ::read(mine.get(), buffer, sizeof buffer)) > 0;) bytes.append(buffer, count);
  return *decode_show_answer(bytes);
}

// Asks what is missing, opens it, and hands it over.
template <class Trial>
ShowAnswer show(Trial& trial, const std::vector<ShownPath>& paths) {
  CHECK(trial.prepare().empty());
  ShowOrder order;
  for (const ShownPath& path : paths) order.wishes.push_back(wish_for(path));
  ShowAnswer first = tell_holder(trial.space(), order);
  SourcesOrder sources{trial.session().space.identity, {}};
  std::vector<uint32_t> wanted;
  for (uint32_t i = 0; i < paths.size(); ++i) {
    if (first.outcomes[i].state != ShowState::wanted) continue;
    wanted.push_back(i);
    sources.sources.push_back({paths[i].source, owner_of_source(trial.session().space.mounts, paths[i].source)});
  }
  if (wanted.empty()) return first;
  std::vector<OpenedSource> opened = open_sources_apart(sources);
  CHECK(opened.size() == wanted.size());
  std::vector<UniqueFd> mounts;
  for (size_t i = 0; i < opened.size(); ++i) {
    if (!opened[i].mount) continue;
    order.given.push_back(wanted[i]);
    mounts.push_back(std::move(opened[i].mount));
  }
  ShowAnswer second = tell_holder(trial.space(), order, mounts);
  for (size_t i = 0; i < opened.size(); ++i) {
    if (!opened[i].trouble.empty()) second.outcomes[wanted[i]] = {ShowState::failed, opened[i].trouble};
  }
  second.changed = second.changed || first.changed;
  return second;
}

// What came of a single one: nothing when it is shown.
template <class Trial>
std::string show_one(Trial& trial, const ShownPath& path) {
  const ShowAnswer answer = show(trial, {path});
  if (answer.outcomes[0].state == ShowState::wanted) return "wanted";
  return answer.outcomes[0].reason;
}

template <class Trial>
size_t mounts_of(Trial& trial) {
  return split(*read_file("/proc/" + std::to_string(trial.space().pid()) + "/mountinfo"), '\n').size();
}

// 0 where one may not look: only root may.
template <class Trial>
size_t descriptors_of(Trial& trial) {
  const auto names = list_directory("/proc/" + std::to_string(trial.space().pid()) + "/fd");
  return names ? names->size() : 0;
}

}  // namespace talaria
