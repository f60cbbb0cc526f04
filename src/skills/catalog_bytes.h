#pragma once
// Values as bytes, and back: numbers in 7-bit groups or as they lie in memory, texts and lists after their length.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace talaria {

// A type, const or not.
template <class Value, class Type>
concept Either = std::is_same_v<std::remove_const_t<Value>, Type>;

// What a struct is made of is said once for both ways: code_value(coder, value) calls coder(part, part, …). For an enum
// greatest(value) is its last number.
class ByteWriter {
 public:
  template <class... Parts>
  void operator()(const Parts&... parts) {
    (put(parts), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void put_number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      bytes_ += value ? '\1' : '\0';
    } else if constexpr (std::is_enum_v<Value>) {
      bytes_ += static_cast<char>(value);
    } else if constexpr (std::is_integral_v<Value>) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      bytes_.append(raw, sizeof raw);
    } else {
      code_value(*this, value);
    }
  }
  void put(const std::string& text) {
    put_number(text.size());
    bytes_ += text;
  }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put_number(items.size());
    for (const Item& item : items) put(item);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    put(value.has_value());
    if (value) put(*value);
  }

  std::string bytes_;
};

// After the first thing that does not fit all it gives is empty, and it is no longer good.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (get(parts), ...);
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }
  void fail() {
    good_ = false;
    rest_ = {};
  }

 private:
  std::string_view take(uint64_t count) {
    if (count > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint64_t get_number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      const auto bits = static_cast<unsigned char>(byte[0]);
      value |= static_cast<uint64_t>(bits & 0x7f) << shift;
      if (bits < 0x80) return value;
    }
    fail();
    return 0;
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      const std::string_view byte = take(1);
      if (!byte.empty() && byte[0] != '\0' && byte[0] != '\1') fail();
      value = good_ && byte[0] == '\1';
    } else if constexpr (std::is_enum_v<Value>) {
      const std::string_view byte = take(1);
      const auto number = byte.empty() ? 0U : static_cast<unsigned char>(byte[0]);
      if (number > greatest(Value{})) fail();
      value = good_ ? static_cast<Value>(number) : Value{};
    } else if constexpr (std::is_integral_v<Value>) {
      const std::string_view raw = take(sizeof value);
      value = 0;
      if (!raw.empty()) std::memcpy(&value, raw.data(), sizeof value);
    } else {
      code_value(*this, value);
    }
  }
  void get(std::string& text) { text = take(get_number()); }
  template <class Item>
  void get(std::vector<Item>& items) {
    const uint64_t count = get_number();
    items.clear();
    // No more than that on a number's word alone.
    items.reserve(std::min<uint64_t>({count, rest_.size(), 256}));
    for (uint64_t i = 0; i < count && good_; ++i) get(items.emplace_back());
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    bool present = false;
    get(present);
    if (present) get(value.emplace());
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace talaria
