#pragma once
#include "tools/tool.h"

namespace talaria {

// How the built-in tools present themselves.
ToolSpec exec_spec();
ToolSpec process_spec();
ToolSpec terminal_spec();
ToolSpec execute_code_spec();
ToolSpec read_file_spec();
ToolSpec write_file_spec();
ToolSpec search_files_spec();
ToolSpec patch_spec();
ToolSpec web_search_spec();
ToolSpec web_extract_spec();
ToolSpec skills_list_spec();
ToolSpec skill_view_spec();
ToolSpec skill_manage_spec();

}  // namespace talaria
