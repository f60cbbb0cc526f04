#include "keeper/spawn_order.h"

#include <cstring>

namespace talaria {
namespace {

struct Header {
  uint64_t open_files;
  uint32_t argc;
  uint32_t envc;
  uint32_t terminal;
  uint32_t numbers;  // so many follow
};

char* take_string(char*& at) {
  char* string = at;
  at += std::strlen(at) + 1;
  return string;
}

std::vector<char*> take_list(char*& at, uint32_t count) {
  std::vector<char*> list;
  list.reserve(count + 1);
  for (uint32_t i = 0; i < count; ++i) list.push_back(take_string(at));
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::string encode(const SpawnOrder& order) {
  const Header header{order.open_files, static_cast<uint32_t>(order.argv.size()),
                      static_cast<uint32_t>(order.environment.size()), order.terminal,
                      static_cast<uint32_t>(order.numbers.size())};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(order.numbers.data()), order.numbers.size() * sizeof(int));
  const auto put = [&bytes](const std::string& string) { bytes.append(string.c_str(), string.size() + 1); };
  put(order.cwd);
  for (const std::string& word : order.argv) put(word);
  for (const std::string& entry : order.environment) put(entry);
  return bytes;
}

SpawnView view_of(std::string& bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  char* at = bytes.data() + sizeof header;
  SpawnView view;
  view.numbers.resize(header.numbers);
  const size_t numbers_size = header.numbers * sizeof(int);
  if (numbers_size > 0) std::memcpy(view.numbers.data(), at, numbers_size);
  at += numbers_size;
  view.open_files = header.open_files;
  view.terminal = header.terminal != 0;
  view.cwd = take_string(at);
  view.argv = take_list(at, header.argc);
  view.environment = take_list(at, header.envc);
  return view;
}

}  // namespace talaria
