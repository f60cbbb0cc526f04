#pragma once
#include <regex.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "files/match_page.h"
#include "files/output_lines.h"
#include "files/path_page.h"
#include "files/search_filter.h"
#include "files/search_pattern.h"

namespace talaria {

// Reads what a program prints of a search, in pieces as it comes; stdout and stderr may be mixed.
class SearchReader {
 public:
  virtual ~SearchReader() = default;
  virtual void take(std::string_view output) = 0;
  // Nothing more comes.
  virtual void finish() = 0;

  const std::string& complaint() const { return complaint_; }  // what is no result
  bool named_files() const { return named_files_; }            // even if none is part of the result

 protected:
  explicit SearchReader(const SearchFilter& filter) : filter_(filter) {}
  // Whether a file is part of the result.
  bool takes(std::string_view path);
  void complain(std::string_view text);

 private:
  const SearchFilter& filter_;
  std::string complaint_;
  bool named_files_ = false;
};

// rg --json.
class RgReader : public SearchReader {
 public:
  RgReader(const SearchFilter& filter, MatchPage& page, size_t most_text_bytes);
  void take(std::string_view output) override;
  void finish() override;

 private:
  void take_line(const OutputLines::Line& line);
  void take_match(const OutputLines::Line& line);
  void take_cut_match(const OutputLines::Line& line);

  MatchPage& page_;
  size_t most_text_bytes_;
  OutputLines lines_;
  bool in_file_ = false;
};

// grep -n --null, and rg with --column.
class MatchLineReader : public SearchReader {
 public:
  // Every path begins with `root`, the path that was searched. `pattern` as grep got it, to find the column; none for
  // rg, which tells it.
  MatchLineReader(const SearchFilter& filter, MatchPage& page, size_t most_text_bytes, std::string root,
                  const std::optional<GrepPattern>& pattern = {});
  void take(std::string_view output) override;
  void finish() override;

 private:
  void take_line(const OutputLines::Line& line);
  bool begins_path(std::string_view line) const;
  void take_part_of_path(std::string_view line);
  void drop_start_of_path();
  void take_numbered(std::string_view path, std::string_view rest);
  void take_text(uint64_t line, bool is_match, std::string_view rest);
  uint64_t column_of(const std::string& text) const;
  void change_file(std::string_view path);

  struct FreeRegex {
    void operator()(regex_t* regex) const {
      ::regfree(regex);
      delete regex;
    }
  };

  MatchPage& page_;
  size_t most_text_bytes_;
  std::string root_;
  OutputLines lines_;
  std::string path_start_;  // lines of a path with line ends in it, each with its end
  bool columns_told_;
  std::unique_ptr<regex_t, FreeRegex> regex_;  // null: unknown to the C library
  std::string path_;
  bool in_file_ = false;
};

// Paths, with or without a number each.
class PathReader : public SearchReader {
 public:
  PathReader(const SearchFilter& filter, PathPage& page, SearchFormat format);
  void take(std::string_view output) override;
  void finish() override;

 private:
  void take_piece(std::string_view piece);
  std::string_view take_number(std::string_view piece);
  void add(std::string_view path, uint64_t count);

  PathPage& page_;
  SearchFormat format_;
  OutputLines pieces_;
  std::optional<std::string> path_;  // whose number is still to come
};

}  // namespace talaria
