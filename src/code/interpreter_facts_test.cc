#include "code/interpreter_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace talaria {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

JsonObject said() {
  return {{"version", JsonArray{3, 11, 2}},
          {"implementation", "cpython"},
          {"executable", "/w/.venv/bin/python3"},
          {"base", "/usr/bin/python3.11"},
          {"prefix", "/w/.venv"},
          {"base_prefix", "/usr"},
          {"ctypes", true},
          {"stdlib", "/usr/lib/python3.11"},
          {"library", JsonArray{"/usr/lib", "/usr/lib/python3.11"}},
          {"site", JsonArray{"/w/.venv/lib/python3.11/site-packages"}}};
}

PythonFacts facts() {
  PythonFacts expected;
  expected.major = 3;
  expected.minor = 11;
  expected.micro = 2;
  expected.implementation = "cpython";
  expected.executable = "/w/.venv/bin/python3";
  expected.base = "/usr/bin/python3.11";
  expected.prefix = "/w/.venv";
  expected.base_prefix = "/usr";
  expected.has_ctypes = true;
  expected.stdlib = "/usr/lib/python3.11";
  expected.library = {"/usr/lib", "/usr/lib/python3.11"};
  expected.site = {"/w/.venv/lib/python3.11/site-packages"};
  return expected;
}

std::string line(const JsonObject& object) { return "talaria-python " + write_json(object) + "\n"; }

std::string refusal_of(const JsonObject& object) {
  const Result<PythonFacts> read = parse_python_facts(line(object));
  return read ? "no refusal" : read.error().message();
}

TEST(InterpreterFactsTest, ReadsWhatAPythonSaysOfItself) {
  const Result<PythonFacts> read = parse_python_facts(line(said()));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, facts());
  EXPECT_EQ(read->version(), "3.11.2");
  EXPECT_TRUE(read->is_environment());
}

TEST(InterpreterFactsTest, WhatStartUpFilesPrintAroundItIsNoMatter) {
  const std::string noisy = "warning: x\ntalaria-python {}\nhello talaria-python {\n" + line(said()) + "bye\n";
  EXPECT_EQ(*parse_python_facts(noisy), facts());
}

TEST(InterpreterFactsTest, RefusesWhatIsNoDescription) {
  EXPECT_EQ(parse_python_facts("").error().message(), "it did not say what it is");
  EXPECT_EQ(parse_python_facts("x talaria-python {}").error().message(), "it did not say what it is");
  EXPECT_THAT(parse_python_facts("talaria-python [1]").error().message(), HasSubstr("makes no sense"));
  EXPECT_THAT(parse_python_facts("talaria-python {").error().message(), HasSubstr("makes no sense"));
  EXPECT_THAT(parse_python_facts("talaria-python " + std::string(100'000, ' ')).error().message(),
              HasSubstr("more of itself than can be true"));
}

TEST(InterpreterFactsTest, EveryPathMustBeOne) {
  for (const std::string name : {"executable", "base", "prefix", "base_prefix", "stdlib"}) {
    JsonObject object = said();
    for (const Json& wrong : {Json("python3"), Json(""), Json(7), Json(nullptr), Json("/" + std::string(5000, 'x'))}) {
      object[name] = wrong;
      EXPECT_THAT(refusal_of(object), HasSubstr(name)) << write_json(wrong);
    }
  }
  JsonObject object = said();
  object["site"] = JsonArray{"relative", "/good"};
  EXPECT_THAT(parse_python_facts(line(object))->site, ElementsAre("/good"));
}

TEST(InterpreterFactsTest, AVersionIsThreeNumbers) {
  for (const Json& wrong : {Json("3.11"), Json(JsonArray{3, 11}), Json(JsonArray{3, "x", 1}), Json(JsonArray{3, -1, 0}),
                            Json(JsonArray{3, 100'000, 0}), Json(nullptr)}) {
    JsonObject object = said();
    object["version"] = wrong;
    EXPECT_THAT(refusal_of(object), HasSubstr("three numbers")) << write_json(wrong);
  }
}

TEST(InterpreterFactsTest, OnlyCpythonFromThreeEightOnIsUsable) {
  PythonFacts python = facts();
  EXPECT_EQ(why_unusable(python), "");
  python.minor = 8;
  EXPECT_EQ(why_unusable(python), "");
  python.minor = 7;
  EXPECT_EQ(why_unusable(python), "it is Python 3.7.2, and 3.8 is the oldest that can run scripts");
  python.major = 2;
  EXPECT_EQ(why_unusable(python), "it is Python 2.7.2, and 3.8 is the oldest that can run scripts");
  python = facts();
  python.implementation = "pypy";
  EXPECT_EQ(why_unusable(python), "it is pypy, and only CPython can run scripts");
}

TEST(InterpreterFactsTest, SaysHowAPythonFailedToAnswer) {
  EXPECT_EQ(why_no_answer(1, 0, "Traceback\nModuleNotFoundError: No module named 'json'\n"),
            "it ended with exit code 1 and said: ModuleNotFoundError: No module named 'json'");
  EXPECT_EQ(why_no_answer(0, 11, ""), "it was ended by signal 11");
  EXPECT_EQ(why_no_answer(2, 0, "a\x1b[31mb\n"), "it ended with exit code 2 and said: a [31mb");
  EXPECT_EQ(why_no_answer(2, 0, "\xff\xfe\n"), "it ended with exit code 2");
  EXPECT_EQ(why_no_answer(2, 0, std::string(1000, 'x')),
            "it ended with exit code 2 and said: " + std::string(200, 'x'));
}

TEST(InterpreterFactsTest, NamesWhatTellsThatItChanged) {
  EXPECT_THAT(marked_paths("/w/.venv/bin/python3", facts()),
              ElementsAre("/w/.venv/bin/python3", "/usr/bin/python3.11", "/w/.venv/pyvenv.cfg", "/usr/lib/python3.11",
                          "/w/.venv/lib/python3.11/site-packages"));
  EXPECT_THAT(marked_base_paths(facts()), ElementsAre("/usr/bin/python3.11", "/usr/lib/python3.11"));
}

}  // namespace
}  // namespace talaria
