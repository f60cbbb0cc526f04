#pragma once
#include <set>
#include <string>
#include <vector>

#include "guard/known_entry.h"
#include "guard/quarantine.h"
#include "guard/violation.h"
#include "os/fd.h"

namespace talaria {

// The folder and the name of a path from the workspace, and back.
std::string folder_part(const std::string& path);
std::string name_part(const std::string& path);
std::string joined(const std::string& folder, const std::string& name);

// What can be done about something dangerous in a workspace; each is remembered until it is reported.
class Remedies {
 public:
  struct Why {
    std::string rule;
    std::string why;
  };

  // How reports name what is at a path.
  enum class Named { from_workspace, whole };

  // `root` is the open folder `workspace`.
  Remedies(int root, std::string workspace, std::string session, const std::string& quarantine,
           Named named = Named::from_workspace)
      : root_(root),
        workspace_(std::move(workspace)),
        session_(std::move(session)),
        quarantine_(quarantine),
        named_(named) {}

  // To quarantine. What is gone by itself needs no report.
  void take_away(const std::string& path, const Why& why);
  // What stands there goes to quarantine, and a file with this content takes its place.
  void rewrite(const std::string& path, const std::string& content, const Why& why);
  // What stands there goes to quarantine, and what was there before takes its place.
  void restore(const std::string& path, const KnownEntry& before, const Why& why);
  // It stays; the person should know.
  void keep(const std::string& path, const Why& why);

  // Whether the person put this very thing back from quarantine.
  bool is_wanted(const std::string& path) const;
  std::vector<Violation> take_reports();

  // Whether something was taken from this path, or from below it, since the commands that run now began: who puts it
  // there again is no program that is half way through its work.
  bool took_from(const std::string& path) const;
  void forget_taken() { taken_.clear(); }

 private:
  Result<QuarantinedItem> move_to_quarantine(int folder, const std::string& path, const Why& why,
                                             QuarantinedItem::Origin origin);
  void report(Violation::Kind kind, const std::string& path, const Why& why, std::string id);
  void report(Violation::Kind kind, const std::string& path, const Why& why, const QuarantinedItem& item);
  void report_stuck(const std::string& path, const Why& why, const Error& error);

  int root_;
  std::string workspace_;
  std::string session_;
  Quarantine quarantine_;
  Named named_;
  std::vector<Violation> reports_;
  size_t unlisted_ = 0;
  std::set<std::string> taken_;
};

}  // namespace talaria
