#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "guard/workspace_guard.h"
#include "json/json.h"
#include "os/fd.h"

namespace talaria {

// What is said on the socket between the keeper and the process that guards a workspace: packets of one letter and,
// for some, a text.
namespace guard_word {
constexpr char ready = 'r';   // from the guard, once: it knows what was there
constexpr char failed = 'e';  // from the guard, once: why not
constexpr char begin = 'b';   // to it: what changes from now on is a command's doing; answered with the same letter
constexpr char settle = 's';  // to it: look now; answered with the same letter and the violations
constexpr char rest = 'i';    // to it: look now, and what changes from then on is the person's doing; as above
constexpr char found = 'v';   // from it, unasked: violations
}  // namespace guard_word

JsonObject to_json(const GuardOrder& order);
GuardOrder guard_order_from_json(const JsonObject& object);

// The life of that process. It ends with its socket, after a last look when commands ran.
[[noreturn]] void serve_guard(const GuardOrder& order, UniqueFd socket);

}  // namespace talaria
