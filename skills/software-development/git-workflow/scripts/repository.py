"""A git repository, looked at and never changed."""
import os
import re
import shutil
import subprocess
import tempfile
import threading

LARGEST_ANSWER = 64 << 20
SECONDS = 60
# What git would otherwise run or fetch on the side: a monitor, hooks, a pager, signatures, objects it lacks.
QUIET = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.untrackedCache": "false",
    "core.quotePath": "false",
    "diff.external": "",
    "log.showSignature": "false",
    "submodule.recurse": "false",
    "protocol.allow": "never",
    "diff.noprefix": "false",
    "diff.mnemonicPrefix": "false",
    "color.ui": "false",
    "status.showStash": "true",
}
RUNNING = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase or am"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)
CHANGES = {"M": "modified", "T": "type changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied"}
CONFLICTS = {
    "DD": "both deleted",
    "AU": "added by us",
    "UD": "deleted by them",
    "UA": "added by them",
    "DU": "deleted by us",
    "AA": "both added",
    "UU": "both modified",
}


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Repository:
    def __init__(self, folder):
        self.folder = folder
        self.settings = dict(QUIET)
        if not shutil.which("git"):
            raise Failure("the program git is not installed; on Debian and Ubuntu: apt-get install git", 3)
        if not os.path.isdir(folder):
            raise Failure("%s is not a folder" % folder, 2)
        # Filters are programs too, named in the repository's own configuration.
        for line in self.lines(
            "config", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process|required)$", may_fail=True
        ):
            self.settings[line] = "false" if line.endswith(".required") else ""
        inside = self.text("rev-parse", "--is-inside-work-tree")
        if inside != "true":
            raise Failure("%s is a repository without a working tree" % folder)
        self.root = self.text("rev-parse", "--show-toplevel")

    def environment(self):
        """Settings go by variables, since a name may hold any sign."""
        variables = {
            name: value
            for name, value in os.environ.items()
            if not re.match(r"GIT_(EXTERNAL_DIFF|PAGER|EDITOR|TRACE|CONFIG_(COUNT|KEY|VALUE|PARAMETERS))", name)
        }
        variables.update(
            GIT_OPTIONAL_LOCKS="0",
            GIT_TERMINAL_PROMPT="0",
            GIT_NO_LAZY_FETCH="1",
            GIT_LITERAL_PATHSPECS="1",
            GIT_PAGER="cat",
            LC_ALL="C",
            GIT_CONFIG_COUNT=str(len(self.settings)),
        )
        for place, (name, value) in enumerate(self.settings.items()):
            variables["GIT_CONFIG_KEY_%d" % place] = name
            variables["GIT_CONFIG_VALUE_%d" % place] = value
        return variables

    def ask(self, *arguments, may_fail=False):
        """What git says, as bytes; None when it fails and may."""
        with tempfile.TemporaryFile() as complaints:
            process = subprocess.Popen(
                ["git", "--no-pager", *arguments],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env=self.environment(),
            )
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            try:
                answer = process.stdout.read(LARGEST_ANSWER + 1)
                if len(answer) > LARGEST_ANSWER:
                    process.kill()
                process.wait()
            finally:
                timer.cancel()
                process.kill()
                process.stdout.close()
                process.wait()
            if process.returncode == 0:
                return answer
            if may_fail:
                return None
            complaints.seek(0)
            said = complaints.read(1 << 16).decode("utf-8", "replace").strip().splitlines()
        raise Failure(said[0] if said else "git %s said too much or took too long, and was ended" % arguments[0])

    def text(self, *arguments, may_fail=False):
        answer = self.ask(*arguments, may_fail=may_fail)
        return None if answer is None else os.fsdecode(answer).rstrip("\n")

    def lines(self, *arguments, may_fail=False):
        return (self.text(*arguments, may_fail=may_fail) or "").splitlines()

    def commit_of(self, name):
        """The commit that a name stands for; None when there is none."""
        return self.text("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}", may_fail=True)

    def nothing(self):
        """The name of the empty tree, with which the first commit is compared."""
        return self.text("hash-object", "-t", "tree", os.devnull)

    def running(self):
        """What was begun and not ended: rebase, merge and the like."""
        found = []
        for name, what in RUNNING:
            path = self.text("rev-parse", "--git-path", name)
            if os.path.exists(os.path.join(self.folder, path)) and what not in found:
                found.append(what)
        return found

    def status(self):
        return read_status(
            self.ask(
                "status",
                "--porcelain=v2",
                "--branch",
                "--show-stash",
                "--untracked-files=all",
                "--ignore-submodules=dirty",
                "-z",
            )
        )

    def base(self, wanted, branch):
        """What the branch is to be compared with: what is asked for, else the main branch as it is usually called."""
        if wanted:
            if not self.commit_of(wanted):
                raise Failure("there is no commit, branch or tag %s here" % wanted, 2)
            return wanted
        head = self.text("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", may_fail=True)
        for name in (head, "origin/main", "origin/master", "main", "master"):
            if name and name != branch and self.commit_of(name):
                return name
        return None

    def against(self, base):
        """How far HEAD and the base are apart."""
        far = {"ref": base, "merge_base": self.text("merge-base", base, "HEAD", may_fail=True)}
        counts = self.text("rev-list", "--left-right", "--count", base + "...HEAD").split()
        far.update(behind=int(counts[0]), ahead=int(counts[1]))
        log = self.ask("log", "-z", "--max-count=50", "--format=%h %s", base + "..HEAD", "--").decode(
            "utf-8", "replace"
        )
        far["commits"] = [dict(zip(("hash", "subject"), one.split(" ", 1))) for one in log.split("\0") if one]
        changed = [
            line.split("\t")
            for line in self.lines(
                "diff",
                "--numstat",
                "--no-ext-diff",
                "--no-textconv",
                "--ignore-submodules",
                (far["merge_base"] or base),
                "HEAD",
                "--",
            )
        ]
        far["changed"] = {
            "files": len(changed),
            "added": sum(int(one[0]) for one in changed if one[0].isdecimal()),
            "removed": sum(int(one[1]) for one in changed if one[1].isdecimal()),
        }
        return far

    def added_lines(self, path, start, staged):
        """(number, line) of what a commit of this file would add."""
        compare = ["--cached", start] if staged else [start]
        answer = self.ask(
            "diff",
            "--unified=0",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--ignore-submodules",
            *compare,
            "--",
            os.path.join(self.root, path),
            may_fail=True,
        )
        number, began = 0, False
        for line in (answer or b"").split(b"\n"):
            if line.startswith(b"@@"):
                place = re.match(rb"@@ [^+]*\+(\d+)", line)
                number, began = int(place.group(1)) if place else 0, True
            elif began and line.startswith(b"+"):
                yield number, line[1:].decode("utf-8", "replace")
                number += 1


