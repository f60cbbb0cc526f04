// Machines that lack something: what holds without it goes on and says so, what does not is refused with a way out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SandboxMissingTest : public testing::Test {
 protected:
  void configure(const std::string& key, const std::string& value) {
    const Ran ran = house_.run({"config", "set", key, value});
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  void take_away(const std::string& names) { configure("sandbox.without", "[" + names + "]"); }
  // `sandbox` of a command's result; the command must have run.
  JsonObject ran_in() {
    const JsonObject result = house_.exec("echo ran");
    EXPECT_EQ(text_of(result), "ran\n") << write_json(result);
    const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
    return sandbox ? *sandbox : JsonObject();
  }
  std::vector<std::string> missing_in(const JsonObject& sandbox) {
    std::vector<std::string> names;
    for (const Json& name : sandbox.at("missing").as_array()) names.emplace_back(name.as_string());
    return names;
  }
  // What a refused call says, after looking that nothing has run.
  std::string refusal(JsonObject more = {}) {
    const JsonObject result = house_.exec("touch ran; touch /tmp/ran", std::move(more));
    EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
    EXPECT_NE(status_of(result), "completed");
    EXPECT_FALSE(exists(house_.workspace() + "/ran"));
    EXPECT_EQ(details_of(house_.process("list", "")).at("sessions").as_array().size(), 0u);  // not even a job
    const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
    EXPECT_TRUE(sandbox && sandbox->contains("tier") && sandbox->at("tier").is_null()) << write_json(result);
    return text_of(result);
  }
  std::string doctors_line(const std::string& name) {
    const Ran doctor = house_.run({"doctor"});
    for (const std::string& line : split(doctor.out, '\n')) {
      if (line.find("\t" + name + "\t") != std::string::npos) return line;
    }
    return "no line \"" + name + "\" in:\n" + doctor.out;
  }
  bool root() const { return ::geteuid() == 0; }

  House house_;
};

// --- what cannot be done without ---

TEST_F(SandboxMissingTest, WithoutUserNamespacesConfinedProfilesRefuse) {
  take_away("user_namespaces");
  for (const char* profile : {"workspace-write", "read-only"}) {
    configure("sandbox.profile", profile);
    EXPECT_THAT(refusal(), AllOf(StartsWith("no sandbox, so nothing was run: "), HasSubstr(profile),
                                 HasSubstr("user_namespaces"), HasSubstr("Fix: "), Not(HasSubstr("none known"))));
  }
  EXPECT_THAT(refusal({{"background", true}}), HasSubstr("user_namespaces"));
  EXPECT_THAT(refusal({{"pty", true}}), HasSubstr("user_namespaces"));
  EXPECT_THAT(doctors_line("sandbox"), AllOf(StartsWith("error\t"), HasSubstr("refused"), HasSubstr("Fix: ")));
  EXPECT_THAT(doctors_line("sandbox: user namespaces"), AllOf(StartsWith("warning\t"), HasSubstr("→")));
  EXPECT_EQ(house_.run({"exec", "--", "touch ran"}).code, 125);
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
  // Nobody is stuck: outside any sandbox is a host of its own.
  EXPECT_EQ(text_of(house_.exec("echo plain", {{"host", "gateway"}})), "plain\n");
}

TEST_F(SandboxMissingTest, WhatTheViewIsMadeOfIsNeeded) {
  for (const char* name : {"namespaces", "mounts", "devpts", "command_namespaces", "seccomp"}) {
    take_away(name);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(std::string("needs ") + name), HasSubstr("switched off for a test"),
                                 HasSubstr("Fix: ")));
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    EXPECT_THAT(doctors_line("sandbox: " + words), AllOf(StartsWith("warning\t"), HasSubstr("switched off")));
    EXPECT_THAT(doctors_line("sandbox"), AllOf(StartsWith("error\t"), HasSubstr(name)));
  }
  take_away("");
  EXPECT_EQ(text_of(house_.exec("echo back")), "back\n");  // as soon as it is there again
}

// --- what can ---

