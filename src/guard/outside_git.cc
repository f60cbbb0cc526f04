#include "guard/outside_git.h"

#include <fcntl.h>

#include "base/path.h"
#include "os/file.h"

namespace talaria {
namespace {

std::vector<std::string> paths_from(const std::string& folder, const std::vector<std::string>& paths) {
  std::vector<std::string> below;
  for (const std::string& path : paths) {
    if (is_within(path, folder) && path != folder) below.push_back(path.substr(folder.size() + 1));
  }
  return below;
}

}  // namespace

OutsideGit::OutsideGit(const Order& order, UniqueFd root)
    : root_(std::move(root)),
      remedies_(root_.get(), folder_part(order.directory), order.session, order.quarantine, Remedies::Named::whole),
      mounted_(root_.get(), paths_from(folder_part(order.directory), order.read_only)),
      git_(root_.get(), folder_part(order.directory), remedies_, mounted_) {
  git_.accept(name_part(order.directory));
}

std::unique_ptr<OutsideGit> OutsideGit::start(const Order& order) {
  if (order.directory.empty()) return nullptr;
  Result<UniqueFd> root = open_file(folder_part(order.directory), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!root) return nullptr;
  return std::unique_ptr<OutsideGit>(new OutsideGit(order, *std::move(root)));
}

std::vector<Violation> OutsideGit::judge(Look look) {
  git_.judge(look);
  return remedies_.take_reports();
}

}  // namespace talaria
