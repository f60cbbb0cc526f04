#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "skills/catalog_root.h"

namespace talaria {

// A root's folders and skills as bytes, and back. Anything but what encode_folders wrote is nothing; `root` is not part
// of the bytes.
std::string encode_folders(const CatalogFolders& folders);
std::optional<CatalogFolders> decode_folders(std::string_view bytes, const SkillRoot& root);

// Raised with every change to what the bytes mean or to what is read from a SKILL.md.
inline constexpr uint32_t catalog_format = 2;

// Any change of one to eight neighbouring bytes gives another number.
uint64_t checksum(std::string_view bytes);

}  // namespace talaria
