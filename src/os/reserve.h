#pragma once
#include <string>

#include "base/result.h"

namespace talaria {

// A little room on the disk of a home (blocks and inodes), held while there is plenty and given up when there is none,
// so that starting works on a full disk: sockets, a lock and what SQLite makes beside its file need some.

// Makes what is missing of it, where the disk has room to spare. Safe to repeat.
Result<> make_reserve(const std::string& home);
// Gives it up when the disk has next to nothing left.
void use_reserve_when_full(const std::string& home);
void give_up_reserve(const std::string& home);

}  // namespace talaria
