// Attempts with repositories that a command makes.
#include "product/left_behind_attack.h"

namespace talaria {

std::vector<LeftBehindAttack> attacks_with_new_repositories() {
  return {
      {.name = "a first repository in the workspace",
       .before = "rm -rf @B@/w; mkdir @B@/w; cd @B@/w",
       .inside = {R"(git init -q .; git config core.fsmonitor "$P;false"; evil .git/hooks/pre-commit)"}},
      {.name = "poisoned by a later command",
       .before = "",
       .inside = {"git init -q new", R"(git -C new config core.fsmonitor "$P;false")",
                  "evil new/.git/hooks/pre-commit"}},
      {.name = "moved, then poisoned",
       .before = "",
       .inside = {"git init -q new; mkdir -p k/l",
                  R"(git -C new config user.name x; mv new k/l/; git -C k/l/new config core.pager "$P")"}},
      {.name = "settings by a second name",
       .before = "",
       .inside = {R"(git init -q new; printf '[core]\nrepositoryformatversion=0\nfsmonitor="%s;false"\n' "$P" > plain
ln -f plain new/.git/config)"}},
      {.name = "settings changed by a second name",
       .before = "",
       .inside = {"git init -q new; ln new/.git/config plain",
                  R"(printf '[core]\nrepositoryformatversion=0\nfsmonitor="%s;false"\n' "$P" > plain)"}},
      {.name = "settings behind a link",
       .before = "",
       .inside = {"git init -q new; mv new/.git/config plain; ln -s ../../plain new/.git/config",
                  R"(printf '[core]\nrepositoryformatversion=0\nfsmonitor="%s;false"\n' "$P" > plain)"}},
      {.name = "a .git that is a link",
       .before = "",
       .inside = {"git init -q new; mv new/.git g; ln -s ../g new/.git",
                  R"(git config -f g/config core.fsmonitor "$P;false")"}},
      {.name = "an include", .before = "", .inside = {R"(git init -q new; git -C new config include.path ../../plain
printf '[core]\nfsmonitor="%s;false"\n' "$P" > plain)"}},
      {.name = "an include for a branch",
       .before = "",
       .inside = {R"(git init -q new; git -C new config 'includeIf.onbranch:*.path' ../../plain
printf '[core]\nfsmonitor="%s;false"\n' "$P" > plain)"}},
      {.name = "a value over two lines", .before = "", .inside = {R"(git init -q new
printf '[CORE]repositoryformatversion=0\nFsMonitor="%s;\\\nfalse"\n' "$P" > new/.git/config)"}},
      {.name = "a section and its value in one line", .before = "", .inside = {R"(git init -q new
printf '[user] name = x\n[core] repositoryformatversion = 0 \n\n\t[core]fsmonitor=%s\n' "$(pwd)/run.sh" > new/.git/config
evil run.sh)"}},
      {.name = "a byte order mark and carriage returns", .before = "", .inside = {R"(git init -q new
printf '\xef\xbb\xbf[core]\r\nrepositoryformatversion=0\r\nfsmonitor="%s;false"\r\n' "$P" > new/.git/config)"}},
      {.name = "quotes in the name of a section", .before = "", .inside = {R"(git init -q new
printf '[core ""]\nfsmonitor="%s;false"\n[core.x]\n[core]\nrepositoryformatversion=0\n[remote "o]\\""]\nurl=x\n[core]\nfsmonitor="%s;false"\n' "$P" "$P" > new/.git/config)"}},
      {.name = "settings of 3 MB", .before = "", .inside = {R"(git init -q new
(printf '[core]\nrepositoryformatversion=0\n'; yes '# padding padding padding' | head -c 3000000; printf '\n[core]\nfsmonitor="%s;false"\n' "$P") > new/.git/config)"}},
      {.name = "a zero byte before the settings", .before = "", .inside = {R"(git init -q new
printf '[core]\nrepositoryformatversion=0\n#\0\n[core]\nfsmonitor="%s;false"\n' "$P" > new/.git/config)"}},
      {.name = "a remote that is a command",
       .before = "",
       .inside = {R"(git init -q new; git -C new remote add origin "ext::sh -c $P"
git -C new config protocol.ext.allow always)"}},
      {.name = "the program at the other end",
       .before = "",
       .inside = {R"(git init -q new; git -C new remote add origin ../
git -C new config remote.origin.uploadpack "$P;false")"}},
      {.name = "a helper for a remote",
       .before = "",
       .inside = {R"(git init -q new; git -C new remote add origin ../; git -C new config remote.origin.vcs evil
evil new/git-remote-evil)"}},
      {.name = "hooks of its remote",
       .before = "",
       .inside = {R"(git init -q --bare up; evil up/hooks/pre-receive; evil up/hooks/update; git clone -q . new
git -C new remote set-url origin $PWD/up)"},
       .after = "cd new; git push origin HEAD:x"},
      {.name = "a remote that is an option",
       .before = "",
       .inside = {R"(git init -q new; git -C new config remote.origin.url -- '--upload-pack=touch @B@/PWNED'
git -C new config remote.origin.url 'ssh://-oProxyCommand=touch%20@B@/PWNED/x')"},
       .after = "cd new; git fetch origin"},
      {.name = "the hook for packs of its remote",
       .before = "",
       .inside = {R"(git init -q up; git -C up config uploadpack.packObjectsHook "$P;false"; git clone -q . new
git -C new remote set-url origin ../up)"},
       .after = "cd new; git fetch"},
      {.name = "a credential helper",
       .before = "",
       .inside = {R"(git init -q new; git -C new config credential.helper "!$P")"},
       .after = R"(cd new; printf 'protocol=https\nhost=x\n\n' | git credential fill)"},
      {.name = "a submodule that is updated by a command",
       .before = "",
       .inside = {R"(git init -q new; cd new; git -c protocol.file.allow=always submodule add ../sub/inner s
git config submodule.s.update "!$P"; git -c user.name=a -c user.email=b commit -qam s)"},
       .after = "cd new; git submodule update; git submodule update --force"},
      {.name = "clones of a poisoned repository",
       .before = R"(git init -q @B@/evilrepo; cd @B@/evilrepo; git config user.name a; git config user.email b
echo q > q; git add q; git commit -qm q; git config core.fsmonitor 'touch @B@/PWNED;false'
printf '#!/bin/sh\ntouch @B@/PWNED\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout)",
       .inside = {R"(cp -r @B@/evilrepo ev 2>/dev/null; git clone -q ev got; git clone -q --template=ev/.git ev got2
git -c init.templateDir=$PWD/ev/.git clone ev got3
git clone -q --config core.fsmonitor="$P;false" ev got4
git clone --separate-git-dir=sgd ev got5 -c core.fsmonitor="$P;false"
git clone --bare ev got6 -c core.fsmonitor="$P;false"; git clone --mirror ev got7
git clone --shared ev got8; git clone --reference ev ev got9; ls)"}},
      {.name = "copies of a poisoned repository from elsewhere",
       .before = "",
       .inside = {R"(mkdir /tmp/r; git init -q /tmp/r; git -C /tmp/r config core.fsmonitor "$P;false"
evil /tmp/r/.git/hooks/pre-commit; cp -r /tmp/r new; mv /tmp/r new2
tar -C /tmp -cf t.tar . 2>/dev/null; git init -q --separate-git-dir=gd sep
git -C sep config core.fsmonitor "$P;false")"},
       .after = R"(find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
      {.name = "an update command in .gitmodules",
       .before = "",
       .inside = {R"(printf '[submodule "m"]\npath=m\nurl=./sub/inner\nupdate=!%s\n' "$P" > .gitmodules
git update-index --add --cacheinfo 160000,$(git -C sub/inner rev-parse HEAD),m; git add .gitmodules
git commit -qm m)"},
       .after = "git -c protocol.file.allow=always submodule update --init"},
      {.name = "commands as addresses in .gitmodules",
       .before = "",
       .inside =
           {R"(printf '[submodule "m"]\npath=m\nurl=ext::sh -c "%s"\n[submodule "-x"]\npath=-x\nurl=--upload-pack=%s\n[submodule "../../x"]\npath=q\nurl=./sub/inner\n' "$P" "$P" > .gitmodules
for m in m q; do git update-index --add --cacheinfo 160000,$(git -C sub/inner rev-parse HEAD),$m; done
git add .gitmodules; git commit -qm m)"},
       .after = "git -c protocol.file.allow=always submodule update --init; git submodule sync"},
      {.name = "a submodule whose origin is poisoned",
       .before = "",
       .inside = {R"(git clone -q sub/inner up; git -C up config uploadpack.packObjectsHook "$P;false"
printf '[submodule "m"]\npath=m\nurl=./up\n' > .gitmodules
git update-index --add --cacheinfo 160000,$(git -C sub/inner rev-parse HEAD),m; git add .gitmodules
git commit -qm m)"},
       .after = R"(git -c protocol.file.allow=always submodule update --init
git -c protocol.file.allow=always clone --recursive . @B@/c2)"},
      {.name = "a clone by the person of a poisoned repository",
       .before = "",
       .inside = {R"(git clone -q sub/inner up; mkdir -p up/.git/hooks; evil up/.git/hooks/post-checkout
evil up/.git/hooks/reference-transaction)"},
       .after = "git clone up @B@/c3; cd @B@/c3 && git checkout -b z"},
      {.name = "folders that cannot be written",
       .before = "",
       .inside = {R"(mkdir x; git init -q x; git -C x config core.fsmonitor "$P;false"; echo evil > x/.envrc
chmod 444 x/.git/config x/.envrc; chmod 555 x x/.git)"},
       .after = R"(find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
      {.name = "forty folders deep",
       .before = "",
       .inside = {R"(d=.; for i in $(seq 40); do d=$d/x; done; mkdir -p $d; echo evil > $d/.envrc; git init -q $d/r
git -C $d/r config core.fsmonitor "$P;false"; echo $d)"},
       .after = R"(find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
      {.name = "folders with odd names",
       .before = "",
       .inside =
           {R"(for d in $'x\ny' $'\xff\xfe' ' ' '-n' '*' $'\e[31m' '...' '..x'; do mkdir -- "$d"; echo evil > "$d/.envrc"; git init -q "./$d/r"; git -C "./$d/r" config core.fsmonitor "$P;false"; done)"},
       .after = R"(find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
      {.name = "behind three thousand folders",
       .before = "",
       .inside = {R"(for i in $(seq 6); do mkdir -p q$i/{a,b,c,d,e,f,g,h}/{a,b,c,d,e,f,g,h}/{a,b,c,d,e,f,g,h}; done
echo evil > q6/h/h/h/.envrc; git init -q q6/h/h/r; git -C q6/h/h/r config core.fsmonitor "$P;false")"},
       .after = R"(find . -name .envrc | grep . && touch @B@/PWNED
grep -rl fsmonitor --include=config . && touch @B@/PWNED)"},
  };
}

}  // namespace talaria
