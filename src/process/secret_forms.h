#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// A text that is overwritten before its memory goes back to where anybody finds it.
class SecretText {
 public:
  explicit SecretText(std::string text) : text_(std::move(text)) {}
  SecretText(const SecretText&) = default;
  SecretText(SecretText&&) noexcept = default;
  SecretText& operator=(const SecretText&) = default;
  SecretText& operator=(SecretText&&) noexcept = default;
  ~SecretText();

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Shorter values also stand for themselves.
inline constexpr size_t shortest_secret = 8;

// The texts that tell a value: itself, without the blanks around it; of one with several lines also each line that is
// long enough to mean nothing else; and each of them as programs write it into a JSON string. None when it is too short
// to be a secret. Each once, the value itself first.
std::vector<SecretText> secret_forms(std::string_view value);

}  // namespace talaria
