#include "rpc/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace talaria {
namespace {

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  while (const auto line = reader.next()) lines.push_back(line->too_long ? "<too long>" : std::string(line->text));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReaderTest, CutsWhereverThePiecesWereCut) {
  const std::string stream = "one\n\nthree\nfour";
  for (size_t size = 1; size <= stream.size(); ++size) {
    LineReader reader;
    Lines lines;
    for (size_t i = 0; i < stream.size(); i += size) {
      reader.append(std::string_view(stream).substr(i, size));
      for (std::string& line : lines_of(reader)) lines.push_back(std::move(line));
    }
    EXPECT_EQ(lines, (Lines{"one", "", "three"}));
    reader.append("\n");
    EXPECT_EQ(lines_of(reader), Lines{"four"});
  }
}

TEST(LineReaderTest, AcceptsTheLongestLineAndReportsALongerOneOnce) {
  LineReader reader(4);
  reader.append("1234\n12345\nok\n");
  EXPECT_EQ(lines_of(reader), (Lines{"1234", "<too long>", "ok"}));
}

TEST(LineReaderTest, SkipsALongLineThatComesInPieces) {
  LineReader reader(4);
  Lines lines;
  for (const char* piece : {"12", "345", "678", "9", "0\nok", "\n"}) {
    reader.append(piece);
    for (std::string& line : lines_of(reader)) lines.push_back(std::move(line));
  }
  EXPECT_EQ(lines, (Lines{"<too long>", "ok"}));
}

}  // namespace
}  // namespace talaria
