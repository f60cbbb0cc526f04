// Secrets that skills pass to commands: what a model reads of them, now and after the person changed them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "os/file.h"
#include "product/secret_hunt.h"
#include "product/skill_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* first_value = "sekret-ONE-123456";
constexpr const char* second_value = "sekret-TWO-98765432";

class SkillSecretsTest : public testing::Test {
 protected:
  SkillSecretsTest() {
    house.put_skill(
        "gifs", "name: gifs\ndescription: Finds them.\nrequired_environment_variables: [TENOR_API_KEY, TENOR_PEM]\n",
        "Text.\n");
    set("TENOR_API_KEY", first_value);
    house.view("gifs");
  }

  void set(const std::string& name, const std::string& value) {
    const Ran ran = house.run({"env", "set", name}, value);
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  void unset(const std::string& name) { ASSERT_EQ(house.run({"env", "unset", name}).code, 0); }
  // The id of a job that has ended and of which nothing is left.
  std::string run_job(const std::string& command) {
    const std::string id = id_of(house.exec(command, {{"background", true}}));
    house.process("wait", id);
    return id;
  }
  std::string log_of(const std::string& id) { return text_of(house.process("log", id)); }

  SkillHouse house;
};

TEST_F(SkillSecretsTest, WhatACommandPrintedStaysMaskedWhenTheValueChanges) {
  const std::string id = run_job("echo K=$TENOR_API_KEY");
  EXPECT_EQ(log_of(id), "K=[masked TENOR_API_KEY]\n");
  set("TENOR_API_KEY", second_value);
  EXPECT_EQ(log_of(id), "K=[masked TENOR_API_KEY]\n");
  const std::string later = run_job("echo K=$TENOR_API_KEY");
  EXPECT_EQ(log_of(later), "K=[masked TENOR_API_KEY]\n");
  unset("TENOR_API_KEY");
  for (const std::string& job : {id, later}) {
    EXPECT_EQ(log_of(job), "K=[masked TENOR_API_KEY]\n");
    EXPECT_EQ(text_or(details_of(house.process("poll", job, {{"offset", 0}})), "output"), "K=[masked TENOR_API_KEY]\n");
  }
}

TEST_F(SkillSecretsTest, AJobThatPrintsAfterTheChangeAndACopyThatWasExportedAreMaskedToo) {
  EXPECT_EQ(house.shell("export COPY=$TENOR_API_KEY; echo $COPY"), "[masked TENOR_API_KEY]\n");
  const std::string id = id_of(house.exec("read line; echo K=$TENOR_API_KEY", {{"background", true}}));
  unset("TENOR_API_KEY");
  house.process("submit", id, {{"data", "go"}});
  house.process("wait", id);
  EXPECT_EQ(log_of(id), "K=[masked TENOR_API_KEY]\n");
  EXPECT_EQ(house.shell("echo ${TENOR_API_KEY-none} $COPY"), "none [masked TENOR_API_KEY]\n");
  EXPECT_EQ(text_or(house.run_code("print('sekret-' + 'ONE-123456')"), "output"), "[masked TENOR_API_KEY]\n");
}

TEST_F(SkillSecretsTest, AGatewayThatNeverKnewTheValueMasksItAll) {
  const std::string id = run_job("echo K=$TENOR_API_KEY");
  const std::string running = id_of(house.exec("read line; echo K=$TENOR_API_KEY", {{"background", true}}));
  house.shell("echo $TENOR_API_KEY > kept.txt");
  house.kill_gateway();
  set("TENOR_API_KEY", second_value);
  house.process("submit", running, {{"data", "go"}});
  house.process("wait", running);
  for (const std::string& job : {id, running}) EXPECT_EQ(log_of(job), "K=[masked TENOR_API_KEY]\n");
  house.kill_gateway();
  unset("TENOR_API_KEY");
  for (const std::string& job : {id, running}) EXPECT_EQ(log_of(job), "K=[masked TENOR_API_KEY]\n");
  EXPECT_EQ(house.shell("cat kept.txt"), "[masked TENOR_API_KEY]\n");
  EXPECT_EQ(text_of(house.call("read_file", {{"path", "kept.txt"}})), "1|[masked TENOR_API_KEY]");
}

TEST_F(SkillSecretsTest, NoValueIsWrittenAnywhereButToItsFile) {
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "17\n");
  set("TENOR_API_KEY", second_value);
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "19\n");
  house.kill_gateway();
  EXPECT_EQ(house.shell("echo ${#TENOR_API_KEY}"), "19\n");
  const std::string base = house.root().substr(0, house.root().rfind('/'));
  EXPECT_THAT(files_with(base, "sekret-ONE"), testing::IsEmpty());
  EXPECT_THAT(files_with(base, "sekret-TWO"), testing::ElementsAre(house.root() + "/.env"));
}

