#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "sandbox/mounts.h"
#include "sandbox/shown_path.h"
#include "sandbox/view.h"
#include "sandbox/view_build.h"

namespace talaria {

// What a session shows beside the view it was built with: mounts in the namespace of its holder, of which every command
// and every file server gets a copy when it starts.
//
// No command is in that namespace, so none ever sees a step of this half done. But commands share its file systems.
// They may put links and files where a place must be, move places away, with what is mounted there, and remove them,
// and so take it away. So a path is only ever followed without links, what is mounted is known by its descriptor and
// not by its path, and after every step it is looked at where it is now.
class ShownMounts {
 public:
  ShownMounts() = default;
  // `folders`: the file systems of the view in which places may be made.
  explicit ShownMounts(std::vector<OwnFolder> folders) : folders_(std::move(folders)) {}

  // From now on exactly what the order says; `mounts` are those it gives, in its order.
  ShowAnswer show(const MountPlan& view, const ShowOrder& order, std::vector<UniqueFd> mounts);

  // Those of now. Unlike the view's own they can be moved: by commands that are older than they are.
  MountIds ids() const;
  // In a child of the holder: closes what is open.
  void let_go();

 private:
  void keep_only(const ShowOrder& order);
  void take_away(std::map<std::string, UniqueFd>::iterator one);
  void remove_places(const ShowOrder& order);
  bool is_in_place(const std::string& target, int mount) const;
  Result<> put_in_place(const std::string& target, UniqueFd mount);
  Result<UniqueFd> place_for(const std::string& target, PlaceKind kind);
  Result<> make_room(const std::string& target, PlaceKind kind);
  Result<> cover(const std::string& folder, int place);
  const OwnFolder* own_folder(int place) const;
  static Result<UniqueFd> writable_copy(const OwnFolder& folder);

  std::vector<OwnFolder> folders_;
  std::map<std::string, UniqueFd> shown_;  // by target; outer ones come first
  // Empty files that were made for something to be mounted on. Left alone they would pass for what was shown.
  struct MadeFile {
    size_t folder = 0;  // among folders_
    FileNumbers numbers;
  };
  std::map<std::string, MadeFile> made_;  // by target
  bool changed_ = false;
};

}  // namespace talaria
