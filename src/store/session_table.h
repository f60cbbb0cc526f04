#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace talaria {

// One agent's conversation with us, as stored.
struct SessionRow {
  std::string id{};
  std::string name{};  // "" for none
  std::string workspace{};
  std::string cwd{};
  std::string door{};
  EpochMs created_ms = 0;
  EpochMs last_used_ms = 0;
  std::optional<EpochMs> ended_ms{};
  bool persist = false;
  std::string details_json = "{}";

  bool operator==(const SessionRow&) const = default;
};

class SessionTable {
 public:
  explicit SessionTable(Database& database) : database_(&database) {}

  // The row as stored: an id that is there already is left as it is and returned. A name that another live session
  // of that workspace has is a conflict.
  Result<SessionRow> create(const SessionRow& row);
  // Replaces all but id and created_ms.
  Result<> save(const SessionRow& row);
  Result<std::optional<SessionRow>> find(const std::string& id);
  // The live one; of several without a name the last used.
  Result<std::optional<SessionRow>> find_by_name(const std::string& name, const std::string& workspace);
  Result<> touch(const std::string& id, EpochMs now);
  // True when this call ended it: false when it had ended before or is unknown.
  Result<bool> end(const std::string& id, EpochMs now);
  enum class Which { live, all };
  // Last used first.
  Result<std::vector<SessionRow>> list(Which which = Which::live);
  // Forgets those that ended before `before` and have no job left. Returns their ids.
  Result<std::vector<std::string>> sweep(EpochMs before);

 private:
  Database* database_;
};

}  // namespace talaria
