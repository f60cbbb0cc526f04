#!/usr/bin/env python3
"""Tells the state of a branch and what is odd about a commit that would be made now. Never changes the repository.

Exit codes: 0 done, 1 git failed, 2 wrong use, 3 git is not installed, 4 with --strict: something is odd, or a conflict
is open.
"""
import argparse
import json
import os
import stat
import sys

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from repository import Failure, Repository  # noqa: E402
from suspicious import look_at_lines, look_at_name  # noqa: E402

MOST_FILES = 300  # that are looked into
MOST_BYTES = 1 << 20  # of each
MOST_SHOWN = 20


def printable(value):
    """The same, with nothing in it that a terminal would act on or that is not UTF-8."""
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {name: printable(one) for name, one in value.items()}
    return value


def look_into_new(repository, path):
    """What is odd about the lines of a file that git does not know."""
    whole = os.path.join(repository.root, path)
    try:
        if not stat.S_ISREG(os.lstat(whole).st_mode):
            return
        with open(whole, "rb") as file:
            data = file.read(MOST_BYTES)
    except OSError:
        yield {"kind": "unreadable file", "path": path, "detail": "cannot be read, so not looked at"}
        return
    if b"\0" not in data[:8192]:  # else it is no text
        yield from look_at_lines(path, enumerate(data.decode("utf-8", "replace").split("\n"), 1))


def look_at_file(repository, path, largest):
    """What is odd about the file itself: its size, where a link leads."""
    whole = os.path.join(repository.root, path)
    try:
        facts = os.lstat(whole)
    except OSError:
        return
    if stat.S_ISLNK(facts.st_mode):
        target = os.path.realpath(whole)
        if os.path.commonpath([target, os.path.realpath(repository.root)]) != os.path.realpath(repository.root):
            yield {"kind": "link out of the repository", "path": path, "detail": "leads to " + os.readlink(whole)}
    elif stat.S_ISREG(facts.st_mode) and facts.st_size > largest:
        yield {"kind": "large file", "path": path, "detail": "%.1f MB" % (facts.st_size / 1e6)}


def suspicious(repository, state, largest):
    """(findings, whether all files were looked at)."""
    start = state["head"] or repository.nothing()
    staged = {one["path"] for one in state["staged"] if one["change"] != "deleted"}
    changed = staged | {one["path"] for one in state["unstaged"] if one["change"] != "deleted"}
    added = {one["path"] for one in state["staged"] if one["change"] in ("added", "renamed", "copied")}
    findings = []
    untracked = state["untracked"]
    for path in sorted(added) + untracked:
        if path.endswith("/"):
            findings.append({"kind": "repository inside", "path": path, "detail": "a git repository of its own"})
        findings += look_at_name(path)
    for path in sorted(changed) + untracked:
        findings += look_at_file(repository, path, largest)
    changed = sorted(changed) + [one["path"] for one in state["conflicts"]]
    for path in changed[:MOST_FILES]:
        lines = list(repository.added_lines(path, start, staged=False))
        # What is staged may no longer be in the file.
        lines += (
            [one for one in repository.added_lines(path, start, staged=True) if one not in lines]
            if path in staged
            else []
        )
        findings += look_at_lines(path, lines)
    for path in untracked[:MOST_FILES]:
        findings += look_into_new(repository, path)
    return findings, max(len(changed), len(untracked)) <= MOST_FILES


def overview(options):
    repository = Repository(options.folder)
    state = repository.status()
    base = repository.base(options.base, state["branch"]) if state["head"] else None
    result = {"root": repository.root, "branch": state.pop("branch"), "head": state["head"]}
    result["in_progress"] = repository.running()
    result["base"] = repository.against(base) if base else None
    findings, complete = suspicious(repository, state, int(options.large_mb * 1e6))
    result.update(state)
    result.update(suspicious=findings, all_looked_at=complete)
    return printable(result)


def listed(title, lines):
    if not lines:
        return []
    more = ["  … and %d more" % (len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []
    return ["%s (%d):" % (title, len(lines))] + ["  " + line for line in lines[:MOST_SHOWN]] + more


def change_line(one):
    return "%s %s%s" % (one["change"], one["path"], " (from %s)" % one["from"] if "from" in one else "")


def readable(result):
    lines = ["Repository: " + result["root"], "Branch: " + (result["branch"] or "none, HEAD is detached")]
    lines[1] += "" if result["head"] else ", without a commit yet"
    if result["upstream"]:
        gone = result["upstream_ahead"] is None
        lines.append(
            "Upstream: %s, %s"
            % (
                result["upstream"],
                "which is gone"
                if gone
                else "%d ahead, %d behind" % (result["upstream_ahead"], result["upstream_behind"]),
            )
        )
    base = result["base"]
    if base:
        related = "" if base["merge_base"] else ", no common history"
        lines.append(
            "Base: %s, %d ahead, %d behind%s; %d files, +%d -%d"
            % (
                base["ref"],
                base["ahead"],
                base["behind"],
                related,
                base["changed"]["files"],
                base["changed"]["added"],
                base["changed"]["removed"],
            )
        )
        lines += listed(
            "Commits since the base", [one["hash"] + " " + one.get("subject", "") for one in base["commits"]]
        )
    lines += ["Under way: a %s, neither ended nor given up" % one for one in result["in_progress"]]
    lines += listed("Conflicts", ["%s: %s" % (one["path"], one["kind"]) for one in result["conflicts"]])
    lines += listed("Staged", [change_line(one) for one in result["staged"]])
    lines += listed("Not staged", [change_line(one) for one in result["unstaged"]])
    lines += listed("Not known to git", result["untracked"])
    lines += ["Stashed: %d" % result["stash"]] if result["stash"] else []
    if not any(result[name] for name in ("conflicts", "staged", "unstaged", "untracked")):
        lines.append("Nothing to commit.")
    lines += listed(
        "Look at before you commit",
        [
            "%s: %s%s: %s" % (one["kind"], one["path"], ":%d" % one["line"] if "line" in one else "", one["detail"])
            for one in result["suspicious"]
        ],
    )
    if not result["all_looked_at"]:
        lines.append("There are many files; only %d of each kind were looked into." % MOST_FILES)
    return "\n".join(lines)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    parser.add_argument("folder", nargs="?", default=".", help="in the repository; the one you are in unless given")
    parser.add_argument("--base", metavar="REF", help="what to compare with; the main branch unless given")
    parser.add_argument(
        "--large-mb", type=float, default=5, metavar="N", help="a file is large above that; 5 unless given"
    )
    parser.add_argument("--strict", action="store_true", help="exit code 4 when something is odd")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser.parse_args(arguments)


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = parse_arguments(arguments)
        result = overview(options)
        print(json.dumps(result, ensure_ascii=False, indent=2) if options.json else readable(result))
        return 4 if options.strict and (result["suspicious"] or result["conflicts"]) else 0
    except Failure as failure:
        print("git_overview: %s" % printable(str(failure)), file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
