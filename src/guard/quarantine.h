#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/quarantined_item.h"
#include "os/file.h"

namespace talaria {

class QuarantinePlace;

// What would run on the host without a click is kept here instead of where a sandboxed command left it: a folder per
// item, with its record (item.json), its content, and the modes the content had.
//
// Any number of processes may use the same folder: each call waits for its lock, `list` and `find` only
// where the home can be written. An object of this class is for one thread.
class Quarantine {
 public:
  struct Limits {
    uint64_t most_bytes = 1ULL << 30;
    size_t most_items = 1000;
    // What is copied from another file system; larger stays there under a harmless name.
    uint64_t most_copied_bytes = 64 << 20;
    uint64_t most_copied_entries = 10'000;
  };

  // What the caller knows of what it takes.
  struct About {
    std::string path;  // absolute and without links: that of the entry
    std::string rule;
    std::string why;
    std::string workspace;
    std::string session;
    QuarantinedItem::Origin origin = QuarantinedItem::Origin::created;
  };

  // `folder` is Home::quarantine(); made (0700) by the first take.
  explicit Quarantine(std::string folder) : Quarantine(std::move(folder), Limits{}) {}
  Quarantine(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  // Takes the entry `name` of an open directory away, whatever it is, and follows no link. Where it cannot be kept (a
  // full disk, a home that is read-only), it is still out of the way: under a harmless name beside, as the item says.
  // not_found: it is gone already; conflict: it is a mount point; else nothing could be done, and it is still there.
  Result<QuarantinedItem> take(int directory, const std::string& name, const About& about);

  // Newest first. What a killed take left is finished first.
  Result<std::vector<QuarantinedItem>> list();
  // By its id or a prefix that only one has. not_found names the nearest.
  Result<QuarantinedItem> find(const std::string& id);

  // What there is to look at: the first bytes of a file, the target of a link, the paths in a folder, one per line.
  struct Shown {
    std::string bytes;
    bool whole = true;
  };
  Result<Shown> read(const QuarantinedItem& item, size_t most);

  Result<> remove(const QuarantinedItem& item);

  enum class Overwrite { no, yes };
  // Puts it back as it was: content, modes, owner. No link on the way to `where` is followed. What is in its place is
  // a conflict, or with Overwrite::yes goes to quarantine itself. The item is gone then, and `wanted`.
  Result<> restore(const QuarantinedItem& item, const std::string& where, Overwrite overwrite = Overwrite::no);
  Result<> restore(const QuarantinedItem& item) { return restore(item, item.path); }

  // Whether the person put this very content back to this path. `hash` as of hash_of.
  bool wanted(const std::string& path, const std::string& hash) const;
  // A SHA-256 in hex of what an entry is and holds, as the items have it: the bytes of a file, the target of a link,
  // all that is below a folder; not its modes. Empty for what is too large. Changes nothing and follows no link.
  static Result<std::string> hash_of(int directory, const std::string& name);

 private:
  Result<FileLock> lock() const;
  Result<QuarantinedItem> take_locked(int directory, const std::string& name, const About& about,
                                      const std::string& spared = {});
  Result<> bring(int directory, const std::string& name, const QuarantinePlace& place, QuarantinedItem& item) const;
  void settle(const QuarantinePlace& place, QuarantinedItem& item) const;
  void fetch(int directory, const QuarantinePlace& place, QuarantinedItem& item) const;
  // What a killed take left: finishes it, or removes the folder of one that took nothing.
  void recover(const std::string& id) const;
  std::vector<std::string> ids() const;
  // nullopt: nothing is kept there.
  std::optional<QuarantinedItem> look_up(const std::string& id) const;
  void refresh();
  QuarantinedItem* same_as(const QuarantinedItem& item);
  void make_room(const std::string& newest, const std::string& spared);
  Result<> remove_locked(const QuarantinedItem& item);
  void remove_place(const std::string& id) const;
  void finish_removals() const;
  Result<> restore_locked(const QuarantinedItem& item, const std::string& where, Overwrite overwrite);
  Result<> put(const QuarantinePlace& place, const QuarantinedItem& item, int folder, const std::string& name) const;
  Result<> remember(const std::string& path, const std::string& hash) const;

  std::string folder_;
  Limits limits_;
  // What we have seen here, so that a take need not read every record again.
  std::map<std::string, QuarantinedItem> known_;
};

}  // namespace talaria
