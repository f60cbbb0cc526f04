#include "sandbox/file_protocol.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

namespace talaria {
namespace {

TEST(FileProtocolTest, CarriesRequests) {
  const std::vector<FileRequest> requests = {
      {.operation = FileOperation::open, .access = {.read = true}, .path = "/a"},
      {.operation = FileOperation::open,
       .access = {.read = true,
                  .write = true,
                  .append = true,
                  .create = true,
                  .exclusive = true,
                  .truncate = true,
                  .no_follow = true},
       .mode = 0640,
       .path = "/a\nb"},
      {.operation = FileOperation::stat, .follow = false, .path = "/"},
      {.operation = FileOperation::list_more},
      {.operation = FileOperation::rename, .replace = false, .path = "/a", .second_path = "/b/c"},
      {.operation = FileOperation::set_mode, .mode = 0777, .path = "/" + std::string(4094, 'x')},
      {.operation = FileOperation::set_owner, .uid = 1000, .gid = 65534, .path = "/a"},
  };
  for (const FileRequest& request : requests) EXPECT_EQ(*decode_file_request(encode(request)), request);
}

TEST(FileProtocolTest, CarriesAnswers) {
  FileAnswer answer{.refusal = FileRefusal::set_up, .number = 13, .step = 4, .more = true};
  answer.stat = {.type = FileType::regular,
                 .mode = 0644,
                 .uid = 1,
                 .gid = 2,
                 .size = 1ULL << 40,
                 .links = 3,
                 .device = 4,
                 .inode = 5,
                 .modified_ns = -6,
                 .changed_ns = 7};
  answer.text = "why";
  answer.entries = {{"a", FileType::directory}, {std::string(1000, 'b'), FileType::unknown}, {"\xff", FileType::fifo}};
  EXPECT_EQ(*decode_file_answer(encode(answer)), answer);
  EXPECT_EQ(*decode_file_answer(encode(FileAnswer())), FileAnswer());
}

TEST(FileProtocolTest, RefusesRequestsThatMakeNoSense) {
  const std::string zero("/a\0b", 4);
  const std::vector<FileRequest> requests = {
      {.operation = FileOperation::stat},
      {.operation = FileOperation::stat, .path = "a"},
      {.operation = FileOperation::stat, .path = zero},
      {.operation = FileOperation::stat, .path = "/" + std::string(4095, 'x')},
      {.operation = FileOperation::stat, .path = "/a", .second_path = "/b"},
      {.operation = FileOperation::stat, .access = {.read = true}, .path = "/a"},
      {.operation = FileOperation::list, .follow = false, .path = "/a"},
      {.operation = FileOperation::list_more, .path = "/a"},
      {.operation = FileOperation::open, .path = "/a"},
      {.operation = FileOperation::open, .access = {.read = true, .truncate = true}, .path = "/a"},
      {.operation = FileOperation::open, .access = {.write = true, .exclusive = true}, .path = "/a"},
      {.operation = FileOperation::set_mode, .mode = 01777, .path = "/a"},
      {.operation = FileOperation::set_mode, .uid = 1, .path = "/a"},
      {.operation = FileOperation::stat, .gid = 1, .path = "/a"},
      {.operation = FileOperation::rename, .path = "/a"},
      {.operation = FileOperation::rename, .path = "/a", .second_path = "b"},
      {.operation = FileOperation::remove, .replace = false, .path = "/a"},
  };
  for (const FileRequest& request : requests) {
    EXPECT_FALSE(check(request)) << request.path;
    EXPECT_FALSE(decode_file_request(encode(request))) << request.path;
  }
}

// Cut anywhere, longer by a byte, or with any byte of its head set to the most: never more than a value or an error.
TEST(FileProtocolTest, RefusesMalformedBytes) {
  const std::string request =
      encode(FileRequest{.operation = FileOperation::rename, .path = "/a", .second_path = "/b"});
  for (size_t length = 0; length < request.size(); ++length)
    EXPECT_FALSE(decode_file_request(request.substr(0, length)));
  EXPECT_FALSE(decode_file_request(request + "x"));
  for (size_t i = 0; i < 32; ++i) {
    std::string changed = request;
    changed[i] = i == 8 ? '\1' : '\xff';  // the lowest byte of a mode may be anything, but not for a rename
    EXPECT_FALSE(decode_file_request(changed)) << i;
  }
  FileAnswer page;
  page.entries = {{"a", FileType::regular}};
  const std::string answer = encode(page);
  for (size_t length = 0; length < answer.size(); ++length) EXPECT_FALSE(decode_file_answer(answer.substr(0, length)));
  EXPECT_FALSE(decode_file_answer(answer + "x"));
  EXPECT_FALSE(decode_file_answer(answer + std::string(most_answer_bytes, 'x')));
  for (const char bad : {'/', '\0'}) {
    std::string changed = answer;
    changed.back() = bad;
    EXPECT_FALSE(decode_file_answer(changed));
  }
}

TEST(FileProtocolTest, FitsThePageIntoAnAnswer) {
  FileAnswer page;
  page.text = std::string(most_path_bytes, 'x');
  size_t kernel = 0;  // as getdents64(2) fills its buffer: 20 bytes and the name, in steps of eight
  while ((kernel += 24) <= most_page_bytes) page.entries.push_back({"a", FileType::regular});
  EXPECT_LE(encode(page).size(), most_answer_bytes);
}

TEST(FileProtocolTest, NamesTypes) {
  EXPECT_EQ(file_type_of(S_IFREG | 0644), FileType::regular);
  EXPECT_EQ(file_type_of(S_IFBLK), FileType::block_device);
  EXPECT_EQ(file_type_of(0), FileType::unknown);
  EXPECT_EQ(describe(FileType::fifo), "a FIFO");
}

}  // namespace
}  // namespace talaria
