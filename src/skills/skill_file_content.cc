#include "skills/skill_file_content.h"

#include "base/utf8.h"

namespace talaria {
namespace {

using namespace std::string_view_literals;

struct Beginning {
  size_t offset;
  std::string_view bytes;
  std::string_view kind;
};

constexpr Beginning beginnings[] = {
    {0, "\x89PNG\r\n\x1a\n"sv, "PNG image"},
    {0, "\xff\xd8\xff"sv, "JPEG image"},
    {0, "GIF8"sv, "GIF image"},
    {8, "WEBP"sv, "WebP image"},
    {8, "WAVE"sv, "WAV audio"},
    {4, "ftyp"sv, "MP4 video"},
    {0, "OggS"sv, "Ogg audio or video"},
    {0, "ID3"sv, "MP3 audio"},
    {0, "%PDF-"sv, "PDF document"},
    {0, "PK\3\4"sv, "ZIP archive, or a document or program packed as one"},
    {0, "PK\5\6"sv, "ZIP archive"},
    {0, "\x1f\x8b"sv, "gzip archive"},
    {0, "BZh"sv, "bzip2 archive"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "xz archive"},
    {0, "\x28\xb5\x2f\xfd"sv, "zstd archive"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "7z archive"},
    {257, "ustar"sv, "tar archive"},
    {0, "SQLite format 3\0"sv, "SQLite database"},
    {0,
     "\x7f"
     "ELF"sv,
     "ELF program or library"},
    {0, "MZ"sv, "Windows program or library"},
    {0, "\xca\xfe\xba\xbe"sv, "Java class or macOS program"},
    {0, "\xcf\xfa\xed\xfe"sv, "macOS program or library"},
    {0, "\0asm"sv, "WebAssembly module"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "old Office document"},
    {0, "wOFF"sv, "web font"},
    {0, "wOF2"sv, "web font"},
    {0, "\0\1\0\0"sv, "TrueType font"},
    {0, "OTTO"sv, "OpenType font"},
};

bool is_odd_control(char32_t character) {
  return character < 0x20 && character != '\t' && character != '\n' && character != '\r' && character != '\f' &&
         character != 0x1b;
}

}  // namespace

bool is_readable_text(std::string_view bytes) {
  size_t odd = 0;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const Utf8Step step = decode_utf8(rest);
    if (step.character == 0) return false;
    if (step.kind != Utf8Step::Kind::character || is_odd_control(step.character)) odd += step.length;
    rest.remove_prefix(step.length);
  }
  // A few Latin-1 letters make no binary.
  return odd * 10 <= bytes.size();
}

std::string_view binary_kind(std::string_view bytes) {
  for (const Beginning& beginning : beginnings) {
    if (bytes.size() >= beginning.offset && bytes.substr(beginning.offset).starts_with(beginning.bytes))
      return beginning.kind;
  }
  return "unknown type";
}

}  // namespace talaria
