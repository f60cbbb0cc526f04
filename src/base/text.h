#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string lower(std::string_view text);

// 'text' with single quotes for a POSIX shell, bare where that is safe.
std::string shell_quote(std::string_view text);

// "1,234,567".
std::string with_commas(uint64_t number);
// "64 MiB", "1.5 KiB", "12 bytes".
std::string human_bytes(uint64_t bytes);
// "850ms", "12s", "3m04s", "2h05m", "4d02h".
std::string human_duration(int64_t milliseconds);

// Up to `most` of `candidates` that a person who typed `word` may have meant, nearest first.
std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates, size_t most = 3);

}  // namespace talaria
