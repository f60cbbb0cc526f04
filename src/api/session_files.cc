#include "api/session_files.h"

#include "files/host_files.h"
#include "files/sandbox_files.h"

namespace talaria {
namespace {

constexpr size_t most_idle = 4;  // as many as there are workers

}  // namespace

SessionFiles::Wanted SessionFiles::run(const std::string& session, const std::string& space, Work work,
                                       Done<JsonObject> done) {
  std::shared_ptr<VersionBook>& book = books_[session];
  if (!book) book = std::make_shared<VersionBook>();
  auto wanted = std::make_shared<Piece>();
  auto task =
      std::make_shared<Task>(Task{space, {}, book, std::move(work), std::move(done), wanted, wanted->cancelled});
  if (space.empty()) start(task, nullptr, Retry::done);
  else with_server(task, Retry::possible);
  return wanted;
}

void SessionFiles::with_server(const std::shared_ptr<Task>& task, Retry retry) {
  Servers& servers = servers_[task->space];
  task->view = servers.view;
  if (!servers.idle.empty()) {
    std::shared_ptr<FileClient> server = std::move(servers.idle.back());
    servers.idle.pop_back();
    return start(task, std::move(server), retry);
  }
  const Wanted wanted = task->wanted.lock();
  if (!wanted) return;
  const auto fail = [this, task](const Error& why) {
    loop_.post([task, why] {
      if (task->wanted.lock()) task->done(why);
    });
  };
  Result<KeeperClient*> keeper = jobs_.keeper();
  if (!keeper) return fail(keeper.error());
  wanted->asking = (*keeper)->files(task->space, [this, task, retry, fail](Result<UniqueFd> socket) {
    if (!socket) return fail(socket.error());
    Result<FileClient> server = FileClient::adopt(*std::move(socket));
    if (!server) return fail(server.error());
    start(task, std::make_shared<FileClient>(*std::move(server)), retry);
  });
}

void SessionFiles::start(const std::shared_ptr<Task>& task, std::shared_ptr<FileClient> server, Retry retry) {
  auto result = std::make_shared<JsonObject>();
  const auto work = [task, server, result, locks = &locks_] {
    if (*task->cancelled) return;
    std::unique_ptr<FileSystem> files;
    if (server) files = std::make_unique<SandboxFiles>(*server);
    else files = std::make_unique<HostFiles>();
    Bench bench{*files, *task->book, *locks, *task->cancelled};
    *result = task->work(bench);
  };
  workers_.run(work, [this, alive = alive_, task, server, retry, result] {
    if (*alive) finish(task, server, retry, std::move(*result));
  });
}

void SessionFiles::finish(const std::shared_ptr<Task>& task, const std::shared_ptr<FileClient>& server, Retry retry,
                          JsonObject result) {
  const bool gone = server && server->gone();
  if (server && !gone && !task->view.expired()) {
    std::vector<std::shared_ptr<FileClient>>& idle = servers_[task->space].idle;
    if (idle.size() < most_idle) idle.push_back(server);
  }
  if (!task->wanted.lock()) return;
  // It went between two calls, or a protected file was replaced: a new one sees things as they are.
  if (gone && retry == Retry::possible) {
    servers_.erase(task->space);
    return with_server(task, Retry::done);
  }
  task->done(std::move(result));
}

}  // namespace talaria
