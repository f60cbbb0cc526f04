#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/live_job.h"
#include "api/shown_output.h"
#include "policy/verdict.h"
#include "process/mask.h"
#include "store/job_table.h"
#include "tools/operation.h"

namespace talaria {

// "completed", "failed", "running" or "lost": how a job stands, in the word that every result uses.
std::string_view status_word(const JobRow& row);

// One plain sentence on how a job ended, with what to do about it where there is something: "Command timed out after 30
// seconds. …". Empty for an ordinary exit.
std::string ending_sentence(const JobRow& row, const JobDetails& details);

// The command is over. `notes` are ours, such as: it should have run in the background, but may not.
ToolResult finished_result(const JobRow& row, const JobDetails& details, const ShownOutput& output,
                           const std::vector<std::string>& notes);
// The same without the output: for those who followed it. The text is the ending sentence.
ToolResult ending_result(const JobRow& row, const JobDetails& details);

// How much of its output so far is shown of a command that runs on.
inline constexpr size_t tail_characters = 2000;
// The command runs on; `tail` is the end of its output so far.
ToolResult running_result(const JobRow& row, const std::string& tail, const std::vector<std::string>& notes);

// Hides secrets in the name of the directory that a result shows.
void mask_directory(JsonObject& details, const Mask& mask);

// `sandbox`: the one it would have run in.
ToolResult denied_result(const Verdict& verdict, const JsonObject& sandbox);
// The command could not be started at all.
ToolResult spawn_failure(const std::string& cwd, const Error& why, const JsonObject& sandbox = {});
// `sandbox` of a result: which one held, or that none did.
JsonObject sandbox_of(const JobDetails& details);
// The call itself makes no sense: bad parameters, a job that is not there; or it is refused before anything is judged.
ToolResult error_result(const Error& error);

// `network_tried` and `private_files`, where there is something to say.
void put_sandbox_news(JsonObject& told, const JobDetails& details);
// The fields that say how a finished job ended; the process tool uses them too.
void put_ending(JsonObject& details, const JobRow& row);

}  // namespace talaria
