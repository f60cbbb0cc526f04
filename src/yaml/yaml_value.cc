#include "yaml/yaml_value.h"

#include <libfyaml.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.h"
#include "yaml/block_scalar.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

constexpr size_t most_remarks = 100;

using Parser = std::unique_ptr<fy_parser, decltype(&fy_parser_destroy)>;
using Listener = std::unique_ptr<fy_diag, decltype(&fy_diag_destroy)>;

// Without one of our own the library writes to stderr.
Listener silent_listener() {
  fy_diag_cfg config{};
  fy_diag_cfg_default(&config);
  config.fp = nullptr;
  config.output_fn = [](fy_diag*, void*, const char*, size_t) {};
  config.colorize = false;
  return {fy_diag_create(&config), fy_diag_destroy};
}

size_t weight(const Json& value) {
  size_t sum = 32;
  if (const auto* text = value.if_string()) return sum + text->size();
  if (const JsonArray* list = value.if_array()) {
    for (const Json& item : *list) sum += weight(item);
  }
  if (const JsonObject* map = value.if_object()) {
    for (const auto& [key, item] : *map) sum += key.size() + weight(item);
  }
  return sum;
}

std::string_view text_of(fy_token* token) {
  size_t length = 0;
  const char* text = token == nullptr ? nullptr : fy_token_get_text(token, &length);
  return text == nullptr ? std::string_view() : std::string_view(text, length);
}

std::string key_of(const Json& value) {
  if (const auto* text = value.if_string()) return std::string(*text);
  return write_json(value);
}

// Puts the library's events together.
class ValueBuilder {
 public:
  ValueBuilder(std::string_view text, size_t first_line, YamlScope& scope)
      : text_(text), first_line_(first_line), scope_(scope) {}

  // False when this cannot be read as one value.
  bool take(fy_event* event) {
    switch (event->type) {
      case FYET_NONE:
      case FYET_STREAM_START:
      case FYET_STREAM_END:
      case FYET_DOCUMENT_END: return true;
      case FYET_DOCUMENT_START: return !std::exchange(in_document_, true);
      case FYET_MAPPING_START: return open(event, JsonObject());
      case FYET_SEQUENCE_START: return open(event, JsonArray());
      case FYET_MAPPING_END:
      case FYET_SEQUENCE_END: return close();
      case FYET_SCALAR: return add_scalar(event);
      case FYET_ALIAS: return add_alias(event);
    }
    return false;
  }

  // Only what was read to its end has something to say.
  Json finish() && {
    for (YamlRemark& remark : remarks_) scope_.remark(remark.line, std::move(remark.message));
    return std::move(root_);
  }

 private:
  struct Open {
    Json value;
    std::string anchor;
    size_t line;
    size_t column;
    std::string key;
    bool keyed = false;  // `key` waits for its value
    bool merging = false;
    std::vector<Json> merged;
  };

  size_t line_of(fy_event* event) {
    const fy_mark* mark = fy_event_start_mark(event);
    if (mark != nullptr) line_ = first_line_ + static_cast<size_t>(std::max(mark->line, 0));
    return line_;
  }

  bool expects_key() const { return !open_.empty() && open_.back().value.is_object() && !open_.back().keyed; }

  bool open(fy_event* event, Json empty) {
    if (open_.size() >= deepest_yaml) return false;
    Open made{std::move(empty),
              std::string(text_of(fy_event_get_anchor_token(event))),
              line_of(event),
              0,
              {},
              false,
              false,
              {}};
    if (const fy_mark* mark = fy_event_start_mark(event)) made.column = static_cast<size_t>(std::max(mark->column, 0));
    open_.push_back(std::move(made));
    return true;
  }

