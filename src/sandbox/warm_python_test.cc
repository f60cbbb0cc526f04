// The warm library in a real interpreter. It is not built with sanitizers; then there is nothing to test here.
#ifdef TALARIA_WARM_LIBRARY
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/warm_trial.h"

namespace talaria {
namespace {

const char* const python = "/usr/bin/python3";

class PythonTrial : public WarmTrial {
 public:
  // A base that does what `script` says once it has become a run.
  explicit PythonTrial(const std::string& script) {
    CHECK(write_file_atomically(library + "/warm.so", *read_file(TALARIA_WARM_LIBRARY), 0755));
    CHECK(write_file_atomically(library + "/warm.py",
                                "import ctypes, os, random, signal, subprocess, sys, threading\n"
                                "library = ctypes.PyDLL(sys.argv[1])\n"
                                "library.talaria_warm_program.restype = ctypes.c_char_p\n"
                                "library.talaria_warm_environment.restype = ctypes.c_void_p\n"
                                "assert library.talaria_warm_serve(3) == 0\n" +
                                    script + "\nsys.stdout.flush()\n",
                                0644));
    CHECK(prepare().empty());
    const std::string& place = session().view.library;
    CHECK(space().warm(
        {"p", {python, "-I", "-S", "-X", "utf8", place + "/warm.py", place + "/warm.so"}, {"LANG=C.UTF-8"}}));
  }

  CommandOrder order() {
    CommandOrder order = order_of({python, "-c", "print('cold')"});
    order.environment = {"A=1", "B=two words"};
    order.warm = "p";
    return order;
  }

  // Of the first that is warm.
  Outcome run_warm() {
    const auto deadline = Clock::now() + warm_patience;
    while (Clock::now() < deadline) {
      const WarmOutcome outcome = run_task(order());
      if (outcome.warm) return outcome.outcome;
      EXPECT_EQ(outcome.outcome, (Outcome{0, "cold\n"}));
    }
    return {-1, "never warm"};
  }
};

SPACE_TEST(WarmPythonTest, ARunKnowsItsProgramAndItsEnvironment) {
  PythonTrial trial(R"(
length = ctypes.c_size_t()
start = library.talaria_warm_environment(ctypes.byref(length))
print(library.talaria_warm_program(), ctypes.string_at(start, length.value))
print(os.getpid(), os.getppid(), os.path.basename(os.getcwd()) == 'work', open('/proc/self/comm').read().strip())
print(sorted(map(int, os.listdir('/proc/self/fd'))))
)");
  EXPECT_EQ(trial.run_warm(),
            (Outcome{0, "b'/usr/bin/python3' b'A=1\\x00B=two words\\x00'\n2 1 True python3\n[0, 1, 2, 3]\n"}));
}

SPACE_TEST(WarmPythonTest, ARunCanDoWhatAnyInterpreterCan) {
  PythonTrial trial(R"(
done = []
threads = [threading.Thread(target=lambda n=n: done.append(n)) for n in range(20)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(done), threading.active_count(), threading.main_thread() is threading.current_thread())
print(subprocess.run(['/bin/echo', 'child'], stdout=subprocess.PIPE).stdout, os.waitstatus_to_exitcode(os.wait()[1]) if os.fork() else os._exit(9))
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    os.kill(os.getpid(), signal.SIGINT)
    import time; time.sleep(20)
except KeyboardInterrupt:
    print('interrupted')
import json, decimal
print(json.dumps({'a': str(decimal.Decimal('1.5'))}))
sys.exit(4)
)");
  EXPECT_EQ(trial.run_warm(), (Outcome{4, "20 1 True\nb'child\\n' 9\ninterrupted\n{\"a\": \"1.5\"}\n"}));
}

SPACE_TEST(WarmPythonTest, RunsDoNotShareTheirRandomNumbers) {
  PythonTrial trial("print(random.random())");
  const Outcome first = trial.run_warm(), second = trial.run_warm();
  EXPECT_EQ(first.status, 0);
  EXPECT_NE(first.output, second.output);
}

SPACE_TEST(WarmPythonTest, ManyAtOnceDoNotDisturbEachOther) {
  PythonTrial trial("print(os.getpid(), sys.stdin.read() == '')");
  ASSERT_EQ(trial.run_warm().output, "2 True\n");
  std::vector<WarmTrial::Running> running;
  for (int i = 0; i < 20; ++i) running.push_back(trial.begin(trial.order()));
  for (const WarmTrial::Running& each : running) {
    EXPECT_TRUE(each.first && each.first->other == 1);
    EXPECT_EQ(WarmTrial::finish(each), (Outcome{0, "2 True\n"}));
  }
}

}  // namespace
}  // namespace talaria
#endif
