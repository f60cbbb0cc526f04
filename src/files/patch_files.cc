// A patch of several files: judged and tried on texts in memory, whole, before anything is written.
#include <algorithm>
#include <cerrno>
#include <map>

#include "base/text.h"
#include "base/unseen.h"
#include "files/editable_text.h"
#include "files/failure.h"
#include "files/file_edit.h"
#include "files/patch_file.h"
#include "files/patch_result.h"
#include "files/text_encoding.h"
#include "files/write_target.h"
#include "patch/v4a.h"

namespace talaria {
namespace {

using Kind = FileChange::Kind;

constexpr uint64_t most_patch_total_bytes = 256 << 20;  // of all files that are kept to be put back

// A file while the patch is tried on it.
struct TriedFile {
  std::string shown_path;
  std::optional<LoadedFile> before;
  EditableText editable;  // of what was there, or came by a move
  bool there = false;
  bool decoded = false;  // `text` is set
  std::string text;
  std::optional<uint32_t> mode = {};  // of what came by a move
  std::string moved_from = {};        // as shown
  bool moved_away = false;
};

class PatchTrial {
 public:
  PatchTrial(const PatchTools& tools, const PatchFiles& request, std::vector<FileChange> changes)
      : tools_(tools), request_(request), changes_(std::move(changes)) {}

  JsonObject run() {
    for (const FileChange& change : changes_) look_up(change);
    if (!failures_.empty()) return refused();
    Result<PathLocks::Hold> hold = tools_.locks.hold(real_paths());
    if (!hold) return patch_failure(why_not_held(hold.error()));
    for (auto& [real_path, file] : files_) load(real_path, file);
    if (!failures_.empty()) return refused();
    for (const FileChange& change : changes_) attempt(change);
    judge_absent();
    if (!failures_.empty()) return refused();
    return apply();
  }

 private:
  std::string absolute(const std::string& path) const {
    return path.starts_with('/') ? path : request_.cwd + "/" + path;
  }

  std::string no_such_file(const std::string& path) const {
    return "there is no such file" + where_looked_for(path, absolute(path));
  }

  void fail(const std::string& path, size_t line, std::string_view reason, size_t hunk = 0) {
    JsonObject failure{{"path", valid_utf8(path)}, {"line", line}, {"reason", valid_utf8(reason)}};
    if (hunk > 0) failure["hunk"] = hunk;
    failures_.push_back(std::move(failure));
    problems_ += "\n- " + shown_line(path) + (hunk > 0 ? ", hunk " + std::to_string(hunk) : "") + " (line " +
                 std::to_string(line) + " of the patch): " + std::string(reason);
  }

  JsonObject refused() {
    JsonObject object = patch_failure("the patch was not applied, and nothing was written:" + problems_);
    object["failures"] = std::move(failures_);
    return object;
  }

  // By the path that the patch has.
  std::string why_not_held(const Error& error) const {
    for (const auto& [real_path, file] : files_) {
      if (error.message().find(shown_line(real_path) + " ") != std::string::npos)
        return "patch " + shown_line(file.shown_path) + ": " + reason_of(error, {real_path});
    }
    return error.message();
  }

  std::vector<std::string> real_paths() const {
    std::vector<std::string> paths;
    for (const auto& [path, file] : files_) paths.push_back(path);
    return paths;
  }

  void look_up(const FileChange& change) {
    look_up_path(change.path, change);
    if (change.kind == Kind::move) look_up_path(change.new_path, change);
  }

  void look_up_path(const std::string& path, const FileChange& change) {
    if (real_of_.contains(path)) return;
    const std::string wanted = absolute(path);
    const Result<std::string> real_path = tools_.files.real_path(wanted);
    if (!real_path) return fail(path, change.line, reason_of(why_no_place(real_path.error()), {wanted}));
    const bool goes = path == change.path && (change.kind == Kind::remove || change.kind == Kind::move);
    const Result<FileStat> link = tools_.files.stat(wanted, FileSystem::Links::looked_at);
    if (goes && link && link->type == FileType::link)
      return fail(path, change.line, "it is a symbolic link; remove or move it by a command");
    // Of what is to be made, a refusal speaks of the writing.
    const bool comes = change.kind == Kind::add || path != change.path;
    for (const FileUse use : {comes ? FileUse::write : FileUse::read, comes ? FileUse::read : FileUse::write}) {
      const Result<FilePermit> permit = tools_.gate.permit(use, wanted, *real_path);
      if (!permit) return fail(path, change.line, reason_of(permit.error(), {wanted, *real_path}));
    }
    real_of_[path] = *real_path;
    files_[*real_path].shown_path = path;
    line_of_.try_emplace(*real_path, change.line);
  }

