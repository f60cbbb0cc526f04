// What finding 10,000 skills costs, beside the floors of the same run: reading all their files, a look at each.
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>

#include <cstdio>
#include <memory>

#include "skills/activation.h"
#include "skills/catalog.h"
#include "skills/catalog_crowd_trial.h"
#include "skills/prompt_index.h"
#include "skills/skill_listing.h"
#include "table.h"

namespace talaria {
namespace {

constexpr size_t crowd_size = 10'000;
constexpr size_t body_bytes = 5'400;  // as much as half of all real ones have

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.2f%s", value, unit);
  return text;
}

std::string ratio(const Times& times, const Times& floor) { return number(times.median / floor.median, " × floor"); }

// As find does, and cat of every file.
void read_everything(const std::string& folder, std::vector<char>& buffer) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entry->d_type == DT_DIR) read_everything(folder + "/" + name, buffer);
    if (entry->d_type != DT_REG) continue;
    const UniqueFd file(::openat(::dirfd(entries.get()), entry->d_name, O_RDONLY | O_CLOEXEC));
    while (::read(file.get(), buffer.data(), buffer.size()) > 0) {
    }
  }
}

void look_at_everything(const std::vector<std::string>& paths) {
  struct stat info {};
  for (const std::string& path : paths) (void)::stat(path.c_str(), &info);
}

size_t memory_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

class SkillsBench {
 public:
  SkillsBench() : crowd_(write_crowd(trial_, "skills", crowd_size, body_bytes)), roots_({trial_.root("skills")}) {
    for (const std::string& folder : crowd_.folders) {
      const std::string path = trial_.path("skills/" + folder);
      paths_.push_back(path);
      paths_.push_back(path + (exists(path + "/SKILL.md") ? "/SKILL.md" : "/skill.md"));
    }
    edited_ = "skills/" + crowd_.folders[crowd_.folders.size() / 2];
  }

  void run() {
    measure_memory();
    measure_sweeps();
    measure_views();
    table_.print();
  }

 private:
  void measure_memory() {
    const size_t before = memory_in_use();
    const Catalog catalog(trial_.index());
    const auto view = const_cast<Catalog&>(catalog).refresh(roots_);
    const double used = static_cast<double>(memory_in_use() - before) / 1e6;
    table_.note("skills found",
                std::to_string(view->skills().size()) + " + " + std::to_string(view->shadowed().size()) + " shadowed");
    table_.note("memory of the catalog", number(used, " MB"), "≤ 40 MB", used <= 40);
  }

  void edit() {
    static int turn = 0;
    trial_.put_skill(edited_, "Edited for the time number " + std::to_string(++turn));
  }

  void measure_sweeps() {
    std::vector<char> buffer(64 << 10);
    Catalog warm(trial_.index());
    (void)warm.refresh(roots_);
    (void)warm.save();
    const std::vector<Times> t = measure_together(
        15, {[&] { read_everything(trial_.path("skills"), buffer); },
             [&] { (void)Catalog(trial_.path("none/index")).refresh(roots_); }, [&] { look_at_everything(paths_); },
             [&] { (void)Catalog(trial_.index()).refresh(roots_); }, [&] { (void)warm.refresh(roots_); },
             [&] {
               edit();
               (void)warm.refresh(roots_);
             },
             [&] {
               edit();
               (void)warm.refresh(roots_);
               (void)warm.save();
             }});
    table_.add("floor: list all folders, read all files", t[0]);
    table_.add("cold, no index", t[1], "≤ 300 ms; " + ratio(t[1], t[0]), t[1].median <= 300);
    table_.add("floor: stat of all folders and files", t[2]);
    table_.add("restart with the index", t[3], "", true);
    table_.add("refresh, nothing changed", t[4], ratio(t[4], t[2]));
    table_.add("one edit, then refresh", t[5], "≤ 30 ms; " + ratio(t[5], t[2]), t[5].median <= 30);
    table_.add("the same, and the index saved", t[6]);
  }

  void measure_views() {
    Catalog catalog(trial_.index());
    const auto view = catalog.refresh(roots_);
    size_t turn = 0;
    SkillAvailability availability;
    availability.tools = {"exec", "web_search"};
    const auto name = [&] { return view->skills()[turn++ * 7919 % view->skills().size()]->card.name; };
    const std::vector<Times> t = measure_together(
        50,
        {[&] {
           const SkillLookUp found = catalog.look_up(roots_, name());
           const Result<std::string> text = read_file(found.skill->file);
           if (text) (void)read_front_matter(*text);
         },
         [&] { (void)visible_skills(*view, availability, SkillAudience::agent); },
         [&] { (void)prompt_index(*view, visible_skills(*view, availability, SkillAudience::agent)); },
         [&] { (void)prompt_index(*view, visible_skills(*view, availability, SkillAudience::agent), 10 << 20); },
         [&] { (void)write_json(skill_listing(*view, visible_skills(*view, availability, SkillAudience::agent))); }});
    table_.add("one view by name: look-up, read, parse", t[0], "≤ 1 ms", t[0].median <= 1);
    table_.add("deciding what is visible", t[1]);
    table_.add("prompt, 16,000 characters", t[2], "≤ 20 ms", t[2].median <= 20);
    table_.add("prompt, all descriptions whole", t[3], "≤ 20 ms", t[3].median <= 20);
    table_.add("skills_list, as JSON", t[4]);
  }

  CatalogTrial trial_;
  SkillCrowd crowd_;
  std::vector<SkillRoot> roots_;
  std::vector<std::string> paths_;
  std::string edited_;
  Table table_;
};

}  // namespace
}  // namespace talaria

int main() {
  talaria::SkillsBench().run();
  return 0;
}
