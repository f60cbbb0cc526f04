// process list: the jobs a caller may see, running ones first, a piece at a time.
#include <algorithm>
#include <set>

#include "api/cancellable_work.h"
#include "api/exec_result.h"
#include "api/job_query.h"
#include "api/process_call.h"
#include "base/text.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "process/exit_status.h"

namespace talaria {
namespace {

constexpr size_t most_command = 2000;
// Without a limit: so many running ones at most, and so many finished ones after them.
constexpr int64_t usual_running = 400;
constexpr int64_t usual_finished = 20;
// So far into the finished ones the loop looks itself; a worker goes further.
constexpr int64_t near = 1000;

JsonObject entry_of(const JobRow& row, EpochMs now) {
  JsonObject entry = standing_details(row);
  entry["startedAt"] = started_at(row);
  entry["ageMs"] = std::max<int64_t>(now - row.started_ms, 0);
  entry["runtimeMs"] = runtime_ms(row, now);
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
  std::string code = row.exit_code ? ", exit " + std::to_string(*row.exit_code) : "";
  if (row.exit_signal) code = ", " + signal_name(*row.exit_signal);
  return row.id + " " + status + " " + human_duration(runtime_ms(row, now)) + code + " :: " + shown_line(row.name);
}

class ListCall : public ProcessCall {
 public:
  using ProcessCall::ProcessCall;

  void begin() {
    Result<JobQuery> query = job_query(arguments(), wish_.session, parts_.store.timeline().now());
    if (!query) return fail_soon(query.error());
    query_ = *std::move(query);
    std::vector<JobRow> in_memory = rows_in_memory();
    for (const JobRow& row : in_memory) in_memory_.insert(row.id);
    const auto known = static_cast<int64_t>(in_memory.size());
    const int64_t limit =
        query_.limit.value_or((query_.offset == 0 ? std::min(running_, usual_running) : 0) + usual_finished);
    for (int64_t i = query_.offset; i < known && i - query_.offset < limit; ++i) {
      rows_.push_back(std::move(in_memory[static_cast<size_t>(i)]));
    }
    most_ = static_cast<size_t>(limit);
    if (!query_.wants_finished()) return answer_soon(result());
    const int64_t taken = static_cast<int64_t>(rows_.size());
    look_up({.limit = limit - taken, .offset = std::max<int64_t>(query_.offset - known, 0)});
  }

 private:
  std::vector<JobRow> rows_in_memory() {
    std::vector<JobRow> rows;
    if (query_.wants_running()) rows = parts_.jobs.running_rows(query_.session);
    std::erase_if(rows, [this](const JobRow& row) { return !matches(query_, row); });
    running_ = static_cast<int64_t>(rows.size());
    if (!query_.wants_finished()) return rows;
    for (JobRow& row : parts_.jobs.unstored_ends(query_.session)) {
      if (matches(query_, row)) rows.push_back(std::move(row));
    }
    finished_ = static_cast<int64_t>(rows.size()) - running_;
    return rows;
  }

  void look_up(JobPage page) {
    if (query_.must_look() || page.offset + page.limit > near) return look_on_worker(page);
    Result<FoundJobs> found = look_here(page);
    if (!found) return fail_soon(found.error());
    add(*std::move(found));
    answer_soon(result());
  }

  Result<FoundJobs> look_here(JobPage page) {
    FoundJobs found;
    found.total = TRY(parts_.store.jobs().count_finished(query_.session));
    if (page.limit > 0) found.rows = TRY(parts_.jobs.finished_rows(query_.session, page));
    return found;
  }

  void look_on_worker(JobPage page) {
    // Those in memory may be stored until it looks, and then come once more: room for them, so that none is missing.
    if (page.limit > 0) page.limit += static_cast<int64_t>(in_memory_.size());
    auto found = std::make_shared<Result<FoundJobs>>(FoundJobs());
    work_.run(
        parts_.workers,
        [found, page, query = query_, path = parts_.store.path()](const std::atomic<bool>& cancelled) {
          *found = find_finished(path, query, page, cancelled);
        },
        [this, found] {
          if (!*found) return fail(found->error());
          parts_.jobs.refresh((*found)->rows);
          add(**std::move(found));
          answer(result());
        });
  }

  void add(FoundJobs found) {
    finished_ += found.total;
    for (JobRow& row : found.rows) {
      if (in_memory_.contains(row.id)) --finished_;
      else if (rows_.size() < most_) rows_.push_back(std::move(row));
    }
  }

  ToolResult result() const {
    const EpochMs now = parts_.store.timeline().now();
    const Mask hidden = wish_.session ? mask() : Mask();  // without a session it is the person who asks
    JsonArray entries;
    std::vector<std::string> lines;
    for (const JobRow& row : rows_) {
      JsonObject entry = entry_of(row, now);
      mask_directory(entry, hidden);
      entries.push_back(std::move(entry));
      lines.push_back(line_of(row, now));
    }
    const int64_t next = query_.offset + static_cast<int64_t>(rows_.size());
    const int64_t more = rows_.empty() ? 0 : std::max<int64_t>(running_ + finished_ - next, 0);
    if (lines.empty()) lines.push_back(nothing());
    if (more > 0) lines.push_back(rest(next, more));
    ToolResult result;
    result.text = join(lines, "\n");
    result.details = {
        {"status", "completed"}, {"sessions", std::move(entries)}, {"running", running_}, {"finished", finished_}};
    if (more > 0) result.details["more"] = more, result.details["nextOffset"] = next;
    return result;
  }

  std::string nothing() const {
    if (query_.offset > 0 && running_ + finished_ > 0) {
      return "No more: there are " + with_commas(static_cast<uint64_t>(running_ + finished_)) + " jobs in all.";
    }
    const bool narrowed = query_.must_look() || !query_.state.empty();
    return narrowed ? "No job matches." : "No running or recent jobs.";
  }

  // "… and 9,980 more finished. Next: offset=21. To narrow: state, text, newerThan, olderThan."
  std::string rest(int64_t next, int64_t more) const {
    const int64_t running = std::max<int64_t>(running_ - next, 0);
    std::string text = "… and ";
    if (running > 0) text += with_commas(static_cast<uint64_t>(running)) + " more running";
    if (running > 0 && more > running) text += " and ";
    if (more > running) text += with_commas(static_cast<uint64_t>(more - running)) + " more finished";
    return text + ". Next: offset=" + std::to_string(next) + ". To narrow: state, text, newerThan, olderThan.";
  }

  JobQuery query_;
  std::set<std::string> in_memory_;
  std::vector<JobRow> rows_;
  size_t most_ = 0;       // of rows_
  int64_t running_ = 0;   // that match
  int64_t finished_ = 0;  // that match
  CancellableWork work_;
};

}  // namespace

OperationPtr start_list(Parts& parts, ProcessWish wish, Done<ToolResult> done) {
  parts.jobs.store_young();
  return begin_call<ListCall>(parts, std::move(wish), std::move(done));
}

}  // namespace talaria
