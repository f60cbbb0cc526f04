#include "os/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "os/fd.h"

namespace talaria {
namespace {

// Opens until it is refused; how many that were.
std::vector<UniqueFd> open_all() {
  std::vector<UniqueFd> opened;
  while (true) {
    UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!fd) break;
    opened.push_back(std::move(fd));
  }
  EXPECT_EQ(errno, EMFILE);
  return opened;
}

TEST(DescriptorsTest, AReserveIsLeftForWhatIsOpenedAfterIt) {
  const uint64_t limit = open_files_limit();
  std::vector<UniqueFd> ordinary, essential;
  {
    const DescriptorReserve few(limit > 100 ? limit - 100 : 0);  // so that the test is quick
    const DescriptorReserve reserve(5);
    ordinary = open_all();
  }
  {
    const DescriptorReserve few(limit > 100 ? limit - 100 : 0);
    essential = open_all();
  }
  EXPECT_EQ(essential.size(), 5u);
  EXPECT_EQ(open_files_limit(), limit);
}

}  // namespace
}  // namespace talaria
