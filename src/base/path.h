#pragma once
#include <string>
#include <string_view>

namespace talaria {

// By the text alone.

// Whether the path is the folder or lies below it.
bool is_within(std::string_view path, std::string_view folder);
// Without empty names, "." and "..".
std::string normal_path(std::string_view path);

}  // namespace talaria
