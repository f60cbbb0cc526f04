#pragma once
#include "base/clock.h"
#include "os/boot_clock.h"
#include "store/database.h"

namespace talaria {

// When something happened, as whoever saw it noted it on both clocks.
struct NotedTime {
  std::string boot{};  // the start of the machine that boot_ns counts from; empty: only the wall clock was noted
  int64_t boot_ns = 0;
  EpochMs wall_ms = 0;
};

// The time by which rows are aged, ordered and forgotten: milliseconds since 1970 that no step of the wall clock
// reaches. It is set by the wall clock once in each boot, when the store is first opened, and from there on goes by
// boot time; where it stands is stored, so that every gateway of this boot has the same. Rows of an earlier boot that
// lie in the future then are brought back to that moment, so nothing is kept for ever because a clock was wrong.
class Timeline {
 public:
  // When its place cannot be stored (a full disk) it holds for as long as this one lives.
  static Timeline open(Database& database, Clocks clocks);

  EpochMs now() const;
  // How far the wall clock is ahead of it just now: beside a time of ours, what a clock on the wall showed then.
  int64_t skew_ms() const;
  // Of another boot, by the wall clock, and never later than now.
  EpochMs of(const NotedTime& noted) const;
  bool is_of_this_boot(const NotedTime& noted) const { return !noted.boot.empty() && noted.boot == clocks_.boot; }

 private:
  Timeline(Clocks clocks, int64_t offset_ns) : clocks_(std::move(clocks)), offset_ns_(offset_ns) {}
  EpochMs at(int64_t boot_ns) const { return (boot_ns + offset_ns_) / 1'000'000; }

  Clocks clocks_;
  int64_t offset_ns_;  // what it adds to boot time
};

}  // namespace talaria
