#pragma once
#include <string>

#include "sandbox/view.h"

namespace talaria {

// What a path of the machine is to those in a sandbox with this view. Paths are absolute; links in them are not looked
// at.

// Whether something else is there inside, or nothing.
bool differs_inside(const View& view, const std::string& path);

// Whether it lies in what commands inside may write, and so is there as it is on the machine; some of it may be
// protected or hidden all the same.
bool is_in_writable_place(const View& view, const std::string& path);

// Whether a command inside can change what is there, or put something else in its place.
bool can_be_changed_inside(const View& view, const std::string& path);

// Whether what the machine has at this path, or a part of it, can be written inside, wherever it is shown there.
bool is_shown_writable(const View& view, const std::string& path);

// Whether a path of the machine is what it is for everybody inside, too: in its plainest form, without links, and out
// of reach of commands. What a program says of itself or of others does not count for this.
bool is_fixed_inside(const View& view, const std::string& path);

// The place in memory of the session's own that it lies in, such as its private home; empty: it lies in none.
std::string private_place(const View& view, const std::string& path);

}  // namespace talaria
