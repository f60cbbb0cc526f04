#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guard/guard_process.h"
#include "keeper/greeting.h"
#include "keeper/job_status.h"
#include "keeper/start_options.h"
#include "keeper/stdin_position.h"
#include "loop/loop.h"
#include "os/fd.h"
#include "os/home.h"
#include "os/pty.h"
#include "process/permit.h"
#include "sandbox/probe.h"
#include "sandbox/space.h"

namespace talaria {

// A session's sandbox, as the keeper is asked for it.
struct SpaceRequest {
  std::string space;  // its name; one that is there already stays as it is
  SpacePlan plan;
  CommandOrder command;  // what every command in it gets
  Profile profile;
  std::string workspace;
  bool cgroups = true;                   // whether the kernel is to hold the limits, where it can
  std::optional<GuardOrder> guard = {};  // how its workspace is guarded
};

// A sandbox the keeper has.
struct KnownSpace {
  std::string space;
  uint32_t uid = 0;  // who its commands are
  bool operator==(const KnownSpace&) const = default;
};

// How long a read may be held back, and what ends it when no output comes.
struct Wait {
  enum class Until { ended, gone };
  Clock::duration time{};
  Until until = Until::ended;
};

// A piece of a job's output.
struct Chunk {
  uint64_t offset = 0;  // of the first byte of `data`; later than asked when what was asked is lost
  std::string data;
  JobStatus status;  // as of this answer
};

// The gateway's end of the socket to the keeper. Lives on the loop; answers come as callbacks. If the keeper goes,
// every pending call fails with `unavailable` and on_lost is called once.
class KeeperClient {
  struct Impl;

 public:
  struct Events {
    // The command ended. `output` is there when all of it was still in the keeper's memory (short jobs).
    std::function<void(const JobStatus&, std::optional<std::string> output)> on_ended;
    // Nothing of the job is left; its output is complete.
    std::function<void(const JobStatus&)> on_gone;
    std::function<void(const Error&)> on_lost;
    // A sandbox did not stand, or fell.
    std::function<void(const std::string& space, const std::string& reason)> on_space_gone;
  };

  // Keeps one answer coming: drop it and the callback is never called. Dropping a start does not undo it.
  // May outlive the client.
  class Call {
   public:
    Call() = default;
    Call(Call&& other) noexcept = default;
    Call& operator=(Call&& other) noexcept;
    ~Call();

   private:
    friend class KeeperClient;
    Call(std::weak_ptr<Impl> client, int64_t number) : client_(std::move(client)), number_(number) {}
    std::weak_ptr<Impl> client_;
    int64_t number_ = 0;
  };
  template <class T>
  using Done = std::function<void(Result<T>)>;

  // Connects and agrees on a protocol version (blocking, with a deadline); starts the keeper when none is there.
  static Result<std::unique_ptr<KeeperClient>> open(Loop& loop, const Home& home, Events events);
  // The same with a keeper that was greeted elsewhere.
  static Result<std::unique_ptr<KeeperClient>> open(Loop& loop, Greeting greeting, Events events);
  ~KeeperClient();

  pid_t keeper_pid() const;
  // Different for every keeper process that ever was: tells whether a stored job can still be alive.
  const std::string& instance() const;
  const std::string& version() const;
  // The connection is gone; every call fails.
  bool lost() const;
  // The jobs the keeper had when we connected.
  const std::vector<JobStatus>& jobs_at_connect() const;
  const std::vector<KnownSpace>& spaces_at_connect() const;

  [[nodiscard]] Call start(Permit permit, StartOptions options, Done<JobStatus> done);
  // Of a job that another gateway had started: answers when it has begun; `not_found` when the keeper knows none.
  [[nodiscard]] Call started(const std::string& job, Done<JobStatus> done);
  // Output from `offset`. With a wait, an empty answer is held back until there is some, the command ended (or, where
  // that is what is waited for, nothing of the job is left), or the wait is over.
  [[nodiscard]] Call read(const std::string& job, uint64_t offset, size_t most, Wait wait, Done<Chunk> done);
  // Answers when all of `data` has been taken over (into the pipe or the keeper's bounded queue).
  [[nodiscard]] Call write(const std::string& job, std::string_view data, bool eof,
                           const std::optional<StdinPosition>& position, Done<JobStatus> done);
  // Every byte from `offset` on is kept for this holder, and the command waits when it is too far behind.
  void hold(const std::string& job, int64_t holder, uint64_t offset);
  void release(const std::string& job, int64_t holder);
  [[nodiscard]] Call resize(const std::string& job, WindowSize size, Done<JobStatus> done);
  // One signal to every process of the job.
  [[nodiscard]] Call signal(const std::string& job, int signal, Done<JobStatus> done);
  // SIGTERM, grace, SIGKILL to every process of the job, leftovers too; answers when nothing is left.
  [[nodiscard]] Call end(const std::string& job, Clock::duration grace, Done<JobStatus> done);
  // All that the job printed before this call is in its log when it answers, and counted in output_bytes; or as much as
  // a holder lets in.
  [[nodiscard]] Call drain(const std::string& job, Done<JobStatus> done);
  // Duplicates of the descriptors that the job's start gave to keep, for this gateway or a later one; none when the job
  // is gone.
  [[nodiscard]] Call kept(const std::string& job, Done<std::vector<UniqueFd>> done);
  [[nodiscard]] Call list(Done<std::vector<JobStatus>> done);
  // Somebody was told how it ended: JobStatus::told. An older keeper does not keep it.
  void end_is_told(const std::string& job);
  // The caller has stored what it needs of an ended job; the keeper forgets it as soon as it is gone.
  void forget(const std::string& job);
  // Makes a sandbox. What keeps it from standing is the answer to the starts in it.
  void open_space(const SpaceRequest& request);
  // Ends it with all that runs in it, or as soon as nothing runs in it.
  enum class CloseSpace { now, when_unused };
  void close_space(const std::string& space, CloseSpace when);
  // A file server in it: the socket for a FileClient.
  [[nodiscard]] Call files(const std::string& space, Done<UniqueFd> done);
  // Has the sandbox keep a warm base: it runs, says that it is ready and forks the starts that name its id. One of
  // another id gives way to it. What becomes of it shows in JobStatus::warm; until it is ready a start is a cold one.
  void warm(const std::string& space, const WarmOrder& order);
  // Has the sandbox show exactly these beside its view, read-only, to all that starts in it from now on; answers when
  // it does, and says of each whether it is so. `unavailable`: the keeper is of a version that cannot.
  [[nodiscard]] Call show(const std::string& space, const std::vector<ShowWish>& wishes, Done<ShowAnswer> done);
  [[nodiscard]] Call probe(const ProbeQuestion& question, Done<Probe> done);
  // Asks the keeper to end every job and exit.
  [[nodiscard]] Call shut_down(Done<JobStatus> done);

 private:
  explicit KeeperClient(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;  // owned here; a Call looks whether it is still there
};

}  // namespace talaria
