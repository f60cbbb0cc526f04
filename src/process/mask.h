#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "process/environment.h"
#include "process/secret_forms.h"

namespace talaria {

// Where in a text a secret stands.
struct SecretSpan {
  size_t begin = 0;
  size_t length = 0;
  std::string name;
  bool operator==(const SecretSpan&) const = default;
};
// Finds secrets whose values nobody knows, in the order of where they begin, of two at one place the longer one first.
// Called from any thread.
using SecretFinder = std::function<std::vector<SecretSpan>(std::string_view text)>;

enum class CutEnd { front, back };

// Hides secrets in what a model reads: each value, in every form that tells it, becomes "[masked NAME]". Values shorter
// than eight bytes stay. Where one value contains another, the longer one is named.
class Mask {
 public:
  Mask() = default;
  explicit Mask(const Environment& secrets) { add(secrets); }

  void add(const std::string& name, std::string_view value);
  void add(const Environment& secrets);
  void add_finder(SecretFinder finder) { finder_ = std::move(finder); }

  bool empty() const { return forms_.empty() && !finder_; }
  std::string hide(std::string text) const;
  // For a text that was cut out of a longer one: what the cut left of a secret at that end is hidden, too, if it is
  // long enough to be told from any other text. What only a finder knows has no parts.
  std::string hide_cut(std::string text, CutEnd end) const;
  // Where to cut `bytes` at or before `cut` so that no secret is split, nor one that begins at their end and may go on.
  // After `cut` only when a whole secret stands at the very front.
  size_t cut_around(std::string_view bytes, size_t cut) const;

 private:
  struct Form {
    SecretText value;
    std::string name;
  };
  void append(const std::string& name, std::string_view value);
  void sort();
  std::vector<SecretSpan> spans_in(std::string_view text) const;

  std::vector<Form> forms_;  // longest first
  SecretFinder finder_;
};

}  // namespace talaria
