#pragma once
#include <vector>

#include "base/check.h"
#include "store/job_table.h"

namespace talaria {

// Every job of a small store, for tests: unfinished ones oldest first, then finished ones, the last ended first.
inline std::vector<JobRow> all_jobs(JobTable& jobs) {
  Result<std::vector<JobRow>> rows = jobs.unfinished();
  CHECK(rows);
  Result<std::vector<JobRow>> finished = jobs.finished_ones({}, {.limit = 1'000'000});
  CHECK(finished);
  rows->insert(rows->end(), finished->begin(), finished->end());
  return *std::move(rows);
}

}  // namespace talaria
