#include "product/low_house.h"

#include <gtest/gtest.h>

namespace talaria {

LowHouse::LowHouse(int open_files) {
  const Ran ran = run_with(open_files, "exec true");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

Ran LowHouse::run_with(int open_files, const std::string& arguments) {
  const std::string script = "ulimit -n " + std::to_string(open_files) + " && exec \"$0\" " + arguments;
  return start_program("/bin/sh", {"-c", script, program_path("talaria")}).finish();
}

Result<std::string> LowHouse::start_job(RpcClient& client, const std::string& command) {
  const JsonObject started =
      TRY(client.call_object("tools/call", {{"name", "exec"},
                                            {"arguments", JsonObject{{"command", command}, {"background", true}}},
                                            {"client", "cli"},
                                            {"session", JsonObject{{"cwd", workspace()}}}}));
  if (boolean_or(started, "isError") || status_of(started) != "running") {
    return Error(ErrorCode::unavailable, text_of(started));
  }
  return id_of(started);
}

}  // namespace talaria
