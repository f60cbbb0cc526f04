// A keeper that is refused memory, one allocation after the other: each time it goes on, and nobody waits for ever.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>

#include "keeper/keeper.h"
#include "keeper/keeper_trial.h"
#include "os/socket.h"

namespace {

// Shared by the test and the keeper it forks.
struct Fault {
  std::atomic<long> countdown{0};  // the allocation that fails: 1 is the next; 0: none
  std::atomic<long> failed{0};
};
Fault* fault = nullptr;
pid_t failing = 0;  // the process that it is for; what it forks has all its memory

bool fails_now() {
  if (failing == 0 || failing != ::getpid() || fault->countdown <= 0 || --fault->countdown != 0) return false;
  ++fault->failed;
  return true;
}

}  // namespace

void* operator new(size_t size) {
  void* memory = fails_now() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}
// Sanitizers replace each form on its own, so all that are used are replaced here together.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return fails_now() ? nullptr : std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace talaria {
namespace {

[[noreturn]] void serve_without_memory(const Home& home) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  Result<Spawner> spawner = Spawner::start();
  Result<UniqueFd> listener = listen_unix(home.keeper_socket());
  if (!spawner || !listener) ::_exit(2);
  Loop loop;
  loop.set_rescue([](const std::exception&) {});
  const Keeper keeper(loop, home, *std::move(spawner), Error(ErrorCode::unavailable, "none here"), *std::move(listener),
                      1024);
  failing = ::getpid();
  loop.run();
  ::_exit(0);
}

class KeeperMemoryTest : public KeeperTrial {
 protected:
  void SetUp() override {
    void* shared = ::mmap(nullptr, sizeof(Fault), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    fault = new (shared) Fault();
    home_.root = testing::TempDir() + "k" + id_from(random_u64());
    home_.runtime = home_.root + "/run";
    ::unsetenv("XDG_RUNTIME_DIR");
    ASSERT_TRUE(home_.prepare());
    keeper_ = ::fork();
    if (keeper_ == 0) serve_without_memory(home_);
    run_until([this] { return static_cast<bool>(connect_unix(home_.keeper_socket())); });
    connect();
  }

  void TearDown() override {
    fault->countdown = 0;
    come_back();
    KeeperTrial::TearDown();
    int status = -1;
    ASSERT_EQ(::waitpid(keeper_, &status, 0), keeper_);
    EXPECT_EQ(status, 0);
  }

  void come_back() {
    if (!lost_) return;
    calls_.clear();
    client_.reset();
    lost_ = false;
    connect();
  }

  // Asks until it is answered well. One allocation fails, so one attempt may; the next may meet what is left of it.
  template <class Ask>
  JobStatus insist(Ask ask) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      come_back();
      Result<JobStatus> answer = await(ask);
      if (answer) return *answer;
      why_ = answer.error().message();
    }
    ADD_FAILURE() << "refused again and again: " << why_;
    return {};
  }

  void start_job(const std::string& job) {
    const Command command{{"/bin/cat"}, "/", {{"PATH", "/usr/bin:/bin"}, {"TALARIA_JOB", job}}};
    insist([&](auto done) {
      StartOptions options;
      options.job = job;
      options.stdin_kind = Stdin::pipe;
      return client_->start(Gate::permit(command), std::move(options), done);
    });
  }

  std::string output_of(const std::string& job, size_t length) {
    std::string all;
    for (int attempt = 0; attempt < 20 && all.size() < length; ++attempt) {
      insist([&](auto done) {
        return client_->read(job, all.size(), 1 << 20, {1s}, [&all, done](Result<Chunk> chunk) {
          if (!chunk) return done(chunk.error());
          all += chunk->data;
          done(JobStatus{});
        });
      });
    }
    return all;
  }

  // A job from start to end, in which every answer comes at last.
  void live_through(const std::string& job) {
    start_job(job);
    const StdinPosition begin{"test", 0};
    insist([&](auto done) { return client_->write(job, "through\n", false, begin, done); });
    EXPECT_EQ(output_of(job, 8), "through\n");
    const JobStatus ended = insist([&](auto done) { return client_->end(job, 0ms, done); });
    EXPECT_TRUE(ended.gone);
    client_->forget(job);
  }

  pid_t keeper_ = 0;
  std::string why_;
};

TEST_F(KeeperMemoryTest, GoesOnWhicheverAllocationFails) {
  long allocation = 0;
  bool reached = true;
  // Every one of the first, where requests are read and jobs are made, then samples.
  while (reached && !HasFailure() && allocation < 2000) {
    allocation += allocation < 100 ? 1 : 7;
    fault->countdown = allocation;
    live_through("job" + std::to_string(allocation));
    reached = fault->countdown <= 0;
    EXPECT_EQ(::waitpid(keeper_, nullptr, WNOHANG), 0) << "it died of allocation " << allocation << ": " << why_;
  }
  EXPECT_GT(fault->failed, 100);
}

}  // namespace
}  // namespace talaria
