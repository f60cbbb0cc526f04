#include "files/text_encoding.h"
#include "base/magic.h"

#include <gtest/gtest.h>

#include "files/line_scan.h"

namespace talaria {
namespace {

std::string name(std::string_view bytes, Extent extent = Extent::whole) {
  const std::optional<TextEncoding> encoding = detect_encoding(bytes, extent);
  return encoding ? std::string(encoding_name(*encoding)) : "binary";
}

TEST(TextEncodingTest, TellsEncodingsApart) {
  EXPECT_EQ(name(""), "utf-8");
  EXPECT_EQ(name("plain"), "utf-8");
  EXPECT_EQ(name("gr\xc3\xbc"), "utf-8");
  EXPECT_EQ(name("gr\xc3"), "latin-1");
  EXPECT_EQ(name("gr\xc3", Extent::beginning), "utf-8");
  EXPECT_EQ(name("gr\xc3 x", Extent::beginning), "latin-1");
  EXPECT_EQ(name("smile \xf0\x9f\x98", Extent::beginning), "utf-8");
  EXPECT_EQ(name("\xef\xbb\xbfx"), "utf-8-bom");
  EXPECT_EQ(name("\xff\xfe"), "utf-16le");
  EXPECT_EQ(name(std::string_view("h\0i\0", 4)), "utf-16le");
  EXPECT_EQ(name(std::string_view("\0h\0i", 4)), "utf-16be");
  EXPECT_EQ(name(std::string_view("\0\0\0\0", 4)), "binary");
  EXPECT_EQ(name(std::string_view("h\0i\0x", 5)), "binary");
  EXPECT_EQ(name("\x80\x81\x02\x03"), "binary");
  EXPECT_EQ(name(std::string_view("\xff\xfe\0\0x\0\0\0", 8)), "binary");
}

TEST(TextEncodingTest, WritesBackWhatItRead) {
  const std::string text = "a ü € 😀\r\n";
  for (const TextEncoding encoding :
       {TextEncoding{Charset::utf8, false}, TextEncoding{Charset::utf8, true}, TextEncoding{Charset::utf16le, true},
        TextEncoding{Charset::utf16be, true}, TextEncoding{Charset::utf16be, false}})
    EXPECT_EQ(decode_text(*encode_text(text, encoding), encoding), text);
  EXPECT_EQ(encode_text(text, {Charset::latin1, false}), std::nullopt);
  EXPECT_EQ(encode_text("ü", {Charset::latin1, false}), "\xfc");
}

TEST(TextEncodingTest, ReplacesWhatIsBroken) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b\xc3"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(decode_text(std::string_view("\x3d\xd8x\0y", 5), {Charset::utf16le, false}), "\xef\xbf\xbdx\xef\xbf\xbd");
}

TEST(LineScanTest, FindsLinesAcrossBlocks) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::string(static_cast<size_t>(i % 5), 'x') + "\n";
  TextSource source(text);
  for (const uint64_t first : {1, 2, 99'999, 131'072, 199'999, 200'000}) {
    const LineSpan span = *find_lines(source, first, 2, nullptr);
    size_t begin = 0;
    for (uint64_t i = 1; i < first; ++i) begin = text.find('\n', begin) + 1;
    const size_t first_end = text.find('\n', begin) + 1;
    const bool last = first == 200'000;
    EXPECT_EQ(span, (LineSpan{begin, last ? first_end : text.find('\n', first_end) + 1, last ? 1u : 2u, 200'000}));
  }
}

TEST(LineScanTest, CutsLinesAndStopsAtTheMost) {
  const std::string text = "abcdef\nxy\n\nlast";
  TextSource source(text);
  const LineSpan all{0, text.size(), 4, 4};
  EXPECT_EQ(*read_lines(source, all, 3, 100, nullptr),
            (std::vector<RawLine>{{"abc", true}, {"xy"}, {""}, {"las", true}}));
  EXPECT_EQ(*read_lines(source, all, 100, 8, nullptr), (std::vector<RawLine>{{"abcdef"}, {"xy"}}));
}

}  // namespace
}  // namespace talaria
