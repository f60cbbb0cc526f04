// The tools that reach the web.
#include "tools/built_in.h"
#include "tools/schema.h"

namespace talaria {

ToolSpec web_search_spec() {
  ToolSpec spec;
  spec.name = "web_search";
  spec.toolset = Toolset::web;
  spec.description = "Search the web: titles, addresses and descriptions. Read a result with web_extract.";
  JsonObject query = typed("string", "What to search for");
  query["minLength"] = 1;
  query["maxLength"] = 2000;
  spec.parameters = {{"query", std::move(query)},
                     {"limit", whole_number(1, 100, "Most results, up to 100 (default 5)")}};
  spec.required = {"query"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true};
  return spec;
}

ToolSpec web_extract_spec() {
  ToolSpec spec;
  spec.name = "web_extract";
  spec.toolset = Toolset::web;
  spec.description =
      "Fetch up to five web pages and show their readable content as markdown; plain text, JSON and PDF too. Use this "
      "instead of curl or wget. Private networks are refused.";
  JsonObject urls = list_of_texts("Addresses, http or https");
  urls["minItems"] = 1;
  urls["maxItems"] = 5;
  spec.parameters = {{"urls", std::move(urls)},
                     {"char_limit", whole_number(100, 2'000'000, "Most characters of each page (default 15000)")}};
  spec.required = {"urls"};
  spec.hints = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true};
  return spec;
}

}  // namespace talaria
