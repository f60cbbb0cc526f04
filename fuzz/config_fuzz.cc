// Any text may be in config.yaml: reading it must not crash, and an edit that succeeds must have happened.
// The input is a config text, and after a NUL byte a key and after another a value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "config/edit.h"
#include "config/keys.h"
#include "config/list_edit.h"
#include "config/settings.h"
#include "config/show.h"

namespace {

using talaria::Result;

void check_set(std::string_view text, std::string_view key, std::string_view value) {
  const Result<std::string> edited = talaria::set_key(text, key, value);
  if (!edited) return;
  const Result<std::optional<std::string>> got = talaria::get_key(*edited, key);
  CHECK(got && got->has_value());
  // Setting it once more to the same changes nothing a reader sees.
  const Result<std::string> again = talaria::set_key(*edited, key, value);
  CHECK(again);
  CHECK(*talaria::get_key(*again, key) == *got);
  const Result<std::string> removed = talaria::unset_key(*edited, key);
  if (removed) CHECK(!talaria::get_key(*removed, key)->has_value());
}

void check_list(std::string_view text, std::string_view key, std::string_view value) {
  const Result<std::string> added = talaria::add_to_list(text, key, value);
  if (!added) return;
  const Result<std::string> again = talaria::add_to_list(*added, key, value);
  CHECK(again && *again == *added);
  const Result<std::string> removed = talaria::remove_from_list(*added, key, value);
  if (!removed) return;
  const Result<std::string> nothing = talaria::remove_from_list(*removed, key, value);
  CHECK(nothing && *nothing == *removed);
}

}  // namespace

// libfyaml 0.7.12 forgets its list of pieces when a quoted scalar has more than a few dozen of them (many '' in a row):
// a kilobyte for each such scalar that is read, and nothing a caller could free.
extern "C" const char* __lsan_default_suppressions() { return "leak:fy_atom_iter_grow_chunk"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t first = input.find('\0');
  const std::string_view text = input.substr(0, first);
  const std::string_view rest = first == std::string_view::npos ? "exec.timeout" : input.substr(first + 1);
  const size_t second = rest.find('\0');
  const std::string_view key = rest.substr(0, second);
  const std::string_view value = second == std::string_view::npos ? "30" : rest.substr(second + 1);

  (void)talaria::parse_settings(text);
  (void)talaria::unknown_keys(text);
  (void)talaria::show_settings(text);
  check_set(text, key, value);
  check_set(text, "exec.elevated.mode", "ask");
  check_set(text, "a.b", "[x, \"y z\"]");
  check_set(text, "skills.config.a.b", value);
  check_list(text, key, value);
  check_list(text, "skills.disabled", "x");
  const Result<std::string> removed = talaria::unset_key(text, key);
  if (removed) CHECK(!talaria::get_key(*removed, key)->has_value());
  return 0;
}
