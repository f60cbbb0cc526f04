#include "api/secret_fingerprint.h"

#include <gmock/gmock.h>

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SecretFingerprintTest, FindsAValueWhereverItStands) {
  const FingerprintKey key("a key");
  const FingerprintSearch search(key, {key.fingerprint("A", "12345678"), key.fingerprint("B", "abcdefgh-long")});
  EXPECT_THAT(search.find("12345678"), ElementsAre(SecretSpan{0, 8, "A"}));
  EXPECT_THAT(search.find("x 12345678 abcdefgh-long12345678"),
              ElementsAre(SecretSpan{2, 8, "A"}, SecretSpan{11, 13, "B"}, SecretSpan{24, 8, "A"}));
  EXPECT_THAT(search.find(""), IsEmpty());
  EXPECT_THAT(search.find("1234567"), IsEmpty());
  EXPECT_THAT(search.find("12345679 abcdefgh-lonG"), IsEmpty());
}

TEST(SecretFingerprintTest, OfTwoAtOnePlaceTheLongerComesFirst) {
  const FingerprintKey key("a key");
  const FingerprintSearch search(key, {key.fingerprint("SHORT", "12345678"), key.fingerprint("LONG", "1234567890")});
  EXPECT_THAT(search.find("1234567890"), ElementsAre(SecretSpan{0, 10, "LONG"}, SecretSpan{0, 8, "SHORT"}));
}

TEST(SecretFingerprintTest, EveryByteCounts) {
  const FingerprintKey key("a key");
  std::string value;
  for (int byte = 0; byte < 256; ++byte) value += static_cast<char>(byte);
  const FingerprintSearch search(key, {key.fingerprint("A", value)});
  EXPECT_THAT(search.find(value + value), ElementsAre(SecretSpan{0, 256, "A"}, SecretSpan{256, 256, "A"}));
  std::string other = value;
  other[0] = 1;
  EXPECT_THAT(search.find(other), IsEmpty());
}

TEST(SecretFingerprintTest, AreOtherOnesInEveryHome) {
  const SecretFingerprint one = FingerprintKey(FingerprintKey::random_text()).fingerprint("A", "12345678");
  const SecretFingerprint two = FingerprintKey(FingerprintKey::random_text()).fingerprint("A", "12345678");
  EXPECT_EQ(one.digest.size(), 64u);
  EXPECT_NE(one.digest, two.digest);
  EXPECT_NE(one.rolling, two.rolling);
}

TEST(SecretFingerprintTest, ALookAlikeByTheShortHashIsNoMatch) {
  const FingerprintKey key("a key");
  SecretFingerprint print = key.fingerprint("A", "12345678");
  print.digest = key.digest("87654321");
  EXPECT_THAT(FingerprintSearch(key, {print}).find("12345678"), IsEmpty());
}

}  // namespace
}  // namespace talaria
