#include "guard/remedies.h"

#include <gmock/gmock.h>

#include "guard/quarantine_trial.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class RemediesTest : public QuarantineTrial {
 protected:
  static Remedies::Why why() { return {"direnv", "direnv runs it"}; }

  UniqueFd root_fd_ = *open_folder(workspace_);
  Remedies remedies_{root_fd_.get(), workspace_, "s1", folder_};
};

TEST_F(RemediesTest, WhatIsTakenAwayIsReportedWithItsId) {
  write(workspace_ + "/.envrc", "x");
  remedies_.take_away(".envrc", why());
  remedies_.take_away(".envrc", why());  // it is gone by itself
  const QuarantinedItem item = quarantine_.list()->at(0);
  EXPECT_THAT(remedies_.take_reports(),
              ElementsAre(Violation{Violation::Kind::quarantined, ".envrc", "direnv", "direnv runs it", item.id}));
}

TEST_F(RemediesTest, WhatNoListShowsIsNamedByTheReport) {
  ASSERT_TRUE(make_directories(root_ + "/home"));
  write(folder_, "a file in the place of the quarantine");
  write(workspace_ + "/.envrc", "x", 0755);
  remedies_.take_away(".envrc", why());
  const std::vector<Violation> reports = remedies_.take_reports();
  ASSERT_EQ(reports.size(), 1U);
  const std::string aside = ".talaria-taken-" + reports[0].id;
  EXPECT_THAT(left(), ElementsAre(aside));
  EXPECT_THAT(reports[0].why, AllOf(StartsWith("direnv runs it. It could not be kept in quarantine ("),
                                    HasSubstr("it is now " + workspace_ + "/" + aside + ", and its mode was 0755")));
}

}  // namespace
}  // namespace talaria
