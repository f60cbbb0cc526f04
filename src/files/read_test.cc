#include "files/read.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <iostream>

#include "base/clock.h"
#include "files/files_trial.h"
#include "files/page.h"
#include "sandbox/trial.h"

namespace talaria {
namespace {

using testing::StartsWith;

JsonObject page(const std::string& content, const std::string& name, uint64_t total, uint64_t size, uint64_t offset,
                uint64_t lines) {
  JsonObject object{{"content", content}, {"path", name},       {"total_lines", total},
                    {"file_size", size},  {"offset", offset},   {"lines_returned", lines},
                    {"truncated", false}, {"encoding", "utf-8"}};
  if (lines == 0 || offset + lines > total) return object;
  object["truncated"] = true;
  object["next_offset"] = offset + lines;
  object["truncated_by"] = "lines";
  return object;
}

TEST(ReadFileTest, GivesExactlyTheAskedLinesToPrograms) {
  FilesTrial trial;
  trial.put("f", "x\ny\nz\n");
  EXPECT_EQ(trial.read_plain("f"), page("x\ny\nz\n", "f", 3, 6, 1, 3));
  EXPECT_EQ(trial.read_plain("f", 1, 2), page("x\ny\n", "f", 3, 6, 1, 2));
  EXPECT_EQ(trial.read_plain("f", 2, 1), page("y\n", "f", 3, 6, 2, 1));
  EXPECT_EQ(trial.read_plain("f", 3, 1), page("z\n", "f", 3, 6, 3, 1));
  EXPECT_EQ(trial.read_plain("f", 1, 3), page("x\ny\nz\n", "f", 3, 6, 1, 3));
  EXPECT_EQ(trial.read_plain("f", 0, 0), page("x\n", "f", 3, 6, 1, 1));
  trial.put("open", "x\r\n\ny");
  EXPECT_EQ(trial.read_plain("open"), page("x\r\n\ny", "open", 3, 5, 1, 3));
  EXPECT_EQ(trial.read_plain("open", 2, 1), page("\n", "open", 3, 5, 2, 1));
  EXPECT_EQ(trial.read_plain("open", 3, UINT64_MAX), page("y", "open", 3, 5, 3, 1));
}

TEST(ReadFileTest, NumbersTheLinesForTheAgent) {
  FilesTrial trial;
  trial.put("f", "x\ny\r\n\nz\n");
  EXPECT_EQ(trial.read("f"), page("1|x\n2|y\r\n3|\n4|z", "f", 4, 8, 1, 4));
  EXPECT_EQ(trial.read("f", {.offset = 2, .limit = 2}), page("2|y\r\n3|", "f", 4, 8, 2, 2));
  EXPECT_EQ(trial.read("f", {.offset = 4, .limit = 1}), page("4|z", "f", 4, 8, 4, 1));
}

TEST(ReadFileTest, SaysWhenThereIsNothingToShow) {
  FilesTrial trial;
  trial.put("empty", "");
  JsonObject expected = page("", "empty", 0, 0, 1, 0);
  expected["hint"] = "The file is empty.";
  EXPECT_EQ(trial.read("empty"), expected);
  EXPECT_EQ(trial.read_plain("empty"), expected);
  trial.put("one", "x");
  expected = page("", "one", 1, 1, 2, 0);
  expected["hint"] = "The file has 1 line; offset 2 is beyond its end.";
  EXPECT_EQ(trial.read_plain("one", 2), expected);
}

// Every page of every small text, against the plainest way to find it.
TEST(ReadFileTest, IsExactAtEveryBoundary) {
  FilesTrial trial;
  for (const std::string text : {"", "\n", "a", "a\n", "\n\n", "a\n\nb", "a\nb\n", "\r\n", "a\r\nb"}) {
    trial.put("f", text);
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      lines.push_back(text.substr(at, end - at));
      at = end;
    }
    for (size_t offset = 1; offset <= 5; ++offset) {
      for (size_t limit = 1; limit <= 5; ++limit) {
        std::string wanted;
        size_t count = 0;
        for (size_t i = offset - 1; i < lines.size() && count < limit; ++i, ++count) wanted += lines[i];
        JsonObject got = trial.read_plain("f", offset, limit);
        got.erase("hint");
        EXPECT_EQ(got, page(wanted, "f", lines.size(), text.size(), offset, count)) << text << offset << limit;
      }
    }
  }
}

TEST(ReadFileTest, CutsLongLinesForTheAgentOnly) {
  FilesTrial trial;
  std::string umlauts;
  for (int i = 0; i < 2001; ++i) umlauts += "ä";
  trial.put("f", umlauts.substr(2) + "\n" + umlauts + "\nend\n");
  EXPECT_EQ(text_or(trial.read("f"), "content"),
            "1|" + umlauts.substr(2) + "\n2|" + umlauts.substr(2) + "... [truncated]\n3|end");
  EXPECT_EQ(text_or(trial.read_plain("f"), "content"), umlauts.substr(2) + "\n" + umlauts + "\nend\n");
  trial.put("huge", std::string(3'000'000, 'x') + "\n" + std::string(1'000'000, 'y'));
  EXPECT_EQ(text_or(trial.read("huge"), "content"),
            "1|" + std::string(2000, 'x') + "... [truncated]\n2|" + std::string(2000, 'y') + "... [truncated]");
}

TEST(ReadFileTest, StopsAtALineEndWhenAResultWouldBeTooLarge) {
  FilesTrial trial;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::string(99, 'x') + "\n";
  trial.put("f", text);
  const JsonObject first = trial.read("f");
  const uint64_t next = static_cast<uint64_t>(integer_or(first, "next_offset"));
  EXPECT_EQ(text_or(first, "truncated_by"), "bytes");
  EXPECT_LE(text_or(first, "content").size(), most_agent_characters);
  EXPECT_GT(text_or(first, "content").size(), most_agent_characters - 200);
  EXPECT_EQ(integer_or(first, "lines_returned"), static_cast<int64_t>(next) - 1);
  const std::string rest = text_or(trial.read("f", {.offset = next}), "content");
  EXPECT_THAT(rest, StartsWith(std::to_string(next) + "|x"));
}

TEST(ReadFileTest, GivesProgramsAsMuchAsAFrameHolds) {
  FilesTrial trial;
  trial.put("f", std::string(9 << 20, '"') + "\nnext\n");  // twice as long in JSON
  JsonObject result = trial.read_plain("f");
  EXPECT_LT(write_json(result).size(), size_t{16} << 20);
  EXPECT_EQ(text_or(result, "truncated_by"), "bytes");
  EXPECT_EQ(integer_or(result, "next_offset"), 2);
  EXPECT_EQ(integer_or(result, "lines_returned"), 1);
  EXPECT_EQ(text_or(result, "hint"),
            "Line 1 is too long to be shown whole: it has 9 MiB, and only its first 8 MiB are here.");
  trial.put("g", "first\n" + std::string(16 << 20, 'x') + "\nlast");
  result = trial.read_plain("g");
  EXPECT_EQ(text_or(result, "content"), "first\n");
  EXPECT_EQ(integer_or(result, "next_offset"), 2);
  EXPECT_EQ(text_or(trial.read_plain("g", 3), "content"), "last");
}

TEST(ReadFileTest, DoesNotSendProgramsOnBehindALastLineThatIsTooLong) {
  FilesTrial trial;
  trial.put("f", std::string(20 << 20, 'x'));
  JsonObject result = trial.read_plain("f");
  result.erase("content");
  JsonObject expected = page("", "f", 1, 20 << 20, 1, 1);
  expected.erase("content");
  expected["truncated"] = true;
  expected["truncated_by"] = "bytes";
  expected["hint"] = "Line 1 is too long to be shown whole: it has 20 MiB, and only its first 15.9 MiB are here.";
  EXPECT_EQ(result, expected);
}

constexpr const char* broken_hint =
    "The content has bytes that are not UTF-8, shown as U+FFFD; writing it back would change them.";

TEST(ReadFileTest, JudgesTheEncodingOnceForEveryPageAndReader) {
  FilesTrial trial;
  // Latin-1 and a zero, but only far behind what is looked at.
  trial.put("late", std::string(100'000, 'x') + "\n\xfc\nfine\n" + std::string("z\0z\n", 4));
  JsonObject expected = page("\xef\xbf\xbd\n", "late", 4, 100'012, 2, 1);
  expected["hint"] = broken_hint;
  EXPECT_EQ(trial.read_plain("late", 2, 1), expected);
  expected["content"] = "2|\xef\xbf\xbd";
  EXPECT_EQ(trial.read("late", {.offset = 2, .limit = 1}), expected);
  EXPECT_EQ(trial.read_plain("late", 3, 1), page("fine\n", "late", 4, 100'012, 3, 1));
  EXPECT_EQ(trial.read_plain("late", 4), page(std::string("z\0z\n", 4), "late", 4, 100'012, 4, 1));
  trial.put("early", "\xfc\n" + std::string(100'000, 'x') + "\ngr\xc3\xbc\n");
  for (const uint64_t line : {1, 2, 3}) {
    EXPECT_EQ(text_or(trial.read_plain("early", line, 1), "encoding"), "latin-1");
    EXPECT_EQ(text_or(trial.read("early", {.offset = line, .limit = 1}), "encoding"), "latin-1");
  }
  EXPECT_EQ(text_or(trial.read_plain("early", 3), "content"), "grÃ¼\n");
  // A character over the end of what is looked at.
  trial.put("cut", std::string((64 << 10) - 1, 'x') + "ü\n");
  EXPECT_FALSE(trial.read_plain("cut").contains("hint"));
  EXPECT_EQ(text_or(trial.read_plain("cut"), "encoding"), "utf-8");
}

TEST(ReadFileTest, DecodesWhatIsNotUtf8AndSaysSo) {
  FilesTrial trial;
  const auto read = [&](const std::string& bytes) {
    trial.put("f", bytes);
    const JsonObject result = trial.read_plain("f");
    return text_or(result, "encoding") + ": " + text_or(result, "content") + error_of(result);
  };
  EXPECT_EQ(read("\xef\xbb\xbfgr\xc3\xbc\xc3\x9f\n"), "utf-8-bom: grüß\n");
  EXPECT_EQ(read("gr\xfc\xdf dich\n"), "latin-1: grüß dich\n");
  EXPECT_EQ(read(std::string("\xff\xfeg\0\xfc\0\n\0", 8)), "utf-16le: gü\n");
  EXPECT_EQ(read(std::string("\xfe\xff\0g\xd8\x3d\xde\x00\0\n", 10)), "utf-16be: g😀\n");
  EXPECT_EQ(read(std::string("a\0b\0\n\0", 6)), "utf-16le: ab\n");
  EXPECT_EQ(read(std::string("\0a\0b\0\n", 6)), "utf-16be: ab\n");
  EXPECT_EQ(integer_or(trial.read("f"), "total_lines"), 1);
  EXPECT_EQ(text_or(trial.read("f"), "content"), "1|ab");
  trial.put("bom", "\xef\xbb\xbf");
  EXPECT_EQ(integer_or(trial.read_plain("bom"), "total_lines"), 0);
  trial.put("bom", "\xef\xbb\xbfx\ny");
  EXPECT_EQ(text_or(trial.read("bom"), "content"), "1|x\n2|y");
  EXPECT_EQ(text_or(trial.read_plain("bom", 2), "content"), "y");
}

TEST(ReadFileTest, NamesTheKindOfBinaryFiles) {
  FilesTrial trial;
  const auto mime = [&](const std::string& bytes) {
    trial.put("f", bytes);
    const JsonObject result = trial.read("f");
    EXPECT_TRUE(boolean_or(result, "is_binary"));
    EXPECT_EQ(integer_or(result, "file_size"), static_cast<int64_t>(bytes.size()));
    return text_or(result, "mime");
  };
  EXPECT_EQ(mime(std::string("\x7f"
                             "ELF\2\1\1\0",
                             8)),
            "application/x-executable");
  EXPECT_EQ(mime(std::string("\x89PNG\r\n\x1a\n\0\0", 10)), "image/png");
  EXPECT_EQ(mime("\xff\xd8\xff\xe0 text"), "image/jpeg");
  EXPECT_EQ(mime("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), "application/pdf");
  EXPECT_EQ(mime(std::string("PK\3\4\0\0", 6)), "application/zip");
  EXPECT_EQ(mime("\x1f\x8b\x08\x01"), "application/gzip");
  EXPECT_EQ(mime(std::string("a\0b", 3)), "application/octet-stream");
  EXPECT_EQ(error_of(trial.read("f")), "read f: it is a binary file (application/octet-stream, 3 bytes), not text");
}

TEST(ReadFileTest, RefusesWhatIsNoRegularFile) {
  FilesTrial trial;
  ASSERT_EQ(::mkfifo(trial.path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(trial.path("dir").c_str(), 0700), 0);
  ASSERT_EQ(::symlink("/dev/zero", trial.path("zero").c_str()), 0);
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  trial.path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(error_of(trial.read("fifo")), "read fifo: it is a FIFO, not a regular file");
  EXPECT_EQ(error_of(trial.read("socket")), "read socket: it is a socket, not a regular file");
  EXPECT_EQ(error_of(trial.read("zero")), "read zero: it is a character device, not a regular file");
  EXPECT_EQ(error_of(trial.read("dir")),
            "read dir: it is a directory; search_files with target=\"files\" lists what is in it");
  for (const std::string name : {"environ", "mem", "maps", "cmdline", "exe"}) {
    const JsonObject result = read_file(trial.files, trial.gate, trial.book,
                                        {.path = "/proc/self/" + name, .shown_path = "/proc/self/" + name});
    EXPECT_THAT(error_of(result), StartsWith("read /proc/self/" + name + ": it belongs to a process; ")) << name;
  }
}

TEST(ReadFileTest, SuggestsSimilarFilesForAMissingOne) {
  FilesTrial trial;
  for (const std::string name : {"d/settings.py", "d/setting.yaml", "d/Settings.PY", "d/other", "d/x"})
    trial.put(name, "");
  EXPECT_EQ(trial.read("d/setings.py"),
            (JsonObject{{"error", "read d/setings.py: no such file (looked for in " + trial.folder + ")"},
                        {"path", "d/setings.py"},
                        {"similar_files", JsonArray{"d/Settings.PY", "d/settings.py"}}}));
  EXPECT_EQ(trial.read("none/x").at("similar_files"), JsonArray());
}

TEST(ReadFileTest, RefusesCredentialsThroughAnyName) {
  FilesTrial trial;
  trial.put(".env", "SECRET=1\n");
  ASSERT_EQ(::symlink(".env", trial.path("innocent").c_str()), 0);
  for (const std::string name : {".env", "innocent"}) {
    const JsonObject result = trial.read(name);
    EXPECT_THAT(error_of(result), StartsWith("read " + name + ": may not read it: it is a credential file; "));
    EXPECT_FALSE(result.contains("content"));
  }
  EXPECT_EQ(trial.gate.verdicts().back().path, trial.path(".env"));
  EXPECT_FALSE(trial.book.find(trial.path(".env")));
}

TEST(ReadFileTest, SaysThatPermissionIsMissing) {
  const Ended ended = try_in_child(Who::ordinary_user, [] {
    FilesTrial trial;
    trial.put("f", "x", 0);
    return error_of(trial.read("f")) == "read f: Permission denied" ? 0 : 1;
  });
  EXPECT_EQ(ended, Ended());
}

TEST(ReadFileTest, RemembersTheVersionThatWasRead) {
  FilesTrial trial;
  const std::string path = trial.put("f", "hello\n");
  ASSERT_EQ(::symlink("f", trial.path("link").c_str()), 0);
  trial.read("link");
  const SeenFile seen = *trial.book.find(path);
  EXPECT_EQ(seen.version, version_of(*trial.files.stat(path)));
  EXPECT_EQ(seen.sha256, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
  EXPECT_FALSE(trial.book.find(trial.path("link")));
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

TEST(ReadFileTest, ReadsAPageOfALargeFileInConstantMemory) {
  FilesTrial trial;
  std::string text;
  for (int i = 1; text.size() < 12'000'000; ++i) text += "line " + std::to_string(i) + " of a large file\n";
  trial.put("large", text);
  auto start = Clock::now();
  JsonObject result = trial.read_plain("large", 300'000, 5);
  std::cout << "five lines of 12 MB: " << milliseconds_since(start) << " ms" << std::endl;
  EXPECT_THAT(text_or(result, "content"), StartsWith("line 300000 of a large file\nline 300001 "));
  EXPECT_EQ(integer_or(result, "lines_returned"), 5);
  trial.put("sparse", "first\nsecond\n");
  ASSERT_EQ(::truncate(trial.path("sparse").c_str(), (int64_t{2} << 30) - 5), 0);
  const UniqueFd end = *open_file(trial.path("sparse"), O_WRONLY | O_APPEND);
  ASSERT_TRUE(write_all(end.get(), "\nlast"));
  // The beginning is read as text because the hole begins behind what is looked at first.
  const UniqueFd begin = *open_file(trial.path("sparse"), O_WRONLY);
  ASSERT_TRUE(write_all(begin.get(), std::string(100'000, 'a') + "\nsecond\n"));
  start = Clock::now();
  result = trial.read_plain("sparse", 2, 1);
  std::cout << "a line of 2 GB: " << milliseconds_since(start) << " ms" << std::endl;
  EXPECT_EQ(text_or(result, "content"), "second\n");
  EXPECT_EQ(integer_or(result, "total_lines"), 4);
  EXPECT_EQ(text_or(trial.read_plain("sparse", 4), "content"), "last");
}

TEST(ReadFileTest, StopsWhenCancelled) {
  FilesTrial trial;
  trial.put("f", std::string(5 << 20, 'x'));
  const std::atomic<bool> cancelled = true;
  EXPECT_EQ(error_of(trial.read("f", {.cancelled = &cancelled})), "read f: cancelled");
}

}  // namespace
}  // namespace talaria
