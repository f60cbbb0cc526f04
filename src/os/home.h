#pragma once
#include <array>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria {

// What is in a home, by name. A person may well replace one by a link.
inline constexpr std::array<std::string_view, 15> home_entries = {
    "config.yaml", "config.yaml.lock", ".env",    "talaria.db",   "talaria.notes",
    "reserve",     "skills",           "jobs",    "cache",        "logs",
    "run",         "quarantine",       "commits", "gateway.lock", "keeper.lock"};

// Where one person's Talaria lives: files in the home, sockets in the runtime directory.
struct Home {
  std::string root;     // $TALARIA_HOME, else ~/.talaria
  std::string runtime;  // <root>/run; where that is too long for sockets, $XDG_RUNTIME_DIR/talaria/<hash of root>

  std::string config() const { return root + "/config.yaml"; }
  std::string database() const { return root + "/talaria.db"; }
  std::string jobs() const { return root + "/jobs"; }
  std::string job(const std::string& id) const { return jobs() + "/" + id; }
  std::string cache() const { return root + "/cache"; }
  std::string logs() const { return root + "/logs"; }
  std::string quarantine() const { return root + "/quarantine"; }
  // Which commits of the repositories in which commands ran are the person's, and which the commands'.
  std::string commits() const { return root + "/commits"; }
  std::string gateway_lock() const { return root + "/gateway.lock"; }
  std::string gateway_socket() const { return runtime + "/gateway.sock"; }
  std::string keeper_socket() const { return runtime + "/keeper.sock"; }
  // In the root, as the gateway's: who clears the runtime directory does not take the lock from its holder.
  std::string keeper_lock() const { return root + "/keeper.lock"; }

  // From the environment; touches nothing.
  static Result<Home> find();
  // Makes what is missing (0700) and refuses a home or runtime directory that is another user's or open to others.
  Result<> prepare() const;
  // The same for the runtime directory alone; refuses when there is no home (any more).
  Result<> prepare_runtime() const;
};

}  // namespace talaria
