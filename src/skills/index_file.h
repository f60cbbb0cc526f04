#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "skills/catalog_root.h"

namespace talaria {

// What the index file holds of one root.
struct IndexSection {
  std::string root;  // its path
  EpochMs used_at = 0;
  std::string bytes;
  bool operator==(const IndexSection&) const = default;
};

// The file whole. It begins with a table of the roots, so that one can be read without the others; table and sections
// have a checksum each.
std::string write_index(const std::vector<IndexSection>& sections);
// Refuses all that write_index did not write. Of another version of the program: no sections.
Result<std::vector<IndexSection>> parse_index(std::string_view bytes);

// What the file remembers of a root: empty without a file, or without the root in it.
Result<CatalogFolders> load_root(const std::string& file, const SkillRoot& root);

// Replaces the file, whole or not at all, by one with these sections and those of other roots that it had. Keeps the
// ones used last.
Result<> save_roots(const std::string& file, std::vector<IndexSection> sections);
inline constexpr size_t most_index_roots = 64;

}  // namespace talaria
