#include "code/trace.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"

namespace talaria {
namespace {

std::string formatted(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// "0.2 ms", "12 ms", "1.24 s".
std::string took_text(Clock::duration took) {
  const double milliseconds = seconds(took) * 1000;
  if (milliseconds < 10) return formatted("%.1f ms", milliseconds);
  if (milliseconds < 1000) return formatted("%.0f ms", milliseconds);
  return formatted("%.2f s", milliseconds / 1000);
}

std::string line_of(const CallRecord& record) {
  std::string line = formatted("+%.3fs", seconds(record.began)) + "  " + record.tool;
  if (!record.arguments.empty()) line += "  " + record.arguments;
  line += "  " + with_commas(record.result_bytes) + " B  " + took_text(record.took);
  if (record.cancelled) line += "  CANCELLED";
  else if (record.failed) line += "  FAILED";
  return line + "\n";
}

std::string counted(uint64_t count, const char* noun) {
  return with_commas(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string summary(const RunTally& tally) {
  const auto count = [&tally](bool CallRecord::*flag) {
    return static_cast<uint64_t>(std::ranges::count_if(tally.records, [flag](const auto& call) { return call.*flag; }));
  };
  Clock::duration waited{};
  for (const CallRecord& record : tally.records) waited += record.took;
  std::string line = counted(static_cast<uint64_t>(tally.calls), "call") + ", ";
  if (const uint64_t failed = count(&CallRecord::failed)) line += with_commas(failed) + " failed, ";
  if (const uint64_t cancelled = count(&CallRecord::cancelled)) line += with_commas(cancelled) + " cancelled, ";
  if (tally.refused > 0) line += with_commas(static_cast<uint64_t>(tally.refused)) + " refused, ";
  return line + with_commas(tally.result_bytes) + " B of results, " + took_text(waited) + " of calls\n";
}

}  // namespace

std::string trace_text(const RunTally& tally) {
  std::string text;
  for (const CallRecord& record : tally.records) text += line_of(record);
  const auto shown = static_cast<int64_t>(tally.records.size());
  if (tally.calls > shown) text += "… " + counted(static_cast<uint64_t>(tally.calls - shown), "further call") + "\n";
  return text + summary(tally);
}

}  // namespace talaria
