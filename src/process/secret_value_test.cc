#include "process/secret_value.h"

#include <gtest/gtest.h>

#include <string>

namespace talaria {
namespace {

TEST(SecretValueTest, KnowsTheFormsOfTokens) {
  const std::string random = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
  for (const std::string prefix : {"sk-", "sk-proj-", "sk-ant-api03-", "sk_live_", "sk_test_", "ghp_", "gho_", "ghs_",
                                   "github_pat_", "glpat-", "xoxb-", "xoxp-", "AIza", "hf_", "npm_", "gsk_"}) {
    EXPECT_TRUE(holds_secret(prefix + random)) << prefix;
    EXPECT_TRUE(holds_secret("Bearer " + (prefix + random) + " and more")) << prefix;
    EXPECT_FALSE(holds_secret(prefix)) << prefix;
    EXPECT_FALSE(holds_secret("x" + (prefix + random))) << "inside a word: " << prefix;
  }
  EXPECT_TRUE(holds_secret("sk-0123456789abcdef"));
  EXPECT_TRUE(holds_secret("AKIAIOSFODNN7EXAMPLE"));
  EXPECT_TRUE(holds_secret("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"));
  EXPECT_TRUE(holds_secret("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n"));
  EXPECT_TRUE(holds_secret("-----BEGIN PRIVATE KEY-----"));
  EXPECT_TRUE(holds_secret("postgres://ana:geheim@db.example/main"));
}

TEST(SecretValueTest, OrdinaryTextsAreNone) {
  for (const char* text :
       {"", "sk-", "/home/ana/sk-learn-projects-2024", "sk-hynix", "~/wiki", "https://example.com:8080/a@b",
        "ssh://git@example.com/x", "git@example.com:x/y.git", "npm_config_registry", "hf_transformers_cache_directory",
        "AKIA", "eyJ", "eyJhbGciOiJIUzI1NiJ9", "-----BEGIN CERTIFICATE-----", "http://:@host", "task-force-0123",
        "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e"}) {
    EXPECT_FALSE(holds_secret(text)) << text;
  }
}

}  // namespace
}  // namespace talaria
