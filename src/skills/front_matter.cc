#include "skills/front_matter.h"

#include <algorithm>

#include "base/text.h"
#include "skills/front_matter_fence.h"
#include "skills/front_matter_keys.h"
#include "skills/front_matter_properties.h"
#include "skills/front_matter_text.h"
#include "skills/unseen_report.h"
#include "yaml/tolerant_yaml.h"

namespace talaria {

namespace {

constexpr size_t longest_source = 1 << 20;

void warn(FrontMatter& matter, size_t line, std::string message) {
  matter.diagnostics.push_back({Severity::warning, line, std::move(message)});
}

// The first key at the start of the text, where someone forgot the fence.
bool starts_with_key(std::string_view text) {
  const std::string_view start = trim(text.substr(0, 200));
  return start.starts_with("name:") || start.starts_with("description:");
}

void report_absence(FrontMatter& matter) {
  if (trim(matter.body).empty()) return warn(matter, 0, "the file is empty");
  if (starts_with_key(matter.body))
    return warn(matter, 1, "there is no front matter: the line --- before it is missing");
  warn(matter, 1, "there is no front matter");
}

// Whether the opening fence is a rule of dashes at the start of a text without front matter: nothing below it is a key.
// Between two fences there may be nothing at all.
bool is_rule(const FenceSpan& span, const Json& value) {
  if (const JsonObject* fields = value.if_object(); fields && !fields->empty()) return false;
  return span.end != FenceSpan::End::fence || value.is_string() || value.is_array();
}

void report_keyless(FrontMatter& matter, const FenceSpan& span, const Json& value) {
  warn(matter, span.source_line,
       "there is no front matter: what is between the lines of dashes has no keys, it is " +
           std::string(value.is_array() ? "a list" : "a text") + " and belongs to the body");
}

std::string_view cut_source(std::string_view source) {
  if (source.size() <= longest_source) return source;
  return source.substr(0, source.rfind('\n', longest_source) + 1);
}

TolerantYaml read_span(const FenceSpan& span) {
  const std::string_view source = cut_source(span.source);
  std::optional<QuotedTexts> quoted = quote_unmeant_properties(source, span.source_line);
  if (!quoted) return read_tolerant_yaml(source, span.source_line, skill_keys);
  TolerantYaml yaml = read_tolerant_yaml(quoted->source, span.source_line, skill_keys);
  yaml.remarks.insert(yaml.remarks.end(), quoted->remarks.begin(), quoted->remarks.end());
  return yaml;
}

// A rule of dashes in the Markdown can pass for the fence that is missing above it.
TolerantYaml read_source(std::string_view text, FenceSpan& span) {
  TolerantYaml yaml = read_span(span);
  if (!yaml.repaired) return yaml;
  FenceSpan earlier = find_earlier_end(text, span);
  if (!earlier.found) return yaml;
  span = std::move(earlier);
  return read_span(span);
}

void take_fields(FrontMatter& matter, TolerantYaml& yaml) {
  for (YamlRemark& remark : yaml.remarks) warn(matter, remark.line, std::move(remark.message));
  if (JsonObject* fields = yaml.value.if_object()) matter.fields = std::move(*fields);
}

}  // namespace

FrontMatter read_front_matter(std::string_view file) {
  FrontMatter matter;
  SkillText decoded;
  decode_skill_text(file, decoded);
  matter.diagnostics = std::move(decoded.diagnostics);
  FenceSpan span = find_front_matter(decoded.text);
  if (!span.found) {
    matter.body = std::move(span.body);
    report_absence(matter);
    return matter;
  }
  TolerantYaml yaml = read_source(decoded.text, span);
  if (is_rule(span, yaml.value)) {
    matter.body = decoded.text;
    if (span.end == FenceSpan::End::fence) report_keyless(matter, span, yaml.value);
    else report_absence(matter);
    return matter;
  }
  matter.source = span.source;
  matter.source_line = span.source_line;
  matter.body = std::move(span.body);
  matter.body_line = span.body_line;
  matter.diagnostics.insert(matter.diagnostics.end(), span.diagnostics.begin(), span.diagnostics.end());
  if (span.source.size() > longest_source)
    warn(matter, span.source_line, "the front matter is larger than 1 MiB; the rest of it is left out");
  matter.present = true;
  take_fields(matter, yaml);
  report_unseen(matter.source, matter.source_line, matter.diagnostics);
  std::stable_sort(matter.diagnostics.begin(), matter.diagnostics.end(),
                   [](const SkillDiagnostic& a, const SkillDiagnostic& b) { return a.line < b.line; });
  return matter;
}

size_t line_of_key(const FrontMatter& matter, std::string_view key) {
  const std::string_view source = matter.source;
  for (size_t at = source.find(key); at != std::string_view::npos; at = source.find(key, at + 1)) {
    std::string_view rest = source.substr(at + key.size());
    const size_t line = at == 0 ? 0 : source.rfind('\n', at - 1) + 1;
    const std::string_view before = source.substr(line, at - line);
    if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
    const bool apart = before.empty() || std::string_view(" \t\"'{,").find(before.back()) != std::string_view::npos;
    if (!apart || !rest.starts_with(':')) continue;
    return matter.source_line +
           static_cast<size_t>(std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(at), '\n'));
  }
  return 0;
}

size_t KeyLines::of(std::string_view key) {
  const auto known = lines_.find(key);
  if (known != lines_.end()) return known->second;
  return lines_[std::string(key)] = line_of_key(matter_, key);
}

}  // namespace talaria
