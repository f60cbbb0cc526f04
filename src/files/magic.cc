#include "files/magic.h"

namespace talaria {
namespace {

using namespace std::string_view_literals;

struct Magic {
  size_t offset;
  std::string_view bytes;
  std::string_view mime;
};

constexpr Magic magics[] = {
    {0,
     "\x7f"
     "ELF"sv,
     "application/x-executable"},
    {0, "\x89PNG\r\n\x1a\n"sv, "image/png"},
    {0, "\xff\xd8\xff"sv, "image/jpeg"},
    {0, "GIF87a"sv, "image/gif"},
    {0, "GIF89a"sv, "image/gif"},
    {8, "WEBP"sv, "image/webp"},
    {8, "WAVE"sv, "audio/wav"},
    {8, "AVI "sv, "video/x-msvideo"},
    {4, "ftyp"sv, "video/mp4"},
    {0, "BM"sv, "image/bmp"},
    {0, "II*\0"sv, "image/tiff"},
    {0, "MM\0*"sv, "image/tiff"},
    {0, "\0\0\1\0"sv, "image/x-icon"},
    {0, "%PDF-"sv, "application/pdf"},
    {0, "PK\3\4"sv, "application/zip"},
    {0, "PK\5\6"sv, "application/zip"},
    {0, "\x1f\x8b"sv, "application/gzip"},
    {0, "BZh"sv, "application/x-bzip2"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "application/x-xz"},
    {0, "\x28\xb5\x2f\xfd"sv, "application/zstd"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "application/x-7z-compressed"},
    {0, "Rar!\x1a\x07"sv, "application/vnd.rar"},
    {257, "ustar"sv, "application/x-tar"},
    {0, "!<arch>\n"sv, "application/x-archive"},
    {0, "SQLite format 3\0"sv, "application/vnd.sqlite3"},
    {0, "\0asm"sv, "application/wasm"},
    {0, "\xca\xfe\xba\xbe"sv, "application/java-vm"},
    {0, "MZ"sv, "application/vnd.microsoft.portable-executable"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "application/x-ole-storage"},
    {0, "OggS"sv, "application/ogg"},
    {0, "fLaC"sv, "audio/flac"},
    {0, "ID3"sv, "audio/mpeg"},
    {0, "\x1a\x45\xdf\xa3"sv, "video/webm"},
    {0, "wOFF"sv, "font/woff"},
    {0, "wOF2"sv, "font/woff2"},
};

}  // namespace

std::string_view mime_of(std::string_view bytes) {
  for (const Magic& magic : magics) {
    if (bytes.size() < magic.offset + magic.bytes.size()) continue;
    if (bytes.substr(magic.offset, magic.bytes.size()) == magic.bytes) return magic.mime;
  }
  return unknown_mime;
}

}  // namespace talaria
