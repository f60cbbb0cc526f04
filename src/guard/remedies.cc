#include "guard/remedies.h"

#include "base/path.h"
#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t most_reports = 200;
constexpr size_t most_remembered = 10'000;

}  // namespace

std::string folder_part(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string name_part(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

void Remedies::report(Violation::Kind kind, const std::string& path, const Why& why, std::string id) {
  if (reports_.size() == most_reports) {
    ++unlisted_;
    return;
  }
  const std::string named = named_ == Named::whole ? workspace_ + "/" + path : path;
  reports_.push_back({kind, is_utf8(named) ? named : shown_line(named), why.rule, shown_line(why.why), std::move(id)});
}

void Remedies::report(Violation::Kind kind, const std::string& path, const Why& why, const QuarantinedItem& item) {
  // No list shows what could not even be recorded: only this tells the person where it is.
  const std::string note = item.beside.empty() ? "" : ". " + item.note;
  report(kind, path, {why.rule, why.why + note}, item.id);
}

void Remedies::report_stuck(const std::string& path, const Why& why, const Error& error) {
  report(Violation::Kind::stuck, path, {why.rule, why.why + "; it could not be taken away: " + error.message()}, "");
}

Result<QuarantinedItem> Remedies::move_to_quarantine(int folder, const std::string& path, const Why& why,
                                                     QuarantinedItem::Origin origin) {
  if (taken_.size() < most_remembered) taken_.insert(path);
  Quarantine::About about;
  about.path = workspace_ + "/" + path;
  about.rule = why.rule;
  about.why = why.why;
  about.workspace = workspace_;
  about.session = session_;
  about.origin = origin;
  return quarantine_.take(folder, name_part(path), about);
}

bool Remedies::took_from(const std::string& path) const {
  const auto found = taken_.lower_bound(path);
  return found != taken_.end() && is_within(*found, path);
}

void Remedies::take_away(const std::string& path, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  if (!folder) return;
  const Result<QuarantinedItem> item = move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::created);
  if (item) report(Violation::Kind::quarantined, path, why, *item);
  else if (item.error().code() != ErrorCode::not_found) report_stuck(path, why, item.error());
}

void Remedies::rewrite(const std::string& path, const std::string& content, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  struct stat like {};
  if (!folder || ::fstat(folder.get(), &like) != 0) return;
  like.st_mode = 0644;
  const Result<QuarantinedItem> item = move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::created);
  if (!item) {
    if (item.error().code() != ErrorCode::not_found) report_stuck(path, why, item.error());
    return;
  }
  const Result<> written = write_entry(folder.get(), name_part(path), content, like);
  report(written ? Violation::Kind::rewritten : Violation::Kind::quarantined, path, why, *item);
}

void Remedies::restore(const std::string& path, const KnownEntry& before, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  if (!folder) return;
  const Result<QuarantinedItem> item =
      move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::overwritten);
  if (!item && item.error().code() != ErrorCode::not_found) return report_stuck(path, why, item.error());
  const Result<> restored = put_back(folder.get(), name_part(path), before);
  const QuarantinedItem taken = item ? *item : QuarantinedItem();  // nothing was there to be taken
  if (restored) return report(Violation::Kind::put_back, path, why, taken);
  report(Violation::Kind::quarantined, path, {why.rule, why.why + "; " + restored.error().message()}, taken);
}

void Remedies::keep(const std::string& path, const Why& why) { report(Violation::Kind::kept, path, why, ""); }

bool Remedies::is_wanted(const std::string& path) const {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  if (!folder) return false;
  const Result<std::string> hash = Quarantine::hash_of(folder.get(), name_part(path));
  return hash && !hash->empty() && quarantine_.wanted(workspace_ + "/" + path, *hash);
}

std::vector<Violation> Remedies::take_reports() {
  std::vector<Violation> reports = std::exchange(reports_, {});
  if (const size_t more = std::exchange(unlisted_, 0)) reports.push_back(more_violations(more));
  return reports;
}

}  // namespace talaria
