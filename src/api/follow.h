#pragma once
#include <memory>
#include <optional>
#include <string>

#include "api/api.h"
#include "api/parts.h"

namespace talaria {

// Sends a job's raw output to a follower as it comes, and at last how it ended.
class JobFollow : public Follow {
 public:
  JobFollow(Parts& parts, std::string job, uint64_t offset, FollowUntil until, Pace pace, Follower follower);
  ~JobFollow() override;

  void pause() override;
  void resume() override;

 private:
  void read_on();
  void take(Result<OutputPart> part);
  void recover(const Error& error);
  void finish();
  void close(bool told);
  void hold();

  static int64_t next_number();

  Parts& parts_;
  int64_t number_ = next_number();  // tells this follower from others at the keeper
  std::string job_;
  uint64_t offset_;
  FollowUntil until_;
  Pace pace_;
  Follower follower_;
  bool counted_ = false;  // among those who are about to learn how it ended
  bool paused_ = false;
  bool reading_now_ = false;
  int failures_ = 0;              // in a row
  std::optional<uint64_t> last_;  // where the command's own output ends, once it is over
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Outputs::Pending reading_;
  Loop::Timer again_;
};

}  // namespace talaria
