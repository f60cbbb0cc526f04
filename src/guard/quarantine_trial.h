#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/id.h"
#include "guard/content.h"
#include "guard/quarantine.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {

// A quarantine and a workspace of a test's own, in one folder.
class QuarantineTrial : public testing::Test {
 protected:
  QuarantineTrial() {
    EXPECT_TRUE(make_directories(workspace_));
    workspace_ = real_path(workspace_);
  }
  ~QuarantineTrial() override {
    const auto parent = open_folder(real_path(testing::TempDir()));
    EXPECT_TRUE(parent && discard_content(parent->get(), name_));
  }

  static void write(const std::string& path, const std::string& text, mode_t mode = 0644) {
    ASSERT_TRUE(write_file_atomically(path, text, 0600, Durable::no));
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  static mode_t mode_of(const std::string& path) {
    struct stat info {};
    EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }
  static bool is_there(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0;
  }
  Quarantine::About about(const std::string& name, const std::string& session = "s1") const {
    return {workspace_ + "/" + name, "held", "It would run.", workspace_, session, QuarantinedItem::Origin::created};
  }
  Result<QuarantinedItem> take(const std::string& name) { return take(quarantine_, name); }
  Result<QuarantinedItem> take(Quarantine& quarantine, const std::string& name) const {
    const UniqueFd folder = TRY(open_folder(workspace_));
    return quarantine.take(folder.get(), name, about(name));
  }
  std::string content(const QuarantinedItem& item) const { return folder_ + "/" + item.id + "/content"; }
  std::vector<std::string> left() const { return *list_directory(workspace_); }

  std::string name_ = "quarantine-" + id_from(random_u64());
  std::string root_ = testing::TempDir() + name_;
  std::string workspace_ = root_ + "/workspace";
  std::string folder_ = root_ + "/home/quarantine";
  Quarantine quarantine_{folder_};
};

}  // namespace talaria
