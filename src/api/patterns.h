#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// Before a pattern, where a plain word means something else.
inline constexpr std::string_view pattern_prefix = "pattern:";

// A regular expression that a caller wrote. Matching takes time linear in the text, whatever the expression.
class Pattern {
 public:
  // The error says what is wrong with it and that the syntax is RE2's.
  static Result<Pattern> compile(std::string_view expression);

  bool found_in(std::string_view text) const;
  const std::string& expression() const { return expression_; }

 private:
  struct Compiled;
  Pattern(std::string expression, std::shared_ptr<const Compiled> compiled)
      : expression_(std::move(expression)), compiled_(std::move(compiled)) {}

  std::string expression_;
  std::shared_ptr<const Compiled> compiled_;  // immutable, so copies of a Pattern share it
};

}  // namespace talaria
