// The index of skills: any bytes are an index or not one, never a crash; and what is read is written back as it was.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "skills/catalog_codec.h"
#include "skills/index_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace talaria;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const SkillRoot root{"/root", SkillSource::home, Trust::local};
  // Without its checksum, which no chance finds.
  if (const auto folders = decode_folders(bytes, root)) {
    const std::string again = encode_folders(*folders);
    const auto once_more = decode_folders(again, root);
    CHECK(once_more && encode_folders(*once_more) == again);
  }
  if (const auto sections = parse_index(bytes)) {
    const auto again = parse_index(write_index(*sections));
    CHECK(again && *again == *sections);
  }
  const auto wrapped = parse_index(write_index({{"/root", 1, std::string(bytes)}}));
  CHECK(wrapped && wrapped->size() == 1 && (*wrapped)[0].bytes == bytes);
  return 0;
}
