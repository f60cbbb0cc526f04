// process list: the jobs a caller may see, newest first.
#include "api/answer_later.h"
#include "api/process_call.h"
#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

constexpr size_t most_command = 2000;

JsonObject entry_of(const JobRow& row, EpochMs now) {
  JsonObject entry = standing_details(row);
  entry["startedAt"] = row.started_ms;
  entry["runtimeMs"] = std::max<int64_t>(row.ended_ms.value_or(now) - row.started_ms, 0);
  entry["cwd"] = row.cwd;
  entry["command"] = std::string(first_characters(row.command, most_command));
  entry["pid"] = row.pid;
  entry["session"] = row.session;
  entry["outputBytes"] = row.output_bytes;
  if (!row.label.empty()) entry["label"] = row.label;
  if (row.tty) entry["tty"] = true;
  if (row.persist) entry["persist"] = true;
  return entry;
}

std::string line_of(const JobRow& row, EpochMs now) {
  std::string status(status_word(row));
  status.resize(std::max<size_t>(status.size(), 9), ' ');
  const int64_t runtime = std::max<int64_t>(row.ended_ms.value_or(now) - row.started_ms, 0);
  return row.id + " " + status + " " + human_duration(runtime) + " :: " + row.name;
}

}  // namespace

OperationPtr start_list(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  Result<std::vector<JobRow>> rows = parts.jobs.list(wish.session);
  if (!rows) return answer_later(parts.loop, error_result(rows.error()), std::move(done));
  const EpochMs now = epoch_ms();
  JsonArray entries;
  std::vector<std::string> lines;
  for (const JobRow& row : *rows) {
    entries.push_back(entry_of(row, now));
    lines.push_back(line_of(row, now));
  }
  ToolResult result;
  result.text = lines.empty() ? "No running or recent sessions." : join(lines, "\n");
  result.details = {{"status", "completed"}, {"sessions", std::move(entries)}};
  return answer_later(parts.loop, std::move(result), std::move(done));
}

}  // namespace talaria
