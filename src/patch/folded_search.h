#pragma once
#include <string_view>
#include <vector>

#include "patch/normal_form.h"
#include "patch/passage.h"
#include "patch/strategies.h"

namespace talaria {

// The places of `pair.old_text` when both are folded. A place never begins or ends within a word, and reaches back to
// the start of its line when only indentation is before it.
std::vector<Passage> find_folded(std::string_view text, const LinePair& pair, Blanks blanks, Typography typography);

}  // namespace talaria
