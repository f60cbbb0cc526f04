#pragma once
#include <string>
#include <string_view>

namespace talaria {

// What the tools say to a model, as a person at this command line reads it: advice names commands of ours, or goes.
std::string for_people(std::string_view text);

// A tool's text in two: what the job printed, for stdout, and what is said about it, for stderr.
struct ToldOutput {
  std::string output;
  std::string remark;
};
// Of process log: `lines` is how many lines of the job are shown, `note` what the text says at last.
ToldOutput split_log(const std::string& text, int64_t lines, const std::string& note = {});
// Of process poll: `output` is what the job printed; the text says more behind it.
ToldOutput split_poll(const std::string& text, const std::string& output);

}  // namespace talaria
