#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "config/splice.h"

namespace talaria {

// How to put `written` (a scalar that is valid in block and in flow) behind the last item of `list`.
Result<std::vector<Splice>> plan_add_item(const YamlDocument& document, std::string_view text, const YamlNode& list,
                                          const std::string& written);

// How to take the item at `position` away from the list that is the value of `entry`.
Result<std::vector<Splice>> plan_remove_item(const YamlDocument& document, std::string_view text,
                                             const YamlEntry& entry, size_t position);

}  // namespace talaria
