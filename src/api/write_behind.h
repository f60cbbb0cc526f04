#pragma once
#include <functional>
#include <string>

#include "loop/loop.h"
#include "store/store.h"

namespace talaria {

// Writes what waits in the store, all of it together every 100 ms. While another process has the database locked or the
// disk is full, it tries again, up to once a second, and says so once; the rest of the gateway works from memory.
class WriteBehind {
 public:
  WriteBehind(Loop& loop, Store& store, std::function<void(const std::string&)> say);
  ~WriteBehind();

  // What a person should know now about the database; empty while all is well.
  std::string notice() const;

 private:
  void wake();
  void write();
  void failed();
  void worked();

  Loop& loop_;
  Store& store_;
  std::function<void(const std::string&)> say_;
  int failures_ = 0;   // in a row
  bool said_ = false;  // that nothing can be written
  Loop::Timer next_;
};

// Which locks are worth a word: one whose holder is not known passes in most cases.
enum class Locks { all, with_holder };
// What a person should know now about what cannot be written; empty while all is well.
std::string write_notice(const Store& store, Locks locks);
// What an answer says while the disk is full; empty else.
std::string not_kept_note(const Store& store);

}  // namespace talaria
