// What the file server of a session sees, does and refuses.
#include "sandbox/file_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "sandbox/file_trial.h"

namespace talaria {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;

std::vector<std::string> names_of(const FileListing& listing) {
  std::vector<std::string> names;
  for (const FileEntry& entry : listing.entries) names.push_back(entry.name);
  std::ranges::sort(names);
  return names;
}

// As `ls -A1` prints it in the C locale.
std::string listed(FileClient& files, const std::string& path) {
  Result<FileListing> listing = files.list(path);
  if (!listing) return listing.error().message();
  std::string text;
  for (const std::string& name : names_of(*listing)) text += name + "\n";
  return text;
}

// Waits for a file, at most ten seconds.
bool appears(FileClient& files, const std::string& path) {
  const auto deadline = Clock::now() + 10s;
  while (!files.stat(path)) {
    if (files.gone() || Clock::now() > deadline) return false;
  }
  return true;
}

SPACE_TEST(FileServerTest, SharesTheFilesOfCommands) {
  FileTrial trial;
  FileClient files = trial.files();
  EXPECT_EQ(trial.run("echo hello > /tmp/x; echo there > ~/y").status, 0);
  EXPECT_EQ(content(files, "/tmp/x"), "hello\n");
  EXPECT_EQ(content(files, trial.home + "/y"), "there\n");
  OpenedFile made = *files.open("/tmp/z", {.write = true, .create = true}, 0600);
  ASSERT_TRUE(write_all(made.fd.get(), "from outside\n"));
  EXPECT_EQ(trial.run("cat /tmp/z; stat -c %a /tmp/z"), (Outcome{0, "from outside\n600\n"}));
  EXPECT_FALSE(exists("/tmp/z"));
}

SPACE_TEST(FileServerTest, SeesNothingThatACommandDoesNotSee) {
  FileTrial trial;
  FileClient files = trial.files();
  EXPECT_EQ(content(files, trial.home + "/secret"), "open " + trial.home + "/secret: No such file or directory");
  EXPECT_EQ(content(files, trial.own + "/key"), "open " + trial.own + "/key: No such file or directory");
  EXPECT_EQ(content(files, "/etc/shadow"), "open /etc/shadow: Permission denied");
  EXPECT_EQ(listed(files, trial.own), "list " + trial.own + ": No such file or directory");
  for (const std::string& folder : {trial.home, std::string("/"), std::string("/run"), std::string("/root"),
                                    std::string("/home"), std::string("/dev"), std::string("/mnt")}) {
    EXPECT_EQ(listed(files, folder), trial.run("LC_ALL=C ls -A1 " + folder + "").output) << folder;
  }
}

SPACE_TEST(FileServerTest, WritesNoMoreThanACommand) {
  FileTrial trial;
  FileClient files = trial.files();
  for (const std::string path : {"/x", "/etc/x", "/usr/x", "/run/x", "/home/x", "/dev/x"}) {
    const FileAccess make{.write = true, .create = true};
    EXPECT_THAT(problem_of(files.open(path, make)), AnyOf(EndsWith("Read-only file system"), EndsWith("denied")));
    EXPECT_NE(problem_of(files.make_directory(path)), "") << path;
  }
  FileTrial reader(ProfileKind::read_only);
  ASSERT_TRUE(write_file_atomically(reader.workspace + "/f", "text\n"));
  FileClient read_only = reader.files();
  EXPECT_EQ(content(read_only, reader.workspace + "/f"), "text\n");
  EXPECT_NE(problem_of(read_only.open(reader.workspace + "/f", {.write = true})), "");
  EXPECT_NE(problem_of(read_only.remove(reader.workspace + "/f")), "");
}

SPACE_TEST(FileServerTest, WritesTheWorkspaceAsItsOwner) {
  FileTrial trial;
  FileClient files = trial.files();
  ASSERT_EQ(problem_of(files.make_directory(trial.workspace + "/d")), "");
  OpenedFile made = *files.open(trial.workspace + "/d/f", {.write = true, .create = true}, 0666);
  ASSERT_TRUE(write_all(made.fd.get(), "text\n"));
  EXPECT_EQ(*read_file(trial.workspace + "/d/f"), "text\n");
  struct stat status {};
  for (const std::string& path : {trial.workspace + "/d", trial.workspace + "/d/f"}) {
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, ::geteuid());
    EXPECT_EQ(status.st_gid, ::getegid());
  }
  EXPECT_EQ(status.st_mode & 07777, 0644u);  // by the umask of commands
  EXPECT_EQ(made.stat.uid, trial.session().space.identity.uid);
}

