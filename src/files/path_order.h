#pragma once
#include <algorithm>
#include <string_view>

namespace talaria {

// The order of a walk that sorts each folder by name, and so that of rg --sort=path: what is in "a" comes before "a.c".
struct PathOrder {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [&](char x, char y) { return rank(x) < rank(y); });
  }
};

}  // namespace talaria
