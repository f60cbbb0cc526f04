#include "terminal/paste.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(PasteTest, WrapsTheTextWhenTheProgramAsked) {
  EXPECT_EQ(paste_bytes("hi", Bracketed::yes), "\x1b[200~hi\x1b[201~");
  EXPECT_EQ(paste_bytes("hi", Bracketed::no), "hi");
  EXPECT_EQ(paste_bytes("", Bracketed::yes), "\x1b[200~\x1b[201~");
}

TEST(PasteTest, LineEndsBecomeCarriageReturns) {
  EXPECT_EQ(paste_bytes("a\nb\r\nc\rd\n\n", Bracketed::no), "a\rb\rc\rd\r\r");
}

TEST(PasteTest, RemovesEmbeddedSequences) {
  EXPECT_EQ(paste_bytes("a\x1b[201~b\x1b[200~c", Bracketed::yes), "\x1b[200~abc\x1b[201~");
  EXPECT_EQ(paste_bytes("a\xC2\x9B"
                        "201~b",
                        Bracketed::yes),
            "\x1b[200~ab\x1b[201~");
}

TEST(PasteTest, RemovesSequencesThatFormWhenAnotherGoes) {
  EXPECT_EQ(paste_bytes("a\x1b[20\x1b[201~1~b", Bracketed::no), "ab");
  EXPECT_EQ(paste_bytes("\x1b[2\x1b[20\x1b[201~0~01~x", Bracketed::no), "x");
}

TEST(PasteTest, KeepsWhatOnlyLooksSimilar) {
  EXPECT_EQ(paste_bytes("~[201~\x1b[202~\x1b[A", Bracketed::no), "~[201~\x1b[202~\x1b[A");
}

}  // namespace
}  // namespace talaria
