#include "base/result.h"

#include <system_error>

#include "base/unseen.h"

namespace talaria {

std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::denied: return "denied";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::timed_out: return "timed_out";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::system: return "system";
  }
  return "system";
}

Error Error::from_number(int number, std::string what) {
  ErrorCode code = ErrorCode::system;
  if (number == ENOENT) code = ErrorCode::not_found;
  if (number == EACCES || number == EPERM) code = ErrorCode::denied;
  Error error(code, shown_line(what) + ": " + std::generic_category().message(number));
  error.number_ = number;
  return error;
}

}  // namespace talaria
