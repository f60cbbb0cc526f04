#include "store/agent_place_table.h"

namespace talaria {

void AgentPlaceTable::note(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (!stored_.contains(folder)) unstored_.insert(folder);
  }
}

Result<> AgentPlaceTable::write() {
  for (const std::string& folder : unstored_) {
    Statement statement = TRY(database_->prepare("INSERT INTO agent_places (path) VALUES (?) ON CONFLICT DO NOTHING",
                                                 "remember where agents can write"));
    TRY(statement.bind(folder).run());
  }
  return ok;
}

void AgentPlaceTable::written() {
  stored_.merge(unstored_);
  unstored_.clear();
}

Result<> AgentPlaceTable::add(const std::vector<std::string>& folders) {
  note(folders);
  TRY(write());
  written();
  return ok;
}

Result<std::vector<std::string>> AgentPlaceTable::all() {
  Statement statement = TRY(database_->prepare("SELECT path FROM agent_places", "read where agents can write"));
  std::vector<std::string> folders(unstored_.begin(), unstored_.end());
  while (TRY(statement.step())) statement.read(folders.emplace_back());
  return folders;
}

}  // namespace talaria
