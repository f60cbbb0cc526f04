#pragma once
#include "talaria/command_line.h"

namespace talaria {

// One file each.
extern const CliCommand exec_command, ps_command, log_command, poll_command, wait_command, write_command, keys_command,
    paste_command, submit_command, resize_command, kill_command, rm_command, clear_command, events_command,
    tool_command, sandbox_command, serve_command, config_command, logs_command, doctor_command, read_command,
    grep_command, patch_command, fetch_command, search_command, tools_command, code_command, skills_command,
    env_command, import_command;

}  // namespace talaria
