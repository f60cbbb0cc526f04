#pragma once
#include <cstdint>
#include <string>

#include "api/live_job.h"
#include "process/excerpt.h"
#include "process/mask.h"
#include "store/job_table.h"

namespace talaria {

// A job's output as a result shows it: cleaned, shortened, masked.
struct ShownOutput {
  std::string text;
  bool truncated = false;
  std::string file;         // where all of it is, or as much of its beginning as there is; empty when `text` is all
  uint64_t file_bytes = 0;  // of the output that the file holds, from its beginning
  std::string file_error;   // why it could not be written
};

// How a reader gets at what was left out, by a way that is open to every session; no sandbox shows the file.
std::string way_to_the_rest(const std::string& job);

// A part of an output.
Result<ShownOutput> show_part(const ByteSource& source, const Mask& mask, size_t max_characters, Collapse collapse);
// What a finished job shows of its output; writes it to its file first when it is shortened and not there yet.
Result<ShownOutput> show_output(const ByteSource& source, const Mask& mask, size_t max_characters, Collapse collapse,
                                const std::string& folder);

}  // namespace talaria
