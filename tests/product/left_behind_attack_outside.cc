// Attempts of a session in a linked worktree on the repository, which lies outside of the workspace.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_on_outside_git_directories() {
  return {
      {.name = "config.worktree of the repository",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git
printf '[core]\nrepositoryformatversion=0\nbare=false\nfsmonitor="%s;false"\n' "$P" > $G/config.worktree)"}},
      {.name = "config.worktree of the worktree",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git
printf '[core]\nrepositoryformatversion=0\nbare=false\nfsmonitor="%s;false"\n' "$P" > $G/worktrees/w/config.worktree)"}},
      {.name = "a folder of hooks where there is none",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w
rm -rf @B@/main/.git/hooks)",
       .inside = {"G=@B@/main/.git; evil $G/hooks/pre-commit; mkdir $G/hooks; evil $G/hooks/pre-commit"}},
      {.name = "a link to hooks where there are none",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w
rm -rf @B@/main/.git/hooks)",
       .inside = {"G=@B@/main/.git; mkdir hk; evil hk/pre-commit; ln -s @B@/w/hk $G/hooks"}},
      {.name = "commondir of the repository",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git; cp -r $G /tmp/ev; cp -r /tmp/ev $G/logs/ev
git config -f $G/logs/ev/config core.fsmonitor "$P;false"; echo $G/logs/ev > $G/commondir)"}},
      {.name = "commondir of the worktree, its parent moved",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git; mv $G/worktrees $G/w2; cp -r $G/w2 $G/worktrees; cp -r $G /tmp/ev
cp -r /tmp/ev $G/logs/ev; git config -f $G/logs/ev/config core.fsmonitor "$P;false"
echo $G/logs/ev > $G/worktrees/w/commondir)"}},
      {.name = "a new module",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w
cd @B@/main; mkdir m; echo 'gitdir: ../.git/modules/m' > m/.git)",
       .inside = {R"(G=@B@/main/.git; mkdir -p $G/modules; cp -r $G /tmp/ev; cp -r /tmp/ev $G/modules/m
git config -f $G/modules/m/config core.fsmonitor "$P;false"
git config -f $G/modules/m/config core.worktree @B@/main/m; ls $G/modules)"},
       .after = "cd @B@/main/m; git status"},
      {.name = "a rebase of the repository behind a link",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; echo 2 > a; git commit -qam 2
git branch side HEAD~1; git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git; mkdir rm; ln -s @B@/w/rm $G/rebase-merge; echo "exec $P" > rm/git-rebase-todo
echo refs/heads/main > rm/head-name; git rev-parse main > rm/onto; git rev-parse main > rm/orig-head
touch rm/interactive)"},
       .after = "cd @B@/main; git rebase --continue"},
      {.name = "a rebase of the repository",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git; mkdir $G/rebase-merge; echo "exec $P" > $G/rebase-merge/git-rebase-todo
echo refs/heads/main > $G/rebase-merge/head-name; git rev-parse main > $G/rebase-merge/onto
git rev-parse main > $G/rebase-merge/orig-head; touch $G/rebase-merge/interactive
mkdir -p $G/worktrees/n; echo ../.. > $G/worktrees/n/commondir; ls -R $G/rebase-merge
git init -q --bare $G/objects/evil; git config -f $G/objects/evil/config core.fsmonitor "$P"
git init -q --bare $G/refs/heads/ev; git config -f $G/refs/heads/ev/config core.bare false
git config -f $G/refs/heads/ev/config core.fsmonitor "$P;false"; ls $G/refs/heads/ev
echo evil > $G/objects/.envrc; echo evil > $G/logs/.envrc; mkdir $G/logs/.vscode
echo e > $G/logs/.vscode/tasks.json)"},
       .after = R"(cd @B@/main; git rebase --continue; find .git -name .envrc -o -name tasks.json
cd .git/refs/heads/ev && git status; cd .. && git status; cd ../../objects/evil && git status)"},
      {.name = "a rebase of the worktree",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git; git commit -q --allow-empty -m 2; git commit -q --allow-empty -m 3
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q HEAD~1
echo "exec $P" >> $G/worktrees/w/rebase-merge/git-rebase-todo
cat $G/worktrees/w/rebase-merge/git-rebase-todo)"},
       .after = "git rebase --continue"},
      {.name = "all at once",
       .before = R"(rm -rf @B@/w; git init -q -b main @B@/main; cd @B@/main; git config user.name a
git config user.email b; echo 1 > a; git add a; git commit -qm 1
git config extensions.worktreeConfig true; git worktree add -q -b t @B@/w)",
       .inside = {R"(G=@B@/main/.git
for t in config hooks/pre-commit commondir config.worktree info/attributes worktrees/w/config.worktree worktrees/w/commondir modules/x/config packed; do printf '[core]\nfsmonitor="%s;false"\n' "$P" >> $G/$t; done
evil $G/hooks/pre-commit; mv $G/hooks $G/h; mv $G/worktrees $G/w2; rm -rf $G/info
git config core.fsmonitor "$P;false"; git config --worktree core.fsmonitor "$P;false"
echo 'gitdir: x' > .git; echo ok)"}},
  };
}

}  // namespace talaria
