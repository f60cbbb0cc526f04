#include "skills/skill_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <thread>

#include "base/clock.h"
#include "skills/load_trial.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = SkillFile::Kind;

std::string view(const LoadTrial& trial, const std::string& path) {
  return write_json(skill_file_json("demo", trial.folder(), path));
}
std::string error_of(const LoadTrial& trial, const std::string& path) {
  const Result<SkillFile> file = read_skill_file(trial.folder(), path);
  return file ? "(read)" : file.error().message();
}

TEST(SkillFileTest, GivesATextAsItIs) {
  const LoadTrial trial;
  trial.put("references/guide.md", "# Größe\r\n\ttab\n");
  trial.put("SKILL.md", "---\nname: demo\n---\nx");
  trial.put("Makefile", "");
  EXPECT_EQ(view(trial, "references/guide.md"),
            R"({"success":true,"name":"demo","file":"references/guide.md","content":"# Größe\r\n\ttab\n",)"
            R"("file_type":".md","size":16})");
  EXPECT_EQ(view(trial, "./references//./guide.md"), view(trial, "references/guide.md"));
  EXPECT_THAT(view(trial, "SKILL.md"), HasSubstr(R"("content":"---\nname: demo\n---\nx")"));
  EXPECT_EQ(view(trial, "Makefile"),
            R"({"success":true,"name":"demo","file":"Makefile","content":"","file_type":"","size":0})");
}

TEST(SkillFileTest, DescribesABinaryFile) {
  const LoadTrial trial;
  trial.put("assets/logo.png", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  trial.put("assets/noise.bin", std::string("\0\1\2\3\4", 5));
  trial.put("one", std::string(1, '\0'));
  EXPECT_EQ(
      view(trial, "assets/logo.png"),
      R"({"success":true,"name":"demo","file":"assets/logo.png","content":"[Binary file: logo.png, size: 16 bytes]",)"
      R"("file_type":".png","size":16,"is_binary":true,"binary_type":"PNG image"})");
  EXPECT_THAT(view(trial, "assets/noise.bin"), HasSubstr(R"("binary_type":"unknown type")"));
  EXPECT_THAT(view(trial, "one"), HasSubstr("[Binary file: one, size: 1 byte]"));
}

TEST(SkillFileTest, ReadsTextThatIsNotQuiteUtf8) {
  const LoadTrial trial;
  trial.put("latin.txt",
            "Gr\xf6\xdf"
            "e und so weiter, lang genug fuer zwei Buchstaben");
  const SkillFile file = *read_skill_file(trial.folder(), "latin.txt");
  EXPECT_EQ(file.kind, Kind::text);
  EXPECT_THAT(file.content, testing::StartsWith("Gr\xEF\xBF\xBD\xEF\xBF\xBD"
                                                "e und"));
  EXPECT_EQ(file.note, "Bytes that are not UTF-8 are shown as U+FFFD.");
}

TEST(SkillFileTest, CutsALongTextAtACharacter) {
  const LoadTrial trial;
  std::string text;
  while (text.size() < (1u << 20) + 10) text += "xä";
  trial.put("long.txt", text);
  const SkillFile file = *read_skill_file(trial.folder(), "long.txt");
  EXPECT_EQ(file.size, text.size());
  EXPECT_EQ(file.content, text.substr(0, file.content.size()));
  EXPECT_GE(file.content.size(), (1u << 20) - 1);
  EXPECT_LE(file.content.size(), 1u << 20);
  EXPECT_EQ(file.note, "Only the first 1 MiB of 1 MiB are shown.");
}

TEST(SkillFileTest, ListsAFolder) {
  const LoadTrial trial;
  trial.put("references/a.md", "1");
  trial.put("references/sub/b.md", "12");
  trial.put("references2/c.md", "1");
  trial.link("linked", "references");
  const std::string files =
      R"("is_directory":true,"files":[{"path":"references/a.md","size":1},{"path":"references/sub/b.md","size":2}]})";
  EXPECT_EQ(view(trial, "references"),
            R"({"success":true,"name":"demo","file":"references","content":"[Folder: references, files: 2]",)" + files);
  EXPECT_EQ(view(trial, "references/"), view(trial, "references"));
  EXPECT_THAT(view(trial, "linked"), HasSubstr(files));
  EXPECT_THAT(view(trial, "."), HasSubstr("files: 3"));
}

TEST(SkillFileTest, NamesTheFilesThatAreThere) {
  const LoadTrial trial;
  trial.put("references/guide.md", "");
  trial.put("scripts/run.py", "");
  trial.put("zz.md", "");
  EXPECT_EQ(
      view(trial, "reference/guide.md"),
      R"({"success":false,"error":"The skill has no file \"reference/guide.md\".",)"
      R"("available_files":["references/guide.md","scripts/run.py","zz.md"],)"
      R"("hint":"Use one of available_files as file_path, or leave it out for the skill and all its linked_files."})");
  EXPECT_THAT(view(trial, "run.py"), HasSubstr(R"("available_files":["scripts/run.py",)"));
  EXPECT_THAT(view(trial, "zz.md/below"), HasSubstr("has no file"));
  EXPECT_THAT(view(trial, "\xff"), HasSubstr("has no file \\\"\\\\xff\\\""));
  for (int i = 0; i < 30; ++i) trial.put("assets/" + std::to_string(i), "");
  EXPECT_EQ(skill_file_json("demo", trial.folder(), "nothing").at("available_files").as_array().size(), 20u);
}