TEST_F(SandboxMissingTest, TheRestGoesOnAndIsNamed) {
  for (const char* name : {"landlock", "proc", "loopback"}) {
    take_away(name);
    const JsonObject sandbox = ran_in();
    EXPECT_EQ(integer_or(sandbox, "tier"), 1);
    EXPECT_THAT(missing_in(sandbox), Contains(name));
    EXPECT_THAT(text_or(sandbox, "reason"), HasSubstr(std::string(name) + ": switched off for a test"));
    EXPECT_THAT(doctors_line(std::string("sandbox: ") + name),
                AllOf(StartsWith("warning\t"), HasSubstr("switched off for a test")));
    EXPECT_THAT(doctors_line("sandbox"), StartsWith("ok\t"));
    EXPECT_NE(integer_or(details_of(house_.exec("touch /usr/x " + house_.root() + "/x")), "exitCode"), 0);
  }
  EXPECT_FALSE(exists(house_.root() + "/x"));
}

TEST_F(SandboxMissingTest, AnOldLandlockHoldsWhatItKnows) {
  take_away("landlock-3");
  ran_in();
  EXPECT_THAT(doctors_line("sandbox: landlock"), AllOf(StartsWith("ok\t"), HasSubstr("version 3")));
  EXPECT_NE(integer_or(details_of(house_.exec("touch /usr/x")), "exitCode"), 0);
  // The network of the host, and the oldest one there is: abstract sockets are not scoped then.
  take_away("landlock-1");
  configure("sandbox.network", "on");
  EXPECT_EQ(text_or(ran_in(), "network"), "on");
}

TEST_F(SandboxMissingTest, WithoutCgroupsLimitsAreHeldOtherwise) {
  take_away("cgroups");
  EXPECT_THAT(missing_in(ran_in()), Contains("cgroups"));
  EXPECT_THAT(doctors_line("sandbox: cgroups"),
              AllOf(StartsWith("ok\t"), HasSubstr("watchdog"), HasSubstr("Delegate=yes")));
  configure("sandbox.profiles.tight.limits.memory_bytes", "96M");
  configure("sandbox.profile", "tight");
  const JsonObject stopped =
      house_.exec("python3 -c \"import time; x = bytearray(400 << 20); print('had it'); time.sleep(60)\"");
  EXPECT_EQ(text_or(details_of(stopped), "reason"), "limit") << write_json(stopped);
}

// --- root ---

TEST_F(SandboxMissingTest, RootWithoutOwnerMappingNeedsToBeTold) {
  take_away("owner_mapping");
  if (!root()) {  // an ordinary user needs no mapping
    EXPECT_EQ(text_of(house_.exec("id -u")), std::to_string(::geteuid()) + "\n");
    return;
  }
  EXPECT_THAT(refusal(), AllOf(HasSubstr("as root"), HasSubstr("sandbox.root_identity: same")));
  EXPECT_THAT(doctors_line("sandbox"), AllOf(StartsWith("error\t"), HasSubstr("sandbox.root_identity: same")));
  configure("sandbox.root_identity", "same");
  const JsonObject sandbox = ran_in();
  EXPECT_THAT(missing_in(sandbox), Contains("owner_mapping"));
  EXPECT_THAT(text_or(sandbox, "reason"), HasSubstr("owner_mapping: "));
  EXPECT_THAT(doctors_line("sandbox"), AllOf(StartsWith("ok\t"), HasSubstr("root without capabilities")));
}

TEST_F(SandboxMissingTest, RootWithoutCapabilitiesIsStillConfined) {
  if (!root()) {
    EXPECT_EQ(text_of(house_.exec("id -u")), std::to_string(::geteuid()) + "\n");
    return;
  }
  configure("sandbox.root_identity", "same");
  EXPECT_EQ(text_of(house_.exec("id -u; grep CapEff /proc/self/status; touch made; stat -c %u made")),
            "0\nCapEff:\t0000000000000000\n0\n");
  EXPECT_EQ(text_of(house_.exec("for f in /etc/shadow /etc/gshadow /etc/ssl/private /proc/kcore " + house_.root() +
                                "/config.yaml /root/.bashrc; do cat $f/* $f; done 2>/dev/null | wc -c")),
            "0\n");
  for (const char* way : {"touch /etc/x", "echo x > /proc/sys/kernel/core_pattern", "mount -t tmpfs x /mnt",
                          "chown 1 made", "kill -0 1 && kill -9 2"}) {
    const JsonObject tried = house_.exec(std::string(way) + " && echo done");
    EXPECT_THAT(text_of(tried), Not(StartsWith("done"))) << way;
  }
}

// --- full ---

