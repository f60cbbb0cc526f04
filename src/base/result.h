#pragma once
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace talaria {

enum class ErrorCode {
  invalid_argument,  // the caller asked for something that makes no sense
  not_found,
  denied,    // a rule or the kernel said no
  conflict,  // true of the world, but not now: busy, already there, closed
  timed_out,
  cancelled,
  unavailable,  // a part we need is missing or gone
  system,       // a system call failed
};

// The code as programs meet it: "not_found".
std::string_view code_name(ErrorCode code);

// Why something failed: a code to branch on, and one sentence for the person or model that reads it.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  // The current errno, in words: "open /etc/x: Permission denied".
  static Error from_errno(std::string what) { return from_number(errno, std::move(what)); }
  static Error from_number(int number, std::string what);
  // With words of our own for that errno.
  static Error with_number(ErrorCode code, int number, std::string message) {
    Error error(code, std::move(message));
    error.number_ = number;
    return error;
  }

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  // The errno behind it, or 0.
  int number() const { return number_; }

  // The same failure, seen from one caller further out: "start job 7: open /etc/x: …".
  Error within(std::string_view context) && {
    message_.insert(0, std::string(context) + ": ");
    return std::move(*this);
  }

  bool operator==(const Error&) const = default;

 private:
  ErrorCode code_;
  std::string message_;
  int number_ = 0;
};

inline Error invalid(std::string message) { return {ErrorCode::invalid_argument, std::move(message)}; }

// A value, or the Error that kept us from it.
template <class T = std::monostate>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

inline constexpr std::monostate ok{};

}  // namespace talaria

// The value of a Result, or return its Error from the enclosing function.
#define TRY(...)                                                                                                     \
  (__extension__({                                                                                                   \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") auto&& try_result = (__VA_ARGS__); \
    _Pragma("GCC diagnostic pop") if (!try_result) return std::move(try_result).error();                             \
    *std::move(try_result);                                                                                          \
  }))
