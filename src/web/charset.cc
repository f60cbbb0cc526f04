#include "web/charset.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

enum class Method { utf8, windows_1252, converter };

struct Charset {
  Method method;
  std::string_view name;       // as we report it
  std::string_view converter;  // as iconv(3) calls it
};

struct Label {
  std::string_view label;
  Charset charset;
};

// What browsers take a label for, which is often more than the label says. Only these reach iconv: some of its stateful
// converters have had holes, and no page needs them.
constexpr Charset utf8{Method::utf8, "utf-8", ""};
constexpr Charset windows_1252{Method::windows_1252, "windows-1252", ""};
constexpr Charset utf_16le{Method::converter, "utf-16le", "UTF-16LE"};
constexpr Charset utf_16be{Method::converter, "utf-16be", "UTF-16BE"};
constexpr Charset shift_jis{Method::converter, "shift_jis", "CP932"};
constexpr Charset euc_jp{Method::converter, "euc-jp", "EUC-JP-MS"};
constexpr Charset gb18030{Method::converter, "gb18030", "GB18030"};
constexpr Charset big5{Method::converter, "big5", "BIG5-HKSCS"};
constexpr Charset euc_kr{Method::converter, "euc-kr", "CP949"};

constexpr Label labels[] = {
    {"utf-8", utf8},
    {"utf8", utf8},
    {"unicode-1-1-utf-8", utf8},
    {"ascii", windows_1252},
    {"us-ascii", windows_1252},
    {"iso-8859-1", windows_1252},
    {"iso8859-1", windows_1252},
    {"iso_8859-1", windows_1252},
    {"latin1", windows_1252},
    {"latin-1", windows_1252},
    {"l1", windows_1252},
    {"cp1252", windows_1252},
    {"x-cp1252", windows_1252},
    {"windows-1252", windows_1252},
    {"utf-16", utf_16le},
    {"utf-16le", utf_16le},
    {"unicode", utf_16le},
    {"utf-16be", utf_16be},
    {"shift_jis", shift_jis},
    {"shift-jis", shift_jis},
    {"sjis", shift_jis},
    {"x-sjis", shift_jis},
    {"windows-31j", shift_jis},
    {"ms_kanji", shift_jis},
    {"cp932", shift_jis},
    {"euc-jp", euc_jp},
    {"x-euc-jp", euc_jp},
    {"iso-2022-jp", {Method::converter, "iso-2022-jp", "ISO-2022-JP"}},
    {"gb2312", gb18030},
    {"gbk", gb18030},
    {"x-gbk", gb18030},
    {"gb_2312-80", gb18030},
    {"gb18030", gb18030},
    {"big5", big5},
    {"big5-hkscs", big5},
    {"x-x-big5", big5},
    {"euc-kr", euc_kr},
    {"ks_c_5601-1987", euc_kr},
    {"korean", euc_kr},
    {"windows-949", euc_kr},
    {"iso-8859-2", {Method::converter, "iso-8859-2", "ISO-8859-2"}},
    {"latin2", {Method::converter, "iso-8859-2", "ISO-8859-2"}},
    {"iso-8859-3", {Method::converter, "iso-8859-3", "ISO-8859-3"}},
    {"iso-8859-4", {Method::converter, "iso-8859-4", "ISO-8859-4"}},
    {"iso-8859-5", {Method::converter, "iso-8859-5", "ISO-8859-5"}},
    {"iso-8859-6", {Method::converter, "iso-8859-6", "ISO-8859-6"}},
    {"iso-8859-7", {Method::converter, "iso-8859-7", "ISO-8859-7"}},
    {"iso-8859-8", {Method::converter, "iso-8859-8", "ISO-8859-8"}},
    {"iso-8859-8-i", {Method::converter, "iso-8859-8", "ISO-8859-8"}},
    {"iso-8859-9", {Method::converter, "windows-1254", "CP1254"}},
    {"latin5", {Method::converter, "windows-1254", "CP1254"}},
    {"iso-8859-10", {Method::converter, "iso-8859-10", "ISO-8859-10"}},
    {"iso-8859-11", {Method::converter, "windows-874", "CP874"}},
    {"tis-620", {Method::converter, "windows-874", "CP874"}},
    {"windows-874", {Method::converter, "windows-874", "CP874"}},
    {"iso-8859-13", {Method::converter, "iso-8859-13", "ISO-8859-13"}},
    {"iso-8859-14", {Method::converter, "iso-8859-14", "ISO-8859-14"}},
    {"iso-8859-15", {Method::converter, "iso-8859-15", "ISO-8859-15"}},
    {"latin-9", {Method::converter, "iso-8859-15", "ISO-8859-15"}},
    {"iso-8859-16", {Method::converter, "iso-8859-16", "ISO-8859-16"}},
    {"koi8-r", {Method::converter, "koi8-r", "KOI8-R"}},
    {"koi8", {Method::converter, "koi8-r", "KOI8-R"}},
    {"koi8-u", {Method::converter, "koi8-u", "KOI8-U"}},
    {"windows-1250", {Method::converter, "windows-1250", "CP1250"}},
    {"cp1250", {Method::converter, "windows-1250", "CP1250"}},
    {"windows-1251", {Method::converter, "windows-1251", "CP1251"}},
    {"cp1251", {Method::converter, "windows-1251", "CP1251"}},
    {"windows-1253", {Method::converter, "windows-1253", "CP1253"}},
    {"windows-1254", {Method::converter, "windows-1254", "CP1254"}},
    {"windows-1255", {Method::converter, "windows-1255", "CP1255"}},
    {"windows-1256", {Method::converter, "windows-1256", "CP1256"}},
    {"windows-1257", {Method::converter, "windows-1257", "CP1257"}},
    {"windows-1258", {Method::converter, "windows-1258", "CP1258"}},
    {"ibm866", {Method::converter, "ibm866", "CP866"}},
    {"cp866", {Method::converter, "ibm866", "CP866"}},
    {"macintosh", {Method::converter, "macintosh", "MACINTOSH"}},
};

