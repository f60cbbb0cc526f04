#include "process/lost_range.h"

#include "base/text.h"

namespace talaria {

std::string loss_sentence(uint64_t bytes, const std::string& because) {
  const std::string count = with_commas(bytes) + (bytes == 1 ? " byte" : " bytes") + " of output ";
  if (because.empty()) return count + (bytes == 1 ? "is" : "are") + " no longer kept";
  return count + (bytes == 1 ? "was" : "were") + " lost: " + because;
}

}  // namespace talaria
