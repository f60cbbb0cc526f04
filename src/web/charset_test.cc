#include "web/charset.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace talaria {
namespace {

using namespace std::string_literals;

struct Case {
  std::string bytes;
  const char* content_type;
  const char* text;
  const char* charset;
};

TEST(CharsetTest, ReadsEachAsWhatItIs) {
  const Case cases[] = {
      {"", "", "", "utf-8"},
      {"plain", "text/plain", "plain", "utf-8"},
      {"gr\xc3\xbc\xc3\x9f", "text/plain", "grüß", "utf-8"},
      {"gr\xfc\xdf \x80\x93", "text/plain", "grüß €“", "windows-1252"},
      {"gr\xfc\xdf", "text/html; charset=ISO-8859-1", "grüß", "windows-1252"},
      {"gr\xfc\xdf", "text/html;charset=\"latin1\"", "grüß", "windows-1252"},
      {"\xa4", "text/html; Charset = iso-8859-15", "€", "iso-8859-15"},
      {"\xb1", "text/html; charset=iso-8859-2", "ą", "iso-8859-2"},
      {"\xd4\xc5\xd3\xd4", "text/html; charset=koi8-r", "тест", "koi8-r"},
      {"\xf2\xe5\xf1\xf2", "text/html; charset=windows-1251", "тест", "windows-1251"},
      {"\x83\x65\x83\x58\x83\x67", "text/html; charset=Shift_JIS", "テスト", "shift_jis"},
      {"\xa5\xc6\xa5\xb9\xa5\xc8", "text/html; charset=euc-jp", "テスト", "euc-jp"},
      {"\x1b$B%F%9%H\x1b(B", "text/html; charset=iso-2022-jp", "テスト", "iso-2022-jp"},
      {"\xd6\xd0\xce\xc4", "text/html; charset=gb2312", "中文", "gb18030"},
      {"\xd6\xd0\xce\xc4", "text/html; charset=gbk", "中文", "gb18030"},
      {"\xa4\xa4\xa4\xe5", "text/html; charset=big5", "中文", "big5"},
      {"\xc7\xd1\xb1\xdb", "text/html; charset=euc-kr", "한글", "euc-kr"},
      {"\xe7\xe3\xe4", "text/html; charset=iso-8859-8-i", "חדה", "iso-8859-8"},
      {"h\0i\0"s, "text/html; charset=utf-16le", "hi", "utf-16le"},
      {"\0h\0i"s, "text/html; charset=utf-16be", "hi", "utf-16be"},
      {"\xff\xfeh\0\xe4\0"s, "text/html; charset=utf-8", "hä", "utf-16le"},
      {"\xfe\xff\0h\0\xe4"s, "", "hä", "utf-16be"},
      {"\xef\xbb\xbfgr\xc3\xbc", "text/html; charset=iso-8859-1", "grü", "utf-8"},
  };
  for (const Case& entry : cases) {
    EXPECT_EQ(decode_page(entry.bytes, entry.content_type), (Decoded{entry.text, entry.charset, ""}))
        << entry.content_type;
  }
}

TEST(CharsetTest, BelievesWhatThePageDeclares) {
  const Case cases[] = {
      {"<meta charset=koi8-r>\xd4", "text/html", "<meta charset=koi8-r>т", "koi8-r"},
      {"<META CHARSET='KOI8-R'>\xd4", "text/html", "<META CHARSET='KOI8-R'>т", "koi8-r"},
      {"<meta http-equiv=content-type content=\"text/html; charset=koi8-r\">\xd4", "text/html",
       "<meta http-equiv=content-type content=\"text/html; charset=koi8-r\">т", "koi8-r"},
      {"<meta name=x content=y><meta charset=koi8-r>\xd4", "", "<meta name=x content=y><meta charset=koi8-r>т",
       "koi8-r"},
      {"<?xml version=\"1.0\" encoding=\"koi8-r\"?>\xd4", "text/xml", "<?xml version=\"1.0\" encoding=\"koi8-r\"?>т",
       "koi8-r"},
      {"<meta charset=koi8-r>\xc3\xa4", "text/html; charset=utf-8", "<meta charset=koi8-r>ä", "utf-8"},
      {"<meta charset=utf-16>\xc3\xa4", "text/html", "<meta charset=utf-16>ä", "utf-8"},
  };
  for (const Case& entry : cases) {
    EXPECT_EQ(decode_page(entry.bytes, entry.content_type), (Decoded{entry.text, entry.charset, ""})) << entry.bytes;
  }
}

TEST(CharsetTest, ADeclarationBehindTheFirstKilobyteIsNone) {
  const std::string page = std::string(1030, ' ') + "<meta charset=koi8-r>\xc3\xa4";
  EXPECT_EQ(decode_page(page, "text/html").charset, "utf-8");
}

TEST(CharsetTest, GuessesWhereTheLabelIsUnknownAndSaysSo) {
  EXPECT_EQ(decode_page("\xc3\xa4", "text/html; charset=klingon"), (Decoded{"ä", "utf-8", "klingon"}));
  EXPECT_EQ(decode_page("\xe4", "text/html; charset=utf-7"), (Decoded{"ä", "windows-1252", "utf-7"}));
  EXPECT_EQ(decode_page("\xe4", "text/html; charset=\"../../evil//TRANSLIT\""),
            (Decoded{"ä", "windows-1252", "../../evil//translit"}));
  EXPECT_EQ(decode_page("<meta charset=koi8-r>\xd4", "text/html; charset=klingon").charset, "koi8-r");
}

TEST(CharsetTest, ReplacesWhatCannotBeRead) {
  EXPECT_EQ(decode_page("a\xff z", "text/plain; charset=utf-8"), (Decoded{"a\uFFFD z", "utf-8", ""}));
  EXPECT_EQ(decode_page("a\xe2\x82", "text/plain; charset=utf-8"), (Decoded{"a\uFFFD", "utf-8", ""}));
  EXPECT_EQ(decode_page("a\x83", "text/plain; charset=shift_jis"), (Decoded{"a\uFFFD", "shift_jis", ""}));
  EXPECT_EQ(decode_page("a\0b"s, "text/plain; charset=utf-16le"), (Decoded{"a\uFFFD", "utf-16le", ""}));
  EXPECT_EQ(decode_page("a\0\0\xdc"
                        "b\0"s,
                        "text/plain; charset=utf-16le"),
            (Decoded{"a\uFFFDb", "utf-16le", ""}));
}

TEST(CharsetTest, AnyBytesInAnyCharsetBecomeValidText) {
  std::string bytes;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; second += 7) {
      bytes += static_cast<char>(first);
      bytes += static_cast<char>(second);
    }
  }
  for (const char* label : {"utf-8", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "big5", "euc-kr", "utf-16le",
                            "koi8-u", "windows-1255", "windows-874", "ibm866", "macintosh", "iso-8859-6", "nonsense"}) {
    const Decoded decoded = decode_page(bytes, std::string("text/html; charset=") + label);
    EXPECT_TRUE(is_utf8(decoded.text)) << label;
    EXPECT_FALSE(decoded.text.empty()) << label;
  }
}

}  // namespace
}  // namespace talaria