  bool close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    for (const Json& merged : closed.merged) merge(closed.value.get_object(), merged);
    if (!closed.anchor.empty()) scope_.define(std::move(closed.anchor), closed.value);
    if (expects_key()) return add_key(write_json(closed.value), closed.line);
    return add(std::move(closed.value));
  }

  bool add_scalar(fy_event* event) {
    fy_token* token = fy_event_get_token(event);
    const size_t line = line_of(event);
    const fy_scalar_style style = token == nullptr ? FYSS_PLAIN : fy_token_scalar_style(token);
    const bool block = style == FYSS_LITERAL || style == FYSS_FOLDED;
    const std::optional<std::string> block_text = block ? read_block_text(event) : std::nullopt;
    if (block && !block_text) return false;
    const std::string_view text = block ? *block_text : text_of(token);
    const std::string_view tag = text_of(fy_event_get_tag_token(event));
    const bool is_text = style != FYSS_PLAIN || tag == "!" || tag == "tag:yaml.org,2002:str";
    Json value = is_text ? Json(text) : plain_value(text);
    if (fy_token* anchor = fy_event_get_anchor_token(event)) scope_.define(std::string(text_of(anchor)), value);
    if (!expects_key()) return add(std::move(value));
    open_.back().merging = style == FYSS_PLAIN && text == "<<";
    return add_key(std::string(text), line);
  }

  std::optional<std::string> read_block_text(fy_event* event) const {
    const fy_mark* start = fy_event_start_mark(event);
    const fy_mark* end = fy_event_end_mark(event);
    if (start == nullptr || end == nullptr) return std::nullopt;
    const std::optional<size_t> outer = open_.empty() ? std::nullopt : std::optional(open_.back().column);
    return read_block_scalar(text_, {start->input_pos, end->input_pos, end->column > 0, outer});
  }

  bool add_alias(fy_event* event) {
    const size_t line = line_of(event);
    std::optional<Json> value = scope_.expand(std::string(text_of(fy_event_get_token(event))), line);
    if (!value) return false;
    return expects_key() ? add_key(key_of(*value), line) : add(std::move(*value));
  }

  bool add_key(std::string key, size_t line) {
    Open& map = open_.back();
    map.keyed = true;
    if (!map.merging && map.value.get_object().contains(key)) {
      remarks_.push_back({line, "\"" + key + "\" is there twice; the last one counts"});
    }
    map.key = std::move(key);
    return true;
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Open& in = open_.back();
    if (JsonArray* list = in.value.if_array()) {
      list->push_back(std::move(value));
      return true;
    }
    in.keyed = false;
    if (std::exchange(in.merging, false) && (value.is_object() || value.is_array())) {
      in.merged.push_back(std::move(value));
    } else {
      in.value.get_object()[in.key] = std::move(value);
    }
    return true;
  }

  // What a map says itself goes before what is merged into it.
  void merge(JsonObject& into, const Json& merged) {
    if (const JsonArray* list = merged.if_array()) {
      for (const Json& item : *list) {
        if (item.is_object()) merge(into, item);
      }
      return;
    }
    for (const auto& [key, value] : merged.get_object()) into.emplace(key, value);
  }

  std::string_view text_;
  size_t first_line_;
  size_t line_ = first_line_;
  YamlScope& scope_;
  bool in_document_ = false;
  std::vector<Open> open_;
  std::vector<YamlRemark> remarks_;
  Json root_;
};

// The library takes a line that starts with '%' for a directive and forgets it.
bool has_directive(std::string_view text) {
  return text.starts_with('%') || text.find("\n%") != std::string_view::npos;
}

// Brackets without end cost the library half a second for each megabyte before it says no.
bool has_endless_nesting(std::string_view text) {
  constexpr ptrdiff_t most_open = 1000;
  ptrdiff_t open = 0;
  for (char c : text) {
    open += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (open > most_open) return true;
  }
  return false;
}

}  // namespace

void YamlScope::remark(size_t line, std::string message) {
  if (remarks_.size() < most_remarks) remarks_.push_back({line, std::move(message)});
  else ++unsaid_;
}

std::vector<YamlRemark> YamlScope::take_remarks() && {
  std::stable_sort(remarks_.begin(), remarks_.end(), [](const auto& a, const auto& b) { return a.line < b.line; });
  if (unsaid_ > 0) remarks_.push_back({remarks_.back().line, "and " + with_commas(unsaid_) + " more such problems"});
  return std::move(remarks_);
}

bool YamlScope::charge(const Json& value) {
  const size_t bytes = weight(value);
  if (bytes > bytes_left_) return false;
  bytes_left_ -= bytes;
  return true;
}

void YamlScope::define(std::string name, const Json& value) {
  anchors_[std::move(name)] = charge(value) ? value : Json();
}

std::optional<Json> YamlScope::expand(const std::string& name, size_t line) {
  const auto anchor = anchors_.find(name);
  if (anchor == anchors_.end()) return std::nullopt;
  if (charge(anchor->second)) return anchor->second;
  if (!std::exchange(said_too_large_, true)) remark(line, "the alias *" + name + " makes the text too large; left out");
  return Json();
}

Json plain_value(std::string_view plain) {
  if (is_yaml_null(plain)) return nullptr;
  if (plain == "true" || plain == "True" || plain == "TRUE") return true;
  if (plain == "false" || plain == "False" || plain == "FALSE") return false;
  return Json(plain);
}

std::optional<Json> read_yaml_value(std::string_view text, size_t first_line, YamlScope& scope) {
  if (has_directive(text) || has_endless_nesting(text)) return std::nullopt;
  const Listener listener = silent_listener();
  fy_parse_cfg config{};
  config.diag = listener.get();
  // Sloppy: people put the closing bracket of a flow collection at the start of a line.
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_DISABLE_BUFFERING | FYPCF_JSON_NONE |
                                                 FYPCF_DEFAULT_VERSION_1_2 | FYPCF_SLOPPY_FLOW_INDENTATION);
  const Parser parser(listener ? fy_parser_create(&config) : nullptr, fy_parser_destroy);
  if (!parser || fy_parser_set_string(parser.get(), text.data(), text.size()) != 0) return std::nullopt;
  ValueBuilder builder(text, first_line, scope);
  while (fy_event* event = fy_parser_parse(parser.get())) {
    const bool taken = builder.take(event);
    fy_parser_event_free(parser.get(), event);
    if (!taken) return std::nullopt;
  }
  if (fy_parser_get_stream_error(parser.get())) return std::nullopt;
  return std::move(builder).finish();
}

}  // namespace talaria
