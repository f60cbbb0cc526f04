#include "process/exit_meaning.h"

#include <gtest/gtest.h>

#include <vector>

namespace talaria {
namespace {

struct Case {
  std::string command;
  int code;
  std::string note;  // empty: none
};

class ExitMeaning : public testing::TestWithParam<Case> {};

TEST_P(ExitMeaning, IsKnownWhereItIsSure) {
  const Case& given = GetParam();
  EXPECT_EQ(meaning_of_exit(given.command, given.code).value_or(""), given.note) << given.command;
}

INSTANTIATE_TEST_SUITE_P(
    Known, ExitMeaning,
    testing::ValuesIn(std::vector<Case>{
        {"grep foo file", 1, "grep: no lines matched"},
        {"/usr/bin/grep foo file", 1, "grep: no lines matched"},
        {"LC_ALL=C sudo -u bob grep foo 'a file' 2>/dev/null", 1, "grep: no lines matched"},
        {"env -u X A=b nice -n 5 rg foo", 1, "rg: no lines matched"},
        {"cat file | grep foo", 1, "grep: no lines matched"},
        {"echo start; grep 'a|b;c && d' file", 1, "grep: no lines matched"},
        {"make || grep foo log &> out", 1, "grep: no lines matched"},
        {"make\ngrep foo log", 1, "grep: no lines matched"},
        {"diff -u a b", 1, "diff: the files differ"},
        {"cmp a b", 2, "cmp: the files could not be compared"},
        {"test -f x", 1, "test: the condition is false"},
        {"[ -f x ]", 1, "[: the condition is false"},
        {"git diff --exit-code", 1, "git: there are differences"},
        {"git diff --quiet HEAD", 1, "git: there are differences"},
        {"git grep foo", 1, "git: no lines matched"},
        {"curl -f https://x", 22, "curl: the server answered with an HTTP error (400 or above)"},
        {"curl https://x", 6, "curl: the name of the host could not be resolved"},
        {"ssh host true", 255, "ssh: the connection failed; the remote command may not have run"},
        {"timeout 5 sleep 9", 124, "timeout: the time limit passed and the command was ended"},
        {"make -j4", 2, "make: a target failed; the lines before its error say why"},
        {"pgrep foo", 1, "pgrep: no process matched"},
        {"which foo", 1, "which: a program was not found"},
        {"command -v foo", 1, "command: the program was not found"},
        {"pytest -q", 5, "pytest: no tests were collected"},
        {"systemctl is-active foo", 3, "systemctl: the unit is not active"},
        {"anything", 126, "a program was found but could not be executed: check its permissions"},
        {"cd x && anything", 127, "a program was not found: check the spelling, and whether it is installed"},
        {"python3 x.py", 137, "a child was killed by SIGKILL under the shell (often because memory ran out)"},
        {"$(foo) | bar", 143, "a child was killed by SIGTERM under the shell"},
        {"x", 130, "a child was killed by SIGINT under the shell"},
        {"x", 139, "a child was killed by SIGSEGV under the shell"},
    }));

INSTANTIATE_TEST_SUITE_P(Unsure, ExitMeaning,
                         testing::ValuesIn(std::vector<Case>{
                             {"grep foo file", 0, ""},
                             {"grep foo file", 3, ""},
                             {"python3 x.py", 1, ""},
                             {"", 1, ""},
                             {"cd x && grep foo file", 1, ""},  // the cd may have failed
                             {"set -o pipefail; false | grep x", 1, ""},
                             {"grep foo $(cat list)", 1, ""},
                             {"grep \"`cat x`\" file", 1, ""},
                             {"(grep foo file)", 1, ""},
                             {"! grep foo file", 1, ""},
                             {"if true; then grep foo file; fi", 1, ""},
                             {"cat <<EOF | grep x\nfoo\nEOF", 1, ""},
                             {"grep 'unfinished", 1, ""},
                             {"git diff", 1, ""},
                             {"mygrep foo", 1, ""},
                             {"bash -c 'grep foo file'", 1, ""},
                             {"A=1", 1, ""},
                             {"sudo", 1, ""},
                         }));

}  // namespace
}  // namespace talaria
