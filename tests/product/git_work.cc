#include "product/git_work.h"

#include "os/file.h"

namespace talaria {
namespace {

// What a commit of the person has may be named, and stays.
void expect_nothing_taken(const JsonObject& result) {
  const Json* violations = details_of(result).if_contains("violations");
  if (!violations) return;
  for (const Json& violation : violations->as_array()) {
    EXPECT_EQ(text_or(violation.as_object(), "kind"), "kept") << write_json(violation.as_object());
  }
}

}  // namespace

void GitWorkTest::SetUp() {
  ASSERT_TRUE(write_file_atomically(house_.environment()["HOME"] + "/.gitconfig", "[user]\nname = A\nemail = a@b.c\n"));
}

void GitWorkTest::expect_done(const std::vector<WorkInside>& all) {
  for (const WorkInside& work : all) {
    SCOPED_TRACE(work.name);
    const std::string folder = begin({.name = work.name, .before = work.before, .inside = {}});
    const JsonObject result = inside(folder, "set -e\n" + std::string(work.inside), {{"yieldMs", 60'000}});
    EXPECT_EQ(integer_or(details_of(result), "exitCode", -1), 0) << write_json(result);
    expect_nothing_taken(result);
    host(folder, "set -x; (" + std::string(work.check) + "\n) || touch @B@/wrong");
    if (!exists(folder + "/wrong")) continue;
    const Result<std::string> log = read_file(folder + "/log");
    ADD_FAILURE() << (log ? *log : "") << write_json(result);
  }
}

}  // namespace talaria