TEST_F(SandboxMissingTest, FullIsTheCallersSelfWithoutOurHome) {
  configure("sandbox.profile", "full");
  const JsonObject result = house_.exec("id -u; touch made; pwd; ls -A " + house_.root() + "; echo $HOME; ls -A ~");
  const std::string& home = house_.environment()["HOME"];
  EXPECT_EQ(text_of(result), std::to_string(::geteuid()) + "\n" + house_.workspace() + "\n" + home + "\nh\nw\n");
  const JsonObject& sandbox = *object_or_null(details_of(result), "sandbox");
  EXPECT_EQ(text_or(sandbox, "profile"), "full");
  EXPECT_EQ(text_or(sandbox, "network"), "on");
  // In a pid namespace of its own it does not meet us.
  EXPECT_EQ(text_of(house_.exec("touch ~/out; ls -d /proc/" + std::to_string(house_.gateway_pid()) + " 2>&- | wc -l")),
            "0\n");
  EXPECT_TRUE(exists(home + "/out"));
  configure("sandbox.network", "off");
  EXPECT_THAT(text_of(house_.exec("touch ran")), HasSubstr("cannot be off with the profile full"));
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

TEST_F(SandboxMissingTest, FullNeedsUserNamespacesOnlyForOrdinaryUsers) {
  configure("sandbox.profile", "full");
  take_away("user_namespaces");
  if (!root()) {
    EXPECT_THAT(refusal(), AllOf(StartsWith("no sandbox, so nothing was run: the profile full needs user_namespaces"),
                                 HasSubstr("Fix: "), Not(HasSubstr("none known"))));
    EXPECT_THAT(doctors_line("sandbox"), AllOf(StartsWith("error\t"), HasSubstr("Fix: ")));
    return;
  }
  const JsonObject sandbox = ran_in();
  EXPECT_EQ(text_or(sandbox, "profile"), "full");
  EXPECT_THAT(missing_in(sandbox), Contains("user_namespaces"));
}

TEST_F(SandboxMissingTest, FullSaysWhatRootLacks) {
  if (!root()) return;  // above
  const Ran ran =
      house_
          .start_program("/usr/bin/setpriv", {"--bounding-set=-sys_admin", "--inh-caps=-sys_admin",
                                              program_path("talaria"), "sandbox", "run", "-p", "full", "touch ran"})
          .finish();
  EXPECT_EQ(ran.code, 125);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("CAP_SYS_ADMIN"), HasSubstr("Fix: ")));
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

// --- wishes that cannot be met ---

TEST_F(SandboxMissingTest, WhatDoesNotExistIsRefusedByName) {
  const Ran profile = house_.run({"config", "set", "sandbox.profile", "nope"});
  EXPECT_NE(profile.code, 0);
  EXPECT_THAT(profile.err, AllOf(HasSubstr("read-only, workspace-write, full"), HasSubstr("\"nope\"")));
  const Ran network = house_.run({"config", "set", "sandbox.network", "allow"});
  EXPECT_NE(network.code, 0);
  EXPECT_THAT(network.err, AllOf(HasSubstr("off"), HasSubstr("on"), HasSubstr("\"allow\"")));
  const Ran unknown = house_.run({"sandbox", "run", "-p", "nope", "--", "touch", "ran"});
  EXPECT_EQ(unknown.code, 125);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("\"nope\""), HasSubstr("full, read-only, workspace-write")));
  const Ran allow = house_.run({"sandbox", "run", "--network", "allow", "--", "touch", "ran"});
  EXPECT_EQ(allow.code, 125);
  EXPECT_THAT(allow.err, AllOf(HasSubstr("\"allow\""), HasSubstr("not available in this version")));
  EXPECT_FALSE(exists(house_.workspace() + "/ran"));
}

TEST_F(SandboxMissingTest, AConfigWithAnUnknownProfileRefusesToRun) {
  configure("sandbox.profiles.data.base", "read-only");
  configure("sandbox.profile", "data");
  EXPECT_EQ(text_or(ran_in(), "profile"), "data");
  ASSERT_EQ(house_.run({"config", "unset", "sandbox.profiles"}).code, 0);
  const JsonObject result = house_.exec("touch /tmp/ran");
  EXPECT_TRUE(boolean_or(result, "isError")) << write_json(result);
  EXPECT_THAT(text_of(result), AllOf(HasSubstr("\"data\""), HasSubstr("workspace-write")));
}

}  // namespace
}  // namespace talaria
