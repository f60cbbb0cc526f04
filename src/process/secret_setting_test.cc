#include "process/secret_setting.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace talaria {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(SecretSettingTest, TheKeysNameCounts) {
  for (const auto& [key, value] : Pairs{{"demo.api_key", "hunter22hunter"},
                                        {"demo.api_key", "d41d8cd98f00b204e9800998ecf8427e"},
                                        {"demo.apiKey", "hunter"},
                                        {"demo.apikey", "hunter"},
                                        {"demo.API-KEY", "x1"},
                                        {"token", "abc"},
                                        {"demo.github_token", "hunter"},
                                        {"demo.token", "12345678"},
                                        {"demo.secret", "hunter"},
                                        {"demo.client_secret", "a b"},
                                        {"demo.password", "geheim"},
                                        {"demo.password", "12345678"},
                                        {"demo.passwd", "geheim"},
                                        {"demo.db_password_main", "geheim"},
                                        {"demo.credential", "geheim"},
                                        {"demo.private_key", "geheim"},
                                        {"demo.password", "/no-such-folder-here/x"},
                                        {"demo.key", "hunter22hunter"},
                                        {"demo.auth", "Basic dXNlcjpwYXNz"}}) {
    EXPECT_TRUE(is_secret_setting(key, value)) << key << " = " << value;
  }
}

TEST(SecretSettingTest, AValueThatNamesASecretCountsUnderAnyKey) {
  for (const char* value :
       {"password=foo123bar", "host=db password=foo123bar", "PASSWORD = foo123bar", "token: abc", "--api-key=abc",
        "https://example.org/feed?limit=3&token=abc123&x=1", "{\"secret\": \"geheim\"}", "password='foo'",
        "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2", "https://user:geheim@example.org/"}) {
    EXPECT_TRUE(is_secret_setting("demo.options", value)) << value;
  }
}

TEST(SecretSettingTest, WhatIsNoSecretIsShown) {
  for (const auto& [key, value] : Pairs{{"demo.max_tokens", "4096"},
                                        {"demo.max_tokens", "many"},
                                        {"demo.maxTokens", "4096"},
                                        {"demo.token_limit", "low"},
                                        {"demo.tokens", "4096"},
                                        {"demo.token_file", "x1"},
                                        {"demo.public_key", "ssh-ed25519 AAAAC3Nza"},
                                        {"demo.sort_key", "created_at"},
                                        {"demo.auth", "oauth"},
                                        {"demo.use_token", "true"},
                                        {"demo.token", ""},
                                        {"demo.token", "  "},
                                        {"demo.api_key", "${DEMO_API_KEY}"},
                                        {"demo.private_key", "~/.ssh/id_ed25519"},
                                        {"demo.private_key", "/etc/ssl/demo.pem"},
                                        {"password-store.folder", "personal"},
                                        {"token-counter.model", "Big1"},
                                        {"demo.monkey", "Bobo1"},
                                        {"demo.options", "max_tokens=5"},
                                        {"demo.options", "password=${DEMO_PASSWORD}"},
                                        {"demo.options", "sort_key=name"},
                                        {"demo.url", "https://example.org:8080/a?b=c"},
                                        {"demo.database", "d41d8cd98f00b204e9800998ecf8427e"},
                                        {"demo.time", "12:30:00"}}) {
    EXPECT_FALSE(is_secret_setting(key, value)) << key << " = " << value;
  }
}

TEST(SecretSettingTest, AKeyNamesOneByItsLastPart) {
  for (const char* key : {"api_key", "demo.apiKey", "a.b.password"}) EXPECT_TRUE(is_secret_setting_name(key)) << key;
  for (const char* key : {"", "demo.max_tokens", "demo.token_limit", "password-store.folder"}) {
    EXPECT_FALSE(is_secret_setting_name(key)) << key;
  }
}

TEST(SecretSettingTest, AQuestionMaySpeakOfOne) {
  for (const char* words : {"Your GitHub password", "demo.api_key", "Tenor API-key", "apiToken"}) {
    EXPECT_TRUE(speaks_of_secret(words)) << words;
  }
  for (const char* words : {"Where your wiki is", "", "wiki.path"}) EXPECT_FALSE(speaks_of_secret(words)) << words;
}

}  // namespace
}  // namespace talaria
