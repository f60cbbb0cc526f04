#pragma once
// For tests and benchmarks: a folder of its own with skills in it.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "os/file.h"
#include "skills/catalog.h"

namespace talaria {

class CatalogTrial {
 public:
  CatalogTrial() {
    char pattern[] = "/tmp/talaria-catalog-XXXXXX";
    CHECK(::mkdtemp(pattern));
    CHECK(::chmod(pattern, 0755) == 0);
    folder_ = pattern;
  }
  CatalogTrial(const CatalogTrial&) = delete;
  CatalogTrial& operator=(const CatalogTrial&) = delete;
  ~CatalogTrial() { (void)remove_tree(folder_); }

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string index() const { return path("cache/skills.index"); }

  std::string make_folder(const std::string& name) const {
    CHECK(make_directories(path(name), 0755));
    return path(name);
  }
  // Written in place, as an editor may.
  std::string put(const std::string& name, std::string_view content) const {
    CHECK(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    const UniqueFd file(::open(path(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    CHECK(file && write_all(file.get(), content));
    return path(name);
  }
  static std::string text_of(const std::string& name, const std::string& description) {
    return "---\nname: " + name + "\ndescription: " + description + "\n---\n# " + name + "\n";
  }
  // In the folder `name`, which ends with the skill's own.
  std::string put_skill(const std::string& name, const std::string& description = "A skill") const {
    return put(name + "/SKILL.md", text_of(name.substr(name.rfind('/') + 1), description));
  }
  void link(const std::string& name, const std::string& target) const {
    CHECK(make_directories(path(name).substr(0, path(name).rfind('/')), 0755));
    CHECK(::symlink(target.c_str(), path(name).c_str()) == 0);
  }
  void remove(const std::string& name) const { CHECK(remove_tree(path(name))); }
  void rename(const std::string& from, const std::string& to) const {
    CHECK(::rename(path(from).c_str(), path(to).c_str()) == 0);
  }

  // The root `name` in the folder.
  SkillRoot root(const std::string& name, SkillSource source = SkillSource::external,
                 Trust trust = Trust::local) const {
    return {path(name), source, trust};
  }

 private:
  std::string folder_;
};

// Refreshes until nothing that was changed lately has to be looked at again.
inline std::shared_ptr<const CatalogView> settle(Catalog& catalog, const std::vector<SkillRoot>& roots) {
  const Clock::time_point deadline = Clock::now() + 20s;
  while (true) {
    const size_t before = catalog.work().folders_looked_at;
    std::shared_ptr<const CatalogView> view = catalog.refresh(roots);
    if (catalog.work().folders_looked_at == before) return view;
    CHECK(Clock::now() < deadline);
  }
}

// The directories of a view's skills, winners and others, below `root`, sorted.
inline std::vector<std::string> found_folders(const CatalogView& view, const std::string& root) {
  std::vector<std::string> folders;
  for (const Skill* skill : view.skills()) folders.push_back(skill->directory.substr(root.size() + 1));
  for (const ShadowedSkill& shadowed : view.shadowed()) {
    folders.push_back(shadowed.skill->directory.substr(root.size() + 1));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace talaria
