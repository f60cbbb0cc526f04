// Names in the workspace that make other programs run things cannot be changed.
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/attack_test_fixture.h"

namespace talaria {
namespace {

TEST_F(AttackTest, ProtectedNamesStayAsTheyAre) {
  expect_held({"protected/write", "protected/truncate", "protected/unlink", "protected/rename_over",
               "protected/move_parent", "protected/metadata", "protected/hard_link", "protected/other_names",
               "protected/race"});
}

// Nothing in the workspace may become more than who runs it: such a file would be its owner's, outside.
TEST_F(AttackTest, NoFileWithTheRightsOfItsOwnerIsLeft) {
  attack({"privileges/leave_setuid_file"});
  const mode_t rights = ::geteuid() == 0 ? S_ISUID | S_ISGID : S_ISUID;  // a person's own group is theirs to give
  const Result<std::vector<std::string>> names = list_directory(house_.workspace());
  ASSERT_TRUE(names);
  for (const std::string& name : *names) {
    struct stat status {};
    if (!name.starts_with("left-setuid") || ::stat((house_.workspace() + "/" + name).c_str(), &status) != 0) continue;
    EXPECT_EQ(status.st_mode & rights, 0u) << name << " of user " << status.st_uid;
  }
  EXPECT_TRUE(exists(house_.workspace() + "/left-setuid"));  // tried for real
}

}  // namespace
}  // namespace talaria
