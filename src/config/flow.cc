#include "config/flow.h"

#include "yaml/yaml_text.h"

namespace talaria {
namespace {

using Kind = YamlNode::Kind;

void render(const YamlDocument& document, size_t index, std::string& out) {
  const YamlNode& node = document.node(document.resolve(index));
  if (out.size() > longest_flow) return;
  if (node.kind == Kind::scalar) {
    // Quoted "null" must not come back as null.
    out += yaml_scalar(node.text);
  } else if (node.kind == Kind::null) {
    out += "null";
  } else if (node.kind == Kind::sequence) {
    out += '[';
    for (size_t i = 0; i < node.items.size(); ++i) {
      out += i == 0 ? "" : ", ";
      render(document, node.items[i], out);
      if (out.size() > longest_flow) return;
    }
    out += ']';
  } else {
    out += '{';
    for (size_t i = 0; i < node.entries.size(); ++i) {
      out += i == 0 ? "" : ", ";
      out += yaml_scalar(document.node(node.entries[i].key).text) + ": ";
      render(document, node.entries[i].value, out);
      if (out.size() > longest_flow) return;
    }
    out += '}';
  }
}

}  // namespace

std::string flow_of(const YamlDocument& document, size_t index) {
  std::string shown;
  render(document, index, shown);
  return shown;
}

}  // namespace talaria
