// What search programs print: any bytes, in any pieces, give a result of the promised shape, never a crash, and the
// same one whatever the pieces.
#include "files/search.h"

#include <cstdint>
#include <cstdlib>

#include "files/rg_event.h"
#include "files/search_pattern.h"
#include "gate/gate.h"

using namespace talaria;

namespace {

std::string result_of(const SearchRequest& request, const SearchPrograms& programs, const FileGate& gate,
                      std::string_view output, size_t piece) {
  Search search = *Search::plan(request, programs, gate);
  if (!search.next_command()) std::abort();
  for (size_t at = 0; at < output.size(); at += piece) search.take(output.substr(at, piece));
  search.ended(0);
  const JsonObject result = search.result();
  if (!result.at("matches").is_array() || !result.at("total_count").is_number()) std::abort();
  if (result.at("matches").get_array().size() > request.limit) std::abort();
  const std::string text = write_json(result);
  if (!parse_json(text)) std::abort();
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static const FileGate gate =
      Gate([](const GateRequest&, const Verdict&) -> Result<> { return ok; }).files({}, {}, {});
  const uint8_t choice = data[0];
  const std::string_view output(reinterpret_cast<const char*>(data) + 1, size - 1);
  SearchRequest request{.pattern = "a+b"};
  request.output = static_cast<SearchOutput>(choice % 3);
  request.context = choice >> 2 & 3;
  request.offset = choice & 16 ? 1 : 0;
  request.limit = choice & 32 ? 3000 : 2;
  const SearchPrograms programs{choice & 64 ? "/usr/bin/rg" : "", "/usr/bin/grep"};
  if (result_of(request, programs, gate, output, output.size()) !=
      result_of(request, programs, gate, output, 1 + size % 7))
    std::abort();
  (void)parse_rg_line(output, 100);
  const GrepPattern pattern = for_grep(output);
  if (pattern.fault && (pattern.fault->position == 0 || pattern.fault->position > output.size() + 1)) std::abort();
  return 0;
}
