#include "patch/v4a.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "patch/document.h"
#include "patch/nearest_section.h"
#include "patch/normal_form.h"

namespace talaria {
namespace {

constexpr std::string_view begin_mark = "*** Begin Patch";
constexpr std::string_view end_mark = "*** End Patch";
constexpr std::string_view end_of_file_mark = "*** End of File";
constexpr std::string_view move_to_mark = "*** Move to:";
constexpr std::string_view file_headers =
    "'*** Update File: path', '*** Add File: path', '*** Delete File: path' or '*** Move File: old -> new'";

struct Header {
  FileChange::Kind kind;
  std::string_view paths;
};

std::optional<Header> read_header(std::string_view line) {
  using Kind = FileChange::Kind;
  static constexpr std::pair<std::string_view, Kind> marks[] = {{"*** Update File:", Kind::update},
                                                                {"*** Add File:", Kind::add},
                                                                {"*** Delete File:", Kind::remove},
                                                                {"*** Move File:", Kind::move}};
  for (const auto& [mark, kind] : marks) {
    if (line.starts_with(mark)) return Header{kind, trim_blanks(line.substr(mark.size()))};
  }
  return std::nullopt;
}

// "./a//b" and "a/b" are one file.
std::string plain_path(std::string_view path) {
  std::string plain = path.starts_with('/') ? "/" : "";
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (!plain.empty() && plain != "/") plain += '/';
    plain += part;
  }
  return plain;
}

// "-12,5 +12,6 @@ def f" of another kind of patch: only what follows the numbers says anything here.
std::string_view without_line_numbers(std::string_view hint) {
  if (!hint.starts_with('-')) return hint;
  const size_t after = hint.find_first_not_of("0123456789,+- ");
  if (after == std::string_view::npos) return {};
  if (hint.substr(after).starts_with("@@")) return trim_blanks(hint.substr(after + 2));
  return hint;
}

// Of "@@ class A", "@@ class A @@" or "@@ class A @@ def f".
void read_hints(std::string_view line, std::vector<std::string>& hints) {
  line = without_line_numbers(trim_blanks(line.substr(2)));
  while (!line.empty()) {
    const size_t end = line.find("@@");
    const std::string_view hint = trim_blanks(line.substr(0, end));
    if (!hint.empty()) hints.emplace_back(hint);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 2);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view patch) : lines_(lines_of(patch)), end_(lines_.size()) {
    for (std::string_view& line : lines_) {
      if (line.ends_with('\r')) line.remove_suffix(1);
    }
  }

  Result<std::vector<FileChange>> run() {
    unwrap();
    if (at_ < end_ && trim_right(lines_[at_]) == begin_mark) ++at_;
    while (true) {
      skip_blank();
      if (at_ == end_) break;
      if (trim_right(lines_[at_]) == end_mark) {
        ++at_;
        skip_blank();
        if (at_ < end_) return expected("nothing after '*** End Patch'");
        break;
      }
      TRY(read_file());
    }
    if (changes_.empty()) return invalid("the patch is empty: it names no file. Expected " + std::string(file_headers));
    return std::move(changes_);
  }

 private:
  void skip_blank() {
    while (at_ < end_ && is_blank(lines_[at_])) ++at_;
  }

  void drop_last_blank() {
    while (end_ > at_ && is_blank(lines_[end_ - 1])) --end_;
  }

  // Takes off a code fence and a shell's here-document, in whatever order they come.
  void unwrap() {
    for (int layers = 0; layers < 3; ++layers) {
      skip_blank();
      drop_last_blank();
      if (at_ == end_) return;
      const std::string_view first = trim_blanks(lines_[at_]);
      if (first.starts_with("***")) return;
      std::string_view last_line;
      const size_t here_document = first.find("<<");
      if (first.starts_with("```")) {
        last_line = "```";
      } else if (here_document != std::string_view::npos) {
        last_line = first.substr(here_document + 2);
        last_line.remove_prefix(std::min(last_line.find_first_not_of("-'\" \\"), last_line.size()));
        last_line = last_line.substr(0, last_line.find_first_of("'\" |>"));
      } else {
        return;
      }
      ++at_;
      drop_last_blank();
      if (at_ < end_ && trim_blanks(lines_[end_ - 1]) == last_line) --end_;
    }
  }

  Error expected(const std::string& what) const {
    return invalid("line " + std::to_string(at_ + 1) + " of the patch: expected " + what + ", found " +
                   (at_ < end_ ? "'" + printable(lines_[at_]) + "'" : "the end of the patch"));
  }

  Error wrong_file(const std::string& what) const {
    return invalid("line " + std::to_string(at_ + 1) + " of the patch: " + what);
  }

  Result<> check_path(std::string_view path) const {
    if (path.empty()) return wrong_file("the path is empty");
    if (path.find('\0') != std::string_view::npos) return wrong_file("the path has a NUL byte in it");
    const std::vector<std::string> parts = split(path, '/');
    if (std::find(parts.begin(), parts.end(), "..") != parts.end()) {
      return wrong_file("the path '" + printable(path) + "' has '..' in it; name the file without");
    }
    if (plain_path(path).empty() || path.ends_with('/')) {
      return wrong_file("'" + printable(path) + "' is a folder, not a file");
    }
    return ok;
  }

  // Each file has one role in a patch; only two updates of the same file go together.
  Result<> claim(std::string_view path, std::string_view role) {
    const auto [known, is_new] = roles_.try_emplace(plain_path(path), Role{role, at_ + 1, changes_.size()});
    if (is_new || (role == "updated" && known->second.name == role)) return ok;
    return wrong_file("'" + printable(path) + "' is to be " + std::string(role) + ", but line " +
                      std::to_string(known->second.line) + " says it is " + std::string(known->second.name));
  }

