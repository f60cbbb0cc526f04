// web_search and web_extract as tools.
#include "api/built_in_tools.h"
#include "api/web_call.h"
#include "api/web_texts.h"
#include "config/dotenv.h"
#include "tools/built_in.h"
#include "web/search_provider.h"

namespace talaria {
namespace {

// The one that is configured, with its key, which is in .env or in our own environment.
Result<SearchProvider> configured_provider(Parts& parts) {
  const WebSearchSettings& settings = parts.settings.last_good().web.search;
  if (settings.provider == "none") {
    return Error(ErrorCode::unavailable,
                 "web_search has no provider; the owner can set web.search.provider in the configuration to searxng "
                 "(with web.search.url), brave or tavily (with their key in .env)");
  }
  SearchProvider provider{settings.provider, settings.url == "none" ? "" : settings.url, ""};
  if (provider.name == "searxng") return provider;
  const std::string name = provider.name == "brave" ? "BRAVE_API_KEY" : "TAVILY_API_KEY";
  const std::string file = parts.jobs.home().root + "/.env";
  const std::map<std::string, std::string> stored = TRY(read_dotenv(file));
  const Environment& own = parts.environment.own();
  if (const auto key = stored.find(name); key != stored.end()) provider.key = key->second;
  else if (const auto given = own.find(name); given != own.end()) provider.key = given->second;
  if (!provider.key.empty()) return provider;
  return Error(ErrorCode::unavailable,
               "web_search needs the key of " + provider.name + ": put " + name + "=… into " + file + " (mode 600)");
}

class SearchWebCall : public Operation {
 public:
  SearchWebCall(Parts& parts, ToolCall call, Done<ToolResult> done)
      : parts_(parts), call_(std::move(call)), done_(std::move(done)) {}

  void begin() {
    Result<SearchProvider> provider = configured_provider(parts_);
    if (!provider) return answer(tool_result(failed_search(provider.error()), provider.error().message()));
    const auto result = std::make_shared<JsonObject>();
    const FetchLimits limits = fetch_limits(parts_.settings.last_good().web);
    work_.run(
        parts_.web_workers,
        [result, provider = *std::move(provider), limits, query = text_or(call_.arguments, "query"),
         limit = integer_or(call_.arguments, "limit", 5)](const std::atomic<bool>& cancelled) {
          *result = search(provider, query, static_cast<int>(limit), limits, cancelled);
        },
        [this, result] {
          std::string text = call_.caller.program ? "" : search_results_text(*result);
          answer(tool_result(std::move(*result), std::move(text)));
        });
  }

 private:
  void answer(ToolResult result) {
    later_ = Later(parts_.loop, [this, result = std::move(result)]() mutable {
      const Done<ToolResult> done = std::exchange(done_, nullptr);
      if (done) done(std::move(result));  // may destroy us
    });
  }

  Parts& parts_;
  ToolCall call_;
  Done<ToolResult> done_;
  Later later_;
  CancellableWork work_;
};

class WebSearchTool : public Tool {
 public:
  explicit WebSearchTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  std::string missing() const override { return why_no_web_search(parts_); }
  bool answers_when_missing() const override { return true; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    auto search = std::make_unique<SearchWebCall>(parts_, std::move(call), std::move(done));
    search->begin();
    return search;
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = web_search_spec();
};

class WebExtractTool : public Tool {
 public:
  explicit WebExtractTool(Parts& parts) : parts_(parts) {}
  const ToolSpec& spec() const override { return spec_; }

  OperationPtr call(ToolCall call, Done<ToolResult> done) override {
    auto extract = std::make_unique<ExtractCall>(parts_, room_, std::move(call), std::move(done));
    extract->begin();
    return extract;
  }

 private:
  Parts& parts_;
  ToolSpec spec_ = web_extract_spec();
  std::shared_ptr<ReadingRoom> room_ = std::make_shared<ReadingRoom>();  // of all calls
};

}  // namespace

std::string why_no_web_search(Parts& parts) {
  const Result<SearchProvider> provider = configured_provider(parts);
  if (!provider) return provider.error().message();
  const Result<> checked = check_search_provider(*provider);
  return checked ? "" : checked.error().message();
}

std::unique_ptr<Tool> web_search_tool(Parts& parts) { return std::make_unique<WebSearchTool>(parts); }
std::unique_ptr<Tool> web_extract_tool(Parts& parts) { return std::make_unique<WebExtractTool>(parts); }

}  // namespace talaria
