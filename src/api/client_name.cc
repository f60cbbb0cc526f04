#include "api/client_name.h"

#include <charconv>

#include "os/proc.h"

namespace talaria {
namespace {

constexpr std::string_view process_prefix = "process ";

}  // namespace

std::string client_of_process(pid_t pid) {
  return std::string(process_prefix) + std::to_string(pid) + "." + began(pid).value_or("0");
}

bool is_ended_process(const std::string& client) {
  if (!client.starts_with(process_prefix)) return false;
  pid_t pid = 0;
  const char* digits = client.data() + process_prefix.size();
  if (std::from_chars(digits, client.data() + client.size(), pid).ec != std::errc()) return false;
  return client_of_process(pid) != client;
}

}  // namespace talaria
