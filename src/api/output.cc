#include "api/output.h"

#include <algorithm>
#include <memory>

#include "os/file.h"
#include "process/output_log.h"

namespace talaria {
namespace {
constexpr int overtaken_most = 10;
constexpr std::string_view loss_warning = "part of the output was lost: ";
constexpr const char* removed_reason =
    "its files are gone (jobs.max_total_bytes was reached, or somebody removed them)";

void set_lost(ByteSource& source, std::vector<LostRange> lost) {
  source.lost = std::move(lost);
  source.lost_begin = source.lost.empty() ? 0 : source.lost.front().begin;
  source.lost_end = source.lost.empty() ? 0 : source.lost.back().end;
}

}  // namespace

ByteSource source_of(std::string bytes) {
  ByteSource source;
  source.size = bytes.size();
  source.read = [text = std::make_shared<const std::string>(std::move(bytes))](uint64_t offset, size_t length) {
    return Result<std::string>(offset < text->size() ? text->substr(offset, length) : std::string());
  };
  return source;
}

Result<ByteSource> source_of_files(const std::string& folder, uint64_t size) {
  LogFiles files = TRY(LogFiles::find(folder));
  ByteSource source;
  source.size = std::max(size, files.end());
  set_lost(source, files.lost(source.size));
  if (size > 0 && files.segments.empty()) source.lost_because = removed_reason;
  source.read = [folder, files = std::make_shared<LogFiles>(std::move(files))](uint64_t offset,
                                                                               size_t length) -> Result<std::string> {
    uint64_t start = offset;
    Result<std::string> bytes = files->read(start, length);
    // The oldest part of a growing log goes while we read.
    for (int look = 0; !bytes && look < overtaken_most; ++look) {
      *files = TRY(LogFiles::find(folder));
      start = offset;
      bytes = files->read(start, length);
    }
    const bool passed_by = bytes ? start != offset : bytes.error().code() == ErrorCode::not_found;
    if (passed_by) return std::string();
    return bytes;
  };
  return source;
}

ByteSource with_head(ByteSource source, std::string head) {
  source.size = std::max<uint64_t>(source.size, head.size());
  std::vector<LostRange> lost;
  for (LostRange range : source.lost) {
    range.begin = std::max<uint64_t>(range.begin, head.size());
    if (range.begin < range.end) lost.push_back(range);
  }
  set_lost(source, std::move(lost));
  source.read = [rest = std::move(source.read), text = std::make_shared<const std::string>(std::move(head))](
                    uint64_t offset, size_t length) -> Result<std::string> {
    if (offset >= text->size()) return rest(offset, length);
    std::string bytes = text->substr(offset, length);
    if (bytes.size() < length) bytes += TRY(rest(text->size(), length - bytes.size()));
    return bytes;
  };
  return source;
}

ByteSource first_of(ByteSource source, uint64_t end) {
  if (source.size <= end) return source;
  source.size = end;
  source.lost_begin = std::min(source.lost_begin, end);
  source.lost_end = std::min(source.lost_end, end);
  for (LostRange& range : source.lost) range = {std::min(range.begin, end), std::min(range.end, end)};
  std::erase_if(source.lost, [](const LostRange& range) { return range.begin == range.end; });
  source.read = [whole = std::move(source.read), end](uint64_t offset, size_t length) -> Result<std::string> {
    if (offset >= end) return std::string();
    return whole(offset, static_cast<size_t>(std::min<uint64_t>(length, end - offset)));
  };
  return source;
}

std::string loss_reason(const std::string& warning) {
  const size_t begin = warning.find(loss_warning);
  if (begin == std::string::npos) return "";
  const std::string error = warning.substr(begin + loss_warning.size());
  if (error.find("No space left on device") != std::string::npos) return "the disk was full";
  if (error.find("Disk quota exceeded") != std::string::npos) return "the disk quota was reached";
  return "it could not be written (" + error + ")";
}

Outputs::Pending Outputs::soon(Loop::Callback call) { return {Later(loop_, std::move(call)), {}}; }

bool Outputs::with_keeper(const LiveJob& job) const {
  if (!job.gone) return true;
  const bool in_hand = job.row.output_inline || (job.output && job.output->size() == job.row.output_bytes);
  return !in_hand && job.row.output_bytes > 0 && !exists(jobs_.home().job(job.row.id) + "/output");
}

Outputs::Pending Outputs::read(const std::string& job, uint64_t offset, size_t most, Wait wait, Done<OutputPart> done) {
  const LiveJob* live = jobs_.live(job);
  if (!live || !with_keeper(*live)) {
    return soon([this, job, offset, most, done = std::move(done)] { done(read_stored(job, offset, most)); });
  }
  Result<KeeperClient*> keeper = jobs_.keeper();
  if (!keeper) return soon([done = std::move(done), error = keeper.error()] { done(error); });
  Pending pending;
  pending.call = (*keeper)->read(job, offset, most, wait, [this, offset, done = std::move(done)](Result<Chunk> chunk) {
    if (!chunk) return done(std::move(chunk).error());
    const JobStatus& status = chunk->status;
    // The keeper tells of a job by itself only when it ends.
    if (LiveJob* told = jobs_.live(status.job); told && told->running())
      take_violations(told->row, told->details, status);
    OutputPart part{chunk->offset, std::move(chunk->data), status.output_bytes, status.running, status.gone};
    // A keeper of before answers so when nothing from there on is left.
    if (part.data.empty() && !part.running && offset < part.end) part.offset = std::max(part.offset, part.end);
    part.lost_because = loss_reason(status.warning);
    const bool from_the_start = status.lost_begin == 0 && status.lost_end > 0;  // the log's limit keeps the head
    if (part.lost_because.empty() && from_the_start) part.lost_because = removed_reason;
    done(std::move(part));
  });
  return pending;
}

Result<OutputPart> Outputs::read_stored(const std::string& job, uint64_t offset, size_t most) {
  const ByteSource source = TRY(open_stored(job));
  OutputPart part{offset, {}, source.size, false, true};
  for (const LostRange& range : source.lost) {
    if (part.offset >= range.begin && part.offset < range.end) part.offset = range.end;
    else if (part.offset < range.begin) most = static_cast<size_t>(std::min<uint64_t>(most, range.begin - part.offset));
  }
  if (part.offset < source.size) part.data = TRY(source.read(part.offset, most));
  if (part.data.empty()) part.offset = std::max(part.offset, source.size);  // somebody removed it meanwhile
  part.lost_because = source.lost_because;
  return part;
}

Result<ByteSource> Outputs::open_stored(const std::string& job, uint64_t printed) {
  const LiveJob* live = jobs_.live(job);
  // What the command itself printed; children it left behind may have printed more since.
  const bool settled = live && (live->gone || live->row.leftovers == 0);
  if (settled && live->output && live->output->size() == live->row.output_bytes) return source_of(*live->output);
  std::optional<JobRow> stored;
  if (!live) stored = TRY(store_.jobs().find(job));
  const JobRow* row = live ? &live->row : stored ? &*stored : nullptr;
  if (row && (!live || live->gone)) printed = row->output_bytes;
  const std::optional<std::string> head = row ? row->output_inline : std::nullopt;
  if (head && head->size() >= row->output_bytes) return source_of(*head);
  ByteSource source = TRY(source_of_files(jobs_.home().job(job), printed));
  if (head) source = with_head(std::move(source), *head);
  if (row && !loss_reason(row->note).empty()) source.lost_because = loss_reason(row->note);
  return source;
}

Outputs::Pending Outputs::open(const std::string& job, Done<ByteSource> done) {
  const LiveJob* live = jobs_.live(job);
  const bool has_all = live && live->output && live->row.leftovers == 0;
  // What is on disk without a gap needs no question to the keeper, and is there before anyone else hears of the end.
  const auto all_on_disk = [&] {
    const Result<ByteSource> stored = open_stored(job);
    return stored && stored->size > 0 && stored->lost.empty() && stored->size >= live->row.output_bytes;
  };
  if (!live || !with_keeper(*live) || has_all || all_on_disk()) {
    return soon([this, job, done = std::move(done)] { done(open_stored(job)); });
  }
  return read(job, 0, inline_output_most, {}, [this, job, done = std::move(done)](Result<OutputPart> part) {
    if (!part) return done(std::move(part).error());
    if (part->offset == 0 && part->data.size() >= part->end) return done(source_of(std::move(part->data)));
    // It is longer, so it is on disk; on a full one the head may be with the keeper alone.
    Result<ByteSource> stored = open_stored(job, part->end);
    if (!stored) return done(std::move(stored));
    if (!part->lost_because.empty()) stored->lost_because = part->lost_because;
    done(part->offset > 0 ? *std::move(stored) : with_head(*std::move(stored), std::move(part->data)));
  });
}

}  // namespace talaria
