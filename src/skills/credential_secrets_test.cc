#include "skills/credential_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/mask.h"
#include "skills/load_trial.h"

namespace talaria {
namespace {

std::string masked(std::string_view content, const std::string& printed) {
  return Mask(secrets_in_credential("t.json", content)).hide(printed);
}

TEST(CredentialSecretsTest, TheValuesOfAJsonFileAreSecret) {
  constexpr std::string_view token =
      "{\n  \"token\": \"ya29.a0AfB_byExample\",\n  \"type\": \"authorized_user\",\n  \"version\": \"1.0\",\n"
      "  \"token_uri\": \"https://oauth2.example.com/token\",\n"
      "  \"installed\": {\"client_secret\": \"GOCSPX-letters\", \"keys\": [\"0123456789abcdef\"]}\n}\n";
  EXPECT_EQ(secrets_in_credential("t.json", token), (Environment{{"t.json installed.client_secret", "GOCSPX-letters"},
                                                                 {"t.json installed.keys.0", "0123456789abcdef"},
                                                                 {"t.json token", "ya29.a0AfB_byExample"}}));
  EXPECT_EQ(masked(token, "Bearer ya29.a0AfB_byExample for authorized_user at https://oauth2.example.com/token"),
            "Bearer [masked t.json token] for authorized_user at https://oauth2.example.com/token");
}

TEST(CredentialSecretsTest, ATextIsSecretAsAWhole) {
  EXPECT_EQ(secrets_in_credential("key", "abcdefgh\n"), (Environment{{"key", "abcdefgh"}}));
  EXPECT_EQ(secrets_in_credential("key", "\"abc-1234\"\n"), (Environment{{"key", "abc-1234"}}));
  EXPECT_EQ(secrets_in_credential("key", "12345678"), (Environment{{"key", "12345678"}}));
  EXPECT_EQ(secrets_in_credential("key", "short"), Environment());
  EXPECT_EQ(secrets_in_credential("key", ""), Environment());
  EXPECT_EQ(secrets_in_credential("key", "dGhpcyBpcyBhIGtleQ==\n"), (Environment{{"key", "dGhpcyBpcyBhIGtleQ=="}}));
}

TEST(CredentialSecretsTest, LinesOfAKeyAreSecretAndItsFrameIsNot) {
  const std::string line = "MIIEvQIBADANBgkqhkiG9w0", next = "BAQEFAASCBKcwggSjAgEAAo";
  const std::string key = "-----BEGIN PRIVATE KEY-----\n" + line + "\n" + next + "\n-----END PRIVATE KEY-----\n";
  EXPECT_EQ(masked(key, next + "\n-----END PRIVATE KEY-----\n"), "[masked t.json]\n-----END PRIVATE KEY-----\n");
}

TEST(CredentialSecretsTest, OfPairsTheValuesAreSecretAndPlainWordsAreNot) {
  constexpr std::string_view text =
      "# a comment of some length\n[default]\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG\n"
      "export TOKEN='abc-123-def'\nregion: eu\nmode = read-only\nhost = https://example.com/\n";
  EXPECT_EQ(secrets_in_credential("t", text),
            (Environment{{"t TOKEN", "abc-123-def"}, {"t aws_secret_access_key", "wJalrXUtnFEMI/K7MDENG"}}));
}

TEST(CredentialSecretsTest, OfALineWithSeveralWordsThePasswordIsSecretByItself) {
  constexpr std::string_view netrc = "machine api.example.com login ana password correcthorse\n";
  EXPECT_EQ(masked(netrc, "ana uses correcthorse"), "ana uses [masked t.json password]");
  EXPECT_EQ(masked(netrc, std::string(netrc)), "[masked t.json]\n");
  EXPECT_EQ(masked("example.com\tTRUE\t/\tFALSE\t0\tsid\t0123456789abcdef01\n", "sid 0123456789abcdef01"),
            "sid [masked t.json sid]");
  EXPECT_EQ(masked("https://ana:correcthorse@example.com\n", "correcthorse of ana at https://example.com"),
            "[masked t.json password] of ana at https://example.com");
}

TEST(CredentialSecretsTest, ReadsOnlyFilesAndNeverWaits) {
  const LoadTrial trial;
  trial.put("a.json", R"({"token": "one-1234"})");
  trial.put("b.txt", "two-1234");
  ASSERT_EQ(::mkfifo(trial.path("pipe").c_str(), 0600), 0);
  std::vector<CredentialFile> files;
  for (const std::string path : {"a.json", "b.txt", "pipe", "gone"})
    files.push_back({path, trial.path(path), trial.path(path)});
  EXPECT_EQ(credential_secrets(files), (Environment{{"a.json token", "one-1234"}, {"b.txt", "two-1234"}}));
}

TEST(CredentialSecretsTest, AnyBytesAreReadAndFewAreKept) {
  std::string json = "[";
  for (int i = 0; i < 1000; ++i)
    json += (i ? ",\"a-long-secret-" : "\"a-long-secret-") + std::to_string(1000 + i) + "\"";
  EXPECT_EQ(secrets_in_credential("t", json + "]").size(), 64u);
  EXPECT_EQ(secrets_in_credential("t", std::string_view("\xff\xfe\0\x01 binary \x80\x81", 15)).size(), 1u);
}

}  // namespace
}  // namespace talaria
