#include "skills/trusted_texts.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "os/file.h"

namespace talaria {
namespace {

class TrustedTextsTest : public testing::Test {
 protected:
  TrustedTextsTest() { EXPECT_TRUE(make_directories(root_)); }
  ~TrustedTextsTest() override { (void)remove_tree(folder_); }

  std::string put(const std::string& name, const std::string& text) {
    const std::string file = folder_ + "/project/" + name + "/SKILL.md";
    EXPECT_TRUE(make_directories(folder_ + "/project/" + name));
    EXPECT_TRUE(write_file_atomically(file, text));
    return file;
  }
  bool trusted(const std::string& file) {
    struct stat info {};
    EXPECT_EQ(::stat(file.c_str(), &info), 0);
    const bool known = texts_.has(file, file_stamp(info));
    EXPECT_EQ(known, texts_.has(file, read_front_matter(*read_file(file)))) << file;
    return known;
  }

  static std::string new_folder() {
    char name[] = "/tmp/talaria-trusted.XXXXXX";
    return ::mkdtemp(name);
  }

  std::string folder_ = new_folder();
  std::string root_ = folder_ + "/home/skills";
  TrustedTexts texts_{root_};
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
  EXPECT_EQ(*forget_texts(root_, folder_ + "/project"), 1u);
  EXPECT_FALSE(trusted(one));
  ASSERT_TRUE(trust_texts(root_, {folder_ + "/project"}));
  ASSERT_TRUE(write_file_atomically(root_ + "/.talaria/trusted.json", "{broken"));
  EXPECT_FALSE(trusted(one));
}

TEST_F(TrustedTextsTest, ASkillInsideAnothersFolderIsTrustedWithIt) {
  const std::string parent = put("par", "---\nname: par\ndescription: d\n---\nText.\n");
  const std::string kid = put("par/kid", "---\nname: kid\ndescription: d\n---\nText.\n");
  const std::string part = put("par/references/x", "---\nname: x\ndescription: d\n---\nText.\n");
  EXPECT_EQ(*trust_texts(root_, {folder_ + "/project", folder_ + "/project/par"}), 2u);
  EXPECT_TRUE(trusted(parent));
  EXPECT_TRUE(trusted(kid));
  EXPECT_FALSE(trusted(part)) << "no skill, but a file of one";
}

TEST_F(TrustedTextsTest, OneThatWasTrustedByItselfStaysWhenThoseAroundItAre) {
  const std::string deep = put("1/2/3/4/5/6/7/deep", "---\nname: deep\ndescription: d\n---\nText.\n");
  const std::string gone = put("gone", "---\nname: gone\ndescription: d\n---\nText.\n");
  EXPECT_EQ(*trust_texts(root_, {folder_ + "/project/1/2/3", folder_ + "/project/gone"}), 2u);
  ASSERT_TRUE(remove_tree(folder_ + "/project/gone"));
  EXPECT_EQ(*trust_texts(root_, {folder_ + "/project"}), 0u);
  EXPECT_TRUE(trusted(deep));
  put("gone", "---\nname: gone\ndescription: d\n---\nText.\n");
  EXPECT_FALSE(trusted(gone));
}

}  // namespace
}  // namespace talaria
