// Frames between gateway and keeper: any bytes, in any pieces, give frames or an error, never a crash; and cutting the
// same bytes elsewhere gives the same frames.
#include <cstdint>
#include <cstdlib>

#include "keeper/frame.h"

using namespace talaria;

namespace {
std::string read_all(std::string_view bytes, size_t cut) {
  FrameReader reader;
  std::string seen;
  for (std::string_view part : {bytes.substr(0, cut), bytes.substr(cut)}) {
    reader.feed(part);
    while (true) {
      auto frame = reader.next();
      if (!frame) return seen + "!";
      if (!*frame) break;
      seen += write_json((*frame)->header) + "|" + (*frame)->payload + "\n";
      std::string_view payload = (*frame)->payload;
      (void)unpack_strings(payload, 3);
    }
  }
  return seen;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (read_all(bytes, 0) != read_all(bytes, size / 2)) std::abort();
  return 0;
}
