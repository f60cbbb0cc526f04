#pragma once
#include <map>
#include <string>
#include <vector>

#include "json/json.h"

namespace talaria {

// What is told of a variable in .env; never its value.
struct EnvRow {
  std::string name;
  bool empty = false;        // it is written, and means nothing
  bool passed = false;       // terminal.env_passthrough names it, and that is heard
  std::string refused = {};  // why it is not
  bool operator==(const EnvRow&) const = default;
};

std::vector<EnvRow> env_rows(const std::map<std::string, std::string>& variables,
                             const std::vector<std::string>& passthrough);

// {path, variables: [{name, empty, passthrough, refused?}]}
JsonObject env_json(const std::string& path, const std::vector<EnvRow>& rows);

}  // namespace talaria
