#include "yaml/yaml.h"

#include <libfyaml.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "yaml/block_scalar.h"
#include "yaml/yaml_text.h"

namespace talaria {

namespace {

using Parser = std::unique_ptr<fy_parser, decltype(&fy_parser_destroy)>;
using Diagnostics = std::unique_ptr<fy_diag, decltype(&fy_diag_destroy)>;

Error error_at(std::string_view text, size_t offset, const std::string& what) {
  return invalid(yaml_position(text, std::min(offset, text.size())) + ": " + what);
}

Diagnostics collect_diagnostics() {
  fy_diag_cfg config{};
  fy_diag_cfg_default(&config);
  config.fp = nullptr;
  config.output_fn = [](fy_diag*, void*, const char*, size_t) {};
  config.colorize = false;
  Diagnostics diagnostics(fy_diag_create(&config), fy_diag_destroy);
  if (diagnostics) fy_diag_set_collect_errors(diagnostics.get(), true);
  return diagnostics;
}

// What the library reports, made plain where its own words mislead.
Error first_error(std::string_view text, fy_diag* diagnostics) {
  // A tab in the indentation shows up as some other error further on.
  if (const std::optional<size_t> tab = find_tab_indentation(text)) {
    return error_at(text, *tab, "a tab is used to indent; YAML allows only spaces there");
  }
  void* iterator = nullptr;
  const fy_diag_error* error = fy_diag_errors_iterate(diagnostics, &iterator);
  if (error == nullptr || error->msg == nullptr) return invalid("1:1: not valid YAML");
  std::string what = error->msg;
  if (what == "invalid multiline plain key") what += " (is the next line indented too far?)";
  const int line = std::max(error->line, 1);
  return invalid(std::to_string(line) + ":" + std::to_string(std::max(error->column, 1)) + ": not valid YAML: " + what);
}

std::string token_text(fy_token* token) {
  size_t length = 0;
  const char* text = token == nullptr ? nullptr : fy_token_get_text(token, &length);
  return text == nullptr ? std::string() : std::string(text, length);
}

}  // namespace

// Turns the library's events into a YamlDocument.
class YamlBuilder {
 public:
  explicit YamlBuilder(std::string_view text) : text_(text), cursor_(byte_order_mark(text)) {}

  Result<> take(fy_event* event) {
    switch (event->type) {
      case FYET_NONE:
      case FYET_STREAM_START:
      case FYET_STREAM_END: return ok;
      case FYET_DOCUMENT_START: return start_document(event);
      case FYET_DOCUMENT_END: return ok;
      case FYET_MAPPING_START: return open(event, YamlNode::Kind::mapping);
      case FYET_SEQUENCE_START: return open(event, YamlNode::Kind::sequence);
      case FYET_MAPPING_END:
      case FYET_SEQUENCE_END: return close(event);
      case FYET_SCALAR: return add_scalar(event);
      case FYET_ALIAS: return add_alias(event);
    }
    return ok;
  }

  YamlDocument finish() && {
    if (document_.nodes_.empty()) {
      YamlNode nothing;
      nothing.start = nothing.end = text_.size();
      document_.nodes_.push_back(nothing);
    }
    return std::move(document_);
  }

 private:
  YamlNode& node(size_t index) { return document_.nodes_[index]; }

  Result<> start_document(fy_event* event) {
    if (!std::exchange(in_document_, true)) return ok;
    const fy_mark* mark = fy_event_start_mark(event);
    return error_at(text_, mark == nullptr ? cursor_ : mark->input_pos,
                    "a second YAML document starts here; keep everything in one");
  }

  // Start of the anchor or tag if there is one, and what they say.
  void take_properties(fy_event* event, YamlNode& made, size_t start) {
    made.start = start;
    if (fy_token* anchor = fy_event_get_anchor_token(event)) {
      made.anchor = token_text(anchor);
      made.start = std::min(made.start, fy_token_start_mark(anchor)->input_pos - 1);
      cursor_ = std::max(cursor_, fy_token_end_mark(anchor)->input_pos);
    }
    if (fy_token* tag = fy_event_get_tag_token(event)) {
      made.tagged = true;
      made.start = std::min(made.start, fy_token_start_mark(tag)->input_pos);
      cursor_ = std::max(cursor_, fy_token_end_mark(tag)->input_pos);
    }
  }

  Result<> open(fy_event* event, YamlNode::Kind kind) {
    if (open_.size() >= deepest_yaml) return error_at(text_, cursor_, "nested too deeply");
    YamlNode made;
    made.kind = kind;
    made.style = fy_event_get_node_style(event) == FYNS_FLOW ? YamlNode::Style::flow : YamlNode::Style::block;
    const fy_mark* mark = fy_event_start_mark(event);
    const size_t start = mark == nullptr ? cursor_ : mark->input_pos;
    take_properties(event, made, start);
    cursor_ = std::max(cursor_, start);
    if (made.style == YamlNode::Style::flow && cursor_ < text_.size() && cursor_ == start) ++cursor_;
    const size_t index = TRY(attach(std::move(made)));
    open_.push_back({index, mark == nullptr ? 0 : static_cast<size_t>(std::max(mark->column, 0)), std::nullopt});
    return ok;
  }

