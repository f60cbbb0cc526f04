#include "api/virtual_environment.h"

#include <algorithm>

#include "api/inside_paths.h"
#include "base/text.h"

namespace talaria {

void put_virtual_environment_first(Environment& variables, const View& view) {
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto active = variables.find(name);
    if (active == variables.end() || active->second.empty()) continue;
    const std::string programs = active->second + "/bin";
    const bool usable = programs.starts_with('/') && programs.find(':') == std::string::npos;
    if (!usable || differs_inside(view, programs)) continue;
    std::string& path = variables["PATH"];
    std::vector<std::string> places = path.empty() ? std::vector<std::string>() : split(path, ':');
    std::erase(places, programs);
    places.insert(places.begin(), programs);
    path = join(places, ":");
    return;
  }
}

}  // namespace talaria
