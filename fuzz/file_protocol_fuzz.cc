// The packets between a file server and its client: any bytes give a request or an answer or an error, never a crash;
// and what was understood is encoded to the same bytes again.
#include "sandbox/file_protocol.h"

#include <cstdint>
#include <cstdlib>

using namespace talaria;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<FileRequest> request = decode_file_request(bytes);
  if (request && (encode(*request) != bytes || size > most_request_bytes)) std::abort();
  const Result<FileAnswer> answer = decode_file_answer(bytes);
  if (answer && (encode(*answer) != bytes || size > most_answer_bytes)) std::abort();
  return 0;
}
