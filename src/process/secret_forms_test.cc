#include "process/secret_forms.h"

#include <gmock/gmock.h>

namespace talaria {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> forms_of(std::string_view value) {
  std::vector<std::string> texts;
  for (const SecretText& form : secret_forms(value)) texts.push_back(form.text());
  return texts;
}

TEST(SecretFormsTest, APlainValueHasOnlyItself) {
  EXPECT_THAT(forms_of("sk-12345678"), ElementsAre("sk-12345678"));
  EXPECT_THAT(forms_of(" sk-12345678\n"), ElementsAre("sk-12345678"));
}

TEST(SecretFormsTest, WhatIsTooShortHasNone) {
  EXPECT_THAT(forms_of("1234567"), IsEmpty());
  EXPECT_THAT(forms_of("   1234567   "), IsEmpty());
}

TEST(SecretFormsTest, AreAlsoAsJsonWritesThem) {
  EXPECT_THAT(forms_of("a\"b\\c/d\x01z"),
              ElementsAre("a\"b\\c/d\x01z", "a\\\"b\\\\c/d\\u0001z", "a\\\"b\\\\c\\/d\\u0001z"));
  EXPECT_THAT(forms_of("caf\u00e9-secret"), ElementsAre("caf\u00e9-secret", "caf\\u00e9-secret"));
  EXPECT_THAT(forms_of("key-\U0001f511-key"), Contains("key-\\ud83d\\udd11-key"));
  EXPECT_THAT(forms_of("12345678\x7f"), ElementsAre("12345678\x7f"));
  EXPECT_THAT(forms_of("broken-\xff-value"), ElementsAre("broken-\xff-value"));
}

TEST(SecretFormsTest, LongLinesOfAValueCountAlone) {
  const std::string key =
      "-----BEGIN PRIVATE KEY-----\r\nMIIEvQIBADANBgkq/hkiG9w0\r\nAQEFAASCBKcwggSj\r\nshort=\r\n-----END PRIVATE "
      "KEY-----";
  const std::vector<std::string> forms = forms_of(key);
  EXPECT_EQ(forms.front(), key);
  EXPECT_THAT(forms, Contains("MIIEvQIBADANBgkq/hkiG9w0"));
  EXPECT_THAT(forms, Contains("MIIEvQIBADANBgkq\\/hkiG9w0"));
  EXPECT_THAT(forms, Contains("AQEFAASCBKcwggSj"));
  EXPECT_THAT(forms, Not(Contains("short=")));
  EXPECT_THAT(forms, Not(Contains("-----BEGIN PRIVATE KEY-----")));
  EXPECT_THAT(forms, Contains("-----BEGIN PRIVATE KEY-----\\r\\nMIIEvQIBADANBgkq/hkiG9w0\\r\\nAQEFAASCBKcwggSj\\r\\n"
                              "short=\\r\\n-----END PRIVATE KEY-----"));
}

TEST(SecretFormsTest, ALineOfAHugeValueIsNotLookedForForever) {
  std::string value;
  for (int line = 0; line < 10'000; ++line) value += "line number " + std::to_string(10'000 + line) + "\n";
  EXPECT_EQ(forms_of(value).size(), 2u + 256u);
}

}  // namespace
}  // namespace talaria
