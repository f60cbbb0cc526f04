// Attempts with what git keeps of work that is not finished.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_with_unfinished_work() {
  return {
      {.name = "a command in the list of a rebase",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main
echo "exec $P" >> .git/rebase-merge/git-rebase-todo; cat .git/rebase-merge/git-rebase-todo)"},
       .after = "git rebase --continue"},
      {.name = "commands with other spellings",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main
printf '\t x\t%s\nexec\t%s\n   exec   %s\n' "$P" "$P" "$P" >> .git/rebase-merge/git-rebase-todo
cat .git/rebase-merge/git-rebase-todo)"},
       .after = "git rebase --continue;git rebase --continue"},
      {.name = "a rebase that never began",
       .before = "",
       .inside = {R"(mkdir .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main > head-name
git rev-parse HEAD~1 > onto; git rev-parse HEAD > orig-head; touch interactive; echo 1 > msgnum
echo 1 > end; : > done; echo "exec $P" > git-rebase-todo)"},
       .after = "git rebase --continue; git status"},
      {.name = "the list behind a link",
       .before = "",
       .inside = {R"(mkdir .git/rebase-merge; echo "exec $P" > todo; cd .git/rebase-merge
echo refs/heads/main > head-name; git rev-parse HEAD~1 > onto; git rev-parse HEAD > orig-head
touch interactive; echo 1 > msgnum; echo 1 > end; : > done; ln -s ../../todo git-rebase-todo)"},
       .after = "git rebase --continue; git status"},
      {.name = "rebases in other repositories of the tree",
       .before = "",
       .inside =
           {R"(for d in sub/inner new; do [ $d = new ] && git clone -q . new; mkdir $d/.git/rebase-merge; (cd $d/.git/rebase-merge; echo refs/heads/main > head-name; git rev-parse HEAD > onto; git rev-parse HEAD > orig-head; touch interactive; echo 1 > msgnum; echo 1 > end; : > done; echo "exec $P" > git-rebase-todo)
done)"},
       .after = "cd sub/inner; git rebase --continue; cd ../../new; git rebase --continue"},
      {.name = "a rebase in a new worktree",
       .before = "",
       .inside = {R"(git worktree add -q wt side; cd wt; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main
echo "exec $P" >> ../.git/worktrees/wt/rebase-merge/git-rebase-todo)"},
       .after = "cd wt; git rebase --continue"},
      {.name = "an include in the options of a cherry-pick",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz; Z=$(git rev-parse HEAD)
git checkout -q main; mkdir -p .git/sequencer git-merge-x; evil git-merge-x/evil
printf '[include]\npath=../../inc\n' > .git/sequencer/opts
printf '[options]\n\tstrategy = x/evil\n' > inc; git rev-parse HEAD > .git/sequencer/head
printf "pick $Z zz\npick $Z zz\n" > .git/sequencer/todo
git rev-parse HEAD > .git/sequencer/abort-safety)"},
       .after = "git status; git cherry-pick --continue"},
      {.name = "a command in the list of a cherry-pick",
       .before = "",
       .inside = {R"(mkdir .git/sequencer; printf '[options]\n' > .git/sequencer/opts
git rev-parse HEAD > .git/sequencer/head
printf "pick $(git rev-parse HEAD) zz\nexec $P\n" > .git/sequencer/todo
git rev-parse HEAD > .git/sequencer/abort-safety)"},
       .after = "git status; git cherry-pick --continue"},
      {.name = "an option for signatures",
       .before = "",
       .inside = {R"(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -i -q main
echo -S--x > .git/rebase-merge/gpg_sign_opt; git config -l > /dev/null)"},
       .after = "git rebase --continue"},
      {.name = "commands in the author's variables",
       .before = "",
       .inside = {R"~(git checkout -q -b c side; echo 9 > zz; git add zz; git commit -qm zz
GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -i -q main
echo "GIT_AUTHOR_NAME=\$($P)" > .git/rebase-merge/author-script
echo "GIT_AUTHOR_EMAIL='x'; $P" >> .git/rebase-merge/author-script)~"},
       .after = "git commit --amend --no-edit; git rebase --continue"},
      {.name = "a patch that never was",
       .before = "",
       .inside = {R"~(mkdir .git/rebase-apply; cd .git/rebase-apply; echo "GIT_AUTHOR_NAME=\$($P)" > author-script
echo 1 > next; echo 1 > last; touch rebasing applying; echo refs/heads/main > head-name
git rev-parse HEAD > onto; git rev-parse HEAD > orig-head; echo --x > apply-opt)~"},
       .after = "git am --continue; git rebase --continue; git am --skip"},
      {.name = "a bisection",
       .before = "",
       .inside = {R"~(git bisect start HEAD HEAD~1; echo "$P" > .git/BISECT_RUN; echo "'a' ; $P" > .git/BISECT_NAMES
echo "$P" > .git/BISECT_LOG; echo "\$($P)" > .git/BISECT_START)~"},
       .after = "git bisect good; git bisect bad; git bisect log; git bisect reset"},
      {.name = "a merge",
       .before = "",
       .inside =
           {R"~(git rev-parse side > .git/MERGE_HEAD; echo "$P" > .git/MERGE_MSG; echo "\$($P)" > .git/SQUASH_MSG)~"},
       .after = "git commit --no-edit"},
      {.name = "another store of objects",
       .before = "",
       .inside = {R"(mkdir o; echo $PWD/o > .git/objects/info/alternates; evil o/x
echo "|$P" >> .git/objects/info/alternates)"}},
      {.name = "a HEAD that is a link",
       .before = "",
       .inside = {R"(mv .git/HEAD h; ln -s ../h .git/HEAD; printf 'ref: refs/heads/;touch\n' > h)"}},
  };
}

}  // namespace talaria
