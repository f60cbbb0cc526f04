#include "api/output.h"

#include <algorithm>
#include <memory>

#include "process/output_log.h"

namespace talaria {
namespace {
constexpr int overtaken_most = 10;
}  // namespace

ByteSource source_of(std::string bytes) {
  ByteSource source;
  source.size = bytes.size();
  source.read = [text = std::make_shared<const std::string>(std::move(bytes))](uint64_t offset, size_t length) {
    return Result<std::string>(offset < text->size() ? text->substr(offset, length) : std::string());
  };
  return source;
}

Result<ByteSource> source_of_files(const std::string& folder) {
  LogFiles files = TRY(LogFiles::find(folder));
  ByteSource source;
  source.size = files.end();
  if (files.lost_end() > files.lost_begin()) {
    source.lost_begin = files.lost_begin();
    source.lost_end = files.lost_end();
  }
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

ByteSource first_of(ByteSource source, uint64_t end) {
  if (source.size <= end) return source;
  source.size = end;
  source.lost_begin = std::min(source.lost_begin, end);
  source.lost_end = std::min(source.lost_end, end);
  source.read = [whole = std::move(source.read), end](uint64_t offset, size_t length) -> Result<std::string> {
    if (offset >= end) return std::string();
    return whole(offset, static_cast<size_t>(std::min<uint64_t>(length, end - offset)));
  };
  return source;
}

Outputs::Pending Outputs::soon(Loop::Callback call) { return {Later(loop_, std::move(call)), {}}; }

Outputs::Pending Outputs::read(const std::string& job, uint64_t offset, size_t most, Wait wait, Done<OutputPart> done) {
  const LiveJob* live = jobs_.live(job);
  if (!live || live->gone) {
    return soon([this, job, offset, most, done = std::move(done)] { done(read_stored(job, offset, most)); });
  }
  Result<KeeperClient*> keeper = jobs_.keeper();
  if (!keeper) return soon([done = std::move(done), error = keeper.error()] { done(error); });
  Pending pending;
  pending.call = (*keeper)->read(job, offset, most, wait, [done = std::move(done)](Result<Chunk> chunk) {
    if (!chunk) return done(std::move(chunk).error());
    done(OutputPart{chunk->offset, std::move(chunk->data), chunk->status.output_bytes, chunk->status.running,
                    chunk->status.gone});
  });
  return pending;
}

Result<OutputPart> Outputs::read_stored(const std::string& job, uint64_t offset, size_t most) {
  const ByteSource source = TRY(open_stored(job));
  if (offset >= source.lost_begin && offset < source.lost_end) offset = source.lost_end;
  OutputPart part{offset, {}, source.size, false, true};
  if (offset < source.size) part.data = TRY(source.read(offset, most));
  return part;
}

Result<ByteSource> Outputs::open_stored(const std::string& job) {
  const LiveJob* live = jobs_.live(job);
  // What the command itself printed; children it left behind may have printed more since.
  const bool settled = live && (live->gone || live->row.leftovers == 0);
  if (settled && live->output && live->output->size() == live->row.output_bytes) return source_of(*live->output);
  if (live && live->row.output_inline) return source_of(*live->row.output_inline);
  if (!live) {
    std::optional<JobRow> row = TRY(store_.jobs().find(job));
    if (row && row->output_inline) return source_of(*std::move(row->output_inline));
  }
  return source_of_files(jobs_.home().job(job));
}

Outputs::Pending Outputs::open(const std::string& job, Done<ByteSource> done) {
  Result<ByteSource> stored = open_stored(job);
  const LiveJob* live = jobs_.live(job);
  const bool has_all = live && live->output && live->row.leftovers == 0;
  const bool with_keeper = live && !live->gone && stored && stored->size == 0 && !has_all;
  if (!with_keeper) {
    return soon([done = std::move(done), stored = std::move(stored)] { done(stored); });
  }
  // Nothing on disk: what there is, is short and in the keeper's memory.
  return read(job, 0, inline_output_most, {}, [this, job, done = std::move(done)](Result<OutputPart> part) {
    if (!part) return done(std::move(part).error());
    // It grew and went to disk meanwhile.
    if (part->data.size() < part->end) return done(open_stored(job));
    done(source_of(std::move(part->data)));
  });
}

}  // namespace talaria
