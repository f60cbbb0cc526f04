#pragma once
#include <vector>

#include "skills/catalog_root.h"

namespace talaria {

// For each folder whether it is as it was, for certain.
std::vector<char> compare_folders(const CatalogFolders& folders, int root_directory, CatalogWork& work);

// A walk ends after so many folders.
inline constexpr size_t most_catalog_folders = 200'000;

struct FolderWalk {
  CatalogFolders folders;  // in the order of their paths
  std::vector<CatalogDiagnostic> diagnostics;
};

// A folder to look at.
struct FolderVisit {
  std::string path;
  Reached reached = Reached::directly;
  size_t depth = 0;  // below the root
};

// The folders of `visits`, and all below them that may hold skills; {FolderVisit()} is the whole root. Those of `known`
// that are marked `unchanged` are taken as they are, all others looked at, so the outcome is that of a walk that knows
// nothing. Each folder is met once, however many links lead to it: by its own path if that is below the root, else by
// the first of the links.
FolderWalk walk_folders(const OpenRoot& root, std::vector<FolderVisit> visits, const CatalogFolders& known,
                        const std::vector<char>& unchanged, CatalogWork& work);

// The same skill stays the same object, so that nobody takes it for news.
void keep_skill(CatalogFolder& folder, const CatalogFolder& before);

}  // namespace talaria
