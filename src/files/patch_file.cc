#include "files/patch_file.h"

#include "base/unseen.h"
#include "files/editable_text.h"
#include "files/failure.h"
#include "files/file_edit.h"
#include "files/patch_result.h"
#include "files/similar_files.h"
#include "files/text_encoding.h"
#include "files/write_target.h"

namespace talaria {
namespace {

JsonObject failed(const std::string& reason, const std::string& path) {
  JsonObject object = patch_failure("patch " + shown_line(path) + ": " + reason);
  object["path"] = valid_utf8(path);
  return object;
}

JsonObject not_replaced(const ReplaceFailure& failure, const std::string& path) {
  JsonObject object = failed(failure.message, path);
  JsonArray candidates;
  for (const LineRange& range : failure.candidates)
    candidates.push_back(JsonObject{{"first", range.first}, {"last", range.last}});
  object["candidates"] = std::move(candidates);
  return object;
}

// The file under both permits and in our hold.
struct HeldFile {
  PathLocks::Hold hold;
  std::string real_path;
  LoadedFile file;
};

Result<HeldFile> take(const PatchTools& tools, const std::string& path) {
  const FoundFile found = TRY(tools.files.find(path));
  TRY(tools.gate.permit(FileUse::read, path, found.real_path));
  TRY(tools.gate.permit(FileUse::write, path, found.real_path));
  PathLocks::Hold hold = TRY(tools.locks.hold({found.real_path}));
  TRY(look_at_target(tools.files, found.real_path));
  LoadedFile file = TRY(load_file(tools.files, found.real_path, most_patched_bytes));
  return HeldFile{std::move(hold), found.real_path, std::move(file)};
}

}  // namespace

JsonObject patch_file(const PatchTools& tools, const ReplaceInFile& request) {
  const std::string& path = request.shown_path;
  const auto refuse = [&](const Error& error) {
    const Result<std::string> real_path = tools.files.real_path(request.path);
    return failed(reason_of(error, {request.path, real_path ? *real_path : ""}), path);
  };
  const Result<HeldFile> held = take(tools, request.path);
  if (!held && held.error().code() == ErrorCode::not_found) {
    JsonObject object = failed("no such file" + where_looked_for(path, request.path), path);
    JsonArray similar;
    for (const std::string& name : similar_files(tools.files, tools.gate, request.path, path))
      similar.push_back(Json(valid_utf8(name)));
    object["similar_files"] = std::move(similar);
    return object;
  }
  if (!held) return refuse(held.error());
  const Result<EditableText> editable = EditableText::of(held->file.bytes);
  if (!editable) return refuse(editable.error());

  std::variant<Replaced, ReplaceFailure> outcome = replace_text(editable->text, request.replace);
  if (const auto* failure = std::get_if<ReplaceFailure>(&outcome)) return not_replaced(*failure, path);
  Replaced& replaced = std::get<Replaced>(outcome);
  if (replaced.no_change || replaced.text == editable->text)
    return patch_no_change(replaced.strategy, replaced.note.empty() ? "the text is already as wished" : replaced.note);
  Result<std::string> bytes = editable->encode(replaced.text);
  if (!bytes) return refuse(bytes.error());
  const Result<> written =
      apply_edits(tools.files, tools.book, {{held->real_path, path, held->file, *std::move(bytes)}});
  if (!written) {
    JsonObject object = patch_failure("patch " + written.error().message());
    object["path"] = valid_utf8(path);
    return object;
  }
  return patch_success({{{path, path, editable->text, std::move(replaced.text), std::move(replaced.after)}},
                        std::move(replaced.strategy),
                        replaced.replacements,
                        ""},
                       request.audience, request.diff);
}

}  // namespace talaria
