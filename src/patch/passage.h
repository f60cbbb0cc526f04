#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// A part of a document's text.
struct Passage {
  size_t begin = 0;
  size_t end = 0;
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const Passage&) const = default;
};

enum class Rendering {
  verbatim,    // what the caller wrote
  fitted,      // lines that old and new share stay as the file has them, others take on its indentation
  typography,  // fitted, and the same for the parts of a line
};

// What one strategy found, and how it reads the two strings.
struct Found {
  std::string_view strategy;
  std::vector<Passage> places;  // rising, apart from each other
  std::string old_text;
  std::string new_text;
  Rendering rendering = Rendering::fitted;
};

// All places of `wanted`, from left to right, none within another.
std::vector<Passage> find_all(std::string_view text, std::string_view wanted);

}  // namespace talaria
