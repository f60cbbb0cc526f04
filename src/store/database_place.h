#pragma once
#include <sys/types.h>

#include <string>

namespace talaria {

// Whether the files of an open database are still at their names. SQLite would write on into files that nobody finds
// again.
class DatabasePlace {
 public:
  // Notes what is there now; the database is open and in use.
  explicit DatabasePlace(std::string path);

  enum class State {
    in_place,
    removed,   // it, or a file that belongs to it (-wal, -shm); nothing of anybody else is at its name
    replaced,  // another file has its name
  };
  State look() const;
  // Takes what is left of -wal and -shm from their names: with another file they would spoil it. They stay open.
  void remove_companions() const;

 private:
  struct FileMark {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const FileMark&) const = default;
  };
  static FileMark mark_at(const std::string& path);

  std::string path_;
  FileMark file_, log_, index_;
};

}  // namespace talaria
