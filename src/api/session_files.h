#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/jobs.h"
#include "files/file_system.h"
#include "files/path_locks.h"
#include "files/version_book.h"
#include "loop/worker_pool.h"
#include "sandbox/file_client.h"

namespace talaria {

// Work on the files of sessions: each piece on a worker, with a file server of the session's sandbox to itself. Servers
// are kept for the next piece.
class SessionFiles {
 public:
  SessionFiles(Loop& loop, WorkerPool& workers, Jobs& jobs) : loop_(loop), workers_(workers), jobs_(jobs) {}
  ~SessionFiles() { *alive_ = false; }

  // What a piece of work has at hand.
  struct Bench {
    FileSystem& files;
    VersionBook& book;
    PathLocks& locks;
    const std::atomic<bool>& cancelled;
  };
  // Runs on a worker; again, when the file server turned out to be gone.
  using Work = std::function<JsonObject(Bench&)>;

  // Keeps one piece of work wanted: drop it and it is cancelled, and nobody is told.
  struct Piece {
    ~Piece() { *cancelled = true; }
    std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);  // the worker has it too
    KeeperClient::Call asking = {};
  };
  using Wanted = std::shared_ptr<Piece>;
  // `space`: the sandbox, which the keeper has been asked for; empty: the plain host. `done` comes from the loop. Its
  // error has the code cancelled when the sandbox is gone and another one may be tried.
  [[nodiscard]] Wanted run(const std::string& session, const std::string& space, Work work, Done<JsonObject> done);

  // The session ended.
  void forget(const std::string& session) { books_.erase(session); }
  // The sandbox is gone, or its view is another one: servers of before are of no more use, those at work neither.
  void close(const std::string& space) { servers_.erase(space); }
  void close_all() { servers_.clear(); }

 private:
  enum class Retry { possible, done };
  // Of one sandbox and one view of it. Who works with one of them knows whether it is still wanted.
  struct Servers {
    std::vector<std::shared_ptr<FileClient>> idle;
    std::shared_ptr<bool> view = std::make_shared<bool>(true);
  };
  struct Task {
    std::string space;
    std::weak_ptr<bool> view;  // that its server has
    std::shared_ptr<VersionBook> book;
    Work work;
    Done<JsonObject> done;
    std::weak_ptr<Piece> wanted;
    std::shared_ptr<std::atomic<bool>> cancelled;
  };
  void with_server(const std::shared_ptr<Task>& task, Retry retry);
  void start(const std::shared_ptr<Task>& task, std::shared_ptr<FileClient> server, Retry retry);
  void finish(const std::shared_ptr<Task>& task, const std::shared_ptr<FileClient>& server, Retry retry,
              JsonObject result);

  Loop& loop_;
  WorkerPool& workers_;
  Jobs& jobs_;
  PathLocks locks_;
  std::map<std::string, std::shared_ptr<VersionBook>> books_;  // by session
  std::map<std::string, Servers> servers_;                     // by sandbox
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace talaria