SPACE_TEST(FileServerTest, LeavesProtectedNamesAlone) {
  FileTrial trial;
  const std::string name = trial.workspace + "/.mcp.json";
  ASSERT_TRUE(write_file_atomically(name, "old\n"));
  FileClient files = trial.files();
  EXPECT_EQ(content(files, name), "old\n");
  EXPECT_EQ(problem_of(files.open(name, {.write = true})), "open " + name + ": Read-only file system");
  EXPECT_NE(problem_of(files.open(name, {.write = true, .truncate = true})), "");
  EXPECT_NE(problem_of(files.remove(name)), "");
  EXPECT_NE(problem_of(files.set_mode(name, 0777)), "");
  EXPECT_NE(problem_of(files.rename(name, trial.workspace + "/moved")), "");
  ASSERT_TRUE(files.open(trial.workspace + "/new", {.write = true, .create = true}));
  EXPECT_NE(problem_of(files.rename(trial.workspace + "/new", name)), "");
  EXPECT_EQ(*read_file(name), "old\n");
}

SPACE_TEST(FileServerTest, EndsRatherThanLoseTheProtectionOfANameReplacedOutside) {
  FileTrial trial;
  const std::string name = trial.workspace + "/.mcp.json";
  ASSERT_TRUE(write_file_atomically(name, "old\n"));
  FileClient files = trial.files();
  EXPECT_EQ(content(files, name), "old\n");
  ASSERT_TRUE(write_file_atomically(name, "new\n"));
  EXPECT_EQ(content(files, name), "new\n");
  const Result<OpenedFile> opened = files.open(name, {.write = true});
  EXPECT_EQ(opened.error().code(), ErrorCode::unavailable);
  EXPECT_THAT(opened.error().message(), HasSubstr("a protected file was replaced"));
  EXPECT_TRUE(files.gone());
  FileClient again = trial.files();
  EXPECT_EQ(problem_of(again.open(name, {.write = true})), "open " + name + ": Read-only file system");
}

SPACE_TEST(FileServerTest, StaysInTheViewWhateverLinksSay) {
  FileTrial trial;
  ASSERT_EQ(trial
                .run("ln -s " + trial.home +
                     "/secret secret; ln -s / root; ln -s ../../../../../../etc/shadow shadow; "
                     "ln -s /tmp/inside inside; echo in > /tmp/inside; ln -s loop loop")
                .status,
            0);
  FileClient files = trial.files();
  const std::string& w = trial.workspace;
  EXPECT_EQ(content(files, w + "/secret"), "open " + w + "/secret: No such file or directory");
  EXPECT_THAT(content(files, w + "/root" + trial.own + "/key"), EndsWith("No such file or directory"));
  EXPECT_THAT(content(files, w + "/../home/secret"), EndsWith("No such file or directory"));
  EXPECT_THAT(content(files, w + "/../../../../../../.." + trial.home + "/secret"),
              EndsWith("No such file or directory"));
  EXPECT_THAT(content(files, w + "/shadow"), EndsWith("Permission denied"));
  EXPECT_THAT(content(files, w + "/loop"), EndsWith("Too many levels of symbolic links"));
  EXPECT_EQ(content(files, w + "/inside"), "in\n");
  EXPECT_EQ(content(files, w + "/inside", {.read = true, .no_follow = true}),
            "open " + w + "/inside: it is a symbolic link, not to be followed");
  EXPECT_EQ(*files.read_link(w + "/inside"), "/tmp/inside");
  EXPECT_EQ(problem_of(files.read_link("/tmp/inside")), "read the link /tmp/inside: Invalid argument");
}

