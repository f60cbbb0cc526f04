#pragma once
#include <string>
#include <string_view>

#include "process/environment.h"

namespace talaria {

// `text` for a model: every value of `secrets` becomes "[masked NAME]". Values shorter than eight bytes stay, for they
// also stand for themselves. Where one value contains another, the longer one is named.
std::string mask_secrets(std::string text, const Environment& secrets);

// Where to cut `bytes` at or before `cut` so that no secret is split, nor one that begins at their end and may go on.
// After `cut` only when a whole secret stands at the very front.
size_t cut_around_secrets(std::string_view bytes, size_t cut, const Environment& secrets);

// For a text that was cut out of a longer one: what the cut left of a secret at that end is masked, too, if it is long
// enough to be told from any other text.
enum class CutEnd { front, back };
std::string mask_cut_secret(std::string text, const Environment& secrets, CutEnd end);

}  // namespace talaria