  Result<> read_file() {
    const std::optional<Header> header = read_header(lines_[at_]);
    if (!header) return expected(std::string(file_headers));
    FileChange change;
    change.kind = header->kind;
    change.line = at_ + 1;
    change.path = header->paths;
    switch (header->kind) {
      case FileChange::Kind::add: return read_addition(std::move(change));
      case FileChange::Kind::remove: return read_removal(std::move(change));
      case FileChange::Kind::update: return read_update(std::move(change));
      case FileChange::Kind::move: break;
    }
    const size_t arrow = header->paths.find("->");
    if (arrow == std::string_view::npos) return expected("'*** Move File: old -> new'");
    change.path = trim_blanks(header->paths.substr(0, arrow));
    change.new_path = trim_blanks(header->paths.substr(arrow + 2));
    return read_update(std::move(change));
  }

  Result<> read_addition(FileChange change) {
    TRY(check_path(change.path));
    TRY(claim(change.path, "added"));
    ++at_;
    size_t blank = 0;  // a blank line without a '+' counts only when more of the file follows
    for (; at_ < end_ && !lines_[at_].starts_with("*** "); ++at_) {
      if (is_blank(lines_[at_])) {
        ++blank;
        continue;
      }
      if (!lines_[at_].starts_with('+')) return expected("a line of the new file, which begins with '+'");
      change.content.append(blank, '\n').append(lines_[at_].substr(1)).append("\n");
      blank = 0;
    }
    changes_.push_back(std::move(change));
    return ok;
  }

  Result<> read_removal(FileChange change) {
    TRY(check_path(change.path));
    TRY(claim(change.path, "deleted"));
    ++at_;
    skip_blank();
    if (at_ < end_ && !lines_[at_].starts_with("*** "))
      return expected("the next file, as a file to delete has no lines");
    changes_.push_back(std::move(change));
    return ok;
  }

  Result<> read_update(FileChange change) {
    TRY(check_path(change.path));
    const size_t header = at_++;
    if (change.new_path.empty() && at_ < end_ && lines_[at_].starts_with(move_to_mark)) {
      change.kind = FileChange::Kind::move;
      change.new_path = trim_blanks(lines_[at_].substr(move_to_mark.size()));
      TRY(check_path(change.new_path));
      ++at_;
    }
    const size_t body = at_;
    at_ = header;
    const bool moves = change.kind == FileChange::Kind::move;
    TRY(claim(change.path, moves ? "moved away" : "updated"));
    if (moves) {
      TRY(check_path(change.new_path));
      if (plain_path(change.new_path) == plain_path(change.path)) return wrong_file("the file is moved onto itself");
      TRY(claim(change.new_path, "the target of a move"));
    }
    at_ = body;
    change.hunks = TRY(read_hunks());
    if (change.hunks.empty() && !moves) return expected("lines to change in '" + printable(change.path) + "'");
    const size_t number = roles_.at(plain_path(change.path)).change;
    if (number == changes_.size()) {
      changes_.push_back(std::move(change));
    } else {
      std::move(change.hunks.begin(), change.hunks.end(), std::back_inserter(changes_[number].hunks));
    }
    return ok;
  }

  Result<std::vector<Hunk>> read_hunks() {
    std::vector<Hunk> hunks;
    while (at_ < end_) {
      const std::string_view line = lines_[at_];
      if (line.starts_with("*** ") && trim_right(line) != end_of_file_mark) break;
      Hunk hunk = TRY(read_hunk());
      const bool says_something =
          !hunk.hints.empty() || std::any_of(hunk.lines.begin(), hunk.lines.end(), [](const PatchLine& each) {
            return each.kind != ' ' || !each.text.empty();
          });
      if (says_something) hunks.push_back(std::move(hunk));
    }
    return hunks;
  }

  Result<Hunk> read_hunk() {
    Hunk hunk;
    hunk.line = at_ + 1;
    const size_t start = at_;
    for (; at_ < end_ && lines_[at_].starts_with("@@"); ++at_) read_hints(lines_[at_], hunk.hints);
    for (; at_ < end_; ++at_) {
      const std::string_view line = lines_[at_];
      if (trim_right(line) == end_of_file_mark) {
        if (hunk.lines.empty()) return expected("the lines of a change before '*** End of File'");
        hunk.at_end = true;
        ++at_;
        break;
      }
      if (line.starts_with("@@") || line.starts_with("*** ")) break;
      if (line.starts_with("\\ No newline")) continue;
      if (line.empty()) {
        hunk.lines.push_back({' ', ""});
      } else if (line[0] == ' ' || line[0] == '-' || line[0] == '+') {
        hunk.lines.push_back({line[0], std::string(line.substr(1))});
      } else {
        return expected("a line that begins with ' ', '-', '+' or '@@'");
      }
    }
    if (hunk.lines.empty() && at_ > start) return expected("the lines of the change after '@@'");
    return hunk;
  }

  struct Role {
    std::string_view name;
    size_t line;
    size_t change;  // the number of the change that gave it this role
  };

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  size_t end_;
  std::vector<FileChange> changes_;
  std::map<std::string, Role> roles_;
};

}  // namespace

Result<std::vector<FileChange>> parse_v4a(std::string_view patch) { return Parser(patch).run(); }

}  // namespace talaria
