// A credential file may hold anything: what is taken for its secrets is in it, as it is or as JSON says it, and
// bounded.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/json.h"
#include "skills/credential_secrets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const talaria::Environment secrets = talaria::secrets_in_credential("t.json", content);
  CHECK(secrets.size() <= 64);
  const bool json = static_cast<bool>(talaria::parse_json(content));
  for (const auto& [name, value] : secrets) {
    CHECK(name.starts_with("t.json") && value.size() >= 8);
    // Lines that are no pairs are joined.
    CHECK(json || name == "t.json" || content.find(value) != std::string_view::npos);
  }
  return 0;
}