TEST_F(SkillSecretsTest, FilesShowNoSecretsToAModelAndAllToAProgram) {
  house.shell("printf 'one\\nkey = %s\\nthree\\n' $TENOR_API_KEY > settings.ini");
  const JsonObject page = house.call("read_file", {{"path", "settings.ini"}});
  EXPECT_EQ(text_of(page), "1|one\n2|key = [masked TENOR_API_KEY]\n3|three");
  EXPECT_EQ(integer_or(details_of(page), "total_lines"), 3);
  EXPECT_EQ(integer_or(details_of(page), "file_size"), 34);
  const JsonObject found = house.call("search_files", {{"pattern", "three|key"}, {"context", 1}});
  EXPECT_THAT(text_of(found),
              AllOf(HasSubstr("settings.ini:2:key = [masked TENOR_API_KEY]\n"), HasSubstr("settings.ini:3:three\n")));
  EXPECT_THAT(write_json(found), Not(HasSubstr(first_value)));
  const JsonObject patched =
      house.call("patch", {{"path", "settings.ini"}, {"old_string", "three"}, {"new_string", "four"}});
  EXPECT_THAT(write_json(patched), AllOf(HasSubstr("+four"), Not(HasSubstr(first_value))));
  EXPECT_EQ(house.get("settings.ini"), "one\nkey = " + std::string(first_value) + "\nfour\n");
  EXPECT_EQ(text_or(house.run_code("from hermes_tools import read_file\n"
                                   "print(read_file('settings.ini')['content'].count('sekret' + '-ONE'))"),
                    "output"),
            "1\n");
}

TEST_F(SkillSecretsTest, LinesOfAKeyAndWhatJsonMakesOfItAreMasked) {
  house.put_home(".env",
                 "TENOR_PEM=\"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkq/hkiG9w0\\nAQEFAASCBKcwggSj\\n"
                 "-----END PRIVATE KEY-----\"\nTENOR_API_KEY='pass\"word/1'\n");
  EXPECT_EQ(house.shell("echo \"$TENOR_PEM\" | sed -n 2p; echo \"$TENOR_PEM\" | tail -2"),
            "[masked TENOR_PEM]\n[masked TENOR_PEM]\n-----END PRIVATE KEY-----\n");
  const std::string print =
      "import json, os\nprint(json.dumps([os.environ['TENOR_PEM'], os.environ['TENOR_API_KEY']]))\n"
      "print(json.dumps(os.environ['TENOR_API_KEY']).replace('/', '\\\\/'))";
  EXPECT_EQ(text_or(house.run_code(print), "output"),
            "[\"[masked TENOR_PEM]\", \"[masked TENOR_API_KEY]\"]\n\"[masked TENOR_API_KEY]\"\n");
}

TEST_F(SkillSecretsTest, WhatCredentialFilesHoldIsMaskedAndReachesPrograms) {
  house.put_skill("mail", "name: mail\ndescription: Mail.\nrequired_credential_files: [google_token.json]\n", "T.\n");
  house.put_home("google_token.json", R"({"token": "ya29.sekret-credential", "type": "authorized_user"})");
  const std::string masked = R"({"token": "[masked google_token.json token]", "type": "authorized_user"})";
  house.view("mail");
  EXPECT_EQ(house.shell("cat $HERMES_HOME/google_token.json"), masked);
  EXPECT_EQ(house.shell("cp $HERMES_HOME/google_token.json copy.json; wc -c < copy.json"), "62\n");
  EXPECT_EQ(text_of(house.call("read_file", {{"path", "copy.json"}})), "1|" + masked);
  EXPECT_EQ(text_or(house.run_code("import json\nprint(json.load(open('copy.json'))['token'])"), "output"),
            "[masked google_token.json token]\n");
  EXPECT_EQ(text_or(house.run_code("print(open('copy.json').read().count('sekret' + '-credential'))"), "output"),
            "1\n");
  // One that was made anew meanwhile, and the one before.
  house.put_home("google_token.json", R"({"token": "ya29.sekret-second"})");
  EXPECT_EQ(house.shell("cat $HERMES_HOME/google_token.json; cat copy.json"),
            R"({"token": "[masked google_token.json token]"})" + masked);
}

}  // namespace
}  // namespace talaria
