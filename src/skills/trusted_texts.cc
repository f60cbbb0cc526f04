#include "skills/trusted_texts.h"

#include <fcntl.h>

#include <set>

#include "base/utf8.h"
#include "os/file.h"
#include "skills/catalog_root.h"
#include "skills/skill_body.h"
#include "skills/skill_history_hold.h"

namespace talaria {
namespace {

constexpr const char* name_below = "/.talaria/trusted.json";
constexpr size_t most_trusted_bytes = 64 << 20;

// All of it that is ever read.
std::string text_of(const FrontMatter& matter) { return matter.source + "\n---\n" + matter.body; }

// What cannot be read is trusted by nobody.
JsonObject read_texts(const std::string& path) {
  const Result<std::string> text = read_file(path, most_trusted_bytes);
  Result<JsonObject> known = text ? parse_json_object(*text) : Result<JsonObject>(text.error());
  return known ? *std::move(known) : JsonObject();
}

// Of one file, too.
std::vector<std::string> paths_below(const JsonObject& texts, const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& [path, text] : texts) {
    if (path == folder || std::string_view(path).starts_with(folder + "/")) paths.emplace_back(path);
  }
  return paths;
}

Result<> write_texts(const std::string& root, const JsonObject& texts) {
  return write_file_atomically(root + name_below, write_json(texts));
}

// Nested ones too, as they are found when skills are looked for.
std::vector<std::string> skill_files_in(const std::string& folder) {
  CatalogWork work;
  const SkillRoot place{folder, SkillSource::project, Trust::local};
  const std::shared_ptr<const RootState> found = sweep_root(place, std::make_shared<RootState>(), work);
  std::vector<std::string> files;
  for (const auto& skill : found->content->skills) {
    if (std::string file = real_path(skill->file); !file.empty()) files.push_back(std::move(file));
  }
  return files;
}

bool says(const JsonObject& texts, const std::string& file, const FrontMatter& matter) {
  const Json* known = texts.if_contains(file);
  return known && known->is_string() && known->get_string() == text_of(matter);
}

}  // namespace

Result<size_t> trust_texts(const std::string& root, const std::vector<std::string>& folders) {
  const HeldSkills held = TRY(HeldSkills::open(root));
  JsonObject texts = read_texts(root + name_below);
  std::set<std::string> trusted;
  for (const std::string& folder : folders) {
    const std::string real = real_path(folder);
    if (real.empty()) continue;
    // One that was trusted by itself, deeper than skills are looked for from here, stays.
    for (const std::string& path : paths_below(texts, real)) {
      if (!exists(path)) texts.erase(path);
    }
    for (const std::string& file : skill_files_in(real)) {
      texts.erase(file);
      const Result<FrontMatter> matter = read_skill(file);
      if (!matter || !is_utf8(file)) continue;
      const std::string text = text_of(*matter);
      if (!is_utf8(text)) continue;
      texts[file] = text;
      trusted.insert(file);
    }
  }
  TRY(write_texts(root, texts));
  return trusted.size();
}

Result<size_t> forget_texts(const std::string& root, const std::string& folder) {
  const HeldSkills held = TRY(HeldSkills::open(root));
  JsonObject texts = read_texts(root + name_below);
  const std::vector<std::string> gone = paths_below(texts, folder);
  for (const std::string& path : gone) texts.erase(path);
  TRY(write_texts(root, texts));
  return gone.size();
}

TrustedTexts::TrustedTexts(std::string root) : path_(std::move(root) + name_below) {}

bool TrustedTexts::has(const std::string& file, const FrontMatter& matter) { return says(*texts(), file, matter); }

bool TrustedTexts::has(const std::string& file, const FileStamp& stamp) {
  const std::shared_ptr<const JsonObject> known = texts();
  if (!known->contains(file)) return false;
  {
    const std::lock_guard lock(mutex_);
    const auto answer = answers_.find(file);
    if (answer != answers_.end() && answer->second.stamp == stamp) return answer->second.trusted;
  }
  const Result<FrontMatter> matter = read_skill(file);
  const bool trusted = matter && says(*known, file, *matter);
  const Sighting after = see(AT_FDCWD, file.c_str());
  const std::lock_guard lock(mutex_);
  if (known == texts_ && after.settled && after.stamp == stamp) answers_[file] = {stamp, trusted};
  return trusted;
}

std::shared_ptr<const JsonObject> TrustedTexts::texts() {
  const std::lock_guard lock(mutex_);
  if (texts_ && is_same(seen_, AT_FDCWD, path_.c_str())) return texts_;
  seen_ = see(AT_FDCWD, path_.c_str());
  texts_ = std::make_shared<const JsonObject>(read_texts(path_));
  answers_.clear();
  return texts_;
}

}  // namespace talaria
