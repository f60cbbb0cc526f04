#include "sandbox/refused_routes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/text.h"

namespace talaria {
namespace {

uint64_t number_of_word(std::string_view word) {
  uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words = split(line, ' ');
  std::erase_if(words, [](const std::string& word) { return word.empty(); });
  return words;
}

}  // namespace

std::vector<UniqueFd> RefusedRoutes::open_counters() {
  std::vector<UniqueFd> counters;
  for (const char* path : {"/proc/self/net/snmp", "/proc/self/net/snmp6"}) {
    UniqueFd counter(::open(path, O_RDONLY | O_CLOEXEC));
    if (counter) counters.push_back(std::move(counter));
  }
  return counters;
}

uint64_t RefusedRoutes::count() const {
  uint64_t sum = 0;
  for (const UniqueFd& counter : counters_) {
    char text[16 << 10];  // they have some three thousand characters
    const ssize_t count = ::pread(counter.get(), text, sizeof text, 0);
    if (count > 0) sum += refused_routes_in({text, static_cast<size_t>(count)});
  }
  return sum;
}

// Of IPv4 one line has the names and the next their numbers, of IPv6 each line has both.
uint64_t refused_routes_in(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("Ip6OutNoRoutes")) {
      const size_t last = line.find_last_of(" \t");
      return last == std::string::npos ? 0 : number_of_word(std::string_view(line).substr(last + 1));
    }
    if (!line.starts_with("Ip: ")) continue;
    std::vector<std::string> words = words_of(line);
    if (names.empty()) {
      names = std::move(words);
      continue;
    }
    const auto at = static_cast<size_t>(std::ranges::find(names, "OutNoRoutes") - names.begin());
    return at < words.size() ? number_of_word(words[at]) : 0;
  }
  return 0;
}

}  // namespace talaria
