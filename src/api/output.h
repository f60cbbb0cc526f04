#pragma once
#include <cstdint>
#include <string>

#include "api/jobs.h"
#include "api/later.h"
#include "process/excerpt.h"
#include "tools/operation.h"

namespace talaria {

// A part of a job's raw output, and where the job stands.
struct OutputPart {
  uint64_t offset = 0;  // of the first byte; later than asked when what was asked is lost
  std::string data;
  uint64_t end = 0;               // bytes printed so far
  bool running = false;           // the command itself
  bool complete = false;          // nothing more will ever come
  std::string lost_because = {};  // why bytes are lost, if any are: "the disk was full"; empty: the log's limit
};

// What those who follow an output ask for at a time, and how long they wait for it. Then they ask again: a wait without
// end would hide a lost answer.
inline constexpr size_t output_read_size = 256 << 10;
inline constexpr auto output_read_wait = 60s;

// Where a job's output is depends on its age: with the keeper, in the store with its row, or in files. This knows.
class Outputs {
 public:
  Outputs(Loop& loop, Jobs& jobs, Store& store) : loop_(loop), jobs_(jobs), store_(store) {}

  // Keeps one answer coming: drop it and the callback is never called.
  struct Pending {
    Later later;
    KeeperClient::Call call;
  };

  // Up to `most` bytes from `offset`; an empty answer is held back as `wait` says. Bytes, or an offset later than asked
  // (everything before it is lost), or the end for now: nothing else is answered, so who asks on makes progress.
  [[nodiscard]] Pending read(const std::string& job, uint64_t offset, size_t most, Wait wait, Done<OutputPart> done);

  // The whole output as it is now, to be read in parts. What is stored is read later, from any thread.
  [[nodiscard]] Pending open(const std::string& job, Done<ByteSource> done);
  // The same at once, for a job that the keeper no longer has, or whose output is on disk. `printed`: how much it is at
  // least, where that is known.
  Result<ByteSource> open_stored(const std::string& job, uint64_t printed = 0);

 private:
  Result<OutputPart> read_stored(const std::string& job, uint64_t offset, size_t most);
  // The keeper still has what is not stored yet.
  bool with_keeper(const LiveJob& job) const;
  Pending soon(Loop::Callback call);

  Loop& loop_;
  Jobs& jobs_;
  Store& store_;
};

// A source over a text in memory.
ByteSource source_of(std::string bytes);
// A source over a job's files, as they are now; with `size`, of a log of so many bytes, of which the last may be lost.
Result<ByteSource> source_of_files(const std::string& folder, uint64_t size = 0);
// The same output, whose first bytes are `head`, wherever else they are lost.
ByteSource with_head(ByteSource source, std::string head);
// The first `end` bytes of a source.
ByteSource first_of(ByteSource source, uint64_t end);

// Why bytes of a job's output are not there, by the keeper's warning; empty: the log's limit.
std::string loss_reason(const std::string& warning);

}  // namespace talaria
