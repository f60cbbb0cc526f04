#include "skills/credential_files.h"

#include <fcntl.h>

#include <algorithm>
#include <array>

#include "base/path.h"
#include "base/text.h"
#include "os/home.h"
#include "skills/skill_body_text.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

constexpr size_t most_needs = 100;

// Files at the top of the home, each with what is derived from it: talaria.db-wal, .env.bak, config.yaml~.
constexpr std::array<std::string_view, 8> store_files = {
    ".env",       "config.yaml", "config.yml",   "exec-approvals.json",
    "talaria.db", "auth.json",   "gateway.lock", "keeper.lock"};
constexpr std::array<std::string_view, 4> store_folders = {"tokens", "mcp-tokens", "skills/.talaria", "skills/.hub"};

// What Talaria itself keeps in the home. Of the skills only what is beside them is a store.
bool is_home_entry(std::string_view path) {
  const std::string_view name = path.substr(0, path.find('/'));
  return name != "skills" && std::ranges::find(home_entries, name) != home_entries.end();
}

bool is_or_derives_from(std::string_view name, std::string_view store) {
  if (!name.starts_with(store)) return false;
  const std::string_view rest = name.substr(store.size());
  return rest.empty() || rest.front() == '.' || rest.front() == '-' || rest.front() == '~' || rest.front() == '/';
}

// A second name of a store's very file, made by link(2).
bool is_hard_link_to_store(const HeldFile& file, const InnerFolder& home) {
  if (file.info.st_nlink < 2) return false;
  return std::any_of(store_files.begin(), store_files.end(), [&](std::string_view store) {
    for (const std::string_view ending : {"", "-wal", "-shm", "-journal"}) {
      struct stat info {};
      const std::string name = std::string(store) + std::string(ending);
      if (::fstatat(home.fd(), name.c_str(), &info, 0) != 0) continue;
      if (info.st_ino == file.info.st_ino && info.st_dev == file.info.st_dev) return true;
    }
    return false;
  });
}

// Why a file that was found may not be used; empty when it may.
std::string refusal(const HeldFile& file, const InnerFolder& home, const std::string& home_path) {
  if (!S_ISREG(file.info.st_mode)) return "it is " + std::string(kind_of(file.info)) + ", not a file";
  const std::string within = file.real_path.substr(std::min(home_path.size() + 1, file.real_path.size()));
  if (is_master_store(within) || is_hard_link_to_store(file, home))
    return "it is one of Talaria's own stores, which no skill gets";
  return "";
}

void judge(const CredentialNeed& need, const InnerFolder& folder, const std::string& home, CredentialState& state) {
  const auto refuse = [&](std::string reason) { state.refused.push_back({need.path, std::move(reason)}); };
  const Result<std::string> path = check_inner_path(need.path);
  if (!path) return refuse(path.error().message());
  if (is_master_store(*path)) return refuse("it is one of Talaria's own stores, which no skill gets");
  const Result<HeldFile> file = folder.find(*path);
  const Result<std::string> real_home = folder.real_path();
  if (!real_home) return refuse(real_home.error().message());
  if (!file) {
    const Error& error = file.error();
    if (error.code() == ErrorCode::not_found || error.number() == ENOTDIR) return state.missing.push_back(need);
    return refuse(error.number() == 0 ? "it leads outside Talaria's home" : error.message());
  }
  if (std::string reason = refusal(*file, folder, *real_home); !reason.empty()) return refuse(std::move(reason));
  state.present.push_back({*path, home + "/" + *path, file->real_path});
}

}  // namespace

bool is_master_store(std::string_view path) {
  const std::string folded = lower(path);
  const auto is_file = [&](std::string_view store) { return is_or_derives_from(folded, store); };
  const auto is_inside = [&](std::string_view folder) { return is_within(folded, folder); };
  return is_home_entry(folded) || std::any_of(store_files.begin(), store_files.end(), is_file) ||
         std::any_of(store_folders.begin(), store_folders.end(), is_inside);
}

CredentialState credential_state(const std::vector<CredentialNeed>& needs, const std::string& home) {
  CredentialState state;
  const Result<InnerFolder> folder = InnerFolder::open(home);
  for (const CredentialNeed& need : needs) {
    const size_t seen = state.present.size() + state.missing.size() + state.refused.size();
    if (seen >= most_needs) state.refused.push_back({need.path, "a skill may ask for " + std::to_string(most_needs)});
    else if (!folder) state.missing.push_back(need);
    else judge(need, *folder, home, state);
  }
  return state;
}

}  // namespace talaria
