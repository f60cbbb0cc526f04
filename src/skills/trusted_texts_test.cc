#include "skills/trusted_texts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "os/file.h"

namespace talaria {
namespace {

class TrustedTextsTest : public testing::Test {
 protected:
  TrustedTextsTest() {
    char name[] = "/tmp/talaria-trusted.XXXXXX";
    folder_ = ::mkdtemp(name);
    root_ = folder_ + "/home/skills";
    EXPECT_TRUE(make_directories(root_));
  }
  ~TrustedTextsTest() override { (void)remove_tree(folder_); }

  std::string put(const std::string& name, const std::string& text) {
    const std::string file = folder_ + "/project/" + name + "/SKILL.md";
    EXPECT_TRUE(make_directories(folder_ + "/project/" + name));
    EXPECT_TRUE(write_file_atomically(file, text));
    return file;
  }
  bool trusted(const std::string& file) const {
    return is_trusted_text(root_, file, read_front_matter(*read_file(file)));
  }

  std::string folder_, root_;
};

TEST_F(TrustedTextsTest, OnlyWhatWasThereAndAsItWasIsTrusted) {
  const std::string one = put("one", "---\nname: one\ndescription: d\n---\nText.\n");
  EXPECT_FALSE(trusted(one));
  EXPECT_EQ(*trust_texts(root_, {folder_ + "/project", folder_ + "/missing"}), 1u);
  EXPECT_TRUE(trusted(one));
  const std::string two = put("two", "---\nname: two\ndescription: d\n---\nText.\n");
  EXPECT_FALSE(trusted(two)) << "made later";
  put("one", "---\nname: one\ndescription: d\nrequired_environment_variables: [KEY]\n---\nText.\n");
  EXPECT_FALSE(trusted(one)) << "its front matter changed";
  put("one", "---\nname: one\ndescription: d\n---\n!`id`\n");
  EXPECT_FALSE(trusted(one)) << "its body changed";
  EXPECT_EQ(*trust_texts(root_, {folder_ + "/project"}), 2u);
  EXPECT_TRUE(trusted(one));
  EXPECT_TRUE(trusted(two));
}

TEST_F(TrustedTextsTest, ForgettingAndABrokenFileTrustNothing) {
  const std::string one = put("one", "---\nname: one\ndescription: d\n---\nText.\n");
  ASSERT_TRUE(trust_texts(root_, {folder_ + "/project"}));
  ASSERT_TRUE(forget_texts(root_, folder_ + "/project"));
  EXPECT_FALSE(trusted(one));
  ASSERT_TRUE(trust_texts(root_, {folder_ + "/project"}));
  ASSERT_TRUE(write_file_atomically(root_ + "/.talaria/trusted.json", "{broken"));
  EXPECT_FALSE(trusted(one));
}

}  // namespace
}  // namespace talaria