def read_status(answer):
    """`git status --porcelain=v2 --branch --show-stash -z` taken apart."""
    state = {
        "branch": None,
        "head": None,
        "upstream": None,
        "upstream_ahead": None,
        "upstream_behind": None,
        "stash": 0,
        "staged": [],
        "unstaged": [],
        "untracked": [],
        "conflicts": [],
    }
    words = iter(os.fsdecode(answer).split("\0"))
    for word in words:
        kind, _, rest = word.partition(" ")
        if kind == "#":
            read_branch(state, rest)
        elif kind == "1":
            _, path = rest.split(" ", 7)[-2:]
            note_change(state, rest[:2], path, None)
        elif kind == "2":
            note_change(state, rest[:2], rest.split(" ", 8)[-1], next(words))
        elif kind == "u":
            state["conflicts"].append({"path": rest.split(" ", 9)[-1], "kind": CONFLICTS.get(rest[:2], rest[:2])})
        elif kind == "?":
            state["untracked"].append(rest)
    return state


def read_branch(state, rest):
    name, _, value = rest.partition(" ")
    if name == "branch.oid":
        state["head"] = None if value == "(initial)" else value
    elif name == "branch.head":
        state["branch"] = None if value == "(detached)" else value
    elif name == "branch.upstream":
        state["upstream"] = value
    elif name == "branch.ab":
        ahead, behind = value.split()
        state.update(upstream_ahead=int(ahead), upstream_behind=-int(behind))
    elif name == "stash":
        state["stash"] = int(value)


def note_change(state, codes, path, source):
    for place, code in (("staged", codes[0]), ("unstaged", codes[1])):
        if code != ".":
            change = {"path": path, "change": CHANGES.get(code, code)}
            if source and code in "RC":
                change["from"] = source
            state[place].append(change)
