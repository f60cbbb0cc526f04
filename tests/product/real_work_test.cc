// What people's tools do every day, inside the sandbox.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/file.h"
#include "product/house.h"

namespace talaria {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class RealWorkTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& content) {
    const std::string path = house_.workspace() + "/" + name;
    ASSERT_TRUE(make_directories(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(write_file_atomically(path, content, 0644));
  }
  // What a command prints that must succeed, in the sandbox.
  std::string out(const std::string& command, JsonObject more = {}) {
    more["yieldMs"] = 60000;
    const JsonObject result = house_.exec(command, std::move(more));
    EXPECT_EQ(status_of(result), "completed") << text_of(result);
    EXPECT_EQ(integer_or(details_of(result), "exitCode", -1), 0) << command << "\n" << text_of(result);
    const JsonObject* sandbox = object_or_null(details_of(result), "sandbox");
    EXPECT_TRUE(sandbox && integer_or(*sandbox, "tier") == 1) << write_json(result);
    return text_of(result);
  }
  // For tools that not every machine has: a command comes to the same inside and outside.
  void expect_as_outside(const std::string& command) {
    const auto run = [&](const char* host) {
      const std::string folder = std::string("as-") + host;
      EXPECT_TRUE(make_directories(house_.workspace() + "/" + folder));
      const JsonObject result =
          house_.exec(command, {{"host", host}, {"workdir", folder}, {"yieldMs", 60000}, {"timeout", 60}});
      return status_of(result) + " " + std::to_string(integer_or(details_of(result), "exitCode", -1)) + "\n" +
             text_of(result);
    };
    EXPECT_EQ(run("sandbox"), run("gateway")) << command;
  }
  void await_line(const std::string& id, const std::string& pattern) {
    const JsonObject seen = house_.process("wait", id, {{"until", pattern}, {"timeout", 30000}});
    ASSERT_TRUE(details_of(seen).contains("found")) << write_json(seen);
  }

  House house_;
};

// --- the shell ---

TEST_F(RealWorkTest, TheShellDoesAllItsTricks) {
  EXPECT_EQ(out("cat <<'END' | tr a-z A-Z\nhere $doc\nEND"), "HERE $DOC\n");
  EXPECT_EQ(out("cat <<<'here string'"), "here string\n");
  EXPECT_THAT(out("diff <(printf '1\\n2\\n') <(printf '1\\n2\\n') && echo same"),
              StartsWith("same\n"));  // perhaps one that printed for it still ends
  EXPECT_EQ(out("(echo late > f) & wait $!; cat f; jobs"), "late\n");
  EXPECT_EQ(out("seq 100000 | sort -n | uniq | tail -n 1 | tee copy; cat copy"), "100000\n100000\n");
  EXPECT_EQ(out("set -o pipefail; false | true || echo failed"), "failed\n");
  EXPECT_EQ(out("coproc c { cat; }; echo ping >&${c[1]}; read line <&${c[0]}; exec {c[1]}>&-; wait; echo $line"),
            "ping\n");
  EXPECT_EQ(out("mkfifo p; echo through > p & cat p; wait"), "through\n");
  EXPECT_EQ(out("exec 3> f; echo x >&3; flock 3; cat f; ls -l /dev/fd/3 > /dev/null && cat /dev/stdin < f"), "x\nx\n");
  EXPECT_EQ(out("trap 'echo bye' EXIT; ulimit -c; umask; nice -n 5 true; timeout 5 true; echo $?"),
            "0\n0022\n0\nbye\n");
}

TEST_F(RealWorkTest, ProcessesAndLocaleLookAsUsual) {
  // A child has its name only when it is executed.
  const std::string processes = out(
      "sleep 30 & while read -r name < /proc/$!/comm; [ $name != sleep ]; do :; done; ps -eo pid,comm; kill %1; wait");
  EXPECT_THAT(processes, AllOf(HasSubstr(" sleep\n"), HasSubstr(" ps\n")));
  EXPECT_THAT(out("top -b -n1"), AllOf(StartsWith("top - "), HasSubstr(" top\n")));
  EXPECT_THAT(out("locale"), HasSubstr("LANG=C.UTF-8\n"));
  EXPECT_EQ(out("python3 -c 'print(\"ü\")'; id -un > /dev/null && whoami > /dev/null && echo somebody"),
            "ü\nsomebody\n");
  EXPECT_THAT(out("hostname; uname -s; nproc; date +%Z; df . | tail -n 1; free | head -n 1; uptime -p"),
              HasSubstr("Linux"));
  expect_as_outside("man -P cat ls 2>&1 | head -n 3");
}

// --- builds ---

TEST_F(RealWorkTest, CmakeBuildsAndTheProgramRuns) {
  put("CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.16)\nproject(small C CXX)\nadd_library(part STATIC part.c)\n"
      "add_executable(small main.cc)\ntarget_link_libraries(small part)\n"
      "enable_testing()\nadd_test(NAME runs COMMAND small)\n");
  put("part.c", "int part(void) { return 41; }\n");
  put("main.cc", "#include <iostream>\nextern \"C\" int part();\nint main() { std::cout << part() + 1 << '\\n'; }\n");
  out("cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j2");
  EXPECT_EQ(out("build/small"), "42\n");
  EXPECT_THAT(out("ctest --test-dir build"), HasSubstr("100% tests passed"));
}

TEST_F(RealWorkTest, MakeBuildsInParallel) {
  put("Makefile",
      "all: $(foreach i,1 2 3 4 5 6 7 8,part$(i).o)\n\tgcc -o whole *.o && ./whole\n"
      "part%.c:\n\techo 'int part$*(void) { return $*; }' > $@\n"
      "part1.c:\n\techo 'int part8(void); int main() { return part8() - 8; }' > $@\n"
      "%.o: %.c\n\tgcc -c -o $@ $<\n");
  out("make -j4");
  EXPECT_TRUE(exists(house_.workspace() + "/whole"));
  // Its search for leaks needs ptrace, which no sandbox allows, so that is off inside.
  EXPECT_EQ(out("gcc -fsanitize=address,undefined -x c - -o checked <<< 'int main() { return 0; }' && "
                "./checked && echo clean"),
            "clean\n");
}

// --- languages ---

TEST_F(RealWorkTest, PythonInstallsAPackageThatTheNextCommandImports) {
  put("package/small/__init__.py", "answer = 42\n");
  put("package/setup.py", "from setuptools import setup\nsetup(name='small', version='1', packages=['small'])\n");
  out("python3 -m venv env && env/bin/pip install --no-index --no-build-isolation --no-deps ./package");
  EXPECT_EQ(out("env/bin/python -c 'import small; print(small.answer)'"), "42\n");
  EXPECT_EQ(out(". env/bin/activate && python -c 'import sys, small; print(sys.prefix)'"),
            house_.workspace() + "/env\n");
}

TEST_F(RealWorkTest, PythonUsesThreadsProcessesAndSharedMemory) {
  EXPECT_THAT(out("python3 - <<'END'\n"
                  "import multiprocessing, tempfile, ctypes\n"
                  "from multiprocessing import shared_memory\n"
                  "def square(x): return x * x\n"
                  "if __name__ == '__main__':\n"
                  "    with multiprocessing.Pool(4) as pool: print(sum(pool.map(square, range(100))))\n"
                  "    block = shared_memory.SharedMemory(create=True, size=1 << 20)\n"
                  "    block.buf[0] = 7; print(block.buf[0]); block.close(); block.unlink()\n"
                  "    print(tempfile.gettempdir())\n"
                  "END"),
              StartsWith("328350\n7\n/tmp\n"));  // perhaps a helper of python's still ends
}

TEST_F(RealWorkTest, DatabasesWork) {
  EXPECT_EQ(out("python3 -c \"import sqlite3; d = sqlite3.connect('a.db'); d.execute('pragma journal_mode=wal'); "
                "d.execute('create table t(n)'); d.execute('insert into t values (7)'); d.commit()\""),
            "(no output)");
  EXPECT_EQ(out("sqlite3 a.db 'select n from t'"), "7\n");
}

TEST_F(RealWorkTest, PerlRuns) {
  EXPECT_EQ(out("perl -MFile::Temp=tempfile -e 'my ($f, $n) = tempfile(); print {$f} \"x\"; close $f; "
                "print -s $n, \" \", `echo child`'"),
            "1 child\n");
}

TEST_F(RealWorkTest, AnNpmScriptServesTheNextCommand) {
  put("package.json", R"({"name": "site", "version": "1.0.0", "scripts": {"dev": "node server.js"}})");
  put("server.js",
      "require('http').createServer((q, a) => a.end('you asked for ' + q.url)).listen(3000, '127.0.0.1', "
      "() => console.log('listening'))\n");
  const std::string id = id_of(house_.exec("npm run dev", {{"background", true}}));
  await_line(id, "^listening$");
  EXPECT_EQ(out("node -e \"fetch('http://127.0.0.1:3000/page').then(a => a.text()).then(console.log)\""),
            "you asked for /page\n");
  EXPECT_EQ(out("python3 -c \"from urllib.request import urlopen; "
                "print(urlopen('http://localhost:3000/x').read().decode())\""),
            "you asked for /x\n");
  EXPECT_EQ(status_of(house_.process("kill", id)), "failed");
  const JsonObject after = house_.exec("node -e \"fetch('http://127.0.0.1:3000/').catch(e => process.exit(9))\"");
  EXPECT_EQ(integer_or(details_of(after), "exitCode"), 9);  // npm, its shell and the server are all gone
}

TEST_F(RealWorkTest, NpmInstallsALocalPackage) {
  put("package.json", R"({"name": "site", "version": "1.0.0", "dependencies": {"small": "file:./small"}})");
  put("small/package.json", R"({"name": "small", "version": "1.0.0", "main": "index.js"})");
  put("small/index.js", "module.exports = 42\n");
  out("npm install --offline --no-audit --no-fund");
  EXPECT_EQ(out("node -p \"require('small')\""), "42\n");
}

TEST_F(RealWorkTest, ToolsThatAreThereOutsideWorkInside) {
  expect_as_outside(
      "echo 'class A { public static void main(String[] a) { System.out.println(6 * 7); } }' > A.java; "
      "java A.java 2>&1 | sed s,^/[^:]*:,,");
  expect_as_outside("ruby -e 'puts 6 * 7' 2>&1 | sed s,^/[^:]*:,,; go version 2>&1 | sed s,^/[^:]*:,,");
  expect_as_outside("curl -s file:///etc/hostname; jq --version; rg --version | sed -n 1p; tar --version | sed -n 1p");
}

// --- tools that live in the person's home ---

TEST_F(RealWorkTest, CargoFromAHomeBuildsOffline) {
  const std::string home = house_.environment()["HOME"];
  ASSERT_TRUE(write_file_atomically(home + "/.profile", "PATH=/root/.cargo/bin:$PATH\n"));
  expect_as_outside(
      "export RUSTUP_HOME=/root/.rustup CARGO_HOME=/tmp/cargo; cargo init -q --vcs none --name small 2>&1"
      " | sed s,^/[^:]*:,, && cargo build -q --offline 2>&1 | sed s,^/[^:]*:,, && ./target/debug/small");
}

TEST_F(RealWorkTest, AToolchainInTheHomeIsShownWithoutItsCredentials) {
  const std::string home = house_.environment()["HOME"];
  for (const char* folder : {"/.cargo/bin", "/.local/bin", "/own-tools/bin"}) {
    ASSERT_TRUE(make_directories(home + folder));
    ASSERT_TRUE(write_file_atomically(home + folder + "/greet", "#!/bin/sh\necho from $0\n", 0755));
  }
  ASSERT_TRUE(write_file_atomically(home + "/.cargo/credentials.toml", "token = 'secret'\n"));
  ASSERT_TRUE(write_file_atomically(home + "/own-tools/notes", "private\n"));
  ASSERT_TRUE(
      write_file_atomically(home + "/.profile", "PATH=$HOME/.cargo/bin:$HOME/.local/bin:$HOME/own-tools/bin:$PATH\n"));
  EXPECT_EQ(out("greet; ~/.local/bin/greet; ~/own-tools/bin/greet"), "from " + home + "/.cargo/bin/greet\nfrom " +
                                                                         home + "/.local/bin/greet\nfrom " + home +
                                                                         "/own-tools/bin/greet\n");
  EXPECT_EQ(out("ls ~/.cargo ~/own-tools; touch ~/.cargo/bin/x 2>/dev/null || echo read-only"),
            home + "/.cargo:\nbin\n\n" + home + "/own-tools:\nbin\nread-only\n");
}

TEST_F(RealWorkTest, TheActiveVirtualEnvironmentIsSeen) {
  const std::string home = house_.environment()["HOME"];
  ASSERT_TRUE(make_directories(home + "/envs/work/bin"));
  ASSERT_TRUE(write_file_atomically(home + "/envs/work/bin/tool", "#!/bin/sh\necho tool\n", 0755));
  ASSERT_TRUE(write_file_atomically(home + "/.profile", "export VIRTUAL_ENV=$HOME/envs/work\n"));
  EXPECT_EQ(out("$VIRTUAL_ENV/bin/tool"), "tool\n");
}

}  // namespace
}  // namespace talaria
