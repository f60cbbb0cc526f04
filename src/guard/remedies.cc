#include "guard/remedies.h"

#include "base/unseen.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t most_reports = 200;

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

void Remedies::report_stuck(const std::string& path, const Why& why, const Error& error) {
  report(Violation::Kind::stuck, path, {why.rule, why.why + "; it could not be taken away: " + error.message()}, "");
}

Result<std::string> Remedies::move_to_quarantine(int folder, const std::string& path, const Why& why,
                                                 QuarantinedItem::Origin origin) {
  Quarantine::About about;
  about.path = workspace_ + "/" + path;
  about.rule = why.rule;
  about.why = why.why;
  about.workspace = workspace_;
  about.session = session_;
  about.origin = origin;
  const QuarantinedItem item = TRY(quarantine_.take(folder, name_part(path), about));
  return item.id;
}

void Remedies::take_away(const std::string& path, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  if (!folder) return;
  const Result<std::string> id = move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::created);
  if (id) report(Violation::Kind::quarantined, path, why, *id);
  else if (id.error().code() != ErrorCode::not_found) report_stuck(path, why, id.error());
}

void Remedies::rewrite(const std::string& path, const std::string& content, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  struct stat like {};
  if (!folder || ::fstat(folder.get(), &like) != 0) return;
  like.st_mode = 0644;
  const Result<std::string> id = move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::created);
  if (!id) {
    if (id.error().code() != ErrorCode::not_found) report_stuck(path, why, id.error());
    return;
  }
  const Result<> written = write_entry(folder.get(), name_part(path), content, like);
  report(written ? Violation::Kind::rewritten : Violation::Kind::quarantined, path, why, *id);
}

void Remedies::restore(const std::string& path, const KnownEntry& before, const Why& why) {
  const UniqueFd folder = open_guarded_folder(root_, folder_part(path));
  if (!folder) return;
  const Result<std::string> id = move_to_quarantine(folder.get(), path, why, QuarantinedItem::Origin::overwritten);
  if (!id && id.error().code() != ErrorCode::not_found) return report_stuck(path, why, id.error());
  const Result<> restored = put_back(folder.get(), name_part(path), before);
  if (restored) return report(Violation::Kind::put_back, path, why, id ? *id : "");
  report(Violation::Kind::quarantined, path, {why.rule, why.why + "; " + restored.error().message()}, id ? *id : "");
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
