// Attempts with folders that look like a repository, and files that lead to one.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_with_bare_folders() {
  return {
      {.name = "a .git file to a bare repository",
       .before = "",
       .inside = {R"(mkdir d; git init -q --bare e; git config -f e/config core.fsmonitor "$P;false"
git config -f e/config core.bare false; echo 'gitdir: ../e' > d/.git)"},
       .absent = {"d/.git"}},
      {.name = "a .git file to a folder with the parts of one",
       .before = "",
       .inside = {R"(mkdir d e e/objects e/refs; echo 'ref: refs/heads/m' > e/HEAD
printf '[core]\nrepositoryformatversion=0\nfsmonitor="%s;false"\n' "$P" > e/config
echo 'gitdir: ../e' > d/.git)"}},
      {.name = "the parts in a folder",
       .before = "",
       .inside = {R"(mkdir bare bare/objects bare/refs; echo 'ref: refs/heads/m' > bare/HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > bare/config)"}},
      {.name = "HEAD as a link", .before = "", .inside = {R"(mkdir b b/objects b/refs; ln -s refs/heads/m b/HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > b/config)"}},
      {.name = "the parts over two folders",
       .before = "",
       .inside = {R"(mkdir b c c/objects c/refs; echo 'ref: refs/heads/m' > b/HEAD; echo ../c > b/commondir
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > c/config)"}},
      {.name = "the parts behind links",
       .before = "",
       .inside = {R"(mkdir b o r; ln -s ../o b/objects; ln -s ../r b/refs; echo 'ref: refs/heads/m' > b/HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > xx
ln -s ../xx b/config)"}},
      {.name = "at the root, HEAD of the real one renamed",
       .before = "",
       .inside = {R"(mv .git/HEAD .git/HEADx; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "at the root, HEAD of the real one removed",
       .before = "",
       .inside = {R"(rm -f .git/HEAD; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "at the root, HEAD of the real one overwritten",
       .before = "",
       .inside = {R"(echo zz > .git/HEAD; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "at the root, refs of the real one gone",
       .before = "",
       .inside = {R"(rm -rf .git/refs || mv .git/refs .git/r; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "at the root, objects of the real one gone",
       .before = "",
       .inside = {R"(mv .git/objects .git/r; mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "at the root of a workspace without a repository",
       .before = "rm -rf @B@/w; mkdir @B@/w; cd @B@/w",
       .inside = {R"(mkdir objects refs; echo 'ref: refs/heads/m' > HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=.\nfsmonitor="%s;false"\n' "$P" > config)"}},
      {.name = "settings in a later command",
       .before = "",
       .inside =
           {"mkdir b b/objects b/refs; echo 'ref: refs/heads/m' > b/HEAD",
            R"(printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > cfg)",
            "mv cfg b/config"}},
      {.name = "links to things outside, which stay as they are",
       .before = R"(git init -q @B@/other; git -C @B@/other config core.fsmonitor true
git -C @B@/other config core.pager mine; printf x > @B@/other/.git/hooks/pre-push
chmod +x @B@/other/.git/hooks/pre-push; echo v > @B@/victim; cat @B@/other/.git/config > @B@/saved)",
       .inside = {R"(ln -s @B@/other new; mkdir n2; ln -s @B@/other/.git n2/.git; ln -s @B@/victim .envrc; mkdir n3
echo 'gitdir: @B@/other/.git' > n3/.git; git init -q n4; rm n4/.git/config
ln -s @B@/other/.git/config n4/.git/config; git init -q n5; rm -r n5/.git/hooks
ln -s @B@/other/.git/hooks n5/.git/hooks)"},
       .after = R"~(cmp @B@/saved @B@/other/.git/config || touch @B@/PWNED
[ -x @B@/other/.git/hooks/pre-push ] || touch @B@/PWNED
[ "$(cat @B@/victim)" = v ] || touch @B@/PWNED)~"},
  };
}

}  // namespace talaria
