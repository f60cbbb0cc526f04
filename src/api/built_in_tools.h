#pragma once
#include <memory>

#include "tools/tool.h"

namespace talaria {

struct Parts;

std::unique_ptr<Tool> exec_tool(Parts& parts);
std::unique_ptr<Tool> process_tool(Parts& parts);
std::unique_ptr<Tool> terminal_tool(Parts& parts);
std::unique_ptr<Tool> execute_code_tool(Parts& parts);
std::unique_ptr<Tool> read_file_tool(Parts& parts);
std::unique_ptr<Tool> write_file_tool(Parts& parts);
std::unique_ptr<Tool> search_files_tool(Parts& parts);
std::unique_ptr<Tool> patch_tool(Parts& parts);
std::unique_ptr<Tool> web_search_tool(Parts& parts);
std::unique_ptr<Tool> web_extract_tool(Parts& parts);
std::unique_ptr<Tool> skills_list_tool(Parts& parts);
std::unique_ptr<Tool> skill_view_tool(Parts& parts);
std::unique_ptr<Tool> skill_manage_tool(Parts& parts);

}  // namespace talaria
