#include "api/patterns.h"

#include <re2/re2.h>

namespace talaria {
namespace {
constexpr size_t longest_expression = 4096;
constexpr int64_t memory_budget = 8 << 20;
}  // namespace

struct Pattern::Compiled {
  explicit Compiled(const std::string& expression, const re2::RE2::Options& options) : re2(expression, options) {}
  re2::RE2 re2;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  if (expression.empty()) return invalid("the pattern is empty");
  if (expression.size() > longest_expression) {
    return invalid("the pattern is longer than " + std::to_string(longest_expression) + " bytes");
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory_budget);
  std::string text(expression);
  auto compiled = std::make_shared<const Compiled>(text, options);
  if (!compiled->re2.ok()) {
    return invalid("the pattern \"" + text.substr(0, 128) +
                   "\" is not a regular expression (RE2 syntax): " + compiled->re2.error());
  }
  return Pattern(std::move(text), std::move(compiled));
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re2);
}

}  // namespace talaria