  Result<> close(fy_event* event) {
    YamlNode& closed = node(open_.back().index);
    open_.pop_back();
    // Only a flow collection has an end of its own; a block one ends with its last value.
    const fy_mark* mark = fy_event_end_mark(event);
    const bool bracketed = closed.style == YamlNode::Style::flow && mark != nullptr &&
                           fy_event_start_mark(event)->input_pos < mark->input_pos;
    if (bracketed) cursor_ = std::max(cursor_, mark->input_pos);
    closed.end = cursor_;
    TRY(check_keys(closed));
    return finish_anchor(closed);
  }

  Result<> finish_anchor(const YamlNode& made) {
    if (!made.anchor.empty()) {
      anchors_.emplace_back(made.anchor, static_cast<size_t>(&made - document_.nodes_.data()));
    }
    return ok;
  }

  Result<> check_keys(const YamlNode& mapping) {
    std::vector<size_t> keys;
    for (const YamlEntry& entry : mapping.entries) keys.push_back(entry.key);
    std::stable_sort(keys.begin(), keys.end(), [&](size_t a, size_t b) { return node(a).text < node(b).text; });
    for (size_t i = 1; i < keys.size(); ++i) {
      const YamlNode& first = node(keys[i - 1]);
      const YamlNode& second = node(keys[i]);
      if (first.text != second.text) continue;
      return error_at(text_, second.start,
                      "the key \"" + second.text + "\" is already on line " +
                          std::to_string(yaml_line(text_, first.start)) + "; keep one of them");
    }
    return ok;
  }

  Result<> add_scalar(fy_event* event) {
    YamlNode made;
    fy_token* token = fy_event_get_token(event);
    const fy_mark* start = fy_event_start_mark(event);
    const fy_mark* end = fy_event_end_mark(event);
    if (token == nullptr || start == nullptr || end == nullptr) return add_unwritten(event);
    made.text = token_text(token);
    made.kind = YamlNode::Kind::scalar;
    const fy_scalar_style style = fy_token_scalar_style(token);
    Span span{start->input_pos, end->input_pos};
    const size_t before = cursor_;
    take_properties(event, made, text_.size());
    if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) {
      made.style = YamlNode::Style::quoted;
      span = TRY(with_quotes(span, style == FYSS_SINGLE_QUOTED ? '\'' : '"'));
    } else if (style == FYSS_LITERAL || style == FYSS_FOLDED) {
      made.style = YamlNode::Style::block;
      const std::optional<size_t> outer = open_.empty() ? std::nullopt : std::optional(open_.back().column);
      const BlockPlace place{span.start, span.end, end->column > 0, outer};
      std::optional<std::string> read = read_block_scalar(text_, place);
      if (!read)
        return error_at(text_, span.start, "a text in a block cannot be read; indent its lines further than its key");
      made.text = std::move(*read);
      // The library's span leaves the header ("|", ">-") out.
      span.start = block_header(before, style == FYSS_LITERAL ? '|' : '>').value_or(span.start);
    } else if (!made.tagged && is_yaml_null(made.text)) {
      made.kind = YamlNode::Kind::null;
    }
    made.start = std::min(made.start, span.start);
    made.end = cursor_ = span.end;
    const size_t index = TRY(attach(std::move(made)));
    return finish_anchor(node(index));
  }

  std::optional<size_t> block_header(size_t before, char indicator) {
    size_t at = skip_blank_and_comments(text_, std::max(before, cursor_));
    if (at < text_.size() && (text_[at] == ':' || text_[at] == '-')) at = skip_blank_and_comments(text_, at + 1);
    return at < text_.size() && text_[at] == indicator ? std::optional(at) : std::nullopt;
  }

  Result<Span> with_quotes(Span inside, char quote) {
    if (inside.start == 0 || text_[inside.start - 1] != quote) {
      return error_at(text_, inside.start, "a quoted text cannot be located; write it on one line");
    }
    const size_t closing = text_.find_first_not_of(" \t\r\n", inside.end);
    if (closing == std::string_view::npos || text_[closing] != quote) {
      return error_at(text_, inside.start, "a quoted text cannot be located; write it on one line");
    }
    return Span{inside.start - 1, closing + 1};
  }

