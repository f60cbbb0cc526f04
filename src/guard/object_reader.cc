#include "guard/object_reader.h"

#include <charconv>

#include "base/text.h"

namespace talaria {
namespace {

constexpr size_t most_object_bytes = 64 << 20;

// The stream of `git cat-file --batch`: "<id> <type> <size>\n<content>\n", or "<id> missing\n".
class BatchStream {
 public:
  BatchStream(GitHash hash, const std::function<void(const GitObject&)>& take) : hash_(hash), take_(take) {}

  Result<> add(std::string_view bytes) {
    pending_ += bytes;
    size_t begin = 0;
    while (const size_t length = TRY(one(std::string_view(pending_).substr(begin)))) begin += length;
    pending_.erase(0, begin);
    return ok;
  }

 private:
  // How many bytes the first answer has; 0 while it is not whole.
  Result<size_t> one(std::string_view text) const {
    const size_t line = text.find('\n');
    if (line == std::string_view::npos) {
      if (text.size() > 4096) return Error(ErrorCode::system, "git gave a long line");
      return size_t{0};
    }
    const std::vector<std::string> words = split(text.substr(0, line), ' ');
    if (words.size() != 3) return line + 1;
    size_t size = 0;
    const std::string& digits = words[2];
    if (std::from_chars(digits.data(), digits.data() + digits.size(), size).ptr != digits.data() + digits.size() ||
        size > most_object_bytes)
      return Error(ErrorCode::system, "git gave an object that is too long");
    if (text.size() < line + 1 + size + 1) return size_t{0};
    const std::string_view content = text.substr(line + 1, size);
    if (git_object_id(hash_, words[1], content) == words[0]) take_({words[0], words[1], content});
    return line + 1 + size + 1;
  }

  GitHash hash_;
  const std::function<void(const GitObject&)>& take_;
  std::string pending_;
};

}  // namespace

Result<> read_git_objects(const CleanGit& git, const std::vector<std::string>& ids,
                          const std::function<void(const GitObject&)>& take, Clock::time_point deadline) {
  if (ids.empty()) return ok;
  BatchStream stream(git.hash(), take);
  return git.run(
      {"cat-file", "--batch", "--buffer"}, join(ids, "\n") + "\n",
      [&](std::string_view bytes) { return stream.add(bytes); }, deadline);
}

std::vector<std::string> header_values(std::string_view object, std::string_view field) {
  std::vector<std::string> values;
  while (!object.empty() && !object.starts_with('\n')) {
    const std::string_view line = object.substr(0, object.find('\n'));
    object.remove_prefix(std::min(line.size() + 1, object.size()));
    if (line.size() > field.size() && line.starts_with(field) && line[field.size()] == ' ')
      values.emplace_back(line.substr(field.size() + 1));
  }
  return values;
}

GitTreeEntry tree_entry(std::string_view tree, std::string_view name, GitHash hash) {
  const size_t id_bytes = hash == GitHash::sha1 ? 20 : 32;
  static constexpr std::string_view digits = "0123456789abcdef";
  while (!tree.empty()) {
    const size_t blank = tree.find(' ');
    const size_t end = tree.find('\0');
    if (blank == std::string_view::npos || end == std::string_view::npos || blank > end ||
        tree.size() < end + 1 + id_bytes)
      return {};
    if (tree.substr(blank + 1, end - blank - 1) == name) {
      GitTreeEntry entry{.mode = std::string(tree.substr(0, blank)), .id = {}};
      for (const char character : tree.substr(end + 1, id_bytes)) {
        const auto byte = static_cast<unsigned char>(character);
        entry.id += digits[byte >> 4];
        entry.id += digits[byte & 0xf];
      }
      return entry;
    }
    tree.remove_prefix(end + 1 + id_bytes);
  }
  return {};
}

}  // namespace talaria
