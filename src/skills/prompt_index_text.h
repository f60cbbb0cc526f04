#pragma once
#include <string>
#include <string_view>

namespace talaria {

// Text that someone else wrote, made fit to be shown to a model or a person: one line of valid UTF-8 in which nothing
// is invisible. Line ends and tabs become spaces, other control characters \u00XX; characters that show nothing or turn
// the order of what follows are left out: bidi controls, zero-width ones, tags, variation selectors.
std::string visible_text(std::string_view text);

// The same inside a block of tags: < becomes &lt;, so that nothing can end the block or begin another.
std::string prompt_text(std::string_view text);

}  // namespace talaria
