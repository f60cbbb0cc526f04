#pragma once
#include <map>
#include <memory>
#include <string>

#include "api/events.h"
#include "api/jobs.h"
#include "api/known_secrets.h"
#include "api/live_settings.h"
#include "api/output.h"
#include "api/pattern_search.h"

namespace talaria {

// Decides which jobs announce what: their end, and lines of their output that someone waits for. Only jobs that were
// handed back as running announce anything; who still waits for one in a call learns it there.
class Announcer {
 public:
  Announcer(Jobs& jobs, Outputs& outputs, EventBoard& board, LiveSettings& settings, KnownSecrets& secrets)
      : jobs_(jobs), outputs_(outputs), board_(board), settings_(settings), secrets_(secrets) {}

  // From here on it runs on its own.
  void handed_back(LiveJob& job);
  // The command is over or lost.
  void finished(LiveJob& job);
  // A poll that was open when the job finished is closed; `told` when it told its caller how the job ended.
  void poll_closed(LiveJob& job, bool told);
  void forget(const std::string& job);

 private:
  bool wants_exit(const LiveJob& job) const;
  std::string snippet_of(const LiveJob& job);
  void announce_exit(const LiveJob& job);
  void announce_match(const std::string& job, const std::string& session, const SharedEnvironment& secrets,
                      const LineMatcher::Match& match);

  Jobs& jobs_;
  Outputs& outputs_;
  EventBoard& board_;
  LiveSettings& settings_;
  KnownSecrets& secrets_;
  std::map<std::string, std::unique_ptr<PatternSearch>> searches_;
};

// `text` on one line, shortened to an event's size.
enum class Keep { beginning, end };
std::string event_snippet(std::string_view text, Keep keep);

// "Exec completed (ab2c3d4e, code 0) :: done".
std::string exit_event_text(const JobRow& row, const std::string& snippet);

}  // namespace talaria
