#pragma once
#include <string>

#include "base/result.h"
#include "product/house.h"

namespace talaria {

// One whose gateway and keeper may open few files. Its commands run on the plain host.
class LowHouse : public PlainHouse {
 public:
  // Nothing is started yet.
  LowHouse() = default;
  // Gateway and keeper run, each with so many descriptors, soft and hard.
  explicit LowHouse(int open_files);

  // Runs the CLI, and starts what it starts, with so many descriptors.
  Ran run_with(int open_files, const std::string& arguments);

  // jobs/start in the background; the job's id, or why not.
  Result<std::string> start_job(RpcClient& client, const std::string& command);
};

}  // namespace talaria
