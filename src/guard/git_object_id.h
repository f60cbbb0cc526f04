#pragma once
#include <string>
#include <string_view>

namespace talaria {

enum class GitHash { sha1, sha256 };

// The name, in hex, that git gives to an object of this type ("blob", "tree", "commit", "tag") and content.
std::string git_object_id(GitHash hash, std::string_view type, std::string_view content);

}  // namespace talaria
