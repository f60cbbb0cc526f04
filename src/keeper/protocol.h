#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "keeper/frame.h"

namespace talaria {

// The gateway↔keeper protocol. A request is {"op", "seq", …} and is answered by {"re": seq, …} or
// {"re": seq, "error": {"code", "message"}}; what the keeper says by itself is {"event", …}.
//
//   event hello   protocol, oldest, version, pid, instance, steps[], spaces[{space, uid}]; payload: JSON list of all
//                 jobs
//   start         job, argc, envc, cwd, stdin (null|pipe|fd|terminal), rows, cols, timeout_ms, grace_ms,
//                 max_log_bytes, in_memory, space, steps[], meta, fds, numbers[], kept, warm; payload: argv and
//                 environment, NUL-terminated; fds: stdin (if "fd"), one for each of numbers, `kept` to be kept
//   started       job                               → status, when it has started; else why it did not. For a gateway
//                                                   that came back; a keeper of before refuses it
//   read          job, offset, most, wait_ms,
//                 until_gone (false: the command's end ends the wait)
//                                                   → status, offset; payload: bytes. An offset later than asked says
//                                                   that the bytes before it are lost, also without any bytes
//   cancel        target: seq of a waiting read
//   write         job, eof, writer, at (offset in all of that writer's; nothing is taken twice); payload: bytes
//                                                   → status, when all was taken over
//   hold          job, holder, offset                (no answer) the log keeps what is behind offset until the holder
//                                                   moves on, releases it or is gone: the command waits meanwhile
//   release       job, holder                        (no answer)
//   resize        job, rows, cols                   → status
//   signal        job, signal                       → status
//   end           job, grace_ms                     → status, when nothing is left
//   drain         job                               → status, when all that was printed before is in the log; or as
//                                                   much of it as a `hold` lets in
//   kept          job                               → fds: duplicates of the kept ones, none when the job is gone
//   list                                            → jobs[] in the payload
//   told          job                               (no answer) somebody was told how it ended: a gateway that comes
//                                                   back need not announce it
//   forget        job                               (no answer)
//   space         space, workspace, profile, cgroups, plan_bytes (no answer) the sandbox of this name, if there is none
//   yet; what
//                                                   keeps it from standing is the answer to the starts in it;
//                 payload: SpacePlan as JSON, CommandOrder
//   close_space   space, when_unused                (no answer) ends it and all that runs in it, or when that has ended
//   files         space                             → one fd: for a FileClient of a file server in that sandbox
//   warm          space, id, argc, envc             (no answer) the sandbox keeps a warm base of this id, in place of
//                                                   one of another; payload: argv and environment, NUL-terminated
//   show          space, count                      → count, changed; payload: "shown" or "failed" and the reason, of
//                                                   each, NUL-terminated. From now on the sandbox shows exactly these
//                                                   beside its view, read-only; payload: target, source, device and
//                                                   inode of each, NUL-terminated
//   probe         question                          → payload: what the machine can do, as JSON
//   shut_down                                       → {}, when every job is gone; then the keeper exits
//   event ended   status; payload: the whole output when "whole" is true
//   event gone    status
//   event space_gone  space, reason                 it did not stand, its first process died, or it was closed (no
//   reason)
//
// A field may be added at any time: who does not know it ignores it. `steps` may not be ignored (they confine), so a
// keeper refuses a start that names one it does not know. One of them, "fds", confines nothing: it only says that the
// start relies on numbered and kept descriptors, which a keeper of before would leave out. Another, "show", is only
// named in the hello: the keeper knows the request of that name. A change that old readers would misread raises
// `protocol`.
inline constexpr int64_t keeper_protocol = 1;
// The oldest protocol this build still speaks, as either side.
inline constexpr int64_t oldest_keeper_protocol = 1;

// The set-up steps a sandbox may consist of.
inline constexpr std::array<std::string_view, 8> known_steps = {"identity", "mounts",  "landlock", "seccomp",
                                                                "limits",   "network", "hygiene",  "guard"};
// Not one that a sandbox takes, but one that every start may name.
inline constexpr std::string_view fds_step = "fds";
inline constexpr std::string_view show_step = "show";

inline constexpr size_t most_kept_fds = 8;

// How durations travel.
inline int64_t milliseconds_of(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace talaria
