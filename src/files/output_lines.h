#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace talaria {

// Cuts a program's output, which comes in pieces, at a separator. Of what is longer than `most` only the beginning
// comes, so that memory stays bounded; and, if there is a `mark`, what follows the first one in the rest.
class OutputLines {
 public:
  struct Line {
    std::string_view bytes;
    bool whole = true;
    std::string_view behind_mark = {};  // at most 64 bytes
  };
  using Take = std::function<void(const Line& line)>;

  OutputLines(char separator, size_t most, std::string mark = {})
      : separator_(separator), most_(most), mark_(std::move(mark)) {}

  void feed(std::string_view output, const Take& take);
  // What came after the last separator.
  std::string_view rest() const { return pending_; }

 private:
  void keep(std::string_view part);
  void look_for_mark(std::string_view part);

  char separator_;
  size_t most_;
  std::string mark_;
  std::string pending_;
  bool cut_ = false;
  std::string window_;  // the end of what was dropped, where a mark may begin
  std::string behind_mark_;
  bool found_ = false;
};

}  // namespace talaria
