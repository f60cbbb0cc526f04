#include "store/agent_place_table.h"

#include <gmock/gmock.h>

#include "store/scratch_folder.h"
#include "store/store.h"

namespace talaria {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(AgentPlaceTableTest, EveryFolderIsKnownOnceAndForGood) {
  const ScratchFolder folder;
  {
    Result<Store> store = Store::open(folder.database());
    ASSERT_TRUE(store) << store.error().message();
    EXPECT_THAT(*store->agent_places().all(), IsEmpty());
    ASSERT_TRUE(store->agent_places().add({"/a", "/b"}));
    ASSERT_TRUE(store->agent_places().add({"/b", "/c d"}));
    EXPECT_THAT(*store->agent_places().all(), UnorderedElementsAre("/a", "/b", "/c d"));
  }
  Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store) << store.error().message();
  ASSERT_TRUE(store->agent_places().add({"/a"}));
  EXPECT_THAT(*store->agent_places().all(), UnorderedElementsAre("/a", "/b", "/c d"));
}

TEST(AgentPlaceTableTest, WhatCannotBeStoredIsKnownAllTheSame) {
  const ScratchFolder folder;
  Result<Store> store = Store::open(folder.database());
  ASSERT_TRUE(store) << store.error().message();
  Result<Database> other = Database::open(folder.database());
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->execute("CREATE TRIGGER full BEFORE INSERT ON agent_places BEGIN SELECT RAISE(FAIL, 'full'); END",
                             "refuse"));
  EXPECT_FALSE(store->agent_places().add({"/a"}));
  EXPECT_THAT(*store->agent_places().all(), UnorderedElementsAre("/a"));
  ASSERT_TRUE(other->execute("DROP TRIGGER full", "allow"));
  ASSERT_TRUE(store->agent_places().add({"/b"}));
  EXPECT_THAT(*store->agent_places().all(), UnorderedElementsAre("/a", "/b"));
}

}  // namespace
}  // namespace talaria
