#pragma once
#include <memory_resource>
#include <string>
#include <string_view>

#include "web/html_tree.h"

namespace talaria {

// In as many backticks as it needs; empty for empty code.
std::pmr::string inline_code(std::string_view code, std::pmr::memory_resource* memory);

// Byte for byte between two fences that are longer than any run of backticks in it.
std::pmr::string fenced_code(std::string_view code, std::string_view language, std::pmr::memory_resource* memory);

// What the page says about a <pre>: class="language-cpp" and its like, on it or on the <code> inside. Else empty.
std::string code_language(const HtmlNode& pre);

}  // namespace talaria