SPACE_TEST(FileServerTest, HandsOutRegularFilesOnly) {
  FileTrial trial;
  ASSERT_EQ(trial
                .run("mkfifo /tmp/fifo; ln -s fifo /tmp/to-fifo; mkdir /tmp/d; perl -MIO::Socket -e "
                     "'IO::Socket::UNIX->new(Local => \"/tmp/socket\", Listen => 1) or die'")
                .status,
            0);
  FileClient files = trial.files();
  for (const FileAccess access :
       {FileAccess{.read = true}, FileAccess{.write = true}, FileAccess{.read = true, .write = true},
        FileAccess{.write = true, .create = true, .truncate = true}}) {
    EXPECT_EQ(content(files, "/tmp/fifo", access), "open /tmp/fifo: it is a FIFO, not a regular file");
    EXPECT_EQ(content(files, "/tmp/to-fifo", access), "open /tmp/to-fifo: it is a FIFO, not a regular file");
    EXPECT_EQ(content(files, "/tmp/socket", access), "open /tmp/socket: it is a socket, not a regular file");
    EXPECT_EQ(content(files, "/dev/null", access), "open /dev/null: it is a character device, not a regular file");
    EXPECT_THAT(content(files, "/dev/stdin", access), HasSubstr("not a regular file"));
    EXPECT_EQ(content(files, "/tmp/d", access), "open /tmp/d: Is a directory");
  }
  EXPECT_EQ(files.stat("/tmp/fifo")->type, FileType::fifo);
  EXPECT_EQ(files.stat("/tmp/to-fifo", FileClient::Links::looked_at)->type, FileType::link);
  EXPECT_EQ(files.stat("/dev/zero")->type, FileType::character_device);
  EXPECT_NE(problem_of(files.set_mode("/tmp/fifo", 0777)), "");
}

// Opening a FIFO would let its writer go on, and then kill it.
SPACE_TEST(FileServerTest, DoesNotWakeTheWriterOfAFifo) {
  FileTrial trial;
  FileClient files = trial.files();
  const SpaceTrial::Background writer = trial.start("mkfifo /tmp/fifo; echo > /tmp/ready; echo text > /tmp/fifo");
  ASSERT_TRUE(appears(files, "/tmp/ready"));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(content(files, "/tmp/fifo"), HasSubstr("it is a FIFO"));
  EXPECT_EQ(trial.run("cat /tmp/fifo"), (Outcome{0, "text\n"}));
}

void refuses_processes(ProfileKind kind) {
  FileTrial trial(kind);
  FileClient files = trial.files();
  EXPECT_THAT(content(files, "/proc/meminfo"), HasSubstr("MemTotal"));
  EXPECT_EQ(problem_of(files.open("/proc/sys/kernel/hostname", {.read = true})), "");
  EXPECT_EQ(problem_of(files.list("/proc")), "");
  for (const std::string name : {"mem", "environ", "status", "maps", "exe", "cwd/etc/hostname", "root/etc/hostname",
                                 "fd/3", "ns/mnt", "task/1/status", "net/dev"}) {
    EXPECT_NE(problem_of(files.open("/proc/self/" + name, {.read = true})), "") << name;
    EXPECT_NE(problem_of(files.open("/proc/1/" + name, {.read = true, .write = true})), "") << name;
    EXPECT_NE(problem_of(files.set_mode("/proc/self/" + name, 0)), "") << name;
  }
  for (const std::string name : {"exe", "cwd", "root"}) EXPECT_NE(problem_of(files.read_link("/proc/1/" + name)), "");
  constexpr const char* reason = "it belongs to a process; only a command in the sandbox can look at processes";
  EXPECT_EQ(problem_of(files.open("/proc/self/status", {.read = true})),
            std::string("open /proc/self/status: ") + reason);
  EXPECT_EQ(problem_of(files.open("/proc/self/exe", {.read = true})), std::string("open /proc/self/exe: ") + reason);
  EXPECT_EQ(problem_of(files.list("/proc/self/root")), std::string("list /proc/self/root: ") + reason);
  EXPECT_EQ(problem_of(files.list("/proc/1/fd")), std::string("list /proc/1/fd: ") + reason);
  EXPECT_NE(problem_of(files.open("/proc/sys/vm/drop_caches", {.write = true})), "");
}

SPACE_TEST(FileServerTest, KeepsProcessesToThemselves) { refuses_processes(ProfileKind::workspace_write); }
SPACE_TEST(FileServerTest, KeepsProcessesToThemselvesEvenWithAllPower) { refuses_processes(ProfileKind::full); }

