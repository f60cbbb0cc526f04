#include "keeper/frame.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(FrameTest, ComesBackWholeHoweverItIsCut) {
  const std::string wire = encode_frame({{"op", "start"}, {"seq", 7}}, std::string("a\0b", 3)) + encode_frame({});
  for (size_t cut = 0; cut <= wire.size(); ++cut) {
    FrameReader reader;
    reader.feed(std::string_view(wire).substr(0, cut));
    std::vector<Frame> frames;
    for (int part = 0; part < 2; ++part) {
      for (auto frame = reader.next(); frame && *frame; frame = reader.next()) frames.push_back(std::move(**frame));
      if (part == 0) reader.feed(std::string_view(wire).substr(cut));
    }
    ASSERT_EQ(frames.size(), 2u) << "cut at " << cut;
    EXPECT_EQ(write_json(frames[0].header), R"({"op":"start","seq":7})");
    EXPECT_EQ(frames[0].payload, std::string("a\0b", 3));
    EXPECT_EQ(frames[1].payload, "");
  }
}

TEST(FrameTest, SaysHowManyBytesAreMissing) {
  const std::string wire = encode_frame({{"op", "list"}}, "xyz");
  FrameReader reader;
  EXPECT_EQ(reader.missing(), 8u);
  reader.feed(std::string_view(wire).substr(0, 8));
  EXPECT_EQ(reader.missing(), wire.size() - 8);
}

TEST(FrameTest, RefusesAFrameThatIsTooLarge) {
  FrameReader reader;
  reader.feed(std::string_view("\xff\xff\xff\xff\x00\x00\x00\x00", 8));
  EXPECT_FALSE(reader.next());
}

TEST(FrameTest, RefusesAHeaderThatIsNoObject) {
  FrameReader reader;
  reader.feed(std::string_view("\x02\x00\x00\x00\x00\x00\x00\x00[]", 10));
  EXPECT_FALSE(reader.next());
}

TEST(FrameTest, UnpacksStringsAndNoticesAMissingEnd) {
  const std::string packed = pack_strings({"bash", "", "-c"});
  std::string_view rest = packed;
  EXPECT_EQ(*unpack_strings(rest, 3), (std::vector<std::string>{"bash", "", "-c"}));
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(unpack_strings(rest, 1));
}

}  // namespace
}  // namespace talaria
