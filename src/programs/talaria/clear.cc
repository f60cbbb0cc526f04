#include <algorithm>

#include "base/text.h"
#include "talaria/commands.h"
#include "talaria/each_job.h"
#include "talaria/job_list.h"
#include "talaria/print.h"

namespace talaria {
namespace {

struct ClearOptions {
  std::vector<std::string> ids;
  bool all = false;
  bool json = false;
};

// A job that has ended is kept as long as a process that it left behind still runs.
struct Kept {
  std::string id;
  std::string why;
};

struct Cleared {
  JsonArray ids;
  std::vector<Kept> kept;
};

Result<JsonArray> finished_jobs(Gateway& gateway) {
  const JsonObject result = TRY(list_all_jobs(gateway, {{"action", "list"}, {"state", "finished"}}));
  if (boolean_or(result, "isError")) return Error(ErrorCode::system, text_of(result));
  JsonArray ids;
  for (const Json& row : job_rows(details_of(result))) ids.emplace_back(text_or(row.get_object(), "sessionId"));
  return ids;
}

Result<Cleared> clear_all(Gateway& gateway) {
  Cleared cleared;
  for (const Json& id : TRY(finished_jobs(gateway))) {
    const JsonObject result = TRY(call_process(gateway, {{"action", "clear"}, {"sessionId", id}}));
    if (!boolean_or(result, "isError")) cleared.ids.push_back(id);
    else cleared.kept.push_back({std::string(id.get_string()), text_of(result)});
  }
  if (cleared.kept.empty()) return cleared;
  // What somebody else forgot meanwhile is not kept.
  const JsonArray left = TRY(finished_jobs(gateway));
  std::erase_if(cleared.kept,
                [&](const Kept& kept) { return std::find(left.begin(), left.end(), Json(kept.id)) == left.end(); });
  return cleared;
}

int run_all(bool json) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  const Result<Cleared> cleared = clear_all(*gateway);
  if (!cleared) return fail(cleared.error());
  const size_t count = cleared->ids.size();
  if (json) {
    JsonArray kept;
    for (const Kept& one : cleared->kept) kept.emplace_back(one.id);
    print_json(JsonObject{{"cleared", count}, {"ids", cleared->ids}, {"kept", std::move(kept)}});
    return 0;
  }
  for (const Kept& one : cleared->kept) remark(for_people(one.why));
  print_line(count == 0 ? "There was no finished job to forget."
                        : "Forgot " + with_commas(count) + (count == 1 ? " finished job." : " finished jobs."));
  return 0;
}

int run(const ClearOptions& options) {
  if (options.all && !options.ids.empty()) return usage_error("clear", "give ids or --all, not both");
  if (!options.all && options.ids.empty()) {
    return usage_error("clear", "ID is missing: which jobs to forget; --all forgets every finished one");
  }
  return options.all ? run_all(options.json) : process_each(options.ids, {{"action", "clear"}}, options.json);
}

Run declare_clear(CommandLine& line) {
  auto options = std::make_shared<ClearOptions>();
  line.list("ID", options->ids, CommandLine::AtLeast::none, "Finished jobs, or the beginnings of their ids");
  line.flag("-a,--all", options->all, "Every finished job of all sessions; running jobs stay");
  line.flag("--json", options->json, "Print JSON");
  return [options] { return run(*options); };
}

}  // namespace

const CliCommand clear_command = {"clear", "Forget finished jobs with their output",
                                  R"(  talaria clear k3f9
  talaria clear k3f9 p7xc
  talaria clear --all        all that are finished; says how many)",
                                  declare_clear};

}  // namespace talaria
