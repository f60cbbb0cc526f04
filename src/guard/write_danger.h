#pragma once
#include <string>

#include "guard/workspace_guard.h"

namespace talaria {

// Why a program outside would run something, or work elsewhere, if this absolute path were written now, as the rest of
// a sentence that names it; empty where nothing would.
std::string danger_of_writing(const GuardOrder& guard, const std::string& path);

}  // namespace talaria
