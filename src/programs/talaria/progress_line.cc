#include "talaria/progress_line.h"

#include <unistd.h>

#include <utility>

#include "os/file.h"

namespace talaria {

void ProgressLine::show(const JsonObject& news) {
  std::string text = text_or(news, "message");
  if (const Json* fraction = news.if_contains("fraction"); fraction && fraction->is_number()) {
    text = std::to_string(static_cast<int>(fraction->to_number<double>() * 100)) + " %  " + text;
  }
  if (!terminal_) return remark(text);
  (void)write_all(STDERR_FILENO, "\r\033[K" + for_terminal(text).substr(0, 200));
  shown_ = true;
}

void ProgressLine::clear() {
  if (std::exchange(shown_, false)) (void)write_all(STDERR_FILENO, "\r\033[K");
}

}  // namespace talaria
