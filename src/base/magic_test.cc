#include "base/magic.h"

#include <gtest/gtest.h>

#include <string>

namespace talaria {
namespace {

using namespace std::string_literals;

TEST(MagicTest, KnowsFilesByTheirFirstBytes) {
  const std::string tar = std::string(257, 'x') + "ustar";
  EXPECT_EQ(mime_of("\x89PNG\r\n\x1a\n and more"), "image/png");
  EXPECT_EQ(mime_of("RIFF\1\2\3\4WAVEfmt "), "audio/wav");
  EXPECT_EQ(mime_of(tar), "application/x-tar");
  EXPECT_EQ(mime_of("\0asm\1\0\0\0"s), "application/wasm");
  EXPECT_EQ(kind_in_words("\x89PNG\r\n\x1a\n and more"), "PNG image");
  EXPECT_EQ(kind_in_words("\0\1\0\0\0\x10"s), "TrueType font");
  EXPECT_EQ(kind_in_words(tar), "tar archive");
}

TEST(MagicTest, SaysSoWhenTheyDoNotTell) {
  for (const std::string& bytes : {""s, "\x89PN"s, "text"s, std::string(260, '\0') + "ustar"}) {
    EXPECT_EQ(mime_of(bytes), unknown_mime);
    EXPECT_EQ(kind_in_words(bytes), "unknown type");
  }
}

}  // namespace
}  // namespace talaria
