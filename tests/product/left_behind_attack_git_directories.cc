// Attempts on the git directories that a person has in a workspace, or that it belongs to.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_on_git_directories() {
  return {
      {.name = "settings, written, replaced and moved over",
       .before = "",
       .inside = {R"(git config core.fsmonitor "$P; false"; cp .git/config x; git config -f x core.fsmonitor "$P;false"
cat x > .git/config; mv x .git/config)"}},
      {.name = "hooks",
       .before = "",
       .inside = {"for h in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman; do "
                  "evil .git/hooks/$h; done"}},
      {.name = "the folder of hooks, replaced by a link",
       .before = "",
       .inside = {R"(mv .git/hooks .git/h2; rm -rf .git/hooks; evil x/post-checkout; evil x/pre-commit
ln -s ../x .git/hooks)"}},
      {.name = "a folder of hooks where there is none",
       .before = "rm -rf .git/hooks",
       .inside = {"evil .git/hooks/pre-commit; evil .git/hooks/reference-transaction"}},
      {.name = "a link to hooks where there are none",
       .before = "rm -rf .git/hooks",
       .inside = {"evil x/pre-commit; evil x/reference-transaction; ln -s ../x .git/hooks"}},
      {.name = "the person's folder of hooks is a link into the tree",
       .before = "mkdir scripts; rm -rf .git/hooks; ln -s ../scripts .git/hooks",
       .inside = {"evil scripts/pre-commit"}},
      {.name = "config.worktree",
       .before = "git config extensions.worktreeConfig true",
       .inside = {R"(git config -f .git/config.worktree core.fsmonitor "$P;false")"}},
      {.name = "commondir",
       .before = "",
       .inside =
           {R"(cp -r .git evil; git config -f evil/config core.fsmonitor "$P;false"; echo ../evil > .git/commondir)"},
       .absent = {".git/commondir"}},
      {.name = "attributes that choose a filter of the person",
       .before = R"(printf '#!/bin/sh\ntouch @B@/PWNED\ncat\n' > @B@/prog; chmod +x @B@/prog
git config filter.x.clean @B@/prog)",
       .inside = {"echo '* filter=x' > .git/info/attributes; echo z >> a"}},
      {.name = "commondir of a linked worktree",
       .before = "git worktree add -q wt",
       .inside = {R"(cp -r .git ev; git config -f ev/config core.fsmonitor "$P;false"
printf '%s\n' ../../../ev > .git/worktrees/wt/commondir)"},
       .after = "cd wt; git status"},
      {.name = "config.worktree of a linked worktree",
       .before = "git worktree add -q wt; git config extensions.worktreeConfig true",
       .inside = {R"(git config -f .git/worktrees/wt/config.worktree core.fsmonitor "$P;false")"},
       .after = "cd wt; git status"},
      {.name = "config.worktree of a new linked worktree",
       .before = "git config extensions.worktreeConfig true",
       .inside =
           {R"(git worktree add -q w2; git config -f .git/worktrees/w2/config.worktree core.fsmonitor "$P;false")"},
       .after = "cd w2; git status"},
      {.name = "commondir of a new linked worktree",
       .before = "",
       .inside = {R"(cp -r .git ev; git config -f ev/config core.fsmonitor "$P;false"; git worktree add -q wt
printf '%s\n' ../../../ev > .git/worktrees/wt/commondir)"},
       .after = "cd wt; git status"},
      {.name = "a link instead of the folder of worktrees",
       .before = "",
       .inside = {R"(cp -r .git ev; git config -f ev/config core.fsmonitor "$P;false"; mkdir -p ev/worktrees/w2
ln -s ../ev/worktrees .git/worktrees; printf 'ref: refs/heads/side\n' > ev/worktrees/w2/HEAD
echo ../.. > ev/worktrees/w2/commondir; mkdir w2; echo "gitdir: $PWD/.git/worktrees/w2" > w2/.git
echo $PWD/w2/.git > ev/worktrees/w2/gitdir)"},
       .after = "cd w2; git status"},
      {.name = "the .git file of a linked worktree, replaced",
       .before = "git worktree add -q wt",
       .inside = {R"(cp -r .git ev; git config -f ev/config core.fsmonitor "$P;false"; rm -f wt/.git
echo 'gitdir: ../ev' > wt/.git; mv wt wt2; mkdir wt; echo 'gitdir: ../ev' > wt/.git)"},
       .after = "cd wt; git status"},
      {.name = "the folder of worktrees, moved and made anew",
       .before = "git worktree add -q wt",
       .inside = {R"(cp -r .git ev; git config -f ev/config core.fsmonitor "$P;false"; mv .git/worktrees .git/w2
cp -r .git/w2 .git/worktrees; echo @B@/w/ev > .git/worktrees/wt/commondir)"},
       .after = "cd wt; git status"},
      {.name = "the folder of modules, moved and made anew",
       .before = R"(git init -q @B@/p; git -C @B@/p -c user.name=a -c user.email=b commit -q --allow-empty -m p
git -c protocol.file.allow=always submodule add -q @B@/p part; git commit -qm part
git -C part config user.name a; git -C part config user.email b)",
       .inside = {R"(mv .git/modules .git/m2; cp -r .git/m2 .git/modules
git config -f .git/modules/part/config core.fsmonitor "$P;false")"}},
      {.name = "a new module",
       .before = "",
       .inside = {R"(mkdir -p .git/modules; git init -q --bare .git/modules/m || git init -q --bare mm
git config -f .git/modules/m/config core.bare false
git config -f .git/modules/m/config core.worktree ../../../m;git config -f .git/modules/m/config core.fsmonitor "$P;false"
mkdir m; echo 'gitdir: ../.git/modules/m' > m/.git
git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m
printf '[submodule "m"]\npath=m\nurl=./x\n' > .gitmodules)"},
       .after = "git status; git diff; cd m; git status; git commit --allow-empty -m x"},
      {.name = "a new module with slashes in its name",
       .before = "",
       .inside = {R"(mkdir -p .git/modules/a/b; git init -q --bare .git/modules/a/b/m
git config -f .git/modules/a/b/m/config core.bare false
git config -f .git/modules/a/b/m/config core.worktree ../../../../../m;git config -f .git/modules/a/b/m/config core.fsmonitor "$P;false"
mkdir m; echo 'gitdir: ../.git/modules/a/b/m' > m/.git
git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),m
printf '[submodule "a/b/m"]\npath=m\nurl=./x\n' > .gitmodules)"},
       .after = "git status; git diff; cd m; git status; git commit --allow-empty -m x"},
      {.name = "a second name of the settings, made inside",
       .before = "",
       .inside = {R"(ln .git/config x && printf '[core]\nfsmonitor="%s;false"\n' "$P" >> x
ln .git/hooks/pre-commit.sample y; chmod +x y)"}},
      {.name = "a .git that is a link within the tree",
       .before = "git init -q real; mv real/.git store; ln -s ../store real/.git",
       .inside = {R"(git -C real config core.fsmonitor "$P;false"
printf '[core]\nfsmonitor="%s;false"\n' "$P" >> store/config; evil store/hooks/pre-commit)"},
       .after = "cd real; git status; git commit --allow-empty -m x"},
      {.name = "a .git that is a link out of the tree",
       .before = "mv .git @B@/store; ln -s @B@/store .git",
       .inside = {R"(git config core.fsmonitor "$P;false"; evil .git/hooks/pre-commit)"}},
      {.name = "a .git that is a file and leads out of the tree",
       .before = "mv .git @B@/store; echo 'gitdir: @B@/store' > .git; git config core.worktree @B@/w",
       .inside = {R"(git config core.fsmonitor "$P;false"; evil @B@/store/hooks/pre-commit; rm .git; git init -q .
git config core.fsmonitor "$P;false")"}},
      {.name = "a parent, copied and swapped",
       .before = "",
       .inside = {R"(cp -r sub s3; git -C s3/inner config core.fsmonitor "$P;false"; mv sub s2; mv s3 sub)"}},
      {.name = "a repository moved away and made anew",
       .before = "",
       .inside = {R"(mv sub/inner sub/i2; mkdir sub/inner; git init -q sub/inner
git -C sub/inner config core.fsmonitor "$P;false")"}},
      {.name = "a .git moved and copied back",
       .before = "",
       .inside = {R"(mv sub/inner/.git sub/inner/g; cp -r sub/inner/g sub/inner/.git
git -C sub/inner config core.fsmonitor "$P;false")"}},
      {.name = "a repository removed and made anew",
       .before = "",
       .inside = {R"(rm -rf sub/inner; git init -q sub/inner; git -C sub/inner config core.fsmonitor "$P;false")"}},
      {.name = "hooks and settings of a remote in the tree",
       .before = "git init -q --bare up.git; git remote add origin ./up.git; git push -q origin main",
       .inside = {R"(evil up.git/hooks/pre-receive; evil up.git/hooks/post-update
git config -f up.git/config uploadpack.packObjectsHook "$P;false"
git config -f up.git/config core.fsmonitor "$P")"},
       .after = "git push origin HEAD:zz; git fetch"},
      {.name = "a remote in the tree that was not there",
       .before = "git remote add origin ./up.git",
       .inside = {R"(git init -q --bare up.git; evil up.git/hooks/pre-receive; evil up.git/hooks/post-update
git config -f up.git/config uploadpack.packObjectsHook "$P;false")"},
       .after = "git push origin HEAD:zz; git fetch"},
      {.name = "a bare repository as the workspace",
       .before = R"(rm -rf @B@/w; mkdir @B@/w; cd @B@/w; git init -q --bare .; git init -q @B@/o
git -C @B@/o -c user.name=a -c user.email=b commit -q --allow-empty -m p)",
       .inside = {R"(git config core.fsmonitor "$P;false"; evil hooks/pre-receive; evil hooks/update
git config -f config uploadpack.packObjectsHook "$P;false"; cat config)"},
       .after = "cd @B@/o; git push @B@/w HEAD:refs/heads/x; git clone @B@/w @B@/o2"},
      {.name = "a bare repository in the workspace",
       .before = R"(rm -rf @B@/w; mkdir @B@/w; cd @B@/w; git init -q --bare r.git; git init -q @B@/o
git -C @B@/o -c user.name=a -c user.email=b commit -q --allow-empty -m p)",
       .inside = {R"(cd r.git; git config core.fsmonitor "$P;false"; evil hooks/pre-receive; evil hooks/update
git config -f config uploadpack.packObjectsHook "$P;false"; mv ../r.git ../q.git
cp -r ../q.git ../r.git; git config -f ../r.git/config uploadpack.packObjectsHook "$P;false")"},
       .after = "cd @B@/o; git push @B@/w/r.git HEAD:refs/heads/x; git clone @B@/w/r.git @B@/o2"},
      {.name = "hooks where the worktree is another folder",
       .before = "mkdir wtr; git config core.hooksPath .husky; git config core.worktree ../wtr",
       .inside = {"evil wtr/.husky/pre-commit; evil .husky/pre-commit"}},
      {.name = "a worktree of a bare repository",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/m0; cd @B@/m0; git config user.name a; git config user.email b
git commit -q --allow-empty -m 1; git clone -q --bare . @B@/main.git; cd @B@/main.git
git config extensions.worktreeConfig true; git config user.name a; git config user.email b
git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main.git
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=%s\nfsmonitor="%s;false"\n' @B@/main "$P" >> $G/config
evil $G/hooks/pre-commit
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=%s\nfsmonitor="%s;false"\n' @B@/main "$P" > $G/worktrees/w/config.worktree
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=%s\nfsmonitor="%s;false"\n' @B@/main "$P" > $G/config.worktree)"}},
  };
}

}  // namespace talaria
