#pragma once
#include "process/environment.h"
#include "sandbox/view.h"

namespace talaria {

// The programs of the active virtual environment, as VIRTUAL_ENV or else CONDA_PREFIX names it, come first on PATH: a
// login shell's start-up files often put others before them. Only where it is inside what it is outside.
void put_virtual_environment_first(Environment& variables, const View& view);

}  // namespace talaria
