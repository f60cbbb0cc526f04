#include "files/search_filter.h"

#include "files/file_system.h"

namespace talaria {

std::string_view plain_path(std::string_view path) {
  while (path.starts_with("./")) {
    path.remove_prefix(2);
    while (path.starts_with('/')) path.remove_prefix(1);
  }
  return path;
}

SearchFilter::SearchFilter(const SearchRequest& request, const FileGate& gate, NameGlob glob, Hidden hidden)
    : gate_(gate),
      glob_(std::move(glob)),
      second_glob_(request.target == SearchTarget::files ? request.file_glob : ""),
      hidden_(hidden),
      cwd_(request.cwd),
      root_(plain_path(request.path)),
      real_root_(request.real_path) {
  if (cwd_ == "/") cwd_.clear();
  if (real_root_ == "/") real_root_ = "/.";
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  if (root_ == ".") root_.clear();
}

SearchFilter::Answer SearchFilter::judge(std::string_view path) const {
  std::string_view below = path;
  const bool is_root = path == root_;  // a single file was searched
  if (!root_.empty() && below.starts_with(root_)) below.remove_prefix(root_.size());
  while (below.starts_with('/')) below.remove_prefix(1);
  const std::string name = name_of(path);
  const std::string_view judged = is_root ? std::string_view(name) : below;
  if (!glob_.means(judged) || !second_glob_.means(judged)) return Answer::left_out;
  const std::string inner = "/" + std::string(below);
  const bool is_hidden = !is_root && inner.find("/.") != std::string::npos;
  if (is_hidden && hidden_ == Hidden::skipped && !glob_.names_hidden(judged) && !second_glob_.names_hidden(judged))
    return Answer::left_out;
  const std::string asked = path.starts_with('/') ? std::string(path) : cwd_ + "/" + std::string(path);
  if (!gate_.would_permit(FileUse::read, asked)) return Answer::left_out;
  // What was searched may be a link to somewhere else.
  if (real_root_.empty()) return Answer::taken;
  const std::string real = is_root ? real_root_ : real_root_ + inner;
  return real == asked || gate_.would_permit(FileUse::read, real) ? Answer::taken : Answer::left_out;
}

}  // namespace talaria
