#pragma once
#include "json/json.h"
#include "process/mask.h"

namespace talaria {

// Hides secrets in what a result of a file tool shows of files. Only these texts change: no number of a line or column,
// and no path.
void mask_file_result(JsonObject& result, const Mask& mask);

}  // namespace talaria
