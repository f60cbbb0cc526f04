#include "api/masked_files.h"

#include <gtest/gtest.h>

#include "files/search.h"

namespace talaria {
namespace {

const Environment& file_secrets() {
  static const Environment secrets = {{"KEY", "sekret-ONE-123456"}, {"PEM", "first line of it\nsecond line of it"}};
  return secrets;
}

JsonObject masked_result(JsonObject result) {
  mask_file_result(result, Mask(file_secrets()));
  return result;
}

TEST(MaskedFilesTest, OnlyTextAndNamesChange) {
  const JsonObject page = {{"content", "1|K=sekret-ONE-123456\n2|first line of it\n3|second line of it"},
                           {"path", "sekret-ONE-123456"},
                           {"total_lines", 3},
                           {"lines_returned", 3},
                           {"file_size", 54}};
  JsonObject expected = page;
  expected["path"] = "[masked KEY]";
  expected["content"] = "1|K=[masked KEY]\n2|[masked PEM]\n3|[masked PEM]";
  EXPECT_EQ(write_json(masked_result(page)), write_json(expected));
}

TEST(MaskedFilesTest, MatchesAndTheLinesAroundThem) {
  const JsonObject match = {{"path", "a"},
                            {"line", 7},
                            {"column", 21},
                            {"content", "sekret-ONE-123456 = x"},
                            {"before", JsonArray{"sekret-ONE-123456"}},
                            {"after", JsonArray{"plain", "a sekret-ONE-123456"}}};
  const JsonObject hidden = {{"path", "a"},
                             {"line", 7},
                             {"column", 21},
                             {"content", "[masked KEY] = x"},
                             {"before", JsonArray{"[masked KEY]"}},
                             {"after", JsonArray{"plain", "a [masked KEY]"}}};
  EXPECT_EQ(write_json(masked_result({{"total_count", 1}, {"matches", JsonArray{match}}})),
            write_json(JsonObject{{"total_count", 1}, {"matches", JsonArray{hidden}}}));
}

TEST(MaskedFilesTest, WhatACutLeftOfASecretIsHidden) {
  const JsonObject page = {{"content", "1|x sekret-ONE-... [truncated]\n2|sekret-ONE-... [truncated] said he\n3|sekr"}};
  EXPECT_EQ(text_or(masked_result(page), "content"),
            "1|x [masked KEY]... [truncated]\n2|sekret-ONE-... [truncated] said he\n3|sekr");
  EXPECT_EQ(text_or(masked_result({{"content", "1|sekret-ONE-... [truncated]"}}), "content"),
            "1|[masked KEY]... [truncated]");
  const std::string line = std::string(most_agent_match_characters - 10, 'x') + "sekret-ONE";
  EXPECT_EQ(text_or(masked_result({{"content", line}}), "content"),
            std::string(most_agent_match_characters - 10, 'x') + "[masked KEY]");
}

TEST(MaskedFilesTest, NamesOfFilesAreHiddenWhereverTheyStand) {
  const std::string name = "backup-sekret-ONE-123456.txt", hidden = "backup-[masked KEY].txt";
  const JsonObject found = {{"files", JsonArray{"a", name}},
                            {"counts", JsonObject{{"a", 1}, {name, 2}, {"z", 3}}},
                            {"similar_files", JsonArray{"x/" + name}},
                            {"note", "left out " + name},
                            {"results", JsonArray{JsonObject{{"path", name}, {"to", name}, {"error", name}}}},
                            {"total_count", 2}};
  const JsonObject shown = {{"files", JsonArray{"a", hidden}},
                            {"counts", JsonObject{{"a", 1}, {hidden, 2}, {"z", 3}}},
                            {"similar_files", JsonArray{"x/" + hidden}},
                            {"note", "left out " + hidden},
                            {"results", JsonArray{JsonObject{{"path", hidden}, {"to", hidden}, {"error", hidden}}}},
                            {"total_count", 2}};
  EXPECT_EQ(Json(masked_result(found)), Json(shown));
}

TEST(MaskedFilesTest, AnErrorAndADiffShowFilesToo) {
  EXPECT_EQ(text_or(masked_result({{"error", "near:\nsekret-ONE-123456"}}), "error"), "near:\n[masked KEY]");
  EXPECT_EQ(text_or(masked_result({{"diff", "-a\n+b\n sekret-ONE-123456"}}), "diff"), "-a\n+b\n [masked KEY]");
}

}  // namespace
}  // namespace talaria
