#include "os/last_words.h"

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace talaria {

void say_trouble(const char* what) {
  char line[512];
  std::snprintf(line, sizeof line, "%s: %s\n", program_invocation_short_name, what);
  (void)!::write(STDERR_FILENO, line, std::strlen(line));
}

void say_last_words() {
  std::set_terminate([] {
    try {
      if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
      say_trouble("ends because of an unknown error");
    } catch (const std::bad_alloc&) {
      say_trouble("ends: out of memory");
    } catch (const std::exception& thrown) {
      char text[256];
      std::snprintf(text, sizeof text, "ends: %s", thrown.what());
      say_trouble(text);
    } catch (...) {
      say_trouble("ends because of an unknown error");
    }
    ::_exit(1);
  });
}

}  // namespace talaria
