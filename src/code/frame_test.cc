#include "code/frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace talaria {
namespace {

using Kind = ScriptFrame::Kind;

// What came, with its text kept.
struct Seen {
  Kind kind;
  std::string text;
  uint64_t bytes;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> take_all(ScriptFrames& frames) {
  std::vector<Seen> seen;
  while (const auto frame = frames.next()) seen.push_back({frame->kind, std::string(frame->text), frame->bytes});
  return seen;
}

std::string header_of(uint32_t length) {
  std::string header;
  for (int i = 0; i < 4; ++i) header += static_cast<char>(length >> (8 * i) & 0xFF);
  return header;
}

TEST(FrameTest, ALengthIsFourBytesLittleEndian) {
  EXPECT_EQ(encode_script_frame("{}"), std::string("\x02\0\0\0{}", 6));
  EXPECT_EQ(encode_script_frame(std::string(258, 'x')).substr(0, 4), std::string("\x02\x01\0\0", 4));
}

TEST(FrameTest, GivesTheSameFramesHoweverTheBytesAreCut) {
  const std::string bytes = encode_script_frame("one") + encode_script_frame("") + encode_script_frame("three");
  const std::vector<Seen> expected = {{Kind::message, "one", 3}, {Kind::message, "", 0}, {Kind::message, "three", 5}};
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    ScriptFrames frames;
    std::vector<Seen> seen;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      frames.feed(std::string_view(bytes).substr(at, piece));
      for (Seen& frame : take_all(frames)) seen.push_back(std::move(frame));
    }
    EXPECT_EQ(seen, expected) << piece;
    EXPECT_EQ(frames.held(), 0u);
  }
}

TEST(FrameTest, TakesTheLongestFrameAndLetsItsMemoryGo) {
  ScriptFrames frames;
  const std::string longest(longest_script_frame, 'x');
  frames.feed(encode_script_frame(longest));
  EXPECT_EQ(take_all(frames), (std::vector<Seen>{{Kind::message, longest, longest_script_frame}}));
  EXPECT_EQ(frames.held(), 0u);
}

TEST(FrameTest, SkipsAFrameThatIsTooLongWithoutHoldingIt) {
  ScriptFrames frames;
  const uint32_t length = longest_script_frame + 1;
  frames.feed(header_of(length));
  EXPECT_EQ(take_all(frames), std::vector<Seen>());
  const std::string piece(1 << 16, 'x');
  for (uint32_t left = length; left > 0;) {
    const uint32_t count = std::min<uint32_t>(left, piece.size());
    frames.feed(std::string_view(piece).substr(0, count));
    EXPECT_EQ(frames.held(), 0u);
    left -= count;
    if (left > 0) {
      EXPECT_EQ(frames.next(), std::nullopt);
    }
  }
  frames.feed(encode_script_frame("after"));
  EXPECT_EQ(take_all(frames), (std::vector<Seen>{{Kind::oversize, "", length}, {Kind::message, "after", 5}}));
}

TEST(FrameTest, AnnouncedLengthTakesNoMemory) {
  ScriptFrames frames;
  frames.feed(header_of(longest_script_frame));
  frames.feed("abc");
  EXPECT_EQ(frames.next(), std::nullopt);
  EXPECT_EQ(frames.held(), 7u);
}

TEST(FrameTest, ARefusedFrameIsSkippedToItsEnd) {
  ScriptFrames frames;
  frames.feed(header_of(10) + "12345");
  EXPECT_EQ(frames.next(), std::nullopt);
  frames.refuse();
  frames.refuse();
  EXPECT_EQ(frames.held(), 0u);
  EXPECT_EQ(frames.next(), std::nullopt);
  frames.feed("67890" + encode_script_frame("after"));
  EXPECT_EQ(take_all(frames), (std::vector<Seen>{{Kind::refused, "", 10}, {Kind::message, "after", 5}}));
}

TEST(FrameTest, RefusesNothingWhereNothingIsHalfThere) {
  ScriptFrames frames;
  frames.refuse();
  frames.feed("\x03");
  frames.refuse();
  frames.feed(encode_script_frame("abc").substr(1));
  frames.refuse();
  EXPECT_EQ(take_all(frames), (std::vector<Seen>{{Kind::message, "abc", 3}}));
}

}  // namespace
}  // namespace talaria
