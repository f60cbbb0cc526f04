#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "store/database.h"

namespace talaria {

// One agent's conversation with us, as stored. Its times are of the store's Timeline.
struct SessionRow {
  std::string id{};
  std::string name{};  // "" for none
  std::string workspace{};
  std::string cwd{};
  std::string door{};
  std::string client{};  // whose it is, where it has no name
  int64_t slot = 1;      // which of that client's
  EpochMs created_ms = 0;
  EpochMs last_used_ms = 0;
  std::optional<EpochMs> ended_ms{};
  bool persist = false;
  std::string details_json = "{}";

  bool operator==(const SessionRow&) const = default;
};

// What tells the live sessions of a workspace apart: a name, or else a client and the number of its session.
struct SessionKey {
  std::string name{};
  std::string client{};
  int64_t slot = 1;

  bool operator==(const SessionKey&) const = default;
};
inline SessionKey key_of(const SessionRow& row) { return {row.name, row.client, row.slot}; }

class SessionTable {
 public:
  explicit SessionTable(Database& database) : database_(&database) {}

  // The row as stored: an id that is there already is left as it is and returned. A name that another live session
  // of that workspace has is a conflict.
  Result<SessionRow> create(const SessionRow& row);
  // Creates it, or replaces all but id and created_ms.
  Result<> put(const SessionRow& row);
  // Replaces all but id and created_ms.
  Result<> save(const SessionRow& row);
  Result<std::optional<SessionRow>> find(const std::string& id);
  // The live one; of several without a name the last used.
  Result<std::optional<SessionRow>> find_by_key(const SessionKey& key, const std::string& workspace);
  // The live one that was last used from this directory.
  Result<std::optional<SessionRow>> find_by_directory(const SessionKey& key, const std::string& cwd);
  Result<> touch(const std::string& id, EpochMs now);
  // True when this call ended it: false when it had ended before or is unknown.
  Result<bool> end(const std::string& id, EpochMs now);
  // The live ones that need not stay and were last used at `before` or earlier, longest unused first, `most` of them.
  Result<std::vector<std::string>> idle(EpochMs before, int most);
  // Forgets those that ended before `before` and have no job left. Looks at `most` of them, longest ended first, after
  // the first `skip`. Returns how many it looked at and how many of these it left.
  struct Swept {
    int64_t seen = 0;
    int64_t left = 0;
    bool operator==(const Swept&) const = default;
  };
  Result<Swept> sweep(EpochMs before, int most, int64_t skip = 0);

 private:
  Database* database_;
};

}  // namespace talaria
