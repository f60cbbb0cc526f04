#include "files/file_system.h"

#include <cerrno>

namespace talaria {
namespace {

constexpr int most_links = 40;  // as the kernel has it

std::string below(const std::string& folder, std::string_view name) {
  return (folder.ends_with('/') ? folder : folder + "/") + std::string(name);
}

}  // namespace

std::string parent_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return std::string(path.substr(0, slash));
}

std::string name_of(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path.substr(path.rfind('/') + 1));
}

Result<std::string> FileSystem::real_path(const std::string& path) {
  std::string wanted = path;
  std::string rest;  // what is below `wanted` and not there: "/b/c"
  for (int links = 0; links <= most_links;) {
    Result<FoundFile> found = find(wanted);
    if (found) return rest.empty() ? found->real_path : below(found->real_path, std::string_view(rest).substr(1));
    if (found.error().number() != ENOENT || wanted == "/") return std::move(found).error();
    if (const Result<FileStat> link = stat(wanted, Links::looked_at); link && link->type == FileType::link) {
      ++links;
      Result<std::string> target = read_link(wanted);
      if (!target) return std::move(target).error();
      wanted = target->starts_with('/') ? *target : below(parent_of(wanted), *target);
      continue;
    }
    const std::string name = name_of(wanted);
    if (name == ".." || name == ".")
      return Error::from_number(ENOENT, "find " + path + ", which leads through a folder that is not there");
    rest = "/" + name + rest;
    wanted = parent_of(wanted);
  }
  return Error::from_number(ELOOP, "find " + path);
}

Result<std::vector<std::string>> FileSystem::make_directories(const std::string& path) {
  std::vector<std::string> missing;
  for (std::string folder = path;; folder = parent_of(folder)) {
    const Result<FileStat> there = stat(folder);
    if (there && there->type == FileType::directory) break;
    if (there) return Error::from_number(ENOTDIR, "make the directory " + path + ": " + folder);
    if (there.error().number() != ENOENT || folder == "/") return there.error();
    missing.push_back(folder);
  }
  std::vector<std::string> made;
  for (; !missing.empty(); missing.pop_back()) {
    const Result<> done = make_directory(missing.back());
    if (done) made.push_back(missing.back());
    // Somebody else may make the same one.
    if (done || done.error().number() == EEXIST) continue;
    for (; !made.empty(); made.pop_back()) (void)remove(made.back());
    return done.error();
  }
  return made;
}

}  // namespace talaria
