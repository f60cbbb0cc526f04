#pragma once
#include <set>
#include <string>
#include <vector>

#include "store/database.h"

namespace talaria {

// The folders of this machine that a sandbox has ever let commands write in: what lies there may be an agent's. None is
// forgotten when its session ends, for what was written stays.
class AgentPlaceTable {
 public:
  explicit AgentPlaceTable(Database& database) : database_(&database) {}

  // Real paths. They are known from here on, and are stored by write and stored.
  void note(const std::vector<std::string>& folders);
  // Inside a transaction, and after it was committed.
  Result<> write();
  void written();
  // All of it at once. Those that cannot be stored now are known all the same, and tried again with the next.
  Result<> add(const std::vector<std::string>& folders);
  Result<std::vector<std::string>> all();

 private:
  Database* database_;
  std::set<std::string> stored_;    // by this object
  std::set<std::string> unstored_;  // those that could not be
};

}  // namespace talaria
