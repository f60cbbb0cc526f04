// Which folder a session works in, and what it says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

class WorkspaceProductTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(project_ + "/src"));
    // Owners are mapped only where the way is open.
    for (const std::string& folder : {project_, project_ + "/src"}) ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  }
  static void make_repository(const std::string& folder) {
    for (const char* name : {"/.git/objects", "/.git/refs"}) ASSERT_TRUE(make_directories(folder + name));
    ASSERT_TRUE(write_file_atomically(folder + "/.git/HEAD", "ref: refs/heads/main\n", 0600, Durable::no));
  }
  JsonObject run(const std::string& cwd, const std::string& command) {
    return house_.call_in(cwd, "exec", {{"command", command}});
  }

  House house_;
  std::string project_ = house_.workspace() + "/project";
};

TEST_F(WorkspaceProductTest, TheFirstCommandNamesTheRepositoryAround) {
  make_repository(project_);
  const JsonObject first = run(project_ + "/src", "touch ../made");
  EXPECT_THAT(text_of(first),
              HasSubstr("The workspace is " + project_ + ", the git repository around " + project_ + "/src."));
  EXPECT_EQ(details_of(first).at("workspace"), Json(JsonObject{{"path", project_}, {"reason", "repository"}}));
  EXPECT_TRUE(exists(project_ + "/made"));
  const JsonObject second = run(project_ + "/src", "pwd");
  EXPECT_EQ(text_of(second), project_ + "/src\n");
  EXPECT_FALSE(details_of(second).contains("workspace"));
}

TEST_F(WorkspaceProductTest, NothingIsSaidWhereItIsTheDirectoryItself) {
  const JsonObject first = run(project_, "pwd");
  EXPECT_EQ(text_of(first), project_ + "\n");
  EXPECT_FALSE(details_of(first).contains("workspace"));
}

TEST_F(WorkspaceProductTest, AnEmptyGitFolderAboveOpensNothing) {
  ASSERT_TRUE(make_directories(house_.workspace() + "/.git"));
  const JsonObject first = run(project_, "touch here; touch ../there");
  EXPECT_THAT(text_of(first),
              HasSubstr(house_.workspace() + "/.git was not taken as a repository: it is not valid (no HEAD)."));
  EXPECT_EQ(details_of(first).at("workspace"), Json(JsonObject{{"path", project_}, {"reason", "invalid-repository"}}));
  EXPECT_TRUE(exists(project_ + "/here"));
  EXPECT_FALSE(exists(house_.workspace() + "/there"));
}

// HOME of these programs is the folder around the workspace.
TEST_F(WorkspaceProductTest, ARepositoryInTheHomeBreaksNoProjectBelowAndKeepsItsJobs) {
  const JsonObject job = house_.call_in(project_, "exec", {{"command", "sleep 60"}, {"background", true}});
  make_repository(house_.environment()["HOME"]);
  const JsonObject after = run(project_, "touch made");
  EXPECT_TRUE(exists(project_ + "/made")) << text_of(after);
  EXPECT_EQ(text_or(details_of(after), "agentSession"), text_or(details_of(job), "agentSession"));
  EXPECT_THAT(text_of(house_.call_in(project_, "process", {{"action", "list"}})), HasSubstr("sleep 60"));
}

TEST_F(WorkspaceProductTest, ARepositoryMadeAroundASessionKeepsItsJobs) {
  const JsonObject job = house_.call_in(project_ + "/src", "exec", {{"command", "sleep 60"}, {"background", true}});
  make_repository(project_);
  const JsonObject after = run(project_ + "/src", "touch ../made");
  EXPECT_TRUE(exists(project_ + "/made")) << text_of(after);
  EXPECT_THAT(text_of(after), HasSubstr("the git repository around"));
  EXPECT_THAT(text_of(house_.call_in(project_ + "/src", "process", {{"action", "list"}})), HasSubstr("sleep 60"));
}

}  // namespace
}  // namespace talaria
