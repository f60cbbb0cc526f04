#include "store/database_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace talaria {

DatabasePlace::DatabasePlace(std::string path)
    : path_(std::move(path)), file_(mark_at(path_)), log_(mark_at(path_ + "-wal")), index_(mark_at(path_ + "-shm")) {}

DatabasePlace::FileMark DatabasePlace::mark_at(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? FileMark{info.st_dev, info.st_ino} : FileMark();
}

DatabasePlace::State DatabasePlace::look() const {
  const FileMark found = mark_at(path_);
  if (found != file_ && found != FileMark()) return State::replaced;
  const bool log_stays = log_ == FileMark() || mark_at(path_ + "-wal") == log_;
  const bool index_stays = index_ == FileMark() || mark_at(path_ + "-shm") == index_;
  return found == file_ && log_stays && index_stays ? State::in_place : State::removed;
}

void DatabasePlace::remove_companions() const {
  if (mark_at(path_ + "-wal") == log_) ::unlink((path_ + "-wal").c_str());
  if (mark_at(path_ + "-shm") == index_) ::unlink((path_ + "-shm").c_str());
}

}  // namespace talaria
