#include "guard/digest.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

TEST(DigestTest, IsSha256) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(DigestTest, IsTheSameInPieces) {
  const std::string bytes(1000, 'x');
  for (size_t piece : {1, 55, 56, 63, 64, 65, 999}) {
    Digest digest;
    for (size_t at = 0; at < bytes.size(); at += piece) digest.add(std::string_view(bytes).substr(at, piece));
    EXPECT_EQ(digest.hex(), digest_of(bytes)) << piece;
  }
}

}  // namespace
}  // namespace talaria
