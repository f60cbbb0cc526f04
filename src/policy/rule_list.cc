#include "policy/rule_list.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/unseen.h"

namespace talaria {
namespace {

// Files whose point is to hold a secret, wherever they are.
constexpr std::array credential_files = {".env",
                                         ".env.*",
                                         ".envrc",
                                         ".netrc",
                                         ".pgpass",
                                         ".npmrc",
                                         ".pypirc",
                                         ".git-credentials",
                                         ".my.cnf",
                                         "id_rsa",
                                         "id_dsa",
                                         "id_ecdsa",
                                         "id_ed25519",
                                         ".ssh",
                                         ".aws",
                                         ".gnupg",
                                         ".kube",
                                         ".docker/config.json",
                                         ".azure",
                                         ".config/gh",
                                         ".config/gcloud",
                                         ".config/git/credentials",
                                         ".cargo/credentials*",
                                         ".gem/credentials",
                                         ".password-store",
                                         ".local/share/keyrings",
                                         "/etc/shadow*",
                                         "/etc/gshadow*",
                                         "/etc/sudoers",
                                         "/etc/sudoers.d",
                                         "/etc/ssl/private",
                                         "/etc/ssh/ssh_host_*_key"};
// What looks like one of them and is there to be read.
constexpr std::array not_credentials = {".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"};

constexpr std::array system_files = {"/etc",  "/boot", "/usr",  "/lib", "/lib64",           "/bin",
                                     "/sbin", "/dev",  "/proc", "/sys", "/run/docker.sock", "/var/run/docker.sock"};
// Of our own home, what may be read.
constexpr std::array own_open = {"skills", "jobs", "config.yaml"};

template <class List>
GlobSet compile(const List& patterns) {
  std::vector<Glob> globs;
  for (const std::string_view pattern : patterns) globs.emplace_back(pattern, "");
  return GlobSet(globs);
}

bool is_below(std::string_view path, std::string_view folder) {
  return !folder.empty() &&
         (path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/')));
}

std::string_view key_of(FileUse use) { return use == FileUse::read ? "files.read" : "files.write"; }

Verdict refuse(std::string what, std::string rule, const std::string& fix) {
  return {Decision::deny, std::move(what) + (fix.empty() ? "" : "; " + fix), std::move(rule)};
}

Verdict by_word(std::string_view word, const std::string& what, const std::string& rule) {
  if (word == "allow") return {Decision::allow, "", rule};
  if (word == "deny") return {Decision::deny, what + " is denied by " + rule, rule};
  return {Decision::deny,
          what + " needs a person's yes by " + rule +
              ", and this version cannot ask; the owner can allow it in the configuration",
          rule};
}

// In the order in which they count.
std::array<std::pair<std::string_view, const std::vector<std::string>*>, 3> lists_of(const RuleList& rules) {
  return {{{"deny", &rules.deny}, {"allow", &rules.allow}, {"ask", &rules.ask}}};
}

}  // namespace

FileRules::FileRules(FileUse use, const RuleList& rules, FilePlaces places)
    : use_(use), places_(std::move(places)), otherwise_(rules.otherwise) {
  for (const auto& [word, patterns] : lists_of(rules)) {
    for (const std::string& pattern : *patterns) {
      const std::string name = std::string(key_of(use)) + "." + std::string(word) + ": " + pattern;
      rules_.push_back({word, name, Glob(pattern, places_.home)});
      if (pattern.starts_with('~') && !places_.real_home.empty() && places_.real_home != places_.home)
        rules_.push_back({word, name, Glob(pattern, places_.real_home)});
    }
  }
}

bool FileRules::is_own(std::string_view path) const {
  return is_below(path, places_.own_home) || is_below(path, places_.real_own_home) ||
         is_below(path, places_.own_runtime);
}

bool FileRules::is_open(std::string_view path) const {
  static const GlobSet open = compile(own_open);
  for (const std::string& home : {places_.own_home, places_.real_own_home}) {
    if (is_below(path, home) && open.means(names_in(path.substr(home.size())))) return true;
  }
  return false;
}

// What holds for files the owner said nothing about; allow when that is nothing.
Verdict FileRules::built_in(std::string_view path, const std::vector<std::string_view>& names) const {
  static const GlobSet credentials = compile(credential_files), harmless = compile(not_credentials);
  static const GlobSet system = compile(system_files);
  const auto refused = [&](const char* why, const char* rule) {
    const std::string verb = use_ == FileUse::read ? "read " : "write ";
    return refuse("may not " + verb + shown_line(path) + ": " + why, rule,
                  "the owner can allow it with " + std::string(key_of(use_)) + ".allow in the configuration");
  };
  if (is_own(path) && !is_open(path)) return refused("it is Talaria's own state", "own state");
  if (credentials.means(names) && !harmless.means(names)) return refused("it is a credential file", "credential file");
  if (use_ == FileUse::write && system.means(names)) return refused("it belongs to the system", "system file");
  return {Decision::allow, "", ""};
}

Verdict FileRules::judge(std::string_view path) const {
  const std::vector<std::string_view> names = names_in(path);
  const auto what = [&] { return (use_ == FileUse::read ? "reading " : "writing ") + shown_line(path); };
  // No rule lifts this: whoever can write here writes the rules.
  if (use_ == FileUse::write && is_own(path)) {
    return refuse("may not write " + shown_line(path) + ": it is Talaria's own state", "own state", "");
  }
  for (const Rule& rule : rules_) {
    if (rule.glob.means(names)) return by_word(rule.word, what(), rule.name);
  }
  Verdict ours = built_in(path, names);
  if (ours.decision != Decision::allow || otherwise_ == "allow") return ours;
  return by_word(otherwise_, what(), std::string(key_of(use_)) + ".otherwise: " + otherwise_);
}

Verdict judge_host(std::string_view host, const RuleList& rules) {
  const std::string name = lower(host);
  const auto means = [&](std::string_view pattern) {
    const std::string wanted = lower(pattern);
    if (wanted == "*" || wanted == name) return true;
    if (!wanted.starts_with("*.")) return false;
    return name == wanted.substr(2) || name.ends_with(wanted.substr(1));
  };
  const std::string what = "asking the host " + name;
  for (const auto& [word, patterns] : lists_of(rules)) {
    for (const std::string& pattern : *patterns) {
      if (means(pattern)) return by_word(word, what, "web.hosts." + std::string(word) + ": " + pattern);
    }
  }
  return by_word(rules.otherwise, what, "web.hosts.otherwise: " + rules.otherwise);
}

}  // namespace talaria
