#include "api/live_settings.h"

#include <ctime>

namespace talaria {
namespace {

int64_t nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000LL + time.tv_nsec; }

Result<std::shared_ptr<const Settings>> load(const std::string& path) {
  return std::make_shared<const Settings>(TRY(load_settings(path)));
}

}  // namespace

LiveSettings::LiveSettings(std::string path)
    : path_(std::move(path)), stamp_(look()), good_(std::make_shared<const Settings>()), latest_(load(path_)) {
  if (latest_) good_ = *latest_;
}

LiveSettings::Stamp LiveSettings::look() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return {};
  return {true, info.st_dev, info.st_ino, info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

Result<std::shared_ptr<const Settings>> LiveSettings::current() {
  const Stamp now = look();
  if (!(now == stamp_)) {
    stamp_ = now;
    latest_ = load(path_);
    if (latest_) good_ = *latest_;
  }
  return latest_;
}

}  // namespace talaria
