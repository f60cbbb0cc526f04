// talaria sandbox quarantine, as a person uses it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "guard/quarantine.h"
#include "guard/quarantine_place.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class QuarantineCliTest : public testing::Test {
 protected:
  Ran quarantine(std::vector<std::string> words) {
    words.insert(words.begin(), {"sandbox", "quarantine"});
    return house_.run(std::move(words));
  }
  QuarantinedItem take(const std::string& name, const std::string& text) {
    const std::string workspace = real_path(house_.workspace());
    EXPECT_TRUE(write_file_atomically(workspace + "/" + name, text, 0755));
    const Result<UniqueFd> folder = open_file(workspace, O_RDONLY | O_DIRECTORY);
    Quarantine there(house_.home().quarantine());
    Result<QuarantinedItem> item = there.take(
        folder->get(), name,
        {workspace + "/" + name, "held", "direnv would run it.", workspace, "s1", QuarantinedItem::Origin::created});
    EXPECT_TRUE(item);
    return *std::move(item);
  }

  House house_;
};

TEST_F(QuarantineCliTest, NothingThereIsSaidInWords) {
  const Ran ran = quarantine({"list"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "Nothing is in quarantine.\n");
  EXPECT_EQ(quarantine({"delete", "--all"}).code, 0);
  EXPECT_EQ(quarantine({"list", "--json"}).out, "{\"items\":[]}\n");
  EXPECT_FALSE(exists(house_.home().quarantine()));
}

TEST_F(QuarantineCliTest, ItemsAreListedShownPutBackAndDeleted) {
  const QuarantinedItem item = take(".envrc", "curl evil\x1b[2J\n");
  const QuarantinedItem other = take("two\nlines", "x");
  const std::string listed = quarantine({"list"}).out;
  EXPECT_THAT(listed, AllOf(HasSubstr(item.id + "\t"), HasSubstr(item.path + "\n"), HasSubstr("two\\nlines\n")));
  const Ran shown = quarantine({"show", item.id.substr(0, 6)});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("direnv would run it."), HasSubstr("session    s1"),
                               HasSubstr("curl evil^[[2J\n"), Not(HasSubstr("\x1b"))));
  const Result<JsonObject> json = parse_json_object(quarantine({"show", item.id, "--json"}).out);
  ASSERT_TRUE(json);
  EXPECT_EQ(text_or(*json, "content"), "curl evil\x1b[2J\n");
  EXPECT_EQ(text_or(*json, "path"), item.path);

  const Ran restored = quarantine({"restore", item.id});
  EXPECT_EQ(restored.out, item.path + " is back\n") << restored.err;
  EXPECT_EQ(*read_file(item.path), "curl evil\x1b[2J\n");
  EXPECT_EQ(quarantine({"delete", other.id}).out, other.id + "\n");
  EXPECT_EQ(quarantine({"list"}).out, "");
}

TEST_F(QuarantineCliTest, RestoreGoesElsewhereAndReplacesOnlyByForce) {
  const QuarantinedItem item = take(".envrc", "old");
  ASSERT_TRUE(write_file_atomically(item.path, "new"));
  const Ran refused = quarantine({"restore", item.id});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("is there already"));
  const Ran elsewhere = quarantine({"restore", item.id, "--to", "looked-at"});
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.err;
  EXPECT_EQ(elsewhere.out, item.id + ", taken from " + item.path + ", is now " + real_path(house_.workspace()) +
                               "/looked-at and no longer in quarantine\n");
  EXPECT_EQ(*read_file(house_.workspace() + "/looked-at"), "old");
  const QuarantinedItem again = take("second", "two");
  ASSERT_TRUE(write_file_atomically(again.path, "in the way"));
  EXPECT_EQ(quarantine({"restore", again.id, "--force"}).code, 0);
  EXPECT_EQ(*read_file(again.path), "two");
  EXPECT_THAT(quarantine({"list"}).out, HasSubstr("\trestore\t"));
}

TEST_F(QuarantineCliTest, WrongWordsAreExplained) {
  const QuarantinedItem item = take(".envrc", "x");
  std::string wrong = item.id;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  const Ran ran = quarantine({"show", wrong});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("did you mean " + item.id));
  EXPECT_EQ(quarantine({"delete", item.id, wrong}).code, 1);
  EXPECT_THAT(quarantine({"list"}).out, HasSubstr(item.id));
  EXPECT_THAT(quarantine({"fly"}).err, HasSubstr("there are list, show, restore, delete"));
  EXPECT_EQ(quarantine({"delete"}).code, 2);
}

TEST_F(QuarantineCliTest, EachActionHasAHelpWithAnExample) {
  const std::string all = quarantine({"--help"}).out;
  EXPECT_THAT(all, AllOf(StartsWith("Look at what was taken"), Not(HasSubstr("--network"))));
  for (const std::string action : {"list", "show", "restore", "delete"}) {
    EXPECT_THAT(all, HasSubstr("  talaria sandbox quarantine " + action));
    const Ran ran = quarantine({action, "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("\n\nUsage: talaria sandbox quarantine " + action), HasSubstr("\n\nUse it "),
                               HasSubstr(":\n  talaria sandbox quarantine " + action)))
        << action;
    EXPECT_EQ(ran.out.find("--to") != std::string::npos, action == "restore") << action;
  }
}

TEST_F(QuarantineCliTest, AnItemThatCouldNotBeMovedSaysWhereItIsAndWhy) {
  QuarantinedItem item = take(".envrc", "x");
  item.beside = real_path(house_.workspace()) + "/.talaria-taken-" + item.id;
  item.note = "It is still in its folder as .talaria-taken-" + item.id + ", because it is too large.";
  ASSERT_TRUE(write_file_atomically(item.beside, "x", 0600));
  const Result<QuarantinePlace> place = QuarantinePlace::open(house_.home().quarantine(), item.id);
  ASSERT_TRUE(place && place->write(item, QuarantinePlace::State::kept));
  EXPECT_THAT(quarantine({"list"}).out, HasSubstr("\t" + item.path + " (" + item.note + ")\n"));
  EXPECT_THAT(quarantine({"show", item.id}).out, HasSubstr("note       " + item.note));
}

TEST_F(QuarantineCliTest, AJobMayNotUseIt) {
  const QuarantinedItem item = take(".envrc", "x");
  house_.environment()["TALARIA_JOB"] = "abc";
  for (const char* action : {"list", "show", "restore", "delete"}) {
    std::vector<std::string> words{action};
    if (std::string(action) != "list") words.push_back(item.id);
    const Ran ran = quarantine(words);
    EXPECT_EQ(ran.code, 1) << action;
    EXPECT_THAT(ran.err, HasSubstr("from inside a job"));
  }
  EXPECT_FALSE(exists(item.path));
}

}  // namespace
}  // namespace talaria
