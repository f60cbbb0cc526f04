// Attempts through second names, links and strategies of merges.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_with_links_and_strategies() {
  return {
      {.name = "a hook committed inside and checked out",
       .before = "git config core.hooksPath .husky",
       .inside = {R"(evil .husky/pre-commit; git add -f .husky; git commit -qm x --no-verify; git rm -qr .husky
git commit -qm y --no-verify; git checkout -q HEAD~1 -- .husky; ls .husky)"}},
      {.name = "the parts in a deep folder",
       .before = "",
       .inside = {R"(d=x/y/z/w/v/u/t; mkdir -p $d; mkdir $d/objects $d/refs; echo 'ref: refs/heads/m' > $d/HEAD
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > $d/config)"},
       .after = "cd x/y/z/w/v/u/t; git status; cd refs; git status"},
      {.name = "a second name of the settings that the person made",
       .before = "ln .git/config cfg2",
       .inside = {R"(printf '[core]\nfsmonitor="%s;false"\n' "$P" >> cfg2)"}},
      {.name = "a second name of a hook that the person made",
       .before = "mkdir s; echo '#!/bin/sh' > s/pc; chmod +x s/pc; ln s/pc .git/hooks/pre-commit",
       .inside = {"evil s/pc"}},
      {.name = "a second name of .envrc that the person made",
       .before = "echo mine > .envrc; ln .envrc e2",
       .inside = {"echo evil > e2; grep -c evil .envrc"},
       .after = "grep evil .envrc && touch @B@/PWNED"},
      {.name = "a bare folder whose HEAD comes in a later command",
       .before = "",
       .inside = {R"(mkdir b b/objects b/refs
printf '[core]\nrepositoryformatversion=0\nbare=false\nworktree=..\nfsmonitor="%s;false"\n' "$P" > b/config)",
                  "echo 'ref: refs/heads/m' > b/HEAD"}},
      {.name = "folders that cannot be listed",
       .before = "",
       .inside =
           {R"(mkdir x; git init -q x; git -C x config core.fsmonitor "$P;false"; echo evil > x/.envrc; chmod 311 x
mkdir y; echo evil > y/.envrc; chmod 0 y; mkdir z; git init -q z
git -C z config core.fsmonitor "$P;false"; chmod 111 z/.git; chmod 0400 z/.git/config)"},
       .after = R"(chmod 755 y; cd x; git status; cd ../z; git status; find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
      {.name = "the strategy of a rebase",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main; mkdir git-merge-x; evil git-merge-x/evil
echo x/evil > .git/rebase-merge/strategy; cat .git/rebase-merge/git-rebase-todo)"},
       .after = "git rebase --continue"},
      {.name = "the strategy of a rebase in a new worktree",
       .before = "",
       .inside = {R"(git worktree add -q wt side; cd wt; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main; evil git-merge-x/evil
echo x/evil > ../.git/worktrees/wt/rebase-merge/strategy)"},
       .after = "cd wt; git rebase --continue"},
      {.name = "the strategy of a cherry-pick",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz; Z=$(git rev-parse HEAD)
git checkout -q main; mkdir -p .git/sequencer git-merge-x; evil git-merge-x/evil
printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts
git rev-parse HEAD > .git/sequencer/head; printf "pick $Z zz\npick $Z zz\n" > .git/sequencer/todo
git rev-parse HEAD > .git/sequencer/abort-safety)"},
       .after = "git status; git cherry-pick --continue"},
      {.name = "a cherry-pick behind a link",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz; Z=$(git rev-parse HEAD)
git checkout -q main; mkdir sq git-merge-x; ln -s ../sq .git/sequencer; evil git-merge-x/evil
printf '[options]\n\tstrategy = x/evil\n' > .git/sequencer/opts
git rev-parse HEAD > .git/sequencer/head; printf "pick $Z zz\npick $Z zz\n" > .git/sequencer/todo
git rev-parse HEAD > .git/sequencer/abort-safety)"},
       .after = "git status; git cherry-pick --continue"},
      {.name = "a rebase behind a link",
       .before = "",
       .inside = {R"(mkdir rm; ln -s ../rm .git/rebase-merge; cd rm; echo "exec $P" > git-rebase-todo
echo refs/heads/main > head-name; git rev-parse HEAD~1 > onto; git rev-parse HEAD > orig-head
touch interactive; echo 1 > msgnum; echo 1 > end; : > done)"},
       .after = "git rebase --continue; git status"},
      {.name = "what the person's link leads to, which is not there",
       .before = "ln -s real-envrc .envrc",
       .inside = {"echo evil > real-envrc"},
       .after = "grep -q evil .envrc && touch @B@/PWNED"},
      {.name = "what the person's linked folder leads to, which is empty",
       .before = "mkdir v; ln -s v .vscode",
       .inside = {"echo evil > v/tasks.json"},
       .absent = {".vscode/tasks.json"}},
      {.name = "further names that run without a click",
       .before = "",
       .inside = {R"~(for name in opencode.jsonc .helix/languages.toml .zed/settings.json crush.json .crush.json \
    .qwen/settings.json .roo/mcp.json .kilocode/mcp.json; do
  for place in . n new/deep; do mkdir -p "$(dirname $place/$name)"; echo evil > $place/$name; done
done)~"},
       .absent = {"opencode.jsonc",
                  "n/opencode.jsonc",
                  "new/deep/opencode.jsonc",
                  ".helix/languages.toml",
                  "n/.helix/languages.toml",
                  "new/deep/.helix/languages.toml",
                  ".zed/settings.json",
                  "n/.zed/settings.json",
                  "new/deep/.zed/settings.json",
                  "crush.json",
                  "n/crush.json",
                  "new/deep/crush.json",
                  ".crush.json",
                  "n/.crush.json",
                  "new/deep/.crush.json",
                  ".qwen/settings.json",
                  "n/.qwen/settings.json",
                  "new/deep/.qwen/settings.json",
                  ".roo/mcp.json",
                  "n/.roo/mcp.json",
                  "new/deep/.roo/mcp.json",
                  ".kilocode/mcp.json",
                  "n/.kilocode/mcp.json",
                  "new/deep/.kilocode/mcp.json"}},
  };
}

}  // namespace talaria