TEST(SkillFileTest, RefusesPathsThatLeaveTheSkill) {
  const LoadTrial trial;
  trial.put("references/a.md", "");
  trial.link("references/out", trial.outside());
  trial.link("references/relative_out", "../../outside/watched");
  trial.link("out_folder", "../outside");
  trial.link("passwd", "/etc/passwd");
  trial.link("proc", "/proc/self/root");
  trial.link("chain", "references/out");
  const std::string outside = "only files of the skill itself";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {"/etc/passwd", "absolute"},
      {"//etc/passwd", "absolute"},
      {"..", "\"..\""},
      {"../outside/watched", "\"..\""},
      {"references/../../outside/watched", "\"..\""},
      {"references/../references/a.md", "\"..\""},
      {"references/..", "\"..\""},
      {"..\\outside\\watched", "backslash"},
      {"references\\..\\..\\x", "backslash"},
      {"C:/Windows/x", "drive"},
      {"c:secret", "drive"},
      {std::string("references/a.md\0.png", 20), "NUL"},
      {std::string(5000, 'a'), "longer than 4,096 bytes"},
      {std::string(300, 'a'), "File name too long"},
      {"references/out", outside},
      {"references/relative_out", outside},
      {"out_folder", outside},
      {"out_folder/watched", outside},
      {"passwd", outside},
      {"proc/etc/passwd", "links that are not followed"},
      {"chain", outside},
  };
  for (const auto& [path, message] : cases) {
    EXPECT_THAT(error_of(trial, path), HasSubstr(message)) << path;
    EXPECT_THAT(view(trial, path), HasSubstr(R"("success":false)")) << path;
    EXPECT_EQ(view(trial, path).find(LoadTrial::outside_text()), std::string::npos) << path;
  }
  // Nothing of this is special to us: they are names of files that are not there.
  for (const char* name : {"...", "~/x", "$HOME/x", "%2e%2e/outside/watched", "references/a.md ", "file:///etc/passwd"})
    EXPECT_THAT(error_of(trial, name), HasSubstr("No such file")) << name;
}

TEST(SkillFileTest, FollowsLinksThatStayInside) {
  const LoadTrial trial;
  trial.put("references/a.md", "text");
  trial.link("one", "references/a.md");
  trial.link("two", trial.path("one"));
  trial.link("folder", trial.path("references"));
  for (const char* path : {"one", "two", "folder/a.md"})
    EXPECT_EQ(read_skill_file(trial.folder(), path)->content, "text") << path;
}

TEST(SkillFileTest, NeverOpensWhatIsNoFile) {
  const LoadTrial trial;
  ASSERT_EQ(::mkfifo(trial.path("pipe").c_str(), 0644), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  trial.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(error_of(trial, "pipe"), "file_path \"pipe\" is a named pipe, which cannot be read");
  EXPECT_EQ(error_of(trial, "socket"), "file_path \"socket\" is a socket, which cannot be read");
  const InnerFolder devices = *InnerFolder::open("/dev");
  EXPECT_EQ(open_to_read(*devices.find("null")).error().message(), "it is a device, not a file");
}

// Someone exchanges a file for a link to the outside, again and again, while we read it by name.
TEST(SkillFileTest, AnExchangeMeanwhileGainsNothing) {
  const LoadTrial trial;
  trial.put("good", "inside");
  std::atomic<bool> stop = false;
  std::thread exchanger([&] {
    for (int i = 0; !stop; ++i) {
      const std::string other = trial.path("other" + std::to_string(i % 2));
      if (i % 2) (void)::symlink(trial.outside().c_str(), other.c_str());
      else trial.put("other0", "inside");
      (void)::rename(other.c_str(), trial.path("a").c_str());
    }
  });
  int read = 0;
  const auto deadline = Clock::now() + 30s;
  for (int i = 0; i < 3000 || (read == 0 && Clock::now() < deadline); ++i) {  // the other thread may begin late
    const Result<SkillFile> file = read_skill_file(trial.folder(), "a");
    if (!file) continue;
    ++read;
    EXPECT_EQ(file->content, "inside");
  }
  stop = true;
  exchanger.join();
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace talaria
