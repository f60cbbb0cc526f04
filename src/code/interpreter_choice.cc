#include "code/interpreter_choice.h"

#include <algorithm>
#include <initializer_list>

#include "base/text.h"

namespace talaria {
namespace {

constexpr size_t most_places = 64;
constexpr size_t most_parents = 32;

std::string value_in(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

bool is_absolute(const std::string& path) { return path.starts_with('/') && path.find('\0') == std::string::npos; }

std::string without_end_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

class Places {
 public:
  void add_prefix(const std::string& found_by, const std::string& folder, bool named) {
    const std::string bin = folder + "/bin/";
    add({found_by, folder, {bin + "python3", bin + "python"}, named});
  }
  void add_variable(const Environment& variables, const std::string& name) {
    const std::string folder = without_end_slash(value_in(variables, name));
    if (is_absolute(folder)) add_prefix(name, folder, true);
  }
  void add_search_path(const std::string& path) {
    for (const std::string& entry : split(path, ':')) {
      const std::string folder = without_end_slash(entry);
      if (is_absolute(folder)) add({"PATH", folder, {(folder == "/" ? "" : folder) + "/python3"}, false});
    }
  }
  std::vector<InterpreterPlace> take() && { return std::move(places_); }

 private:
  void add(InterpreterPlace place) {
    const auto same = [&](const InterpreterPlace& other) { return other.programs == place.programs; };
    if (places_.size() < most_places && std::ranges::none_of(places_, same)) places_.push_back(std::move(place));
  }

  std::vector<InterpreterPlace> places_;
};

}  // namespace

std::vector<InterpreterPlace> interpreter_places(InterpreterMode mode, const std::string& cwd,
                                                 const std::string& workspace, const Environment& variables) {
  Places places;
  if (mode == InterpreterMode::strict) {
    places.add_search_path("/usr/bin:/usr/local/bin:/bin");
  } else {
    places.add_variable(variables, "VIRTUAL_ENV");
    for (const std::string& folder : {without_end_slash(cwd), without_end_slash(workspace)}) {
      if (!is_absolute(folder)) continue;
      for (const std::string name : {".venv", "venv"}) {
        places.add_prefix(name, (folder == "/" ? "" : folder) + "/" + name, false);
      }
    }
    places.add_variable(variables, "CONDA_PREFIX");
  }
  places.add_search_path(value_in(variables, "PATH"));
  return std::move(places).take();
}

std::vector<std::string> shim_files(const std::string& program, const std::string& cwd, const Environment& variables) {
  std::vector<std::string> files;
  constexpr std::string_view shims = "/shims/";
  const size_t folder_end = program.find_last_of('/') + 1;
  if (const std::string_view folder = std::string_view(program).substr(0, folder_end); folder.ends_with(shims)) {
    files.push_back(std::string(folder.substr(0, folder.size() - shims.size())) + "/version");
  }
  if (const std::string root = value_in(variables, "PYENV_ROOT"); is_absolute(root)) files.push_back(root + "/version");
  if (!is_absolute(cwd)) return files;
  std::string folder = without_end_slash(cwd);
  for (size_t depth = 0; depth < most_parents; ++depth) {
    if (folder == "/") folder.clear();
    files.push_back(folder + "/.python-version");
    if (folder.empty()) break;
    folder.resize(folder.find_last_of('/'));
  }
  return files;
}

std::string no_interpreter(InterpreterMode mode, const std::vector<std::string>& notes) {
  std::string message = "execute_code needs CPython 3.8 or newer, and there is none ";
  message += mode == InterpreterMode::strict ? "among the system's programs" : "in this project or on the PATH";
  if (!notes.empty()) message += " (" + join(notes, " ") + ")";
  return message + "; install one: apt install python3";
}

}  // namespace talaria
