#include "skills/skill_body.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>

#include "base/text.h"
#include "os/file.h"

namespace talaria {

bool has_own_name(int fd, const std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), target, sizeof target);
  if (length <= 0) return false;
  std::string_view real(target, static_cast<size_t>(length));
  // Replaced meanwhile: what was opened is still what it was.
  if (real.ends_with(" (deleted)")) real.remove_suffix(10);
  const auto leaf = [](std::string_view whole) { return lower(whole.substr(whole.rfind('/') + 1)); };
  return leaf(real) == leaf(path);
}

Result<FrontMatter> read_skill(const std::string& file) {
  const UniqueFd fd = TRY(open_file(file, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return Error::from_errno("look at " + file);
  if (!S_ISREG(info.st_mode)) return invalid(file + " is not a regular file");
  if (!has_own_name(fd.get(), file)) return Error(ErrorCode::denied, file + " is a link to a file of another name");
  const std::string text = TRY(read_at(fd.get(), 0, most_skill_bytes + 1));
  if (text.size() > most_skill_bytes) return invalid(file + " is larger than " + human_bytes(most_skill_bytes));
  return read_front_matter(text);
}

PreparedBody prepare_body(std::string_view body, const BodyRules& rules) {
  PreparedBody prepared;
  prepared.text = rules.template_vars ? with_tokens(body, rules.tokens) : std::string(body);
  if (!rules.inline_shell.enabled) return prepared;
  std::vector<InlineSnippet> found = find_snippets(prepared.text);
  if (may_run_snippets(rules.trust, rules.inline_shell)) {
    prepared.snippets = std::move(found);
  } else if (!found.empty()) {
    prepared.note = with_commas(found.size()) + " inline-shell " +
                    (found.size() == 1 ? "snippet was" : "snippets were") + " not run, for the skill's trust is " +
                    std::string(name_of(rules.trust)) + "; skills.inline_shell_trust can allow it";
  }
  return prepared;
}

}  // namespace talaria
