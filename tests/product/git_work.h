#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "product/left_behind_attack.h"

namespace talaria {

// A command of everyday in an existing repository.
struct WorkInside {
  const char* name;
  const char* before;  // what the person had done
  const char* inside;
  const char* check;  // what must be true on the host afterwards
};

// Does such work: it succeeds, the guard takes nothing, and the person finds what was to be done.
class GitWorkTest : public LeftBehindAttacksTest {
 protected:
  void SetUp() override;
  void expect_done(const std::vector<WorkInside>& all);
};

}  // namespace talaria
