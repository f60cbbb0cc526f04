// read_file, write_file and patch as tools.
#include "api/answer_later.h"
#include "api/built_in_tools.h"
#include "api/file_call.h"
#include "api/file_texts.h"
#include "api/masked_files.h"
#include "files/patch_file.h"
#include "files/read.h"
#include "files/write.h"
#include "tools/built_in.h"

namespace talaria {
namespace {

template <class... Arguments>
OperationPtr start_file_call(FileCall::Where where, Arguments&&... arguments) {
  auto call = std::make_unique<FileCall>(std::forward<Arguments>(arguments)...);
  call->begin(where);
  return call;
}

// Of a patch that may have changed several: they are mostly in one place. It has no ~ in its names.
std::string first_changed(const JsonObject& result) {
  const Json* files = result.if_contains("files_modified");
  if (!files || !files->is_array() || files->get_array().empty()) return "";
  const Json& first = files->get_array().front();
  return first.is_string() ? std::string(first.get_string()) : "";
}

class ReadFileTool : public Tool {
 public:
  explicit ReadFileTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    const std::string path = text_or(call.arguments, "path");
    const auto offset = static_cast<uint64_t>(integer_or(call.arguments, "offset", 1));
    const auto limit = static_cast<uint64_t>(integer_or(call.arguments, "limit", 2000));
    const auto work = [path, offset, limit](FileCall::Bench& bench) {
      ReadRequest request;
      request.path = bench.paths.absolute(path);
      request.shown_path = path;
      request.offset = offset;
      request.limit = limit;
      request.audience = bench.audience;
      request.cancelled = &bench.site.cancelled;
      return read_file(bench.site.files, bench.gate, bench.site.book, request);
    };
    if (!is_own_output(path, call)) {
      return start_file_call(FileCall::Where::session, parts_, std::move(call), spec_.name, work, read_text,
                             std::move(done));
    }
    // What a result of exec masks, its file must not show.
    const auto masked = [work, mask = parts_.secrets.mask(parts_.environment.secrets())](FileCall::Bench& bench) {
      JsonObject result = work(bench);
      mask_file_result(result, mask);
      return result;
    };
    return start_file_call(FileCall::Where::host, parts_, std::move(call), spec_.name, masked, read_text,
                           std::move(done));
  }

 private:
  // The output of a job of this session is in our home, which no sandbox shows.
  bool is_own_output(const std::string& path, const ToolCall& call) const {
    const std::string folder = parts_.jobs.home().jobs() + "/";
    if (!path.starts_with(folder) || path.find("/../") != std::string::npos) return false;
    const std::string id = path.substr(folder.size(), path.find('/', folder.size()) - folder.size());
    const Result<JobRow> row =
        parts_.jobs.find(id, call.caller.person ? std::nullopt : std::optional(call.session->id));
    return row && row->id == id;
  }

  Parts& parts_;
  ToolSpec spec_ = read_file_spec();
};

class WriteFileTool : public Tool {
 public:
  explicit WriteFileTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    const std::string path = text_or(call.arguments, "path");
    const bool force = boolean_or(call.arguments, "force");
    const auto content = std::make_shared<const std::string>(text_or(call.arguments, "content"));
    call.arguments.clear();
    const auto work = [path, content, force](FileCall::Bench& bench) {
      WriteRequest request;
      request.path = bench.paths.absolute(path);
      request.shown_path = path;
      request.content = *content;
      request.overwrite = force ? Overwrite::always : Overwrite::unless_changed;
      JsonObject result = write_file(bench.site.files, bench.gate, bench.site.book, bench.site.locks, request);
      bench.tell_place(result, request.path, path);
      return result;
    };
    return start_file_call(FileCall::Where::session, parts_, std::move(call), spec_.name, work, write_text,
                           std::move(done));
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = write_file_spec();
};

class PatchTool : public Tool {
 public:
  explicit PatchTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    const auto arguments = std::make_shared<const JsonObject>(std::move(call.arguments));
    call.arguments = {};
    if (Result<> checked = check(*arguments); !checked) {
      return answer_later(parts_.loop, failed_tool(checked.error()), std::move(done));
    }
    const auto work = [arguments](FileCall::Bench& bench) {
      const PatchTools tools{bench.site.files, bench.gate, bench.site.book, bench.site.locks};
      const ShowDiff diff = boolean_or(*arguments, "diff") ? ShowDiff::always : ShowDiff::to_agents;
      if (text_or(*arguments, "mode", "replace") == "patch") {
        JsonObject result = patch_files(tools, {text_or(*arguments, "patch"), bench.paths.cwd, bench.audience, diff});
        const std::string name = first_changed(result);
        if (!name.empty()) bench.tell_place(result, name.front() == '/' ? name : bench.paths.cwd + "/" + name, name);
        return result;
      }
      const std::string path = text_or(*arguments, "path");
      const ReplaceRequest replace{text_or(*arguments, "old_string"), text_or(*arguments, "new_string"),
                                   boolean_or(*arguments, "replace_all")};
      JsonObject result = patch_file(tools, {bench.paths.absolute(path), path, replace, bench.audience, diff});
      bench.tell_place(result, bench.paths.absolute(path), path);
      return result;
    };
    return start_file_call(FileCall::Where::session, parts_, std::move(call), spec_.name, work, patch_text,
                           std::move(done));
  }

 private:
  // What each mode needs is more than a schema can say.
  static Result<> check(const JsonObject& arguments) {
    const auto given = [&](const char* name) {
      const Json* value = arguments.if_contains(name);
      return value && !value->is_null();
    };
    const bool whole = text_or(arguments, "mode", "replace") == "patch";
    for (const char* name : {"path", "old_string", "new_string"}) {
      if (!whole && !given(name)) {
        return invalid("patch parameter \"" + std::string(name) + "\" is missing; mode=\"replace\" needs path, " +
                       "old_string and new_string" + (given("patch") ? " (a whole patch needs mode=\"patch\")" : ""));
      }
      if (whole && given(name)) {
        return invalid("patch parameter \"" + std::string(name) +
                       "\" belongs to mode=\"replace\"; mode=\"patch\" takes only patch");
      }
    }
    if (whole && !given("patch")) return invalid("patch parameter \"patch\" is missing; mode=\"patch\" needs it");
    if (!whole && given("patch")) {
      return invalid("patch parameter \"patch\" belongs to mode=\"patch\"; set mode, or leave it out");
    }
    return ok;
  }

  Parts& parts_;
  ToolSpec spec_ = patch_spec();
};

}  // namespace

std::unique_ptr<Tool> read_file_tool(Parts& parts) { return std::make_unique<ReadFileTool>(parts); }
std::unique_ptr<Tool> write_file_tool(Parts& parts) { return std::make_unique<WriteFileTool>(parts); }
std::unique_ptr<Tool> patch_tool(Parts& parts) { return std::make_unique<PatchTool>(parts); }

}  // namespace talaria
