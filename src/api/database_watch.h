#pragma once
#include <functional>
#include <string>

#include "loop/loop.h"
#include "store/store.h"

namespace talaria {

// Looks twice a second whether the database is still at its path. One that was removed is written again, from what is
// open; one that was replaced by another file is left alone, and a person is told what to do.
class DatabaseWatch {
 public:
  DatabaseWatch(Loop& loop, Store& store, std::function<void(const std::string&)> say);

 private:
  void look();
  void look_after(Clock::duration pause);
  void write_again();
  // Says it once, and as long as it is so in the store's notice.
  void tell(const std::string& text);

  Loop& loop_;
  Store& store_;
  std::function<void(const std::string&)> say_;
  Loop::Timer next_;
};

}  // namespace talaria