// A command swaps a file for worse, all the time; what is opened is the file or nothing.
SPACE_TEST(FileServerTest, IsNotFooledByRacingLinks) {
  FileTrial trial;
  FileClient files = trial.files();
  const SpaceTrial::Background racing = trial.start(
      "cd /tmp; echo fine > file; mkfifo fifo; echo > ready; while :; do for to in file fifo /dev/zero /proc/self/exe "
      "/proc/self/mem file " +
      trial.home + "/secret; do ln -sfn $to next; mv -T next name; done; done");
  ASSERT_TRUE(appears(files, "/tmp/name"));
  int opened = 0;
  for (int i = 0; i < 20'000; ++i) {
    Result<OpenedFile> file = files.open("/tmp/name", {.read = true});
    ASSERT_FALSE(files.gone());
    if (!file) continue;
    ++opened;
    ASSERT_EQ(*read_at(file->fd.get(), 0, 100), "fine\n");
  }
  EXPECT_GT(opened, 0);
}

SPACE_TEST(FileServerTest, ListsInPagesUpToACap) {
  FileTrial trial;
  ASSERT_EQ(trial
                .run("mkdir -p /tmp/many/d; cd /tmp/many; ln -s x l; mkfifo f; seq -f 'a rather long name %05g' 3000 | "
                     "tr '\\n' '\\0' | xargs -0 touch")
                .status,
            0);
  FileClient files = trial.files();
  const FileListing all = *files.list("/tmp/many");
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(names_of(all).size(), 3003u);
  EXPECT_EQ(names_of(all)[0], "a rather long name 00001");
  EXPECT_THAT(all.entries, testing::IsSupersetOf({FileEntry{"d", FileType::directory}, FileEntry{"l", FileType::link},
                                                  FileEntry{"f", FileType::fifo}}));
  const FileListing some = *files.list("/tmp/many", 1000);
  EXPECT_FALSE(some.complete);
  EXPECT_EQ(some.entries.size(), 1000u);
  EXPECT_EQ(problem_of(files.list("/tmp/many/l")), "list /tmp/many/l: No such file or directory");
  EXPECT_EQ(problem_of(files.list("/etc/passwd")), "list /etc/passwd: Not a directory");
  EXPECT_EQ(files.list("/tmp/many/d")->entries, std::vector<FileEntry>());
}

SPACE_TEST(FileServerTest, OpensAsAsked) {
  FileTrial trial;
  FileClient files = trial.files();
  const auto write = [&](const FileAccess& access, std::string_view text) {
    Result<OpenedFile> file = files.open("/tmp/f", access);
    if (!file) return file.error().number();
    EXPECT_TRUE(write_all(file->fd.get(), text));
    return 0;
  };
  EXPECT_EQ(write({.write = true}, ""), ENOENT);
  EXPECT_EQ(write({.write = true, .create = true, .exclusive = true}, "one"), 0);
  EXPECT_EQ(write({.write = true, .create = true, .exclusive = true}, ""), EEXIST);
  EXPECT_EQ(write({.write = true, .append = true}, " two"), 0);
  EXPECT_EQ(content(files, "/tmp/f"), "one two");
  EXPECT_EQ(files.open("/tmp/f", {.read = true})->stat.size, 7u);
  EXPECT_EQ(write({.write = true, .truncate = true}, "three"), 0);
  EXPECT_EQ(content(files, "/tmp/f"), "three");
  const OpenedFile reading = *files.open("/tmp/f", {.read = true});
  EXPECT_LT(::write(reading.fd.get(), "x", 1), 0);
  EXPECT_EQ(::fcntl(reading.fd.get(), F_GETFD), FD_CLOEXEC);
}

// The kernel counts them for each user. Few here: others of this user are not to notice.
TEST(FileServerTest, HandsOutFilesWhileACommandHasAllTheDescriptorsOnTheirWayThatItCan) {
  as_ordinary_user([] {
    const rlimit few{1600, 1600};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    FileTrial trial;
    FileClient files = trial.files();
    const FileTrial::Background hoarder = trial.start(R"(exec python3 -c "
import os, resource, socket, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
pairs = []
try:
    while True:
        pairs.append(socket.socketpair())
        pairs[-1][0].setblocking(False)
        try:
            while True: socket.send_fds(pairs[-1][0], [b'x'], [0] * 50)
        except BlockingIOError: pass
except OSError as why:
    with open('/tmp/new', 'w') as file: file.write('%d %s' % (most, why.strerror))
    os.rename('/tmp/new', '/tmp/held')
time.sleep(60)
")");
    ASSERT_TRUE(appears(files, "/tmp/held"));
    EXPECT_EQ(content(files, "/tmp/held"), "800 Too many references: cannot splice");
  });
}

