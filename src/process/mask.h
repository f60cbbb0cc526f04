#pragma once
#include <string>

#include "process/environment.h"

namespace talaria {

// `text` for a model: every value of a variable with a secret's name becomes "[masked NAME]". Values shorter than
// eight bytes stay, for they also stand for themselves. Where one value contains another, the longer one is named.
std::string mask_secrets(std::string text, const Environment& env);

}  // namespace talaria
