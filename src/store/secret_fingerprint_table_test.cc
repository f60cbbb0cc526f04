#include "store/secret_fingerprint_table.h"

#include <gmock/gmock.h>

#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SecretFingerprintTableTest, KeepsEachOnceTheNewestLast) {
  const ScratchFolder folder;
  const SecretFingerprint one{"ONE", 8, 4'000'000'000, "a1"};
  const SecretFingerprint two{"TWO", 9, 0, "b2"};
  {
    Result<Store> store = Store::open(folder.database());
    ASSERT_TRUE(store) << store.error().message();
    EXPECT_THAT(*store->secret_fingerprints().all(), IsEmpty());
    ASSERT_TRUE(store->secret_fingerprints().add({one, two}));
    ASSERT_TRUE(store->secret_fingerprints().add({one}));
    ASSERT_TRUE(store->secret_fingerprints().add({}));
  }
  Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store) << store.error().message();
  EXPECT_THAT(*store->secret_fingerprints().all(), ElementsAre(two, one));
}

TEST(SecretFingerprintTableTest, ForgetsTheOldestWhenThereAreTooMany) {
  const ScratchFolder folder;
  Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store) << store.error().message();
  std::vector<SecretFingerprint> many;
  for (int64_t i = 0; i < SecretFingerprintTable::most + 3; ++i) many.push_back({"N", 8, 1, std::to_string(i)});
  ASSERT_TRUE(store->batch([&] { return store->secret_fingerprints().add(many); }));
  const std::vector<SecretFingerprint> kept = *store->secret_fingerprints().all();
  ASSERT_EQ(kept.size(), static_cast<size_t>(SecretFingerprintTable::most));
  EXPECT_EQ(kept.front().digest, "3");
}

}  // namespace
}  // namespace talaria
