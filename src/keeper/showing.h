#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "keeper/spawner.h"
#include "loop/loop.h"
#include "sandbox/shown_path.h"
#include "sandbox/shown_sources.h"
#include "sandbox/space.h"

namespace talaria {

// One request that a sandbox which stands shows a set of paths, and nothing else beside its view.
//   asking ⇄ opening → done
// The holder is asked what is missing. That is opened on the host by a process of its own, for it may hang there, and
// given to the holder, which then says what came of it.
class Showing {
 public:
  using Done = std::function<void(Result<ShowAnswer>)>;

  // `done` may destroy us.
  Showing(Loop& loop, SessionSpace& space, Spawner& spawner, const SpacePlan& plan, std::vector<ShowWish> wishes,
          Done done);

  void begin();
  // The sandbox is gone.
  void fail(const Error& why);

 private:
  void ask();
  void hear_holder();
  void take_answer(const ShowAnswer& answer);
  void open(const std::vector<uint32_t>& wanted);
  void hear_sources();
  void sources_are_open(const std::string& trouble);
  void finish(Result<ShowAnswer> answer);

  Loop& loop_;
  SessionSpace& space_;
  Spawner& spawner_;
  const SpacePlan& plan_;
  std::vector<ShowWish> wishes_;
  Done done_;
  bool changed_ = false;
  int rounds_ = 0;
  std::map<uint32_t, UniqueFd> opened_;         // by wish
  std::map<uint32_t, std::string> not_opened_;  // and why
  std::vector<uint32_t> opening_;               // the wishes that are
  std::string text_;                            // of the holder, so far
  UniqueFd socket_;                             // of whom we wait for
  Loop::Timer deadline_;
  Loop::Watch watch_;
};

}  // namespace talaria
