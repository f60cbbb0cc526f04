#include "yaml/block_scalar.h"

#include <gtest/gtest.h>

#include "yaml/yaml.h"

namespace talaria {
namespace {

TEST(BlockScalarTest, AHeaderHasIndicatorsAndMayHaveAComment) {
  const auto header = [](std::string_view value) {
    const std::optional<BlockHeader> read = block_header(value);
    if (!read) return std::string("none");
    return std::string(read->folded ? ">" : "|") + read->chomping + std::to_string(read->indent);
  };
  EXPECT_EQ(header("|"), "| 0");
  EXPECT_EQ(header(">-"), ">-0");
  EXPECT_EQ(header("|2+"), "|+2");
  EXPECT_EQ(header(">+9  # c"), ">+9");
  EXPECT_EQ(header("| text"), "none");
  EXPECT_EQ(header("|#"), "none");
  EXPECT_EQ(header("a"), "none");
  EXPECT_EQ(header(""), "none");
}

TEST(BlockScalarTest, FoldingSparesWhatIsIndentedDeeper) {
  const BlockHeader folded{true, '-', 0};
  EXPECT_EQ(block_scalar_text(folded, "  a\n  b\n\n  c\n", 2), "a b\nc");
  EXPECT_EQ(block_scalar_text(folded, "  a\n    b\n  c\n", 2), "a\n  b\nc");
  EXPECT_EQ(block_scalar_text(folded, "\n  a\n\n    b\n\n  c\n", 2), "\na\n\n  b\n\nc");
}

TEST(BlockScalarTest, TheEndIsChompedAsTheHeaderSays) {
  EXPECT_EQ(block_scalar_text({false, ' ', 0}, " a\n\n\n", 1), "a\n");
  EXPECT_EQ(block_scalar_text({false, '-', 0}, " a\n\n\n", 1), "a");
  EXPECT_EQ(block_scalar_text({false, '+', 0}, " a\n\n\n", 1), "a\n\n\n");
  EXPECT_EQ(block_scalar_text({false, ' ', 0}, " a", 1), "a");
  EXPECT_EQ(block_scalar_text({false, ' ', 0}, "\n\n", 1), "");
  EXPECT_EQ(block_scalar_text({false, '+', 0}, "\n\n", 1), "\n\n");
}

TEST(BlockScalarTest, LinesMayEndWithCarriageReturns) {
  EXPECT_EQ(block_scalar_text({false, ' ', 0}, "  a\r\n\r\n  b\r\n", 2), "a\n\nb\n");
}

// The library by itself gives bytes here that are not in the text.
TEST(BlockScalarTest, ADocumentHasNoBytesThatAreNotInItsText) {
  const Result<YamlDocument> document = YamlDocument::parse("k: |\n null:...\n  a: %x\n   x-y:é ü\n\n  \nz: é\n");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->at({"k"})->text, "null:...\n a: %x\n  x-y:é ü\n\n \n");
  EXPECT_EQ(document->at({"z"})->text, "é");
}

}  // namespace
}  // namespace talaria
