#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/content.h"
#include "guard/quarantined_item.h"
#include "os/fd.h"

namespace talaria {

// The folder of one item: item.json, modes.json and the content.
class QuarantinePlace {
 public:
  static constexpr const char* content = "content";

  // How far a take has come; what is not kept yet was left by one that was killed.
  enum class State {
    taking,  // the content is where it was, beside that under its harmless name, or here
    copied,  // all of it is here, and what is left of it beside may go
    kept,
  };
  struct Record {
    QuarantinedItem item;
    State state = State::taking;
  };

  static Result<QuarantinePlace> make(const std::string& quarantine, const std::string& id);
  static Result<QuarantinePlace> open(const std::string& quarantine, const std::string& id);

  int fd() const { return fd_.get(); }
  bool has_content() const;
  Result<> write(const QuarantinedItem& item, State state) const;
  Result<Record> read() const;
  // Only the first modes count: a take that is finished later finds the bits gone already.
  void write_first_modes(const std::vector<KeptMode>& modes) const;
  std::vector<KeptMode> modes() const;

 private:
  QuarantinePlace(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

// The folder and the name of an absolute path.
std::string folder_of(const std::string& path);
std::string entry_of(const std::string& path);

}  // namespace talaria
