// What somebody mounted inside the workspace is not the workspace's: it is read-only unless the person listed it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "product/house.h"
#include "product/own_mounts.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class InnerMountsTest : public testing::Test {
 public:
  static void apart(const std::function<void(House&)>& body) {
    in_own_mounts([&] {
      House house;
      body(house);
      ::umount2(house.workspace().c_str(), MNT_DETACH);
      for (const char* name : {"/memory/deep", "/memory", "/bound", "/late"}) {
        ::umount2((house.workspace() + name).c_str(), MNT_DETACH);
      }
    });
  }

  static void mount_memory(const std::string& place) {
    ASSERT_TRUE(make_directories(place));
    ASSERT_EQ(::mount("none", place.c_str(), "tmpfs", 0, "mode=0777"), 0);
    put(place + "/file", "in memory\n");
  }

  // A folder beside the workspace, on the same disk as it.
  static std::string bind_neighbour(House& house) {
    std::string neighbour = house.workspace() + "-neighbour";
    EXPECT_TRUE(make_directories(neighbour));
    EXPECT_EQ(::chmod(neighbour.c_str(), 0777), 0);
    put(neighbour + "/file", "of a neighbour\n");
    EXPECT_TRUE(make_directories(house.workspace() + "/bound"));
    EXPECT_EQ(::mount(neighbour.c_str(), (house.workspace() + "/bound").c_str(), nullptr, MS_BIND, nullptr), 0);
    return neighbour;
  }

  static void put(const std::string& path, const std::string& text) {
    EXPECT_TRUE(write_file_atomically(path, text));
    EXPECT_EQ(::chmod(path.c_str(), 0666), 0);
  }

  static void list_writable(House& house, const std::string& path) {
    const Ran ran = house.run({"config", "set", "sandbox.writable", "[" + path + "]"});
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
};

TEST_F(InnerMountsTest, AreReadOnlyAndNamed) {
  apart([](House& house) {
    const std::string memory = house.workspace() + "/memory", bound = house.workspace() + "/bound";
    mount_memory(memory);
    const std::string neighbour = bind_neighbour(house);
    const JsonObject first = house.exec(
        "cat memory/file bound/file; touch own; for f in memory/new bound/new; do touch $f; done;"
        "for f in memory/file bound/file; do echo changed > $f; done; rm -f memory/file bound/file; exit 0");
    EXPECT_THAT(text_of(first), AllOf(HasSubstr("in memory\nof a neighbour"), HasSubstr("Read-only file system"),
                                      HasSubstr(bound + ", " + memory), HasSubstr("sandbox.writable")));
    EXPECT_TRUE(exists(house.workspace() + "/own"));
    EXPECT_FALSE(exists(memory + "/new"));
    EXPECT_FALSE(exists(neighbour + "/new"));
    EXPECT_EQ(*read_file(memory + "/file"), "in memory\n");
    EXPECT_EQ(*read_file(neighbour + "/file"), "of a neighbour\n");
    EXPECT_THAT(text_of(house.exec("echo again")), Not(HasSubstr("sandbox.writable")));
    const JsonObject tool = house.call("write_file", {{"path", "memory/new"}, {"content", "x"}});
    EXPECT_THAT(text_of(tool), HasSubstr("Read-only file system"));
  });
}

TEST_F(InnerMountsTest, KeepTheirOwnersApart) {
  apart([](House& house) {
    mount_memory(house.workspace() + "/memory");
    const std::string file = house.workspace() + "/memory/private";
    ASSERT_TRUE(write_file_atomically(file, "mine\n", 0600));
    const std::string seen = text_of(house.exec("stat -c %u memory/private . && id -u && cat memory/private"));
    // The workspace is the sandbox user's. An ordinary user is the same inside, root is not.
    if (::geteuid() == 0) EXPECT_THAT(seen, AllOf(HasSubstr("Permission denied"), Not(HasSubstr("mine"))));
    else EXPECT_THAT(seen, HasSubstr("mine"));
  });
}

TEST_F(InnerMountsTest, AreOpenWhereThePersonListedThem) {
  apart([](House& house) {
    const std::string memory = house.workspace() + "/memory";
    mount_memory(memory);
    mount_memory(memory + "/deep");
    const std::string neighbour = bind_neighbour(house);
    ASSERT_TRUE(make_directories(house.root()));
    ASSERT_EQ(::chmod(house.root().c_str(), 0700), 0);
    list_writable(house, memory);
    const JsonObject result = house.exec("touch own memory/new memory/deep/new && ! touch bound/new");
    EXPECT_THAT(
        text_of(result),
        AllOf(HasSubstr("Read-only inside, because something else is mounted there: " + house.workspace() + "/bound."),
              Not(HasSubstr(memory))));
    EXPECT_EQ(integer_or(details_of(result), "exitCode", -1), 0) << text_of(result);
    for (const std::string& path : {memory + "/new", memory + "/deep/new"}) {
      struct stat status {};
      ASSERT_EQ(::stat(path.c_str(), &status), 0) << path;
      EXPECT_EQ(status.st_uid, ::geteuid());
    }
    EXPECT_FALSE(exists(neighbour + "/new"));
  });
}

TEST_F(InnerMountsTest, DoNotComeInLater) {
  apart([](House& house) {
    ASSERT_TRUE(make_directories(house.workspace() + "/late"));
    EXPECT_EQ(integer_or(details_of(house.exec("ls late")), "exitCode", -1), 0);
    mount_memory(house.workspace() + "/late");
    EXPECT_THAT(text_of(house.exec("ls late; grep -c /late /proc/self/mountinfo; touch late/new")),
                AllOf(Not(HasSubstr("file")), HasSubstr("0")));
    EXPECT_FALSE(exists(house.workspace() + "/late/new"));
  });
}

TEST_F(InnerMountsTest, LeaveAReadOnlyWorkspaceAsItIs) {
  apart([](House& house) {
    const std::string& workspace = house.workspace();
    ASSERT_EQ(::mount(workspace.c_str(), workspace.c_str(), nullptr, MS_BIND, nullptr), 0);
    ASSERT_EQ(::mount(nullptr, workspace.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
    EXPECT_THAT(text_of(house.exec("touch new")), HasSubstr("Read-only file system"));
    EXPECT_FALSE(exists(workspace + "/new"));
  });
}

}  // namespace
}  // namespace talaria
