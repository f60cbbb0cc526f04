#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "process/excerpt.h"

namespace talaria {

// A job's output as it comes, of which the beginning and the end are kept.
class CollectedOutput {
 public:
  void add(std::string_view bytes);
  // Made readable; a line in it stands for what was left out.
  Excerpt shown() const;

 private:
  std::string head_;
  std::string tail_;
  uint64_t size_ = 0;
};

}  // namespace talaria
