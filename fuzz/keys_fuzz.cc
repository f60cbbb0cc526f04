// Key names and hex from anywhere: never a crash, and an error sends nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "terminal/keys.h"
#include "terminal/modes.h"
#include "terminal/paste.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace talaria;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> keys = split(text, '\n');
  for (const bool application : {false, true}) {
    const Result<std::string> bytes = encode_keys(keys, {.application_cursor = application});
    CHECK(bytes ? bytes->size() >= keys.size() : !bytes.error().message().empty());
  }
  const Result<std::string> raw = decode_hex(keys);
  CHECK(!raw || raw->size() <= size / 2);

  const std::string pasted = paste_bytes(text, Bracketed::yes);
  CHECK(pasted.find("\x1b[201~") == pasted.size() - 6);
  CHECK(pasted.rfind("\x1b[200~") == 0);

  ModeTracker whole, bytewise;
  whole.feed(text);
  for (const char& byte : text) bytewise.feed({&byte, 1});
  CHECK(whole.bracketed_paste() == bytewise.bracketed_paste());
  CHECK(whole.application_cursor() == bytewise.application_cursor());
  return 0;
}
