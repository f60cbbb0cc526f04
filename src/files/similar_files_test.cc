#include "files/similar_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "files/files_trial.h"

namespace talaria {
namespace {

TEST(SimilarFilesTest, LeavesOutTheNameThatWasAskedFor) {
  FilesTrial trial;
  trial.put("settings.py", "");
  ASSERT_EQ(::symlink("gone", trial.path("setting.py").c_str()), 0);
  EXPECT_EQ(similar_files(trial.files, trial.gate, trial.path("setting.py"), "d/setting.py"),
            std::vector<std::string>{"d/settings.py"});
}

}  // namespace
}  // namespace talaria
