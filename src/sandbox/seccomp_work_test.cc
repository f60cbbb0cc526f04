// Ordinary work still works under the filter.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "os/random.h"
#include "sandbox/seccomp.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

class WorkUnderFilterTest : public testing::TestWithParam<Who> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_directories(folder_, 0777));
    ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);  // whatever the umask
  }
  void TearDown() override { ASSERT_TRUE(remove_tree(folder_)); }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file_atomically(folder_ + "/" + name, text, 0644, Durable::no));
  }

  // What a program prints in the folder, and its exit code unless that is 0.
  std::string output_of(std::vector<std::string> words) {
    const Ended ended = try_in_child(GetParam(), [&] {
      const int out = ::open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
      if (::chdir(folder_.c_str()) != 0 || ::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) return 125;
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      std::string path = "PATH=/usr/bin:/bin", language = "LANG=C.UTF-8", home = "HOME=" + folder_;
      char* environment[] = {path.data(), language.data(), home.data(), nullptr};
      if (!give_up_privileges() || load_filter(filter_) != 0) return 125;
      return ::execvpe(argv[0], argv.data(), environment);
    });
    std::string text = *read_file(folder_ + "/out");
    return ended == Ended{} ? text : text + "\n" + testing::PrintToString(ended);
  }

  std::vector<uint8_t> filter_ = *compile_filter({});
  std::string folder_ = testing::TempDir() + "filter-" + std::to_string(random_u64());
};

INSTANTIATE_TEST_SUITE_P(As, WorkUnderFilterTest, testing::Values(Who::caller, Who::ordinary_user),
                         [](const auto& who) { return std::string(name_of(who.param)); });

TEST_P(WorkUnderFilterTest, RunsShellPipelinesAndJobs) {
  EXPECT_EQ(output_of({"bash", "-c", R"(
    set -e -o pipefail
    seq 2000 | sort -rn | head -n 1 | tr 2 3 || [ $? = 141 ]
    cat <(echo substituted) <<<here
    mkfifo pipe; echo through > pipe & cat pipe; wait
    sleep 60 & kill $!; wait $! || echo killed $?
    mkdir a b; echo x > a/f; mv a/f b/g; ln b/g b/h; ln -s b/g l; cat l; chmod 600 l; rm -r a b)"}),
            "3000\nsubstituted\nthrough\nkilled 143\nx\n");
}

TEST_P(WorkUnderFilterTest, RunsPythonWithThreadsProcessesAndSockets) {
  write("work.py", R"(
import asyncio, concurrent.futures, ctypes, mmap, multiprocessing, os, pty, select, signal, socket, subprocess, termios, threading
def double(x): return 2 * x
if __name__ == "__main__":
    threads = [threading.Thread(target=double, args=(i,)) for i in range(8)]
    [t.start() for t in threads]; [t.join() for t in threads]
    for method in ("fork", "spawn"):
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
            assert list(pool.map(double, [1, 2])) == [2, 4]
    assert subprocess.run(["echo", "child"], capture_output=True).stdout == b"child\n"
    async def shell():
        child = await asyncio.create_subprocess_shell("echo async", stdout=subprocess.PIPE)
        return (await child.communicate())[0]
    assert asyncio.run(shell()) == b"async\n"
    for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, "socket"), (socket.AF_UNIX, "\0talaria-%d" % os.getpid())):
        server = socket.socket(family); server.bind(address); server.listen()
        client = socket.socket(family); client.connect(server.getsockname())
        client.sendall(b"hello"); assert server.accept()[0].recv(9) == b"hello"
    assert "lo" in [name for _, name in socket.if_nameindex()]
    left, right = socket.socketpair(); left.send(b"x"); assert right.recv(1) == b"x"
    file = os.memfd_create("m"); os.ftruncate(file, 4096); mmap.mmap(file, 4096)[0] = 1
    assert select.select([os.pidfd_open(os.getpid())], [], [], 0) == ([], [], [])
    assert ctypes.CDLL(None).inotify_init() >= 0
    master, slave = pty.openpty(); termios.tcsetattr(slave, termios.TCSANOW, termios.tcgetattr(slave))
    signal.setitimer(signal.ITIMER_REAL, 0.001); assert signal.sigwait([signal.SIGALRM]) == signal.SIGALRM
    print("done")
)");
  // A blocked alarm, or it would end the program before it waits.
  EXPECT_EQ(output_of({"python3", "-c",
                       "import os, signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]);"
                       "os.execvp('python3', ['python3', 'work.py'])"}),
            "done\n");
}

TEST_P(WorkUnderFilterTest, CompilesAndRunsAThreadedProgram) {
  write("main.cc", R"(
#include <cstdio>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
extern char** environ;
int main() {
  int sum = 0;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, [](void* to) -> void* { *static_cast<int*>(to) = 42; return nullptr; }, &sum)) return 1;
  pthread_join(thread, nullptr);
  char* argv[] = {const_cast<char*>("true"), nullptr};
  pid_t pid;
  if (posix_spawnp(&pid, "true", nullptr, nullptr, argv, environ) || waitpid(pid, nullptr, 0) != pid) return 2;
  try { throw sum; } catch (int caught) { std::printf("%d\n", caught); }
}
)");
  EXPECT_EQ(output_of({"g++", "-o", "program", "main.cc"}), "");
  EXPECT_EQ(output_of({"./program"}), "42\n");
}

TEST_P(WorkUnderFilterTest, RunsABuildTool) {
  write("CMakeLists.txt", R"(
cmake_minimum_required(VERSION 3.25)
project(work LANGUAGES NONE)
file(WRITE ${CMAKE_BINARY_DIR}/in text)
add_custom_command(OUTPUT made COMMAND ${CMAKE_COMMAND} -E copy in made DEPENDS ${CMAKE_BINARY_DIR}/in)
add_custom_target(everything ALL DEPENDS made)
)");
  const std::string configured = output_of({"cmake", "-G", "Ninja", "-B", "build"});
  ASSERT_NE(configured.find("Build files have been written"), std::string::npos) << configured;
  const std::string built = output_of({"cmake", "--build", "build"});
  EXPECT_TRUE(exists(folder_ + "/build/made")) << built;
}

}  // namespace
}  // namespace talaria
