#include "rpc/base64.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(Base64Test, EncodesTheStandardExamples) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64Test, DecodesWhatItEncodesForEveryByteAndLength) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    Result<std::string> decoded = base64_decode(base64_encode(bytes));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64Test, RefusesWhatNoEncoderWrites) {
  for (const char* wrong : {"Z", "Zg", "Zg=", "Zg=a", "=", "====", "Z===", "Zh==", "Zm9=", "Zm 9", "Zg==Zg=="}) {
    EXPECT_FALSE(base64_decode(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace talaria