const Charset* find_charset(std::string_view label) {
  const auto* found = std::find_if(std::begin(labels), std::end(labels),
                                   [&](const Label& candidate) { return candidate.label == label; });
  return found == std::end(labels) ? nullptr : &found->charset;
}

// 0x80 to 0x9f; the five holes are the control characters themselves, as in browsers.
constexpr std::array<char32_t, 32> windows_1252_high{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                                     0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

std::string from_windows_1252(std::string_view bytes) {
  std::string text;
  const auto high =
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  text.reserve(bytes.size() + 2 * static_cast<size_t>(high));  // None becomes longer than three bytes.
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      append_utf8(text, byte < 0xa0 ? windows_1252_high[byte - 0x80] : byte);
    }
  }
  return text;
}

constexpr std::string_view replacement = "\xef\xbf\xbd";

std::string with_replacements(std::string bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string text;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const Utf8Step step = decode_utf8(rest);
    if (step.kind == Utf8Step::Kind::character) text.append(rest.substr(0, step.length));
    else text.append(replacement);
    rest.remove_prefix(step.length);
  }
  return text;
}

// Nothing when the system has no such converter.
std::optional<std::string> convert(std::string& bytes, const Charset& charset) {
  iconv_t converter = ::iconv_open("UTF-8", std::string(charset.converter).c_str());
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  const size_t unit = charset.name.starts_with("utf-16") ? 2 : 1;
  std::string text;
  std::array<char, 16384> buffer;
  char* input = bytes.data();
  size_t left = bytes.size();
  while (left > 0) {
    char* output = buffer.data();
    size_t room = buffer.size();
    const size_t result = ::iconv(converter, &input, &left, &output, &room);
    const int number = errno;
    text.append(buffer.data(), buffer.size() - room);
    if (result != static_cast<size_t>(-1) || number == E2BIG) continue;
    // EINVAL: cut off inside a character. EILSEQ: no character; go on behind its first unit.
    text.append(replacement);
    if (number != EILSEQ || left <= unit) break;
    input += unit;
    left -= unit;
    ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
  }
  ::iconv_close(converter);
  return with_replacements(std::move(text));
}

std::string value_after(std::string_view text, std::string_view name) {
  size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + name.size());
  text = trim(text);
  if (!text.starts_with('=')) return {};
  text = trim(text.substr(1));
  if (text.starts_with('"') || text.starts_with('\'')) {
    return std::string(trim(text.substr(1, std::min(text.find(text[0], 1), text.size()) - 1)));
  }
  return std::string(text.substr(0, text.find_first_of(" \t\r\n;\"'>/?,")));
}

// What <meta> or the XML declaration says. UTF-16 in bytes that could be read as ASCII is not true.
std::string declared_charset(std::string_view bytes) {
  const std::string head = lower(bytes.substr(0, 1024));
  std::string label;
  if (trim(head).starts_with("<?xml"))
    label = value_after(std::string_view(head).substr(0, head.find("?>")), "encoding");
  for (size_t at = head.find("<meta"); label.empty() && at != std::string::npos; at = head.find("<meta", at + 5)) {
    label = value_after(std::string_view(head).substr(at, head.find('>', at) - at), "charset");
  }
  return label.starts_with("utf-16") ? "utf-8" : label;
}

const Charset* by_mark(std::string_view bytes, size_t& length) {
  length = 2;
  if (bytes.starts_with("\xff\xfe")) return &utf_16le;
  if (bytes.starts_with("\xfe\xff")) return &utf_16be;
  length = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  return length == 3 ? &utf8 : nullptr;
}

Decoded decode_as(std::string bytes, const Charset& charset) {
  if (charset.method == Method::windows_1252) return {from_windows_1252(bytes), std::string(charset.name), ""};
  if (charset.method == Method::converter) {
    if (auto text = convert(bytes, charset)) return {*std::move(text), std::string(charset.name), ""};
    return {from_windows_1252(bytes), std::string(windows_1252.name), std::string(charset.name)};
  }
  return {with_replacements(std::move(bytes)), std::string(charset.name), ""};
}

}  // namespace

std::string charset_of(std::string_view content_type) { return value_after(lower(content_type), "charset"); }

Decoded decode_page(std::string bytes, std::string_view content_type) {
  size_t mark_length = 0;
  if (const Charset* charset = by_mark(bytes, mark_length)) {
    bytes.erase(0, mark_length);
    return decode_as(std::move(bytes), *charset);
  }
  std::string unknown;
  for (const std::string& label : {charset_of(content_type), declared_charset(bytes)}) {
    if (label.empty()) continue;
    if (const Charset* charset = find_charset(label)) return decode_as(std::move(bytes), *charset);
    if (unknown.empty()) unknown = label.substr(0, 40);
  }
  const Charset& guess = is_utf8(bytes) ? utf8 : windows_1252;
  Decoded decoded = decode_as(std::move(bytes), guess);
  decoded.unknown_label = with_replacements(std::move(unknown));
  return decoded;
}

}  // namespace talaria
