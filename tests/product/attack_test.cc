// What a sandboxed command tries against the machine fails, and nothing happens outside.
#include <sys/stat.h>

#include "os/file.h"
#include "product/attack_test_fixture.h"

namespace talaria {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(AttackTest, FilesOutsideStayAsTheyAre) { expect_held({"files"}); }

TEST_F(AttackTest, SecretsStayHidden) {
  name_our_processes();
  expect_held({"secrets"});
}

TEST_F(AttackTest, TheKernelsFilesAndDevicesStayShut) { expect_held({"kernel", "devices"}); }

TEST_F(AttackTest, MountsAndNamespacesCannotBeChanged) {
  name_our_processes();
  expect_held({"mounts", "namespaces"});
}

TEST_F(AttackTest, ProcessesOutsideAreOutOfReach) {
  name_our_processes();
  expect_held({"processes"});
}

TEST_F(AttackTest, NobodyBecomesMore) {
  name_our_processes();
  expect_held({"privileges"});
}

TEST_F(AttackTest, TerminalsAreNotTypedInto) {
  expect_held({"terminals"});
  // The same with a terminal of its own.
  const JsonObject result = run("./attack bait-list terminals/type terminals/host_terminal", {{"pty", true}});
  EXPECT_THAT(text_of(result), HasSubstr("held: terminals/type"));
  EXPECT_THAT(text_of(result), HasSubstr("held: terminals/host_terminal"));
}

TEST_F(AttackTest, SocketsOutsideAreNotContacted) {
  expect_held({"sockets/every_family", "sockets/tcp", "sockets/udp", "sockets/far_away", "sockets/abstract_names",
               "sockets/paths", "sockets/pass_things", "sockets/change_network", "sockets/virtual_machine",
               "services"});
}

TEST_F(AttackTest, SharedMemoryAndQueuesOutsideAreNotFound) { expect_held({"ipc", "hygiene"}); }

TEST_F(AttackTest, SystemCallsAreFiltered) { expect_held({"system_calls"}); }

TEST_F(AttackTest, OurOwnHomeAndSocketsAreOutOfReach) {
  name_our_processes();
  expect_held({"ourselves"});
}

// With the host's network its ports can be reached, and that is all that is more.
TEST_F(AttackTest, TheHostsNetworkOpensNothingElse) {
  configure("sandbox.network", "on");
  name_our_processes();
  expect_held({"files/absolute", "files/by_proc", "secrets", "kernel", "namespaces", "processes", "ipc", "terminals",
               "sockets/every_family", "sockets/abstract_names", "sockets/paths", "sockets/pass_things",
               "sockets/change_network", "sockets/virtual_machine", "services/ssh_agent", "services/desktop",
               "ourselves/our_sockets", "system_calls"});
}

TEST_F(AttackTest, AReadOnlySandboxHoldsToo) {
  configure("sandbox.profile", "read-only");
  name_our_processes();
  expect_held({"files/absolute", "files/dot_dot", "files/system_places", "secrets", "mounts", "namespaces", "ipc",
               "system_calls"});
  EXPECT_NE(integer_or(details_of(run("touch new")), "exitCode"), 0);
  EXPECT_FALSE(exists(house_.workspace() + "/new"));
}

// What holds the attempts is the sandbox: without one each of these gets what it reaches for.
TEST_F(AttackTest, TheAttemptsAreRealWhereNothingHoldsThem) {
  damage_is_expected_ = true;
  name_our_processes();
  const std::vector<std::string> harmless = {"secrets/home_files",
                                             "secrets/our_home",
                                             "secrets/outside_processes",
                                             "secrets/all_processes",
                                             "secrets/search_everything",
                                             "processes/read_memory",
                                             "processes/take_descriptor",
                                             "processes/open_others",
                                             "processes/write_memory",
                                             "namespaces/nested",
                                             "namespaces/climb",
                                             "terminals/type",
                                             "terminals/host_terminal",
                                             "system_calls/uring",
                                             "system_calls/other_entries",
                                             "system_calls/keys",
                                             "sockets/tcp",
                                             "sockets/udp",
                                             "sockets/abstract_names",
                                             "sockets/paths",
                                             "ipc/shared_memory",
                                             "ipc/semaphores",
                                             "ipc/queues",
                                             "ipc/posix_queues",
                                             "ipc/counts",
                                             "ourselves/our_sockets",
                                             "ourselves/start_up_files",
                                             "devices/whole_folder",
                                             "files/by_proc",
                                             "files/dot_dot",
                                             "files/link_race",
                                             "files/symbolic_link",
                                             "files/hard_link",
                                             "files/metadata",
                                             "files/absolute",
                                             "files/rename_across",
                                             "ipc/posix_memory"};
  const std::map<std::string, std::string> said = attack(harmless, "gateway");
  EXPECT_EQ(said.size(), harmless.size());
  for (const auto& [name, line] : said) {
    if (name == "sockets/udp") continue;  // nothing answers; the bait tells
    EXPECT_THAT(line, StartsWith("BROKE: "));
  }
  const std::vector<std::string> damage = bait_.damage();
  for (const char* what :
       {"contacted tcp", "contacted udp", "contacted an abstract name", "contacted unix", "shared memory", "semaphore",
        "message queue", "POSIX queue", "wrote to the terminal", "overwritten", "/.bashrc", "/bait was "}) {
    EXPECT_THAT(damage, Contains(HasSubstr(what)));
  }
}

// Where an attempt could do harm, the program looks first whether this is a sandbox at all.
TEST_F(AttackTest, TheAttemptsDoNoHarmWithoutASandbox) {
  for (const auto& [name, line] : attack({"mounts", "kernel", "floods", "protected"}, "gateway")) {
    EXPECT_THAT(line, HasSubstr("this is no sandbox, so it was not tried"));
  }
}

}  // namespace
}  // namespace talaria
