#pragma once
#include <optional>
#include <vector>

#include "skills/catalog_walk.h"

namespace talaria {

// What a walk of the root would give, without one: only the folders that are not `unchanged` are looked at, and what is
// new in them. Nothing where that is not certain to be the same, as with links, or not quicker.
std::optional<CatalogFolders> renew_folders(const OpenRoot& root, const CatalogFolders& known,
                                            const std::vector<char>& unchanged, CatalogWork& work);

}  // namespace talaria
