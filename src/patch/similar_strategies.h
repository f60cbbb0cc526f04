#pragma once
#include <optional>

#include "patch/strategies.h"

namespace talaria {

// The strategies that take lines for the wanted ones because they look much like them. One place, or several when they
// come too close to each other to tell which is meant.
std::optional<Found> find_similar(PassageSearch& search);

}  // namespace talaria