  // `key:` or `-` with nothing after it.
  Result<> add_unwritten(fy_event* event) {
    YamlNode made;
    take_properties(event, made, text_.size());
    if (made.anchor.empty() && !made.tagged) {
      const bool item = !open_.empty() && node(open_.back().index).kind == YamlNode::Kind::sequence;
      const size_t at = skip_blank_and_comments(text_, cursor_);
      if (item && at < text_.size() && text_[at] == '-') cursor_ = at + 1;
      made.start = cursor_;
    }
    if (is_value_of_pair()) {
      // Where a value would be written: after the colon.
      const size_t colon = find_colon(text_, node(*open_.back().key).end);
      if (colon != std::string::npos) cursor_ = std::max(cursor_, colon);
      if (made.anchor.empty() && !made.tagged) made.start = cursor_;
    }
    made.end = cursor_;
    const size_t index = TRY(attach(std::move(made)));
    return finish_anchor(node(index));
  }

  Result<> add_alias(fy_event* event) {
    YamlNode made;
    made.kind = YamlNode::Kind::alias;
    made.text = token_text(fy_event_get_token(event));
    made.start = fy_event_start_mark(event)->input_pos - 1;
    made.end = cursor_ = fy_event_end_mark(event)->input_pos;
    const auto defined =
        std::find_if(anchors_.rbegin(), anchors_.rend(), [&](const auto& anchor) { return anchor.first == made.text; });
    if (defined == anchors_.rend()) {
      return error_at(text_, made.start, "the alias *" + made.text + " has no finished &" + made.text + " before it");
    }
    made.target = defined->second;
    TRY(attach(std::move(made)));
    return ok;
  }

  bool is_value_of_pair() const { return !open_.empty() && open_.back().key.has_value(); }

  // Puts a new node where the innermost open collection expects one.
  Result<size_t> attach(YamlNode made) {
    const size_t index = document_.nodes_.size();
    if (open_.empty()) {
      document_.root_ = index;
    } else if (Open& in = open_.back(); node(in.index).kind == YamlNode::Kind::sequence) {
      node(in.index).items.push_back(index);
    } else if (in.key) {
      node(in.index).entries.push_back({*in.key, index, find_colon(text_, node(*in.key).end)});
      in.key.reset();
    } else {
      TRY(check_key(made));
      made.kind = YamlNode::Kind::scalar;
      in.key = index;
    }
    document_.nodes_.push_back(std::move(made));
    return index;
  }

  Result<> check_key(const YamlNode& key) {
    const bool written = key.kind == YamlNode::Kind::scalar || (key.kind == YamlNode::Kind::null && !key.text.empty());
    if (!written) return error_at(text_, std::min(key.start, cursor_), "a key must be a plain name");
    if (key.text == "<<" && key.style == YamlNode::Style::plain) {
      return error_at(text_, key.start, "merge keys (<<) are not supported; write the keys out");
    }
    return ok;
  }

  struct Open {
    size_t index;
    size_t column;
    std::optional<size_t> key;  // of the pair whose value comes next
  };

  std::string_view text_;
  size_t cursor_;  // end of what was read so far
  bool in_document_ = false;
  std::vector<Open> open_;
  std::vector<std::pair<std::string, size_t>> anchors_;
  YamlDocument document_;
};

Result<YamlDocument> YamlDocument::parse(std::string_view text) {
  if (const std::optional<TextProblem> problem = find_text_problem(text)) {
    return error_at(text, problem->offset, problem->what);
  }
  const Diagnostics diagnostics = collect_diagnostics();
  fy_parse_cfg config{};
  // Sloppy: people put the closing bracket of a flow collection at the start of a line.
  config.flags =
      static_cast<fy_parse_cfg_flags>(FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_SLOPPY_FLOW_INDENTATION);
  config.diag = diagnostics.get();
  const Parser parser(diagnostics ? fy_parser_create(&config) : nullptr, fy_parser_destroy);
  if (!parser || fy_parser_set_string(parser.get(), text.data(), text.size()) != 0) {
    return Error(ErrorCode::unavailable, "1:1: the YAML parser could not start: out of memory");
  }
  YamlBuilder builder(text);
  while (fy_event* event = fy_parser_parse(parser.get())) {
    Result<> taken = builder.take(event);
    fy_parser_event_free(parser.get(), event);
    if (!taken) return std::move(taken).error();
  }
  if (fy_parser_get_stream_error(parser.get())) return first_error(text, diagnostics.get());
  return std::move(builder).finish();
}

size_t YamlDocument::resolve(size_t index) const {
  while (nodes_[index].kind == YamlNode::Kind::alias) index = nodes_[index].target;
  return index;
}

const YamlEntry* YamlDocument::find(const YamlNode& mapping, std::string_view key) const {
  for (const YamlEntry& entry : mapping.entries) {
    if (nodes_[entry.key].text == key) return &entry;
  }
  return nullptr;
}

const YamlNode* YamlDocument::at(const std::vector<std::string>& path) const {
  size_t index = root_;
  for (const std::string& name : path) {
    const YamlEntry* entry = find(nodes_[resolve(index)], name);
    if (entry == nullptr) return nullptr;
    index = entry->value;
  }
  return &nodes_[resolve(index)];
}

}  // namespace talaria
