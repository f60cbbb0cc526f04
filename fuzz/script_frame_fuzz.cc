// What a script sends us: any bytes on a channel, in any pieces, give frames or words that one was passed over, never a
// crash, and cutting the same bytes elsewhere gives the same; any text is a message or an error.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "code/frame.h"
#include "code/lobby.h"
#include "code/run_tally.h"
#include "code/script_message.h"
#include "code/traceback.h"

using namespace talaria;

namespace {

std::string read_all(std::string_view bytes, size_t piece) {
  ScriptFrames frames;
  std::string seen;
  while (!bytes.empty()) {
    frames.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (const auto frame = frames.next()) {
      seen += std::to_string(static_cast<int>(frame->kind)) + ":" + std::to_string(frame->bytes) + ":";
      seen += std::string(frame->text) + "\n";
    }
    if (frames.held() > longest_script_frame + script_frame_header) std::abort();
  }
  return seen + std::to_string(frames.held());
}

// Refusing in the midst of a frame loses that frame and nothing else: the stream stays in step.
void refuse_each(std::string_view bytes) {
  ScriptFrames frames;
  while (!bytes.empty()) {
    frames.feed(bytes.substr(0, 3));
    bytes.remove_prefix(std::min<size_t>(3, bytes.size()));
    while (const auto frame = frames.next()) {
      if (frame->kind == ScriptFrame::Kind::message && frame->text.size() != frame->bytes) std::abort();
    }
    frames.refuse();
  }
}

void read_message(std::string_view text) {
  const Result<ScriptMessage> message = parse_script_message(text);
  if (!message) {
    (void)error_frame(1, message.error().message());
    return;
  }
  if (const auto* request = std::get_if<ScriptRequest>(&*message)) {
    // What we answer, a script can read.
    const std::optional<std::string> frame = result_frame(request->id, request->call.arguments);
    if (!frame || !parse_json_object(std::string_view(*frame).substr(script_frame_header))) std::abort();
    (void)short_arguments(request->call.arguments);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (read_all(bytes, size + 1) != read_all(bytes, 1 + size / 3)) std::abort();
  refuse_each(bytes);
  read_message(bytes);
  (void)parse_lobby_packet(bytes);
  (void)hint_for(exception_line(bytes), "python3");
  return 0;
}
