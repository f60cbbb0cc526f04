#include "policy/glob.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

struct GlobCase {
  const char* pattern;
  const char* path;
  bool means;
};

TEST(GlobTest, MeansWhatItsPartsSay) {
  const GlobCase cases[] = {
      {"/etc/**", "/etc/passwd", true},
      {"/etc/**", "/etc", true},
      {"/etc", "/etc/ssl/x", true},
      {"/etc", "/etcetera", false},
      {"/etc/*", "/etc/ssl/x", true},  // it means /etc/ssl, and so what is below
      {"/etc/*.conf", "/etc/a.conf", true},
      {"/etc/*.conf", "/etc/a/b.conf", false},
      {"/srv/**/*.key", "/srv/a/b/c.key", true},
      {"/srv/**/*.key", "/srv/c.key", true},
      {"/srv/**/*.key", "/var/c.key", false},
      {"*.pem", "/a/b/c.pem", true},
      {"*.pem", "/a/b.pem/c", true},
      {"*.pem", "/a/b.pemx", false},
      {"secrets/key", "/a/secrets/key", true},
      {"secrets/key", "/a/secrets/b/key", false},
      {"secrets/**/key", "/a/secrets/b/key", true},
      {"~", "/home/ada/x", true},
      {"~/.ssh", "/home/ada/.ssh/id", true},
      {"~/.ssh", "/home/bob/.ssh/id", false},
      {"a{b,c}d", "/x/abd", true},
      {"a{b,c}d", "/x/acd", true},
      {"a{b,c}d", "/x/ad", false},
      {"*.{a,b{c,d}}", "/x/y.bd", true},
      {"[ab].txt", "/x/b.txt", true},
      {"?.txt", "/x/bb.txt", false},
      {".env", "/x/.env", true},
      {"*", "/x/.env", true},
      {"", "/x", false},
      {"/", "/x", true},
      {"**", "/x/y", true},
      {"./x", "/a/x", true},
  };
  for (const GlobCase& one : cases) {
    EXPECT_EQ(Glob(one.pattern, "/home/ada").means(one.path), one.means) << one.pattern << " " << one.path;
  }
}

TEST(GlobTest, KnowsNoHomeWithoutOne) { EXPECT_FALSE(Glob("~/x", "").means("/x")); }

TEST(GlobTest, ExpandsBracesUpToALimit) {
  EXPECT_EQ(expand_braces("{a,b}{c,d}"), (std::vector<std::string>{"ac", "ad", "bc", "bd"}));
  EXPECT_EQ(expand_braces("{a}"), std::vector<std::string>{"{a}"});
  EXPECT_EQ(expand_braces("{a,"), std::vector<std::string>{"{a,"});
  std::string many;
  for (int i = 0; i < 30; ++i) many += "{a,b}";
  EXPECT_EQ(expand_braces(many), std::vector<std::string>{many});
}

TEST(GlobTest, TakesNoLongForManyStars) {
  std::string pattern, path;
  for (int i = 0; i < 200; ++i) pattern += "**/a/", path += "/a";
  EXPECT_FALSE(Glob("/" + pattern + "b", "").means(path));
}

}  // namespace
}  // namespace talaria
