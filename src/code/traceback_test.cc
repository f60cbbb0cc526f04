#include "code/traceback.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(TracebackTest, FindsTheExceptionAfterTheFrames) {
  EXPECT_EQ(exception_line("Traceback (most recent call last):\n"
                           "  File \"<program>\", line 2, in <module>\n"
                           "    raise ValueError('bad')\n"
                           "ValueError: bad\n"),
            "ValueError: bad");
}

TEST(TracebackTest, FindsTheFirstLineOfAMessageOfSeveral) {
  EXPECT_EQ(exception_line("warning: x\n"
                           "Traceback (most recent call last):\n"
                           "  File \"<program>\", line 2, in <module>\n"
                           "subprocess.CalledProcessError: first\n"
                           "second\n"),
            "subprocess.CalledProcessError: first");
}

TEST(TracebackTest, FindsTheLastOfAChain) {
  EXPECT_EQ(exception_line("Traceback (most recent call last):\n"
                           "  File \"a\", line 1, in <module>\n"
                           "KeyError: 'a'\n"
                           "\n"
                           "During handling of the above exception, another exception occurred:\n"
                           "\n"
                           "Traceback (most recent call last):\n"
                           "  File \"a\", line 3, in <module>\n"
                           "RuntimeError\n"),
            "RuntimeError");
}

TEST(TracebackTest, FindsTheNameOfAGroup) {
  EXPECT_EQ(exception_line("  + Exception Group Traceback (most recent call last):\n"
                           "  |   File \"a\", line 1, in <module>\n"
                           "  |     raise ExceptionGroup('two', [ValueError(1)])\n"
                           "  | ExceptionGroup: two (1 sub-exception)\n"
                           "  +-+---------------- 1 ----------------\n"
                           "    | ValueError: 1\n"
                           "    +------------------------------------\n"),
            "ExceptionGroup: two (1 sub-exception)");
}

TEST(TracebackTest, NamesTheLineOfASyntaxError) {
  EXPECT_EQ(exception_line("  File \"<program>\", line 3\n"
                           "    x = = 1\n"
                           "        ^\n"
                           "SyntaxError: invalid syntax\n"),
            "SyntaxError: invalid syntax (line 3)");
  EXPECT_EQ(exception_line("  File \"<program>\", line 12\n    y\nIndentationError: unexpected indent\n"),
            "IndentationError: unexpected indent (line 12)");
  EXPECT_EQ(exception_line("SyntaxError: source code cannot contain null bytes"),
            "SyntaxError: source code cannot contain null bytes");
}

TEST(TracebackTest, AnImportedModuleMayHaveTheSyntaxError) {
  EXPECT_EQ(exception_line("Traceback (most recent call last):\n"
                           "  File \"<program>\", line 1, in <module>\n"
                           "    import broken\n"
                           "  File \"/src/broken.py\", line 7\n"
                           "    def\n"
                           "       ^\n"
                           "SyntaxError: invalid syntax\n"),
            "SyntaxError: invalid syntax (line 7)");
}

TEST(TracebackTest, FindsNothingWhereNothingIsReported) {
  EXPECT_EQ(exception_line(""), "");
  EXPECT_EQ(exception_line("ValueError: printed by hand\n"), "");
  EXPECT_EQ(exception_line("Traceback (most recent call last):\n  File \"a\", line 1\n"), "");
}

TEST(TracebackTest, ALineOfAMegabyteIsCut) {
  const std::string line =
      exception_line("Traceback (most recent call last):\nValueError: " + std::string(1 << 20, 'x'));
  EXPECT_EQ(line, "ValueError: " + std::string(488, 'x'));
}

TEST(TracebackTest, HintsAtCommonMistakes) {
  EXPECT_EQ(hint_for("ImportError: cannot import name 'readfile' from 'hermes_tools' (/x/__init__.py)", ""),
            "hermes_tools has no readfile; near: read_file. It has the tools of this session and json_parse, "
            "shell_quote, retry, progress, parallel, parallel_map.");
  EXPECT_EQ(hint_for("ModuleNotFoundError: No module named 'requests'", "/usr/bin/python3"),
            "The module requests is not installed for /usr/bin/python3. Do without it, or install it in the project's "
            "virtual environment first.");
  EXPECT_EQ(hint_for("NameError: name 'json_parse' is not defined", ""),
            "Import it first: from hermes_tools import json_parse");
  EXPECT_EQ(hint_for("TypeError: string indices must be integers, not 'str'", ""),
            "A tool's result is a dict, and a loop over a dict gives its keys: loop over the list in it, such as "
            "result[\"matches\"]. A result with \"error\" in it has no such list.");
}

TEST(TracebackTest, HintsAtWhatAProgramCannotDo) {
  for (const char* name : {"background", "pty", "notify_on_complete"}) {
    EXPECT_EQ(hint_for("TypeError: terminal() got an unexpected keyword argument '" + std::string(name) + "'", ""),
              "In a script terminal waits for its command and takes command, timeout and workdir. What is to run in "
              "the background or needs a terminal is started outside of the script, with the tool exec, and followed "
              "with the tool process.")
        << name;
  }
  EXPECT_EQ(hint_for("ConnectionError: hermes_tools has no connection to the gateway in this process: make", ""),
            "A process that multiprocessing starts can call tools only with the fork start method: use "
            "multiprocessing.get_context(\"fork\"), or parallel_map of hermes_tools, which needs no processes.");
}

TEST(TracebackTest, HasNoHintForOtherMistakes) {
  for (const char* line : {"", "ValueError: bad", "NameError: name 'x' is not defined", "NameError: name 'read_file",
                           "TypeError: terminal() got an unexpected keyword argument 'cwd'",
                           "ImportError: cannot import name 'x' from 'json' (/usr/lib/json.py)"}) {
    EXPECT_EQ(hint_for(line, ""), "") << line;
  }
}

}  // namespace
}  // namespace talaria
