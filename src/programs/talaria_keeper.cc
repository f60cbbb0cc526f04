// talaria-keeper: small, single-threaded, no secrets in it; starts and owns every job.
#include <cstdio>
#include <cstring>

#include "keeper/launch.h"
#include "os/standard_streams.h"

int main(int argc, char** argv) {
  if (!talaria::reserve_standard_streams()) return 1;
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
    std::printf("talaria-keeper %s\n", TALARIA_VERSION);
    return 0;
  }
  if (argc > 1) {
    std::fprintf(stderr, "talaria-keeper takes no arguments; the gateway starts it. See: talaria serve --help\n");
    return 2;
  }
  return talaria::run_keeper();
}
