#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/view.h"

namespace talaria {

// What makes programs without a network give up at once: look-ups of names that fail as unknown, and no second tries.

// Our /etc/resolv.conf and /etc/nsswitch.conf over those of the machine; `before`: the steps that come first.
std::vector<MountStep> offline_lookup(const ViewFacts& facts, const MountPlan& before);

// /etc/nsswitch.conf of the machine, with another line for hosts.
std::string offline_name_switch(std::string_view text);

// Variables, for those who have not set them.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> offline_variables = {
    {{"npm_config_fetch_retries", "0"}, {"PIP_RETRIES", "0"}, {"CARGO_NET_RETRY", "0"}}};

}  // namespace talaria
