#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "keeper/frame.h"
#include "sandbox/shown_path.h"

namespace talaria {

// What `show` asks and answers, as it travels between gateway and keeper.

std::string pack_wishes(const std::vector<ShowWish>& wishes);
Result<std::vector<ShowWish>> wishes_in(const Frame& frame);

std::string pack_outcomes(const std::vector<ShowOutcome>& outcomes);
Result<ShowAnswer> show_answer_in(const Frame& frame);

}  // namespace talaria
