#include "api/known_secrets.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>

#include "os/file.h"

namespace talaria {
namespace {

using testing::HasSubstr;
using testing::Not;

class KnownSecretsTest : public testing::Test {
 protected:
  KnownSecretsTest() {
    char path[] = "/tmp/known-secrets-XXXXXX";
    folder_ = ::mkdtemp(path);
    restart();
  }
  ~KnownSecretsTest() override {
    secrets_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void restart() {
    secrets_.reset();
    store_.reset();
    Result<Store> opened = Store::open(folder_ + "/talaria.db");
    ASSERT_TRUE(opened) << opened.error().message();
    store_.emplace(*std::move(opened));
    secrets_.emplace(*store_, folder_ + "/.env", [](const std::string& text) { ADD_FAILURE() << text; });
  }
  std::string shown(const std::string& text, const Environment& also = {}) {
    return secrets_->mask(std::make_shared<const Environment>(also)).hide(text);
  }
  std::string bytes_on_disk() const {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() != ".env") all += *read_file(entry.path());
    }
    return all;
  }

  std::string folder_;
  std::optional<Store> store_;
  std::optional<KnownSecrets> secrets_;
};

TEST_F(KnownSecretsTest, NothingIsMaskedBeforeAnythingWasGiven) {
  EXPECT_EQ(shown("sekret-ONE-123456"), "sekret-ONE-123456");
  EXPECT_EQ(secrets_->mask(nullptr).hide("sekret-ONE-123456"), "sekret-ONE-123456");
  EXPECT_EQ(shown("sekret-ONE-123456", {{"KEY", "sekret-ONE-123456"}}), "[masked KEY]");
  EXPECT_EQ(shown("sekret-ONE-123456"), "sekret-ONE-123456") << "what one job was given by a call is only its own";
}

TEST_F(KnownSecretsTest, EveryValueThatANameHadStaysMasked) {
  secrets_->given({{"KEY", "sekret-ONE-123456"}});
  secrets_->given({{"KEY", "sekret-TWO-123456"}, {"SHORT", "1234567"}});
  EXPECT_EQ(shown("sekret-ONE-123456 sekret-TWO-123456 1234567"), "[masked KEY] [masked KEY] 1234567");
}

TEST_F(KnownSecretsTest, AValueStaysMaskedAfterARestart) {
  secrets_->given({{"KEY", "sekret-ONE-123456"}, {"PEM", "first line of it\nsecond \"line\" of it\nend"}});
  restart();
  EXPECT_EQ(shown("K=sekret-ONE-123456;"), "K=[masked KEY];");
  EXPECT_EQ(shown("1|first line of it\n2|second \"line\" of it"), "1|[masked PEM]\n2|[masked PEM]");
  EXPECT_EQ(shown(R"(first line of it\nsecond \"line\" of it\nend)"), "[masked PEM]");
  EXPECT_EQ(shown("sekret-ONE-12345"), "sekret-ONE-12345");
}

TEST_F(KnownSecretsTest, AValueThatIsStillThereIsKnownWholeAfterARestart) {
  secrets_->given({{"KEY", "sekret-ONE-123456"}});
  ASSERT_TRUE(write_file_atomically(folder_ + "/.env", "KEY=sekret-ONE-123456\nOTHER=never-given-1234\n", 0600));
  restart();
  // Of a value that is known its parts are, too.
  EXPECT_EQ(secrets_->mask(nullptr).hide_cut("K=sekret-ON", CutEnd::back), "K=[masked KEY]");
  EXPECT_EQ(shown("never-given-1234"), "never-given-1234");
}

TEST_F(KnownSecretsTest, NoValueIsOnDisk) {
  secrets_->given({{"KEY", "sekret-ONE-123456"}});
  const std::string disk = bytes_on_disk();
  EXPECT_THAT(disk, HasSubstr("secret_fingerprint_key"));
  EXPECT_THAT(disk, Not(HasSubstr("sekret-ONE")));
}

TEST_F(KnownSecretsTest, OfVeryManyValuesTheOldestAreKnownByTheirFingerprints) {
  for (int i = 1000; i < 1300; ++i) secrets_->given({{"KEY", "sekret-value-" + std::to_string(i)}});
  EXPECT_EQ(shown("sekret-value-1000 sekret-value-1299"), "[masked KEY] [masked KEY]");
  EXPECT_EQ(secrets_->mask(nullptr).hide_cut("sekret-value-129", CutEnd::back), "[masked KEY]")
      << "the beginning of one that is known";
}

TEST_F(KnownSecretsTest, WhatCannotBeStoredIsToldAndMaskedAllTheSame) {
  std::vector<std::string> told;
  secrets_.emplace(*store_, folder_ + "/.env", [&](const std::string& text) { told.push_back(text); });
  Result<Database> other = Database::open(folder_ + "/talaria.db");
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->execute(
      "CREATE TRIGGER full BEFORE INSERT ON secret_fingerprints BEGIN SELECT RAISE(FAIL, 'full'); END", "refuse"));
  secrets_->given({{"KEY", "sekret-ONE-123456"}});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], HasSubstr("KEY"));
  EXPECT_THAT(told[0], Not(HasSubstr("sekret")));
  EXPECT_EQ(shown("sekret-ONE-123456"), "[masked KEY]");
}

}  // namespace
}  // namespace talaria