SPACE_TEST(FileServerTest, ChangesFolders) {
  FileTrial trial;
  FileClient files = trial.files();
  EXPECT_EQ(problem_of(files.make_directory("/tmp/d/")), "");
  EXPECT_EQ(problem_of(files.make_directory("/tmp/d")), "make the directory /tmp/d: File exists");
  EXPECT_EQ(problem_of(files.make_directory("/")), "make the directory /: File exists");
  ASSERT_TRUE(files.open("/tmp/d/f", {.write = true, .create = true}));
  ASSERT_TRUE(files.open("/tmp/d/g", {.write = true, .create = true}));
  EXPECT_EQ(files.rename("/tmp/d/f", "/tmp/d/g", FileClient::Existing::kept).error().number(), EEXIST);
  EXPECT_EQ(problem_of(files.rename("/tmp/d/f", "/tmp/d/g")), "");
  EXPECT_EQ(problem_of(files.remove("/tmp/d")), "remove /tmp/d: Directory not empty");
  EXPECT_EQ(problem_of(files.set_mode("/tmp/d/g", 0)), "");  // which we may then not open, but still set
  EXPECT_EQ(files.stat("/tmp/d/g")->mode, 0u);
  EXPECT_EQ(problem_of(files.set_mode("/tmp/d/g", 0750)), "");
  EXPECT_EQ(files.stat("/tmp/d/g")->mode, 0750u);
  EXPECT_EQ(problem_of(files.remove("/tmp/d/g")), "");
  EXPECT_EQ(problem_of(files.remove("/tmp/d")), "");
  EXPECT_EQ(problem_of(files.remove("/tmp/d")), "remove /tmp/d: No such file or directory");
}

SPACE_TEST(FileServerTest, TellsWhereAFileReallyIs) {
  FileTrial trial;
  FileClient files = trial.files();
  ASSERT_EQ(trial.run("mkdir -p /tmp/a/b; echo x > /tmp/a/b/f; ln -s a/b /tmp/l; ln -s /tmp/l/f ~/m").status, 0);
  EXPECT_EQ(files.open(trial.home + "/m", {.read = true})->real_path, "/tmp/a/b/f");
  EXPECT_EQ(files.find(trial.home + "/m")->real_path, "/tmp/a/b/f");
  EXPECT_EQ(files.find(trial.home + "/m")->stat, *files.stat("/tmp/a/b/f"));
  EXPECT_EQ(files.find("/tmp/l/../b")->real_path, "/tmp/a/b");
  EXPECT_EQ(files.find("/")->real_path, "/");
  EXPECT_EQ(files.open("/tmp/l/new", {.write = true, .create = true})->real_path, "/tmp/a/b/new");
  EXPECT_EQ(problem_of(files.find("/tmp/none")), "look at /tmp/none: No such file or directory");
}

// Replaced in one step, again and again, it is there at any moment.
SPACE_TEST(FileServerTest, AlwaysFindsAFileThatIsBeingReplaced) {
  FileTrial trial;
  FileClient files = trial.files();
  const SpaceTrial::Background replacing = trial.start("cd /tmp; while :; do echo text > next; mv -T next name; done");
  ASSERT_TRUE(appears(files, "/tmp/name"));
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(problem_of(files.find("/tmp/name")), "");
    Result<OpenedFile> file = files.open("/tmp/name", {.read = true});
    ASSERT_EQ(problem_of(file), "");
    ASSERT_EQ(file->real_path, "/tmp/name");
  }
}

SPACE_TEST(FileServerTest, SetsAnOwnerOnlyAsACommandMay) {
  FileTrial trial;
  FileClient files = trial.files();
  ASSERT_EQ(trial.run("echo x > /tmp/f; ln -s f /tmp/l; mkdir /tmp/d").status, 0);
  const FileStat stat = *files.stat("/tmp/f");
  EXPECT_EQ(problem_of(files.set_owner("/tmp/f", stat.uid, stat.gid)), "");
  EXPECT_NE(problem_of(files.set_owner("/tmp/f", stat.uid + 1, stat.gid)), "");
  EXPECT_EQ(problem_of(files.set_owner("/tmp/l", stat.uid, stat.gid)),
            "set the owner of /tmp/l: it is a symbolic link, not to be followed");
  EXPECT_EQ(problem_of(files.set_owner("/tmp/d", stat.uid, stat.gid)),
            "set the owner of /tmp/d: it is a directory, not a regular file");
}

}  // namespace
}  // namespace talaria
