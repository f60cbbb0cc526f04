#include "skills/skill_file.h"

#include <algorithm>
#include <cerrno>

#include "base/magic.h"
#include "base/text.h"
#include "base/utf8.h"
#include "os/file.h"
#include "skills/skill_body_text.h"
#include "skills/skill_file_content.h"
#include "skills/skill_file_open.h"

namespace talaria {
namespace {

constexpr size_t most_content = 1 << 20;
constexpr size_t most_suggested = 20;

std::string name_of_path(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string ending_of(const std::string& path) {
  const std::string name = name_of_path(path);
  const size_t dot = name.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

Error not_in_skill(const Error& error) {
  if (error.code() == ErrorCode::denied && error.number() == 0)
    return Error(ErrorCode::denied, "file_path " + error.message() + ": only files of the skill itself can be read");
  if (error.number() == ELOOP) return Error(ErrorCode::denied, "file_path leads through links that are not followed");
  if (error.number() == ENOTDIR) return Error::from_number(ENOENT, "file_path");
  if (error.number() == ENAMETOOLONG) return invalid("file_path: " + error.message());
  return error;
}

Result<SkillFile> read_content(const HeldFile& held, SkillFile file) {
  const UniqueFd fd = TRY(open_to_read(held));
  file.size = static_cast<uint64_t>(held.info.st_size);
  std::string bytes = TRY(read_at(fd.get(), 0, most_content + 4));
  const bool cut = bytes.size() > most_content;
  if (cut) bytes.resize(cut_at_or_before(bytes, most_content));
  if (!is_readable_text(bytes)) {
    file.kind = SkillFile::Kind::binary;
    file.type = kind_in_words(bytes);
    file.content = "[Binary file: " + shown_line(name_of_path(file.path)) + ", size: " + std::to_string(file.size) +
                   (file.size == 1 ? " byte]" : " bytes]");
    return file;
  }
  file.type = ending_of(file.path);
  std::vector<std::string> notes;
  if (cut)
    notes.push_back("Only the first " + human_bytes(bytes.size()) + " of " + human_bytes(file.size) + " are shown.");
  if (!is_utf8(bytes)) notes.emplace_back("Bytes that are not UTF-8 are shown as U+FFFD.");
  file.content = is_utf8(bytes) ? std::move(bytes) : shown_text(bytes);
  file.note = join(notes, " ");
  return file;
}

// `within`: where the folder really is below the skill's, for a link may lead to it.
Result<SkillFile> list_folder(const std::string& directory, const std::string& within, SkillFile file) {
  file.kind = SkillFile::Kind::folder;
  LinkedFiles linked = TRY(list_linked_files(directory, ""));
  const std::string prefix = within.empty() ? "" : within + "/";
  for (LinkedFile& inner : linked.files) {
    if (inner.path.starts_with(prefix)) file.inside.push_back(std::move(inner));
  }
  file.content = "[Folder: " + shown_line(file.path) + ", files: " + with_commas(file.inside.size()) + "]";
  file.note = linked_files_note(linked);
  return file;
}

// Those with the same file name first, then those that are written alike, then all others.
std::vector<std::string> suggestions(const std::string& directory, const std::string& wanted) {
  const Result<LinkedFiles> linked = list_linked_files(directory, "");
  if (!linked) return {};
  std::vector<std::string> paths;
  for (const LinkedFile& file : linked->files) {
    if (is_utf8(file.path)) paths.push_back(file.path);
  }
  std::vector<std::string> chosen;
  const auto choose = [&](const std::string& path) {
    if (chosen.size() < most_suggested && std::find(chosen.begin(), chosen.end(), path) == chosen.end())
      chosen.push_back(path);
  };
  for (const std::string& path : paths) {
    if (lower(name_of_path(path)) == lower(name_of_path(wanted))) choose(path);
  }
  for (const std::string& path : nearest(wanted, paths, most_suggested)) choose(path);
  for (const std::string& path : paths) choose(path);
  return chosen;
}

JsonObject failure_json(const std::string& directory, const std::string& file_path, const Error& error) {
  JsonObject answer{{"success", false}};
  if (error.code() != ErrorCode::not_found) {
    answer["error"] = shown_line(error.message());
    return answer;
  }
  answer["error"] = "The skill has no file \"" + shown_line(file_path) + "\".";
  JsonArray available;
  for (const std::string& path : suggestions(directory, file_path)) available.emplace_back(path);
  answer["available_files"] = std::move(available);
  answer["hint"] = "Use one of available_files as file_path, or leave it out for the skill and all its linked_files.";
  return answer;
}

}  // namespace

Result<SkillFile> read_skill_file(const std::string& directory, const std::string& file_path) {
  SkillFile file;
  Result<std::string> path = check_inner_path(file_path);
  if (!path) return std::move(path).error().within("file_path");
  file.path = *path;
  const InnerFolder folder = TRY(InnerFolder::open(directory));
  const Result<HeldFile> held = folder.find(file.path);
  if (!held) return not_in_skill(held.error());
  if (S_ISDIR(held->info.st_mode)) {
    const std::string root = TRY(folder.real_path());
    const bool is_root = held->real_path == root;
    return list_folder(directory, is_root ? "" : held->real_path.substr(root.size() + 1), std::move(file));
  }
  if (!S_ISREG(held->info.st_mode))
    return invalid("file_path \"" + shown_line(file.path) + "\" is " + std::string(kind_of(held->info)) +
                   ", which cannot be read");
  return read_content(*held, std::move(file));
}

JsonObject skill_file_json(const std::string& skill_name, const std::string& directory, const std::string& file_path) {
  const Result<SkillFile> file = read_skill_file(directory, file_path);
  if (!file) return failure_json(directory, file_path, file.error());
  JsonObject answer{
      {"success", true}, {"name", skill_name}, {"file", path_text(file->path)}, {"content", file->content}};
  if (file->kind == SkillFile::Kind::folder) {
    JsonArray inside;
    for (const LinkedFile& inner : file->inside)
      inside.push_back(JsonObject{{"path", path_text(inner.path)}, {"size", inner.size}});
    answer["is_directory"] = true;
    answer["files"] = std::move(inside);
  } else {
    const bool binary = file->kind == SkillFile::Kind::binary;
    answer["file_type"] = binary ? ending_of(file->path) : file->type;
    answer["size"] = file->size;
    if (binary) {
      answer["is_binary"] = true;
      answer["binary_type"] = file->type;
    }
  }
  if (!file->note.empty()) answer["note"] = file->note;
  return answer;
}

}  // namespace talaria
