#include "skills/catalog_slugs.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "skills/catalog_names.h"
#include "skills/platform.h"
#include "skills/slug.h"

namespace talaria {
namespace {

struct Contender {
  const Skill* skill = nullptr;
  size_t root = 0;
  bool runs_here = true;
};

bool has_legal_name(const Skill& skill) { return skill.card.name == skill.card.slug; }

bool is_one_file(const Skill& one, const Skill& other) {
  return one.stamp.inode == other.stamp.inode && one.stamp.device == other.stamp.device;
}

// Both have one slug; `first` goes before.
bool is_duplicate(const Contender& other, const Contender& first) {
  if (is_one_file(*other.skill, *first.skill) || other.skill->card.name == first.skill->card.name) return true;
  if (other.root == first.root) return false;
  return folder_name(*other.skill) == folder_name(*first.skill) ||
         folded_name(other.skill->card.name) == folded_name(first.skill->card.name);
}

constexpr size_t no_place = SIZE_MAX;

// All that slug to the same, in the order of precedence: first those that run here.
struct SlugContest {
  std::vector<Contender> contenders;
  const Skill* folder_owner = nullptr;  // its folder has that name, so only one whose name it is gets it
  size_t place = no_place;              // of the first of them in the outcome, if that was to have the slug
};

class SlugOffice {
 public:
  explicit SlugOffice(const std::vector<std::shared_ptr<const RootContent>>& roots) : table_(count_skills(roots)) {
    listed_.reserve(count_skills(roots));
    std::vector<std::vector<const Skill*>> here(roots.size()), elsewhere(roots.size());
    for (size_t root = 0; root < roots.size(); ++root) {
      here[root].reserve(roots[root]->skills.size());
      for (const auto& skill : roots[root]->skills) {
        (runs_on(skill->card) ? here : elsewhere)[root].push_back(skill.get());
      }
      enter(here[root], here[root], {nullptr, root, true});
    }
    for (size_t root = 0; root < roots.size(); ++root) {
      if (elsewhere[root].empty()) continue;
      some_elsewhere_ = true;
      here[root].insert(here[root].end(), elsewhere[root].begin(), elsewhere[root].end());
      enter(elsewhere[root], here[root], {nullptr, root, false});
    }
  }

  SlugOutcome decide() {
    for (const Contender& one : listed_) {
      outcome_.skills.push_back(one.skill);
      const auto known = contest_of_.empty() ? contest_of_.end() : contest_of_.find(one.skill->card.slug);
      if (known == contest_of_.end()) continue;
      SlugContest& contest = contests_[known->second];
      contest.contenders.insert(contest.contenders.begin(), one);
      contest.place = outcome_.skills.size() - 1;
    }
    for (const SlugContest& contest : contests_) settle(contest);
    rename();
    if (some_elsewhere_) {
      std::stable_partition(outcome_.skills.begin(), outcome_.skills.end(),
                            [](const Skill* skill) { return runs_on(skill->card); });
    }
    return std::move(outcome_);
  }

 private:
  static size_t count_skills(const std::vector<std::shared_ptr<const RootContent>>& roots) {
    size_t count = 0;
    for (const auto& root : roots) count += root->skills.size();
    return count;
  }

  // Skills of one root, as `entrant` says all else of them. `neighbours` are those whose folders go before a name.
  void enter(const std::vector<const Skill*>& skills, const std::vector<const Skill*>& neighbours, Contender entrant) {
    const auto add_it = [&](const Skill* skill) {
      entrant.skill = skill;
      add(entrant);
    };
    for (const Skill* skill : skills) {
      if (has_legal_name(*skill)) add_it(skill);
    }
    std::unordered_map<std::string_view, const Skill*> folders;
    for (const Skill* skill : skills) {
      if (has_legal_name(*skill)) continue;
      const bool own_folder = folder_name(*skill) == skill->card.slug;
      if (!own_folder && folders.empty()) {
        for (const Skill* one : neighbours) folders.emplace(folder_name(*one), one);
      }
      const auto folder = own_folder ? folders.end() : folders.find(skill->card.slug);
      if (folder != folders.end() && folder->second->card.slug != skill->card.slug && !table_.find(skill->card.slug)) {
        const Skill*& owner = contest(skill->card.slug).folder_owner;
        if (!owner) owner = folder->second;
      }
      add_it(skill);
    }
  }

  SlugContest& contest(std::string_view slug) {
    const auto [known, is_new] = contest_of_.emplace(slug, contests_.size());
    if (is_new) contests_.emplace_back();
    return contests_[known->second];
  }

