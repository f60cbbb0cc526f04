#include "product/left_behind_attack.h"

#include <unistd.h>

#include <cstdlib>

#include "os/file.h"

namespace talaria {
namespace {

// Two commits and a branch behind, a repository in a folder of it.
constexpr const char* kRepository = R"(git init -q -b main .
git config user.email a@b.c; git config user.name A
mkdir sub; echo 1 > a; echo 2 > sub/b; git add .; git commit -q -m one
echo 3 > a; git commit -qam two; git branch side HEAD~1
git init -q sub/inner; git -C sub/inner -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m inner)";

// The person works in the first folders of the tree. The stash comes last: it takes away what an attempt leads to.
constexpr const char* kEverydayWork = R"(find -H "$1" "$2" -maxdepth 3 -type d ! -path '*/.git*' ! -path '*/objects*' \
    ! -path '@B@/w/q*' 2>/dev/null | head -n 7 | sort -r | while read -r folder; do
  cd "$folder" && echo 1 > mine || continue
  for work in "status" "diff" "log -p -1" "fetch --all" "add -A" "status" \
      "commit -q --allow-empty -m x" "checkout -q -b t$RANDOM"; do
    git $work
    if [ -e @B@/PWNED ]; then echo "git $work in $folder" >> @B@/who; exit; fi
  done
done
cd "$1" && git stash -u)";

std::string with_folder(std::string text, const std::string& folder) {
  for (size_t at = 0; (at = text.find("@B@", at)) != std::string::npos; at += folder.size()) {
    text.replace(at, 3, folder);
  }
  return text;
}

}  // namespace

void LeftBehindAttacksTest::host(const std::string& folder, const std::string& command) {
  const std::string script = folder + "/script";
  ASSERT_TRUE(write_file_atomically(script, with_folder(command, folder), 0600, Durable::no));
  const std::string all = "cd " + folder + "/w && exec env HOME=" + house_.environment()["HOME"] +
                          " GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true GIT_SEQUENCE_EDITOR=true GIT_TERMINAL_PROMPT=0 "
                          "timeout 60 bash " +
                          script + " " + folder + "/w " + folder + "/main </dev/null >>" + folder + "/log 2>&1";
  (void)!std::system(all.c_str());
}

std::string LeftBehindAttacksTest::begin(const LeftBehindAttack& attack) {
  std::string folder = house_.environment()["HOME"] + "/attempt" + std::to_string(++count_);
  EXPECT_TRUE(make_directories(folder + "/w"));
  session_ = folder + "/" + attack.session;
  host(folder, std::string(kRepository) + "\n" + attack.before);
  return folder;
}

JsonObject LeftBehindAttacksTest::inside(const std::string& folder, const std::string& command, JsonObject more) {
  const std::string prepared = with_folder(
      "P='touch @B@/PWNED'; evil() { mkdir -p \"$(dirname \"$1\")\"; printf '#!/bin/sh\\n%s\\nexit 0\\n' \"$P\" > "
      "\"$1\"; chmod +x \"$1\"; }\n" +
          command,
      folder);
  more["command"] = prepared;
  return house_.call_in(session_, "exec", std::move(more));
}

void LeftBehindAttacksTest::expect_nothing_runs(const LeftBehindAttack& attack, const std::string& folder) {
  for (const char* path : attack.absent) {
    EXPECT_NE(::access((folder + "/" + attack.session + "/" + path).c_str(), F_OK), 0) << path << " is there";
  }
  if (*attack.after) host(folder, attack.after);
  EXPECT_FALSE(exists(folder + "/PWNED")) << attack.after;
  host(folder, kEverydayWork);
  const Result<std::string> who = read_file(folder + "/who");
  EXPECT_FALSE(exists(folder + "/PWNED")) << (who ? *who : "");
}

void LeftBehindAttacksTest::expect_held(const std::vector<LeftBehindAttack>& attacks) {
  for (const LeftBehindAttack& attack : attacks) {
    SCOPED_TRACE(attack.name);
    const std::string folder = begin(attack);
    std::string answers;
    for (const char* command : attack.inside) answers += write_json(inside(folder, command)) + "\n";
    SCOPED_TRACE(answers);
    expect_nothing_runs(attack, folder);
    host(folder, "chmod -R u+rwX @B@");  // or nobody but root can remove what some leave
    // The next attempt has a home without settings of this one.
    for (const char* name : {"/.gitconfig", "/.config"}) {
      EXPECT_TRUE(remove_tree(house_.environment()["HOME"] + name));
    }
  }
}

}  // namespace talaria