  void load(const std::string& real_path, TriedFile& file) {
    const size_t line = line_of_[real_path];
    Result<LoadedFile> loaded = load_file(tools_.files, real_path, most_patched_bytes);
    if (!loaded && loaded.error().number() == ENOENT) return;
    if (!loaded && loaded.error().number() == EISDIR) return fail(file.shown_path, line, "it is a directory");
    if (!loaded) return fail(file.shown_path, line, reason_of(loaded.error(), {real_path}));
    total_ += loaded->bytes.size();
    if (total_ > most_patch_total_bytes)
      return fail(file.shown_path, line, "the files of one patch may have " + human_bytes(most_patch_total_bytes));
    file.before = *std::move(loaded);
    file.there = true;
  }

  // The text of a file that a change is about; null if there is none.
  TriedFile* text_of(const FileChange& change) {
    TriedFile& file = files_[real_of_[change.path]];
    if (!file.there) {
      fail(change.path, change.line, no_such_file(change.path));
      return nullptr;
    }
    if (!file.decoded) {
      Result<EditableText> editable = EditableText::of(file.before->bytes);
      if (!editable) {
        fail(change.path, change.line, editable.error().message());
        return nullptr;
      }
      file.editable = *std::move(editable);
      file.text = file.editable.text;
      file.decoded = true;
    }
    return &file;
  }

  bool apply_to(TriedFile& file, const FileChange& change) {
    HunksApplied applied = apply_hunks(file.text, change.hunks);
    for (const HunkFailure& failure : applied.failures) fail(change.path, failure.line, failure.reason, failure.hunk);
    if (!applied.failures.empty()) return false;
    file.text = std::move(applied.text);
    replacements_ += applied.changed;
    for (const std::string& strategy : applied.strategies) note_strategy(strategy);
    return true;
  }

  void attempt(const FileChange& change) {
    switch (change.kind) {
      case Kind::add: return add(change);
      case Kind::update:
        if (TriedFile* file = text_of(change)) apply_to(*file, change);
        return;
      case Kind::remove: return remove(change);
      case Kind::move: return move(change);
    }
  }

  void add(const FileChange& change) {
    TriedFile& file = files_[real_of_[change.path]];
    if (file.before && file.before->bytes == change.content) return was_so(change, change.path + " (added)");
    if (file.there) return fail(change.path, change.line, "it is there already; update it instead");
    file.there = true;
    file.text = change.content;
    file.decoded = true;
    ++replacements_;
  }

  void remove(const FileChange& change) {
    if (!files_[real_of_[change.path]].there) return absent_.push_back(&change);
    TriedFile* file = text_of(change);
    if (!file) return;
    file->there = false;
    ++replacements_;
  }

  // A file to delete that is not there was deleted before, if something says so: this session did it, or other changes
  // of the patch were made before. Else its name is wrong.
  void judge_absent() {
    const bool some_was_so = std::ranges::find(strategies_, "already_applied") != strategies_.end();
    for (const FileChange* change : absent_) {
      if (some_was_so || tools_.book.was_removed(real_of_[change->path])) was_so(*change, change->path + " (deleted)");
      else fail(change->path, change->line, no_such_file(change->path));
    }
  }

  // Whether the source is gone, and the target there as the patch would make it.
  static bool was_moved(const TriedFile& source, const TriedFile& target, const FileChange& change) {
    if (source.there || !target.before) return false;
    const Result<EditableText> editable = EditableText::of(target.before->bytes);
    if (!editable) return false;
    const HunksApplied applied = apply_hunks(editable->text, change.hunks);
    return applied.failures.empty() && applied.changed == 0;
  }

