#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace talaria {

// How orders travel between processes: numbers as they lie in memory, texts with their length before them.
class OrderWriter {
 public:
  template <class T>
  void raw(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    raw(static_cast<uint32_t>(value.size()));
    bytes.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    raw(static_cast<uint32_t>(values.size()));
    for (const std::string& value : values) text(value);
  }
  std::string bytes;
};

class OrderReader {
 public:
  explicit OrderReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  Result<T> raw() {
    if constexpr (std::is_same_v<T, bool>) {
      const uint8_t byte = TRY(raw<uint8_t>());
      if (byte > 1) return invalid("a sandbox order has a truth value of " + std::to_string(byte));
      return byte == 1;
    }
    T value;
    if (rest_.size() < sizeof value) return short_order();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  Result<std::string> text() {
    const uint32_t size = TRY(raw<uint32_t>());
    if (rest_.size() < size) return short_order();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  Result<std::vector<std::string>> texts() {
    std::vector<std::string> values;
    for (uint32_t left = TRY(raw<uint32_t>()); left > 0; --left) values.push_back(TRY(text()));
    return values;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  static Error short_order() { return invalid("a sandbox order ends too early"); }
  std::string_view rest_;
};

}  // namespace talaria
