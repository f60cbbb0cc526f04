#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/view.h"

namespace talaria {

// Something of the host that a sandbox which stands already shows, read-only: a directory, or a regular file. Both
// paths are absolute, in their plainest form, and have no symbolic link on the way.
struct ShownPath {
  std::string target;  // where it is inside
  std::string source;
  bool operator==(const ShownPath&) const = default;
};

inline constexpr size_t most_shown_paths = 256;

// One of those that a sandbox is to show from now on, with the file that its source was when somebody looked: if
// another one is in its place it is shown anew.
struct ShowWish {
  ShownPath path;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool operator==(const ShowWish&) const = default;
};

// What came of each.
enum class ShowState : uint8_t {
  shown,
  wanted,  // it is not there, and no mount of it was given
  failed,  // the reason says why
};
struct ShowOutcome {
  ShowState state = ShowState::wanted;
  std::string reason{};
  bool operator==(const ShowOutcome&) const = default;
};
struct ShowAnswer {
  std::vector<ShowOutcome> outcomes{};  // in the order of the wishes
  bool changed = false;                 // something was mounted or taken away: who has a copy of the view sees another
  bool operator==(const ShowAnswer&) const = default;
};

// What a session's holder is told: all that it shows from now on, and nothing else; of the wishes named in `given` the
// mounts travel beside it.
struct ShowOrder {
  std::vector<ShowWish> wishes{};
  std::vector<uint32_t> given{};
  bool operator==(const ShowOrder&) const = default;
};
std::string encode(const ShowOrder& order);
Result<ShowOrder> decode_show_order(std::string_view bytes);
std::string encode(const ShowAnswer& answer);
Result<ShowAnswer> decode_show_answer(std::string_view bytes);

// Pure. Whether a view may show it: nothing may come to light that the view hides, nothing writable or private may be
// covered. An error says why not.
Result<> check_shown_path(const MountPlan& view, const ShownPath& path);

}  // namespace talaria
