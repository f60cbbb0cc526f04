#include "terminal/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string encode(const std::string& key, KeyMode mode = {}) {
  const Result<std::string> bytes = encode_keys({key}, mode);
  return bytes ? *bytes : "error: " + bytes.error().message();
}

struct Expected {
  std::string key, bytes;
};

class KeyBytes : public testing::TestWithParam<Expected> {};

TEST_P(KeyBytes, AreWhatXtermSends) { EXPECT_EQ(encode(GetParam().key), GetParam().bytes) << GetParam().key; }

INSTANTIATE_TEST_SUITE_P(Named, KeyBytes,
                         testing::ValuesIn(std::vector<Expected>{
                             {"Enter", "\r"},     {"return", "\r"},      {"Tab", "\t"},         {"ESCAPE", "\x1b"},
                             {"esc", "\x1b"},     {"Space", " "},        {"BSpace", "\x7f"},    {"Backspace", "\x7f"},
                             {"Up", "\x1b[A"},    {"Down", "\x1b[B"},    {"Right", "\x1b[C"},   {"Left", "\x1b[D"},
                             {"Home", "\x1b[H"},  {"End", "\x1b[F"},     {"PageUp", "\x1b[5~"}, {"PPage", "\x1b[5~"},
                             {"PgUp", "\x1b[5~"}, {"NPage", "\x1b[6~"},  {"PgDn", "\x1b[6~"},   {"PageDown", "\x1b[6~"},
                             {"IC", "\x1b[2~"},   {"Insert", "\x1b[2~"}, {"DC", "\x1b[3~"},     {"Delete", "\x1b[3~"},
                             {"del", "\x1b[3~"},  {"BTab", "\x1b[Z"},    {"F1", "\x1bOP"},      {"F2", "\x1bOQ"},
                             {"F3", "\x1bOR"},    {"F4", "\x1bOS"},      {"F5", "\x1b[15~"},    {"f6", "\x1b[17~"},
                             {"F7", "\x1b[18~"},  {"F8", "\x1b[19~"},    {"F9", "\x1b[20~"},    {"F10", "\x1b[21~"},
                             {"F11", "\x1b[23~"}, {"F12", "\x1b[24~"},   {"KP0", "0"},          {"KP9", "9"},
                             {"KP/", "/"},        {"KP*", "*"},          {"KP-", "-"},          {"KP+", "+"},
                             {"KP.", "."},        {"KPEnter", "\r"},
                         }));

INSTANTIATE_TEST_SUITE_P(Modified, KeyBytes,
                         testing::ValuesIn(std::vector<Expected>{
                             {"S-Up", "\x1b[1;2A"},
                             {"M-Up", "\x1b[1;3A"},
                             {"C-Left", "\x1b[1;5D"},
                             {"C-S-End", "\x1b[1;6F"},
                             {"C-M-S-F1", "\x1b[1;8P"},
                             {"S-M-C-F1", "\x1b[1;8P"},
                             {"C-F5", "\x1b[15;5~"},
                             {"S-DC", "\x1b[3;2~"},
                             {"M-NPage", "\x1b[6;3~"},
                             {"S-Tab", "\x1b[Z"},
                             {"M-Enter", "\x1b\r"},
                             {"C-Enter", "\r"},
                             {"M-Tab", "\x1b\t"},
                             {"M-Escape", "\x1b\x1b"},
                             {"M-BSpace", "\x1b\x7f"},
                             {"C-BSpace", "\x08"},
                             {"M-Space", "\x1b "},
                             {"C-Space", std::string(1, '\0')},
                             {"C-M-Space", std::string("\x1b\0", 2)},
                             {"Ctrl-Up", "\x1b[1;5A"},
                             {"alt+F4", "\x1b[1;3S"},
                         }));

