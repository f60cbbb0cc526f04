#include "process/mask.h"

#include <algorithm>
#include <array>

namespace talaria {
namespace {

constexpr size_t shortest_rest = 4;

std::string mark_for(const std::string& name) { return "[masked " + name + "]"; }

}  // namespace

void Mask::append(const std::string& name, std::string_view value) {
  for (SecretText& form : secret_forms(value)) forms_.push_back({std::move(form), name});
}

void Mask::sort() {
  std::ranges::stable_sort(forms_, std::greater(), [](const Form& form) { return form.value.text().size(); });
}

void Mask::add(const std::string& name, std::string_view value) {
  append(name, value);
  sort();
}

void Mask::add(const Environment& secrets) {
  for (const auto& [name, value] : secrets) append(name, value);
  sort();
}

// In order, and none reaches into the next.
std::vector<SecretSpan> Mask::spans_in(std::string_view text) const {
  std::vector<SecretSpan> spans;
  const std::vector<SecretSpan> found = finder_ ? finder_(text) : std::vector<SecretSpan>();
  if (forms_.empty() && found.empty()) return spans;
  // One pass over the text: most bytes start no secret.
  std::array<std::vector<const Form*>, 256> by_first_byte;
  for (const Form& form : forms_) {
    by_first_byte[static_cast<unsigned char>(form.value.text().front())].push_back(&form);
  }
  auto next = found.begin();
  for (size_t i = 0; i < text.size();) {
    const auto& candidates = by_first_byte[static_cast<unsigned char>(text[i])];
    const auto form = std::ranges::find_if(
        candidates, [&](const Form* candidate) { return text.substr(i).starts_with(candidate->value.text()); });
    SecretSpan span{i, 0, ""};
    if (form != candidates.end()) span = {i, (*form)->value.text().size(), (*form)->name};
    while (next != found.end() && next->begin < i) ++next;
    if (next != found.end() && next->begin == i && next->length > span.length) span = *next;
    i += std::max<size_t>(span.length, 1);
    if (span.length > 0) spans.push_back(std::move(span));
  }
  return spans;
}

std::string Mask::hide(std::string text) const {
  const std::vector<SecretSpan> spans = spans_in(text);
  if (spans.empty()) return text;
  std::string hidden;
  size_t copied = 0;
  for (const SecretSpan& span : spans) {
    hidden.append(text, copied, span.begin - copied).append(mark_for(span.name));
    copied = span.begin + span.length;
  }
  return hidden.append(text, copied);
}

size_t Mask::cut_around(std::string_view bytes, size_t cut) const {
  const size_t longest = forms_.empty() ? 0 : forms_.front().value.text().size();
  for (size_t begin = cut - std::min(cut, longest); begin < cut; ++begin) {
    const std::string_view rest = bytes.substr(begin);
    for (const Form& form : forms_) {
      const std::string& value = form.value.text();
      if (begin + value.size() <= cut) break;  // those that follow are shorter
      const bool whole = rest.size() >= value.size();
      if (whole ? !rest.starts_with(value) : !value.starts_with(rest)) continue;
      return begin == 0 && whole ? value.size() : begin;
    }
  }
  if (!finder_) return cut;
  for (const SecretSpan& span : finder_(bytes)) {
    if (span.begin < cut && cut < span.begin + span.length) return span.begin == 0 ? span.length : span.begin;
  }
  return cut;
}

std::string Mask::hide_cut(std::string text, CutEnd end) const {
  for (const Form& form : forms_) {
    const std::string_view value = form.value.text();
    for (size_t length = std::min(text.size(), value.size() - 1); length >= shortest_rest; --length) {
      if (end == CutEnd::front && text.starts_with(value.substr(value.size() - length))) {
        return mark_for(form.name) + text.substr(length);
      }
      if (end == CutEnd::back && text.ends_with(value.substr(0, length))) {
        return text.substr(0, text.size() - length) + mark_for(form.name);
      }
    }
  }
  return text;
}

}  // namespace talaria
