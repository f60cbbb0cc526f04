#include "os/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace talaria {
namespace {

rlimit open_files() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  return files;
}

void allow_open_files(uint64_t count) {
  rlimit files = open_files();
  files.rlim_cur = std::min<uint64_t>(count, files.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

uint64_t open_files_limit() { return open_files().rlim_cur; }

uint64_t raise_open_files() {
  static const uint64_t before = open_files_limit();
  allow_open_files(open_files().rlim_max);
  return before;
}

DescriptorReserve::DescriptorReserve(uint64_t count) : limit_(open_files_limit()) {
  allow_open_files(limit_ - std::min(count, limit_));
}

DescriptorReserve::~DescriptorReserve() { allow_open_files(limit_); }

}  // namespace talaria
