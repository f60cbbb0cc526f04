#pragma once
#include <span>
#include <string_view>

namespace talaria {

// The lists behind environment.h. A pattern is a name in capitals; one '*' at its start or end stands for anything.

// A call may not set these: they decide which programs are started,
std::span<const std::string_view> program_names();
// which modules, compilers and packages those use (some of these are credentials of a registry),
std::span<const std::string_view> code_names();
// or whom they trust and talk to.
std::span<const std::string_view> other_forbidden_names();
// Of those, a call may set these to "" or "cat", which name no other program.
std::span<const std::string_view> pager_names();
// A command does not inherit these.
std::span<const std::string_view> injection_names();
std::span<const std::string_view> our_names();
std::span<const std::string_view> provider_credential_names();

// `name` in any case.
bool matches_any(std::span<const std::string_view> patterns, std::string_view name);

}  // namespace talaria
