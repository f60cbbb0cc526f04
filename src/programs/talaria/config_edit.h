#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// Opens the person's editor on a copy and puts it in the file's place when it is valid. When it is not, the file stays
// as it was and the copy is kept and named.
Result<> edit_config_by_hand(const std::string& path);

}  // namespace talaria
