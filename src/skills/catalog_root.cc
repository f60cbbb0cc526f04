#include "skills/catalog_root.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "os/fd.h"
#include "os/file.h"
#include "skills/catalog_renewal.h"
#include "skills/catalog_walk.h"

namespace talaria {
namespace {

// Folders whose skill has another trust than origins.json gives it now.
void renew_trust(CatalogFolders& folders, const SkillRoot& root, const SkillOrigins& origins) {
  for (auto& folder : folders) {
    if (!folder->skill) continue;
    const Trust trust = trust_of(*folder, root, origins);
    if (folder->skill->trust == trust) continue;
    auto skill = std::make_shared<Skill>(*folder->skill);
    skill->trust = trust;
    auto renewed = std::make_shared<CatalogFolder>(*folder);
    renewed->skill = std::move(skill);
    folder = std::move(renewed);
  }
}

bool is_within_a_skill(const CatalogFolders& folders, std::string_view path) {
  for (;; path = path.substr(0, path.rfind('/'))) {
    const auto folder =
        std::lower_bound(folders.begin(), folders.end(), path,
                         [](const auto& one, std::string_view other) { return comes_before(one->path, other); });
    if (folder != folders.end() && (*folder)->path == path && !(*folder)->skill_file.empty()) return true;
    if (path.find('/') == std::string_view::npos) return false;
  }
}

// One for all folders that lie too deep. What lies in a skill is its own affair.
void add_depth_warning(const CatalogFolders& folders, const std::string& root,
                       std::vector<CatalogDiagnostic>& diagnostics) {
  for (const auto& folder : folders) {
    if (folder->folders.empty()) continue;
    const auto slashes = static_cast<size_t>(std::count(folder->path.begin(), folder->path.end(), '/'));
    if (slashes + 1 < deepest_skill_folder || is_within_a_skill(folders, folder->path)) continue;
    diagnostics.push_back({Severity::warning, root + "/" + folder->path,
                           "folders more than " + std::to_string(deepest_skill_folder) + " levels below " + root +
                               " are not looked at, as those in here; move skills further up"});
    return;
  }
}

RootContent content_of(const RootState& state, const std::string& root, std::vector<CatalogDiagnostic> diagnostics) {
  RootContent content;
  content.diagnostics = std::move(diagnostics);
  const auto add = [&](const std::vector<CatalogDiagnostic>& more) {
    content.diagnostics.insert(content.diagnostics.end(), more.begin(), more.end());
  };
  add(state.origins.diagnostics);
  add_depth_warning(state.folders, root, content.diagnostics);
  for (const auto& folder : state.folders) {
    add(folder->diagnostics);
    if (folder->skill) content.skills.push_back(folder->skill);
    if (!folder->blurb.empty()) content.blurbs.emplace(folder->path, folder->blurb);
  }
  return content;
}

// A root that cannot be opened. One that is not there has nothing to say.
std::shared_ptr<const RootState> closed_root(const SkillRoot& root, int number,
                                             const std::shared_ptr<const RootState>& before) {
  RootContent content;
  if (number != ENOENT) {
    content.diagnostics.push_back(
        {Severity::warning, root.path, Error::from_number(number, "open it").message() + "; its skills are not shown"});
  }
  if (before->folders.empty() && before->content && *before->content == content) return before;
  auto state = std::make_shared<RootState>();
  state->content = std::make_shared<RootContent>(std::move(content));
  return state;
}

}  // namespace

std::shared_ptr<const RootState> sweep_root(const SkillRoot& root, const std::shared_ptr<const RootState>& before,
                                            CatalogWork& work) {
  ++work.sweeps;
  const UniqueFd directory(::open(root.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return closed_root(root, errno, before);

  const bool has_origins = root.source == SkillSource::home;
  const bool same_origins = !has_origins || is_same(before->origins.seen, directory.get(), origins_file);
  const std::vector<char> unchanged = compare_folders(before->folders, directory.get(), work);
  const bool same_folders =
      !unchanged.empty() && std::all_of(unchanged.begin(), unchanged.end(), [](char same) { return same; });
  if (same_origins && same_folders && before->content) return before;

  auto state = std::make_shared<RootState>();
  state->origins = same_origins ? before->origins : read_origins(directory.get(), root.path);
  const OpenRoot open{root, directory.get(), real_or_given_path(root.path), state->origins};
  FolderWalk walk;
  if (std::optional<CatalogFolders> renewed = renew_folders(open, before->folders, unchanged, work)) {
    walk.folders = std::move(*renewed);
  } else {
    walk = walk_folders(open, {FolderVisit()}, before->folders, unchanged, work);
  }
  state->folders = std::move(walk.folders);
  renew_trust(state->folders, root, state->origins);
  RootContent content = content_of(*state, root.path, std::move(walk.diagnostics));
  const bool same_content = before->content && *before->content == content;
  state->content = same_content ? before->content : std::make_shared<const RootContent>(std::move(content));
  return state;
}

CatalogRoot::Swept CatalogRoot::sweep() {
  const uint64_t ticket = ++tickets_;
  const std::lock_guard sweeping(sweeping_);
  if (served_ >= ticket) return last();
  if (remember_) {
    auto remembered = std::make_shared<RootState>();
    remembered->folders = std::exchange(remember_, nullptr)(root_);
    const std::lock_guard lock(mutex_);
    saved_ = remembered->folders;
    last_.state = std::move(remembered);
  }
  const uint64_t serving = tickets_;
  const int64_t now = wall_clock_ns();
  CatalogWork work = this->work();
  std::shared_ptr<const RootState> state = sweep_root(root_, last().state, work);
  served_ = serving;
  const std::lock_guard lock(mutex_);
  work_ = work;
  last_ = {std::move(state), now};
  return last_;
}

CatalogRoot::Swept CatalogRoot::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

CatalogWork CatalogRoot::work() const {
  const std::lock_guard lock(mutex_);
  return work_;
}

bool CatalogRoot::unsaved() const {
  const std::lock_guard lock(mutex_);
  return last_.state->folders != saved_;
}

void CatalogRoot::note_saved(const CatalogFolders& folders) {
  const std::lock_guard lock(mutex_);
  saved_ = folders;
}

}  // namespace talaria
