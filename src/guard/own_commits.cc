#include "guard/own_commits.h"

#include <fcntl.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "guard/hostile_file.h"
#include "guard/object_reader.h"

namespace talaria {
namespace {

constexpr size_t quick_tips = 64;
constexpr size_t most_list_bytes = 64 << 20;
// A tag of a tag of a tag.
constexpr int most_peels = 5;

// The names of a path in a commit; none for what no commit can have.
std::vector<std::string> names_of_path(const std::string& path) {
  if (path.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) return {};
  std::vector<std::string> names = split(path, '/');
  const bool odd = std::any_of(names.begin(), names.end(),
                               [](const std::string& name) { return name.empty() || name == "." || name == ".."; });
  return odd || names.size() > 64 ? std::vector<std::string>{} : names;
}

}  // namespace

Result<OwnCommits> OwnCommits::take(int git_directory, std::vector<std::string> tips, const Options& options) {
  const std::string place = link_target(AT_FDCWD, "/proc/self/fd/" + std::to_string(git_directory));
  if (!place.starts_with('/')) return Error(ErrorCode::unavailable, "the git directory has no path");
  const Result<PlainFile> shallow = read_plain_file(git_directory, "shallow", 16 << 20);
  CleanGit git =
      TRY(CleanGit::make({.objects = place + "/objects",
                          .shallow = shallow ? shallow->content : "",
                          .hash = !tips.empty() && tips.front().size() == 64 ? GitHash::sha256 : GitHash::sha1,
                          .scratch = options.scratch,
                          .program = options.program}));
  return OwnCommits(std::move(git), std::move(tips), options.patience);
}

bool OwnCommits::holds(const std::string& path, std::string_view content) {
  const std::vector<std::string> names = names_of_path(path);
  if (names.empty() || tips_.empty()) return false;
  const std::string blob = git_object_id(git_.hash(), "blob", content);
  if (absent_.contains(blob)) return false;
  const Result<bool> found = find(names, path, blob, Clock::now() + patience_);
  return found && *found;
}

// What is absent now was not in a commit of then. A command may bring it later, but not make it one of theirs.
void OwnCommits::expect(const std::vector<std::string>& contents) {
  std::set<std::string> missing;
  for (const std::string& content : contents) missing.insert(git_object_id(git_.hash(), "blob", content));
  const std::vector<std::string> ids(missing.begin(), missing.end());
  const Result<> read = read_git_objects(
      git_, ids, [&](const GitObject& object) { missing.erase(std::string(object.id)); }, Clock::now() + patience_);
  if (read) absent_.merge(missing);
}

Result<bool> OwnCommits::find(const std::vector<std::string>& names, const std::string& path, const std::string& blob,
                              Clock::time_point deadline) {
  TRY(peel_tips(deadline));
  // Nearly always it is what is checked out, or a neighbour of it.
  const std::vector<std::string> first(tips_.begin(),
                                       tips_.begin() + static_cast<std::ptrdiff_t>(std::min(tips_.size(), quick_tips)));
  if (!TRY(holders(first, names, blob, deadline)).empty()) return true;

  // Every parent of a merge is compared and no side branch left out: the content may be in one of them only.
  const std::vector<std::string> proposed =
      TRY(lines_of({"log", "--stdin", "--ignore-missing", "--full-history", "-m", "--no-renames", "--no-show-signature",
                    "--find-object=" + blob, "--format=%H", "-1", "--", path},
                   join(tips_, "\n") + "\n", 4096, deadline));
  if (proposed.empty()) return false;
  // The change that brought the content, or the one that took it away: then a parent has it.
  std::vector<std::string> candidates{proposed.front()};
  TRY(read_git_objects(
      git_, {proposed.front()},
      [&](const GitObject& object) {
        for (std::string& parent : header_values(object.content, "parent")) candidates.push_back(std::move(parent));
      },
      deadline));
  for (const std::string& commit : TRY(holders(candidates, names, blob, deadline)))
    if (TRY(is_reached(commit, deadline))) return true;
  return false;
}

Result<> OwnCommits::peel_tips(Clock::time_point deadline) {
  if (peeled_) return ok;
  std::unordered_map<std::string, std::string> commits;  // by the tip they were found for
  std::unordered_map<std::string, std::vector<std::string>> asked;
  std::vector<std::string> ids = tips_;
  for (const std::string& tip : tips_) asked[tip] = {tip};
  for (int round = 0; round < most_peels && !ids.empty(); ++round) {
    std::unordered_map<std::string, std::vector<std::string>> next;
    const auto take = [&](const GitObject& object) {
      const std::vector<std::string>& origins = asked[std::string(object.id)];
      const std::vector<std::string> inner = header_values(object.content, "object");
      if (object.type == "commit")
        for (const std::string& origin : origins) commits[origin] = object.id;
      if (object.type != "tag" || inner.empty() || inner.front().size() != object.id.size()) return;
      std::vector<std::string>& all = next[inner.front()];
      all.insert(all.end(), origins.begin(), origins.end());
    };
    TRY(read_git_objects(git_, ids, take, deadline));
    asked = std::move(next);
    ids.clear();
    for (const auto& [id, origins] : asked) ids.push_back(id);
  }
  std::vector<std::string> peeled;
  std::unordered_set<std::string> known;
  for (const std::string& tip : tips_)
    if (const auto found = commits.find(tip); found != commits.end() && known.insert(found->second).second)
      peeled.push_back(found->second);
  tips_ = std::move(peeled);
  peeled_ = true;
  return ok;
}

Result<std::vector<std::string>> OwnCommits::holders(const std::vector<std::string>& commits,
                                                     const std::vector<std::string>& names, const std::string& blob,
                                                     Clock::time_point deadline) const {
  // Which commits lead to an object, from one level of the path to the next.
  std::map<std::string, std::set<std::string>> level;
  const auto ids_of = [&] {
    std::vector<std::string> ids;
    for (const auto& [id, origins] : level) ids.push_back(id);
    return ids;
  };
  std::map<std::string, std::set<std::string>> next;
  const auto lead = [&](const std::string& from, const std::string& to) {
    const std::set<std::string>& origins = level[from];
    next[to].insert(origins.begin(), origins.end());
  };
  for (const std::string& commit : commits) level[commit] = {commit};
  const auto take_commit = [&](const GitObject& object) {
    const std::vector<std::string> trees = header_values(object.content, "tree");
    if (object.type == "commit" && trees.size() == 1) lead(std::string(object.id), trees.front());
  };
  TRY(read_git_objects(git_, ids_of(), take_commit, deadline));
  for (size_t index = 0; index < names.size(); ++index) {
    level = std::exchange(next, {});
    const bool last = index + 1 == names.size();
    const auto take_tree = [&](const GitObject& object) {
      if (object.type != "tree") return;
      const GitTreeEntry entry = tree_entry(object.content, names[index], git_.hash());
      const bool fits = last ? entry.mode.starts_with("100") : entry.mode == "40000";
      if (fits && (!last || entry.id == blob)) lead(std::string(object.id), entry.id);
    };
    TRY(read_git_objects(git_, ids_of(), take_tree, deadline));
  }
  const std::set<std::string>& found = next[blob];
  return std::vector<std::string>(found.begin(), found.end());
}

Result<bool> OwnCommits::is_reached(const std::string& commit, Clock::time_point deadline) const {
  if (std::find(tips_.begin(), tips_.end(), commit) != tips_.end()) return true;
  const std::vector<std::string> between =
      TRY(lines_of({"rev-list", "--stdin", "--ignore-missing", "--ancestry-path"},
                   "^" + commit + "\n" + join(tips_, "\n") + "\n", most_list_bytes, deadline));
  std::unordered_map<std::string, std::vector<std::string>> parents;
  TRY(read_git_objects(
      git_, between,
      [&](const GitObject& object) { parents[std::string(object.id)] = header_values(object.content, "parent"); },
      deadline));
  std::vector<std::string> waiting = tips_;
  std::unordered_set<std::string> seen;
  while (!waiting.empty()) {
    const std::string id = std::move(waiting.back());
    waiting.pop_back();
    if (id == commit) return true;
    const auto found = parents.find(id);
    if (found == parents.end() || !seen.insert(id).second) continue;
    waiting.insert(waiting.end(), found->second.begin(), found->second.end());
  }
  return false;
}

Result<std::vector<std::string>> OwnCommits::lines_of(const std::vector<std::string>& arguments, std::string_view input,
                                                      size_t most, Clock::time_point deadline) const {
  std::string output;
  const auto sink = [&](std::string_view bytes) -> Result<> {
    output += bytes;
    if (output.size() > most) return Error(ErrorCode::unavailable, "git says too much");
    return ok;
  };
  TRY(git_.run(arguments, input, sink, deadline));
  std::vector<std::string> lines;
  const size_t id_size = git_.hash() == GitHash::sha1 ? 40 : 64;
  for (std::string& line : split(output, '\n'))
    if (line.size() == id_size) lines.push_back(std::move(line));
  return lines;
}

}  // namespace talaria
