#pragma once
#include <map>
#include <string>
#include <vector>

namespace talaria {

// What of hidden directories must be shown again so that the person's tools run.
struct Toolchains {
  std::map<std::string, std::string> shown;  // where it is looked for → the real place; read-only
  std::vector<std::string> credentials;      // inside those: covered again
  bool operator==(const Toolchains&) const = default;
};

// Looks at PATH and the variables that name a tool's home (PYENV_ROOT, VIRTUAL_ENV, …) for places below `hidden`
// (homes, /run, /mnt …). Of a known tool it shows what it needs, of an unknown one only the directory on PATH; never a
// hidden directory itself, nor one where secrets live.
Toolchains find_toolchains(const std::map<std::string, std::string>& environment,
                           const std::vector<std::string>& hidden, const std::vector<std::string>& homes);

}  // namespace talaria
