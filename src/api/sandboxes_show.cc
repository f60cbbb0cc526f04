// What sandboxes show beside their view.
#include <sys/stat.h>

#include "api/sandboxes.h"
#include "base/unseen.h"

namespace talaria {
namespace {

std::string not_shown(const ShownPath& path, const std::string& why) {
  return shown_line(path.target) + " is not shown in the sandbox: " + why + ".";
}

// As it is now; the keeper compares that with what it shows.
Result<ShowWish> look_at(const ShownPath& path) {
  struct stat status {};
  if (::lstat(path.source.c_str(), &status) != 0) return Error::from_errno("open " + path.source);
  if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
    return invalid(shown_line(path.source) + " is neither a directory nor a regular file");
  }
  return ShowWish{path, status.st_dev, status.st_ino};
}

// Of one of the paths that were asked for; nothing when it is shown.
std::string trouble_of(const Result<ShowAnswer>& answer, size_t index) {
  // A sandbox that is gone is made anew by whoever starts something in it.
  if (!answer) return answer.error().code() == ErrorCode::cancelled ? "" : answer.error().message();
  if (index >= answer->outcomes.size()) return "the keeper does not say why";
  return answer->outcomes[index].state == ShowState::shown ? "" : answer->outcomes[index].reason;
}

}  // namespace

Sandboxes::Waiter Sandboxes::prepare(const Wish& wish, Done done) {
  auto waiter = std::make_shared<Done>(std::move(done));
  const int64_t number = ++last_number_;
  preparing_[number].waiter = waiter;
  Waiter planning = plan(wish, [this, number, paths = wish.shown](const Result<SharedSandboxPlan>& plan) {
    if (!plan) return finish(number, plan);
    preparing_.at(number).plan = *plan;
    show(number, paths);
  });
  if (const auto still = preparing_.find(number); still != preparing_.end())
    still->second.planning = std::move(planning);
  return waiter;
}

void Sandboxes::finish(int64_t number, const Result<SharedSandboxPlan>& plan) {
  const auto preparing = preparing_.extract(number);
  if (const Waiter waiter = preparing.mapped().waiter.lock()) (*waiter)(plan);
}

void Sandboxes::show(int64_t number, const std::vector<ShownPath>& paths) {
  Preparing& preparing = preparing_.at(number);
  const SharedSandboxPlan plan = preparing.plan;
  const std::string& space = plan->request.space;
  std::vector<ShowWish> wishes;
  for (const ShownPath& path : paths) {
    if (is_there_anyway(*plan, path)) continue;
    Result<ShowWish> wish = look_at(path);
    if (wish && wishes.size() == most_shown_paths) wish = invalid("there are too many others");
    if (!wish) {
      preparing.notes.push_back(not_shown(path, wish.error().message()));
      continue;
    }
    preparing.asked.push_back(path);
    wishes.push_back(*std::move(wish));
  }
  if (wishes.empty() && !showing_.contains(space)) return shown(number, ShowAnswer{});
  if (Result<> opened = open(*plan); !opened) return finish(number, opened.error());
  Result<KeeperClient*> keeper = jobs_.keeper();
  if (!keeper) return finish(number, keeper.error());
  showing_[space] = number;
  preparing.call =
      (*keeper)->show(space, wishes, [this, number](const Result<ShowAnswer>& answer) { shown(number, answer); });
}

void Sandboxes::shown(int64_t number, const Result<ShowAnswer>& answer) {
  Preparing& preparing = preparing_.at(number);
  const std::string space = preparing.plan->request.space;
  const bool is_last = showing_.contains(space) && showing_.at(space) == number;
  if (answer && is_last && preparing.asked.empty()) showing_.erase(space);
  if (answer && answer->changed && view_changed_) view_changed_(space);
  for (size_t i = 0; i < preparing.asked.size(); ++i) {
    const std::string trouble = trouble_of(answer, i);
    if (!trouble.empty()) preparing.notes.push_back(not_shown(preparing.asked[i], trouble));
  }
  if (preparing.notes.empty()) return finish(number, preparing.plan);
  auto with_notes = std::make_shared<SandboxPlan>(*preparing.plan);
  with_notes->notes.insert(with_notes->notes.end(), preparing.notes.begin(), preparing.notes.end());
  finish(number, SharedSandboxPlan(std::move(with_notes)));
}

}  // namespace talaria
