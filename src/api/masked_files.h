#pragma once
#include "json/json.h"
#include "process/mask.h"

namespace talaria {

// Hides secrets in what a result of a file tool shows of files: their text, and their names wherever they stand. No
// number of a line or column changes. A name with something hidden in it cannot be used to open the file.
void mask_file_result(JsonObject& result, const Mask& mask);

}  // namespace talaria
