#include "table.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace talaria {
namespace {

double once(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], times[times.size() * 95 / 100]};
}

std::vector<Times> measure_together(int rounds, const std::vector<std::function<void()>>& works) {
  std::vector<std::vector<double>> all(works.size());
  for (const auto& work : works) work();
  for (int round = 0; round < rounds; ++round) {
    // Now the first begins, now the last: who comes second finds the processor as the one before has left it.
    for (size_t step = 0; step < works.size(); ++step) {
      const size_t i = round % 2 ? works.size() - 1 - step : step;
      all[i].push_back(once(works[i]));
    }
  }
  std::vector<Times> summaries;
  for (auto& times : all) summaries.push_back(summary(std::move(times)));
  return summaries;
}

Times measure(int count, const std::function<void()>& work) { return measure_together(count, {work})[0]; }

void Table::add(const std::string& what, const Times& times, const std::string& goal, bool met) {
  rows_.push_back({what, milliseconds(times.least), milliseconds(times.median), milliseconds(times.p95), goal,
                   goal.empty() ? ""
                   : met        ? "met"
                                : "MISSED"});
}

void Table::note(const std::string& what, const std::string& value, const std::string& goal, bool met) {
  rows_.push_back({what, "", value, "", goal, goal.empty() ? "" : met ? "met" : "MISSED"});
}

void Table::print() const {
  const auto row = [](const std::vector<std::string>& cells) {
    std::printf("%-46s %9s %14s %9s  %-42s %s\n", cells[0].c_str(), cells[1].c_str(), cells[2].c_str(),
                cells[3].c_str(), cells[4].c_str(), cells[5].c_str());
  };
  row({"what (milliseconds where nothing else is said)", "least", "median", "p95", "goal", ""});
  for (const auto& cells : rows_) row(cells);
}

}  // namespace talaria
