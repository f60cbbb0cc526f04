#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// What stands before a block scalar: "|", ">-", "|2+".
struct BlockHeader {
  bool folded = false;
  char chomping = ' ';  // or '-' or '+'
  size_t indent = 0;    // deeper than what it belongs to; 0: as its first line
};
// `value` is all that follows "key:" on its line.
std::optional<BlockHeader> block_header(std::string_view value);

// The text that `lines` say when they are indented by `indent`.
std::string block_scalar_text(BlockHeader header, std::string_view lines, size_t indent);

// Where the library found a block scalar.
struct BlockPlace {
  size_t start = 0;             // of the line after its header
  size_t end = 0;               // of its lines
  bool behind_indent = false;   // `end` lies behind the indentation of the next line
  std::optional<size_t> outer;  // the column of the map or list that it stands in
};
// What it says. libfyaml 0.7.12 finds block scalars well, but reads some of them wrongly: it adds a NUL, forgets a line
// feed, or takes bytes from beside its buffer. It also takes the next key for the text where all of a map is indented:
// then nothing.
std::optional<std::string> read_block_scalar(std::string_view text, const BlockPlace& place);

}  // namespace talaria
