#pragma once
#include <functional>

namespace talaria {

// Does something in a child that has mounts of its own, as whoever we are: neither this machine nor another test sees
// what is mounted there. The test fails when something in it did.
void in_own_mounts(const std::function<void()>& body);

}  // namespace talaria
