#pragma once
#include <cstddef>
#include <string_view>

namespace talaria {

// How much comparing may still be done: what makes hostile text cost no more than ordinary text.
class WorkLimit {
 public:
  explicit WorkLimit(size_t steps) : left_(steps) {}
  // False, from then on always, when there is not that much left.
  bool spend(size_t steps) {
    left_ = steps > left_ ? 0 : left_ - steps;
    return left_ > 0;
  }
  bool used_up() const { return left_ == 0; }

 private:
  size_t left_;
};

// The bytes that both have in common, in order; of very long lines only their ends and some of the middle are compared.
size_t common_bytes(std::string_view a, std::string_view b, WorkLimit& limit);

// From 0 (nothing in common) to 1 (equal): twice the common bytes through all bytes. 0 where it is surely below
// `least`, or when the limit is used up.
double similarity(std::string_view a, std::string_view b, double least, WorkLimit& limit);

}  // namespace talaria