INSTANTIATE_TEST_SUITE_P(Characters, KeyBytes,
                         testing::ValuesIn(std::vector<Expected>{
                             {"a", "a"},
                             {"A", "A"},
                             {"é", "é"},
                             {"😀", "😀"},
                             {"-", "-"},
                             {"^", "^"},
                             {"C-x", "\x18"},
                             {"c-X", "\x18"},
                             {"C-S-x", "\x18"},
                             {"^x", "\x18"},
                             {"^[", "\x1b"},
                             {"^?", "\x7f"},
                             {"C-a", "\x01"},
                             {"C-z", "\x1a"},
                             {"C-/", "\x1f"},
                             {"C-_", "\x1f"},
                             {"C-[", "\x1b"},
                             {"C-\\", "\x1c"},
                             {"C-]", "\x1d"},
                             {"C-^", "\x1e"},
                             {"C-?", "\x7f"},
                             {"C--", "\x1f"},
                             {"C-@", std::string(1, '\0')},
                             {"M-x", "\x1bx"},
                             {"M-X", "\x1bX"},
                             {"M--", "\x1b-"},
                             {"M-é", "\x1bé"},
                             {"M-^x", "\x1b\x18"},
                             {"C-M-x", "\x1b\x18"},
                             {"M-C-x", "\x1b\x18"},
                             {"S-a", "A"},
                             {"S-A", "A"},
                             {"M-S-a",
                              "\x1b"
                              "A"},
                             {"Ctrl+c", "\x03"},
                             {"Ctrl-C", "\x03"},
                             {"Alt-x", "\x1bx"},
                         }));

TEST(KeysTest, EncodesEveryControlLetter) {
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    EXPECT_EQ(encode(std::string("C-") + letter), std::string(1, static_cast<char>(letter - 'a' + 1)));
  }
}

TEST(KeysTest, ApplicationModeChangesUnmodifiedCursorKeysOnly) {
  const KeyMode mode{.application_cursor = true};
  EXPECT_EQ(encode("Up", mode), "\x1bOA");
  EXPECT_EQ(encode("Home", mode), "\x1bOH");
  EXPECT_EQ(encode("End", mode), "\x1bOF");
  EXPECT_EQ(encode("S-Up", mode), "\x1b[1;2A");
  EXPECT_EQ(encode("PageUp", mode), "\x1b[5~");
  EXPECT_EQ(encode("F5", mode), "\x1b[15~");
}

TEST(KeysTest, JoinsKeysInOrder) {
  EXPECT_EQ(*encode_keys({":", "w", "q", "Enter", "C-c"}, {}), ":wq\r\x03");
  EXPECT_EQ(*encode_keys({}, {}), "");
}

TEST(KeysTest, AnUnknownNameFailsAllAndListsNearOnes) {
  const Result<std::string> bytes = encode_keys({"a", "Entr"}, {});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(bytes.error().message(), HasSubstr("unknown key name \"Entr\"; near: Enter"));
  EXPECT_THAT(encode("C-Lft"), HasSubstr("near: Left"));
}

TEST(KeysTest, TextIsNotAKeyName) {
  EXPECT_THAT(encode("hello world"), HasSubstr("use literal"));
  EXPECT_THAT(encode("C-"), HasSubstr("unknown key name \"C-\""));
  EXPECT_THAT(encode(""), HasSubstr("empty key name"));
  EXPECT_THAT(encode("\xFF"), HasSubstr("not valid UTF-8"));
}

TEST(KeysTest, SaysWhenATerminalCannotSendACombination) {
  EXPECT_THAT(encode("C-é"), HasSubstr("no control code"));
  EXPECT_THAT(encode("C-1"), HasSubstr("no control code"));
  EXPECT_THAT(encode("S-1"), HasSubstr("give the character itself"));
}

TEST(KeysTest, EveryKnownNameEncodes) {
  EXPECT_THAT(known_key_names(), Contains("Enter"));
  for (const std::string& name : known_key_names()) {
    for (const char* modifiers : {"", "C-", "M-", "S-", "C-M-S-"}) EXPECT_TRUE(encode_keys({modifiers + name}, {}));
  }
}

TEST(KeysTest, DecodesHex) {
  EXPECT_EQ(*decode_hex({"1b", "0x5B", "41"}), "\x1b[A");
  EXPECT_EQ(*decode_hex({"1b5b41"}), "\x1b[A");
  EXPECT_EQ(*decode_hex({" 1b 5b  41 "}), "\x1b[A");
  EXPECT_EQ(*decode_hex({"00"}), std::string(1, '\0'));
}

TEST(KeysTest, RefusesWhatIsNotHex) {
  for (const char* text : {"", " ", "0x", "1", "1g", "zz", "1b5", "-1"}) {
    const Result<std::string> bytes = decode_hex({"1b", text});
    ASSERT_FALSE(bytes) << text;
    EXPECT_THAT(bytes.error().message(), HasSubstr("hexadecimal"));
  }
}

}  // namespace
}  // namespace talaria
