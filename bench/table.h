#pragma once
#include <functional>
#include <string>
#include <vector>

namespace talaria {

// Times of one thing done many times, in milliseconds.
struct Times {
  double least = 0;
  double median = 0;
  double p95 = 0;
};

Times summary(std::vector<double> milliseconds);

// Runs `work` once to warm up, then `count` times.
Times measure(int count, const std::function<void()>& work);
// Several things in turn, round by round, so that a busy machine troubles all of them alike.
std::vector<Times> measure_together(int rounds, const std::vector<std::function<void()>>& works);

// A table that compares each row with a floor and a goal.
class Table {
 public:
  void add(const std::string& what, const Times& times, const std::string& goal = {}, bool met = true);
  void note(const std::string& what, const std::string& value, const std::string& goal = {}, bool met = true);
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace talaria