  void add(const Contender& one) {
    const auto known = contest_of_.empty() ? contest_of_.end() : contest_of_.find(one.skill->card.slug);
    if (known != contest_of_.end()) return contests_[known->second].contenders.push_back(one);
    if (table_.add(one.skill) == one.skill) return listed_.push_back(one);
    contest(one.skill->card.slug).contenders.push_back(one);
  }

  // Who gets the slug, of those that run here if any do: the first whose name it is, which may come after one that only
  // slugs to it, unless that is there in its place; else one of the first root whose folder has that name; else the
  // first.
  static const Contender* champion(const SlugContest& contest) {
    const auto runs_alike = [&](const Contender& one) { return one.runs_here == contest.contenders.front().runs_here; };
    const std::span contenders(contest.contenders.begin(), std::ranges::find_if_not(contest.contenders, runs_alike));
    for (auto one = contenders.begin(); one != contenders.end(); ++one) {
      const auto shadows = [&](const Contender& before) { return is_duplicate(*one, before); };
      if (has_legal_name(*one->skill) && std::none_of(contenders.begin(), one, shadows)) return &*one;
    }
    if (contest.folder_owner) return nullptr;
    for (const Contender& one : contenders) {
      if (one.root == contenders.front().root && folder_name(*one.skill) == one.skill->card.slug) return &one;
    }
    return &contenders.front();
  }

  void settle(const SlugContest& contest) {
    std::vector<Contender> kept;
    const Skill* winner = contest.folder_owner;
    if (const Contender* one = champion(contest)) {
      kept.push_back(*one);
      winner = one->skill;
      given_.insert(winner->card.slug);
      if (contest.place == no_place) outcome_.skills.push_back(winner);
      else outcome_.skills[contest.place] = winner;
    }
    for (const Contender& one : contest.contenders) {
      if (!kept.empty() && one.skill == kept.front().skill) continue;
      const auto first =
          std::find_if(kept.begin(), kept.end(), [&](const Contender& other) { return is_duplicate(one, other); });
      if (first == kept.end()) {
        kept.push_back(one);
        losers_.push_back({one.skill, winner});
      } else if (!is_one_file(*one.skill, *first->skill)) {
        outcome_.shadowed.push_back({one.skill, first->skill});
      }
    }
  }

  // Only now is it known which slugs are free.
  void rename() {
    std::unordered_map<const Skill*, const Skill*> copies;
    for (const ShadowedSkill& loser : losers_) {
      auto copy = std::make_shared<Skill>(*loser.skill);
      give_slug(copy->card, free_slug(*copy));
      copies.emplace(loser.skill, copy.get());
      outcome_.skills.push_back(copy.get());
      outcome_.renamed.push_back({std::move(copy), loser.winner});
    }
    const auto follow = [&](const Skill*& skill) {
      if (const auto copy = copies.find(skill); copy != copies.end()) skill = copy->second;
    };
    for (ShadowedSkill& one : outcome_.shadowed) follow(one.winner);
    for (RenamedSkill& one : outcome_.renamed) follow(one.winner);
  }

  std::string free_slug(const Skill& skill) {
    const std::string folder(folder_name(skill));
    std::vector<std::string> wishes = {slug_of(folder)};
    if (!skill.category.empty()) {
      std::string path = skill.category + "-" + folder;
      std::replace(path.begin(), path.end(), '/', '-');
      wishes.push_back(slug_of(path));
    }
    for (std::string& wish : wishes) {
      if (!wish.empty() && take(wish)) return wish;
    }
    const std::string stem = skill.card.slug.substr(0, longest_slug - 8);
    for (size_t number = 2;; ++number) {
      std::string wish = slug_of(stem + "-" + std::to_string(number));
      if (take(wish)) return wish;
    }
  }

  bool take(const std::string& slug) { return !table_.find(slug) && given_.insert(slug).second; }

  SlugTable table_;
  std::vector<Contender> listed_;
  std::vector<SlugContest> contests_;
  std::unordered_map<std::string_view, size_t> contest_of_;
  std::vector<ShadowedSkill> losers_;
  std::unordered_set<std::string> given_;
  SlugOutcome outcome_;
  bool some_elsewhere_ = false;  // do not run here
};

}  // namespace

std::string_view folder_name(const Skill& skill) {
  return std::string_view(skill.directory).substr(skill.directory.rfind('/') + 1);
}

SlugOutcome give_out_slugs(const std::vector<std::shared_ptr<const RootContent>>& roots) {
  return SlugOffice(roots).decide();
}

}  // namespace talaria
