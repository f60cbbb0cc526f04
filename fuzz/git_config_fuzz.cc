// A sandboxed command writes what it likes into a git configuration: reading it must not crash, and what is left
// without the dangerous entries must be the others.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "guard/git_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto entries = talaria::read_git_config(text);
  if (!entries) return 0;
  std::vector<talaria::GitConfigEntry> dropped;
  std::vector<talaria::GitConfigEntry> kept;
  for (const talaria::GitConfigEntry& entry : *entries) (talaria::danger_in(entry) ? dropped : kept).push_back(entry);
  const std::string rest = talaria::without_entries(text, dropped);
  const auto left = talaria::read_git_config(rest);
  CHECK(left && left->size() == kept.size());
  for (size_t index = 0; index < kept.size(); ++index)
    CHECK((*left)[index].key() == kept[index].key() && (*left)[index].value == kept[index].value);
  return 0;
}
