// Runs forked from a sandbox's warm base, through the keeper. The library that makes one is not built with sanitizers;
// then there is nothing to test here.
#ifdef TALARIA_WARM_LIBRARY
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>

#include "keeper/keeper_trial.h"
#include "sandbox/space_trial.h"

namespace talaria {
namespace {

const char* const python = "/usr/bin/python3";

class KeeperWarmTest : public KeeperTrial {
 protected:
  void open() {
    trial_.library = trial_.root + "/lib";
    ASSERT_TRUE(make_directories(trial_.library, 0755));
    Result<SessionPlan> plan = trial_.plan();
    ASSERT_TRUE(plan) << plan.error().message();
    plan->command.argv = {"/bin/sh"};
    library_ = plan->view.library;
    client_->open_space({"s", plan->space, plan->command, trial_.profile, trial_.workspace});
  }

  void keep_warm(const std::string& id) {
    ASSERT_TRUE(make_directories(trial_.root + "/lib", 0755));
    ASSERT_TRUE(write_file_atomically(trial_.root + "/lib/warm.so", *read_file(TALARIA_WARM_LIBRARY), 0755));
    ASSERT_TRUE(
        write_file_atomically(trial_.root + "/lib/warm.py",
                              "import ctypes, sys\n"
                              "import csv, datetime, hashlib, inspect, json, logging, pathlib, random, re\n"
                              "import shutil, socket, statistics, subprocess, tempfile, threading, typing, uuid\n"
                              "ctypes.PyDLL(sys.argv[1]).talaria_warm_serve(3)\n"
                              "print('hi', flush=True)\n",
                              0644));
    client_->warm(
        "s", {id, {python, "-I", "-S", library_ + "/warm.py", library_ + "/warm.so"}, {"LANG=C.UTF-8"}, {library_}});
  }

  Result<JobStatus> start_python(const std::string& job, const std::string& warm) {
    StartOptions options;
    options.job = job;
    options.space = "s";
    options.warm = warm;
    return await([&](auto done) {
      return client_->start(Gate::permit({{python, "-c", "print('hi')"}, "/", {}}), std::move(options), done);
    });
  }

  // The first job that is warm.
  std::optional<JobStatus> await_warm(const std::string& id) {
    const auto deadline = Clock::now() + keeper_patience;
    for (int i = 0; Clock::now() < deadline; ++i) {
      const Result<JobStatus> status = start_python(id + std::to_string(i), id);
      if (status && status->warm) return *status;
      if (status) await_end(status->job);  // one at a time: the base must get its turn
    }
    return std::nullopt;
  }

  SpaceTrial trial_;
  std::string library_;  // inside
};

TEST_F(KeeperWarmTest, AJobSaysThatItWasWarm) {
  open();
  keep_warm("w");
  const std::optional<JobStatus> status = await_warm("w");
  ASSERT_TRUE(status);
  const JobStatus end = await_end(status->job);
  EXPECT_TRUE(end.warm);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(whole_[status->job], "hi\n");
  EXPECT_FALSE(start_python("cold", "")->warm);
  EXPECT_FALSE(start_python("other", "x")->warm);
}

TEST_F(KeeperWarmTest, AWarmBaseOfASandboxThatIsNotThereIsNoHarm) {
  keep_warm("w");
  open();
  EXPECT_FALSE(start_python("a", "w")->warm);
}

}  // namespace
}  // namespace talaria
#endif
