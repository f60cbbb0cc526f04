#pragma once

namespace talaria {

// What `talaria sandbox quarantine --help` and the --help of each action print.

inline constexpr const char* quarantine_help =
    R"(Look at what was taken out of a workspace, put it back or delete it

Usage: talaria sandbox quarantine list|show|restore|delete …

Some files make other programs run something as soon as they are there: an
.envrc, a git hook, the configuration of an agent. When a command in the sandbox
leaves such a file in the workspace, it is moved to the quarantine. Come here
when a result says that something was moved or changed back, or when a file of
yours is gone after a command ran.

  talaria sandbox quarantine list             what was taken, newest first
  talaria sandbox quarantine show k3v8        what it says, and why it was taken
  talaria sandbox quarantine restore k3v8     put it back where it was
  talaria sandbox quarantine delete k3v8      delete it for good

k3v8 stands for the id that list prints; its beginning is enough as long as no
other id begins so. What is in the quarantine cannot run, and no sandbox sees
it. It is the folder quarantine in the home of Talaria (~/.talaria).

Each action has its own help: talaria sandbox quarantine restore --help
)";

inline constexpr const char* quarantine_list_help =
    R"(List what was taken out of workspaces, newest first

Usage: talaria sandbox quarantine list [--json]

Use it when a result says that something was moved or changed back, or when a
file of yours is gone after a command ran. Each line is one item: its id, how
long ago it was taken, the rule that it fell under, its size, and where it was.
After the path, 12 times means that the same content was taken from there again
and again; it is kept once.

Options:
  --json    Print JSON: {"items": […]}

Example:
  talaria sandbox quarantine list
)";

inline constexpr const char* quarantine_show_help =
    R"(Show one item: what it is, where it was, why it was taken, and what it says

Usage: talaria sandbox quarantine show ID [--json]

Use it before you restore something, to see who would run it and what it does.
Looking is safe: nothing is run, and control characters are made visible. Of a
file you see the first 64 KiB, of a folder the paths in it.

Options:
  --json    Print JSON, with the text in "content"

Example:
  talaria sandbox quarantine show k3v8
)";

inline constexpr const char* quarantine_restore_help =
    R"(Put one item back where it was, with its modes; it leaves the quarantine

Usage: talaria sandbox quarantine restore ID [--to PATH] [--force]

Use it when the item is yours, or when you have looked at it and want it: what
would have run may run then. It is not taken again from there as long as its
content stays the same. Without --force nothing is replaced.

Options:
  --to PATH     Put it at PATH instead, for example to look at it with your own
                tools; nothing appears where it was
  -f,--force    Put it there although something is in its place (that goes to the
                quarantine), or although it changed since it was taken

Examples:
  talaria sandbox quarantine restore k3v8
  talaria sandbox quarantine restore k3v8 --to ./looked-at
)";

inline constexpr const char* quarantine_delete_help =
    R"(Delete items for good

Usage: talaria sandbox quarantine delete ID...
       talaria sandbox quarantine delete --all

Use it when you have looked at an item and do not want it. You need not tidy up:
with more than 1,000 items or 1 GiB the oldest go by themselves. If one of the
ids is wrong, nothing is deleted.

Options:
  -a,--all    Delete everything that is in the quarantine

Examples:
  talaria sandbox quarantine delete k3v8
  talaria sandbox quarantine delete --all
)";

}  // namespace talaria
