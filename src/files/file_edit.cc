#include "files/file_edit.h"

#include <algorithm>

#include "base/text.h"
#include "base/unseen.h"
#include "files/failure.h"
#include "files/sha256.h"
#include "files/staged_file.h"
#include "files/write_target.h"

namespace talaria {
namespace {

using Existing = FileSystem::Existing;

WriteTarget target_of(const FileEdit& edit) {
  return {edit.real_path, edit.before ? std::optional(edit.before->stat) : std::nullopt};
}

std::string hash_of(const std::string& bytes) {
  return bytes.size() <= VersionBook::most_hashed_bytes ? sha256(bytes) : "";
}

// A session that saw the file before the edit also knows it afterwards; one that saw an older version does not.
void note(VersionBook& book, const FileEdit& edit, const FileStat& now) {
  const std::optional<SeenFile> seen = book.find(edit.real_path);
  const bool knew = !edit.before || (seen && (seen->version == version_of(edit.before->stat) ||
                                              (!seen->sha256.empty() && seen->sha256 == hash_of(edit.before->bytes))));
  if (knew) book.saw(edit.real_path, version_of(now), hash_of(*edit.after));
}

Error named(const FileEdit& edit, const Error& why) {
  return {why.code(), shown_line(edit.shown_path) + ": " + reason_of(why, {edit.real_path})};
}

class EditRun {
 public:
  EditRun(FileSystem& files, VersionBook& book, const std::vector<FileEdit>& edits)
      : files_(files), book_(book), edits_(edits) {}

  Result<> run() {
    for (const FileEdit& edit : edits_) {
      if (const Result<> staged = stage(edit); !staged) return named(edit, staged.error());
    }
    for (const FileEdit& edit : edits_) {
      if (const Result<> same = check_unchanged(files_, target_of(edit)); !same) return named(edit, same.error());
    }
    for (size_t i = 0; i < edits_.size(); ++i) {
      Result<> made = commit(edits_[i], staged_[i]);
      if (!made) return put_back(i, named(edits_[i], made.error()));
    }
    for (size_t i = 0; i < edits_.size(); ++i) {
      if (edits_[i].after) note(book_, edits_[i], now_[i]);
      else book_.removed(edits_[i].real_path);
      if (edits_[i].after) remove_leftovers(files_, edits_[i].real_path);
    }
    return ok;
  }

 private:
  Result<> stage(const FileEdit& edit) {
    staged_.emplace_back();
    if (!edit.after) return ok;
    const WriteTarget target = target_of(edit);
    if (target.existing) TRY(look_at_target(files_, edit.real_path));  // whether it may be written
    Result<StagedFile> staged = StagedFile::write(files_, {edit.real_path, target.existing, edit.mode}, *edit.after);
    if (!staged) return std::move(staged).error();
    staged_.back().emplace(*std::move(staged));
    return ok;
  }

  Result<> commit(const FileEdit& edit, std::optional<StagedFile>& staged) {
    now_.emplace_back();
    if (!edit.after) return files_.remove(edit.real_path);
    now_.back() = TRY(staged->commit(edit.before ? Existing::replaced : Existing::kept));
    return ok;
  }

  // The edit with this number failed; those before it were made.
  Error put_back(size_t failed, Error why) {
    std::vector<std::string> lost;
    for (size_t i = failed; i-- > 0;) {
      if (!undo(edits_[i], staged_[i])) lost.push_back(edits_[i].shown_path);
    }
    const std::string outcome = lost.empty()
                                    ? "all files were put back as they were"
                                    : "these files could NOT be put back as they were: " + shown_line(join(lost, ", "));
    return {why.code(), why.message() + "; " + outcome};
  }

  bool undo(const FileEdit& edit, const std::optional<StagedFile>& staged) {
    if (!edit.before) {
      if (!files_.remove(edit.real_path)) return false;
      std::vector<std::string> folders = staged->made_folders();
      for (; !folders.empty(); folders.pop_back()) (void)files_.remove(folders.back());
      return true;
    }
    const StageTarget target{edit.real_path, edit.before->stat};
    Result<StagedFile> original = StagedFile::write(files_, target, edit.before->bytes);
    return original && original->commit(Existing::replaced);
  }

  FileSystem& files_;
  VersionBook& book_;
  const std::vector<FileEdit>& edits_;
  std::vector<std::optional<StagedFile>> staged_;  // as many as edits; none for a removal
  std::vector<FileStat> now_;
};

}  // namespace

Result<> apply_edits(FileSystem& files, VersionBook& book, const std::vector<FileEdit>& edits) {
  return EditRun(files, book, edits).run();
}

}  // namespace talaria
