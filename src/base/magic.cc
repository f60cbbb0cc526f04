#include "base/magic.h"

namespace talaria {
namespace {

using namespace std::string_view_literals;

struct Magic {
  size_t offset;
  std::string_view bytes;
  std::string_view mime;
  std::string_view words;
};

// In two parts: what follows the escape would be read as part of it.
constexpr std::string_view elf =
    "\x7f"
    "ELF"sv;
constexpr std::string_view xz =
    "\xfd"
    "7zXZ\0"sv;

constexpr Magic magics[] = {
    {0, elf, "application/x-executable", "ELF program or library"},
    {0, "\x89PNG\r\n\x1a\n"sv, "image/png", "PNG image"},
    {0, "\xff\xd8\xff"sv, "image/jpeg", "JPEG image"},
    {0, "GIF87a"sv, "image/gif", "GIF image"},
    {0, "GIF89a"sv, "image/gif", "GIF image"},
    {8, "WEBP"sv, "image/webp", "WebP image"},
    {8, "WAVE"sv, "audio/wav", "WAV audio"},
    {8, "AVI "sv, "video/x-msvideo", "AVI video"},
    {4, "ftyp"sv, "video/mp4", "MP4 video"},
    {0, "BM"sv, "image/bmp", "BMP image"},
    {0, "II*\0"sv, "image/tiff", "TIFF image"},
    {0, "MM\0*"sv, "image/tiff", "TIFF image"},
    {0, "\0\0\1\0"sv, "image/x-icon", "icon"},
    {0, "%PDF-"sv, "application/pdf", "PDF document"},
    {0, "PK\3\4"sv, "application/zip", "ZIP archive, or a document or program packed as one"},
    {0, "PK\5\6"sv, "application/zip", "ZIP archive"},
    {0, "\x1f\x8b"sv, "application/gzip", "gzip archive"},
    {0, "BZh"sv, "application/x-bzip2", "bzip2 archive"},
    {0, xz, "application/x-xz", "xz archive"},
    {0, "\x28\xb5\x2f\xfd"sv, "application/zstd", "zstd archive"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "application/x-7z-compressed", "7z archive"},
    {0, "Rar!\x1a\x07"sv, "application/vnd.rar", "RAR archive"},
    {257, "ustar"sv, "application/x-tar", "tar archive"},
    {0, "!<arch>\n"sv, "application/x-archive", "archive of ar, as of a library or a Debian package"},
    {0, "SQLite format 3\0"sv, "application/vnd.sqlite3", "SQLite database"},
    {0, "\0asm"sv, "application/wasm", "WebAssembly module"},
    {0, "\xca\xfe\xba\xbe"sv, "application/java-vm", "Java class or macOS program"},
    {0, "\xcf\xfa\xed\xfe"sv, "application/x-mach-binary", "macOS program or library"},
    {0, "MZ"sv, "application/vnd.microsoft.portable-executable", "Windows program or library"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "application/x-ole-storage", "old Office document"},
    {0, "OggS"sv, "application/ogg", "Ogg audio or video"},
    {0, "fLaC"sv, "audio/flac", "FLAC audio"},
    {0, "ID3"sv, "audio/mpeg", "MP3 audio"},
    {0, "\x1a\x45\xdf\xa3"sv, "video/webm", "WebM or Matroska video"},
    {0, "wOFF"sv, "font/woff", "web font"},
    {0, "wOF2"sv, "font/woff2", "web font"},
    {0, "\0\1\0\0"sv, "font/ttf", "TrueType font"},
    {0, "OTTO"sv, "font/otf", "OpenType font"},
};

const Magic* find_magic(std::string_view bytes) {
  for (const Magic& magic : magics) {
    if (bytes.size() < magic.offset + magic.bytes.size()) continue;
    if (bytes.substr(magic.offset, magic.bytes.size()) == magic.bytes) return &magic;
  }
  return nullptr;
}

}  // namespace

std::string_view mime_of(std::string_view bytes) {
  const Magic* magic = find_magic(bytes);
  return magic ? magic->mime : unknown_mime;
}

std::string_view kind_in_words(std::string_view bytes) {
  const Magic* magic = find_magic(bytes);
  return magic ? magic->words : "unknown type";
}

}  // namespace talaria