  void move(const FileChange& change) {
    TriedFile& target = files_[real_of_[change.new_path]];
    if (was_moved(files_[real_of_[change.path]], target, change))
      return was_so(change, change.path + " -> " + change.new_path + " (moved)");
    TriedFile* source = text_of(change);
    if (!source) return;
    if (target.there)
      return fail(change.new_path, change.line, "it is there already; a file is not moved onto another");
    if (!apply_to(*source, change)) return;
    target.there = true;
    target.text = std::move(source->text);
    target.editable = source->editable;
    target.mode = source->before ? std::optional(source->before->stat.mode) : source->mode;
    target.moved_from = source->shown_path;
    target.decoded = true;
    source->there = false;
    source->moved_away = true;
    source->text.clear();
    ++replacements_;
  }

  // Applied before, as when a patch is applied twice.
  void was_so(const FileChange& change, std::string what) {
    done_[change.line] = std::move(what);
    note_strategy("already_applied");
  }

  std::string all_done() const {
    std::vector<std::string> all;
    for (const auto& [line, what] : done_) all.push_back(what);
    return join(all, ", ");
  }

  void note_strategy(const std::string& strategy) {
    if (std::ranges::find(strategies_, strategy) == strategies_.end()) strategies_.push_back(strategy);
  }

  JsonObject apply() {
    std::vector<FileEdit> edits;
    PatchSummary summary;
    for (auto& [real_path, file] : files_) {
      if (!file.there && !file.before) continue;
      if (!file.there) {
        edits.push_back({real_path, file.shown_path, file.before, std::nullopt});
      } else {
        if (!file.decoded) continue;
        Result<std::string> bytes = file.editable.encode(file.text);
        if (!bytes) return patch_failure("patch " + shown_line(file.shown_path) + ": " + bytes.error().message());
        if (file.before && file.before->bytes == *bytes) continue;
        edits.push_back({real_path, file.shown_path, file.before, *std::move(bytes), file.mode});
      }
      if (file.moved_away && !file.there) continue;  // told with where it went
      summary.files.push_back(describe(file));
    }
    summary.strategy = join(strategies_, ", ");
    summary.replacements = replacements_;
    if (!done_.empty()) summary.note = shown_line("applied before: " + all_done());
    if (edits.empty())
      return patch_no_change(summary.strategy, "the files are already as the patch wants them" +
                                                   (done_.empty() ? "" : "; " + summary.note));
    const Result<> written = apply_edits(tools_.files, tools_.book, edits);
    if (!written) return patch_failure("patch " + written.error().message());
    return patch_success(summary, request_.audience, request_.diff);
  }

  static PatchedFile describe(const TriedFile& file) {
    const std::string& from = file.moved_from.empty() ? file.shown_path : file.moved_from;
    const std::string& before = file.editable.text;
    if (!file.there) return {file.shown_path, "", before, ""};
    if (!file.before && file.moved_from.empty())
      return {"", file.shown_path, "", file.text, {changed_lines("", file.text)}};
    PatchedFile patched{from, file.shown_path, before, file.text};
    if (before != file.text) patched.ranges = {changed_lines(before, file.text)};
    return patched;
  }

  const PatchTools& tools_;
  const PatchFiles& request_;
  const std::vector<FileChange> changes_;
  std::map<std::string, TriedFile> files_;      // by real path
  std::map<std::string, std::string> real_of_;  // by the path in the patch
  std::map<std::string, size_t> line_of_;       // where the patch first speaks of a real path
  std::vector<std::string> strategies_;
  std::vector<const FileChange*> absent_;  // to be deleted, and not there
  std::map<size_t, std::string> done_;     // by the line of the patch: files that were added, deleted or moved before
  size_t replacements_ = 0;
  uint64_t total_ = 0;
  JsonArray failures_;
  std::string problems_;
};

}  // namespace

JsonObject patch_files(const PatchTools& tools, const PatchFiles& request) {
  Result<std::vector<FileChange>> changes = parse_v4a(request.patch);
  if (!changes) return patch_failure(changes.error().message());
  if (changes->empty()) return patch_no_change("", "the patch changes no file");
  return PatchTrial(tools, request, *std::move(changes)).run();
}

}  // namespace talaria
