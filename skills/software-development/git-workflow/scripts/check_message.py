#!/usr/bin/env python3
"""Checks a commit message against the usual rules.

Exit codes: 0 fine (remarks do not count), 1 it cannot be read, 2 wrong use, 4 it should not be used as it is.
"""
import argparse
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from suspicious import secret_in  # noqa: E402

LARGEST = 1 << 20
PREFIX = re.compile(r"^(?:[A-Za-z0-9_./,\-]{1,40}(?:\([^)]{1,40}\))?!?: |\[[^\]]{1,20}\] )")
# Words that only look like a past or a progressive form.
VERBS = frozenset(
    "bring ping string ring wing king sing embed feed need speed seed shed bed red breed bleed exceed proceed "
    "succeed shred wed wring cling fling sling spring swing sting heed weed bring-up".split()
)


def written(text):
    """The lines that git would keep: no comments, nothing below the scissors, no blank lines at either end."""
    lines = []
    for line in text.split("\n"):
        if re.match(r"# -+ >8 -+", line):
            break
        if not line.startswith("#"):
            lines.append(line.rstrip())
    return "\n".join(lines).strip("\n").split("\n")


def look_at_subject(subject, limit):
    if not subject.strip():
        yield "error", 1, "there is no message"
        return
    if len(subject) > limit:
        yield "error", 1, "the subject has %d characters; %d is the limit" % (len(subject), limit)
    if re.match(r"(?i)(fixup|squash|amend)! |wip\b", subject):
        yield "error", 1, "this is marked as not finished"
    if subject.endswith("."):
        yield "error", 1, "the subject ends with a full stop"
    rest = PREFIX.sub("", subject)
    first = re.match(r"[A-Za-z-]+", rest)
    word = first.group().lower() if first else ""
    if word not in VERBS and re.search(r"..(ed|ing)$", word):
        yield "remark", 1, "write what the commit does, as in 'add', not %r" % first.group()
    if len(rest.split()) < 2:
        yield "remark", 1, "one word says little to who reads the log"


def look_at_body(lines):
    if len(lines) > 1 and lines[1].strip():
        yield "error", 2, "leave the second line blank; git takes what follows for the subject's end"
    fenced = False
    for number, line in enumerate(lines[2:], 3):
        fenced = fenced != line.startswith("```")
        # What cannot be broken may be long: addresses, quotations, code, trailers.
        if len(line) > 100 and not fenced and not re.match(r"\s{4}|\t|>|[A-Z][A-Za-z-]+: ", line) and "://" not in line:
            yield "remark", number, "%d characters; break lines at 72 to 100" % len(line)


def check(text, limit):
    lines = written(text)
    findings = list(look_at_subject(lines[0], limit))
    if lines[0].strip():
        findings += look_at_body(lines)
    for number, line in enumerate(lines, 1):
        if re.match(r"(<{7}|>{7})( |$)", line):
            findings.append(("error", number, "a conflict marker"))
        secret = secret_in(line)
        if secret:
            findings.append(("error", number, "looks like a %s: %s" % secret))
    return [{"severity": severity, "line": line, "message": message} for severity, line, message in findings]


def read(path):
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise OSError(0, "it is larger than a message can be")
    return data.decode("utf-8", "replace").replace("\r\n", "\n")


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    parser.add_argument("file", help="with the message; - is stdin")
    parser.add_argument("--limit", type=int, default=72, metavar="N", help="characters of the subject; 72 unless given")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(arguments)
    try:
        findings = check(read(options.file), options.limit)
    except OSError as error:
        print("check_message: cannot read %s: %s" % (options.file, error.strerror), file=sys.stderr)
        return 1
    wrong = any(one["severity"] == "error" for one in findings)
    if options.json:
        print(json.dumps({"ok": not wrong, "findings": findings}, ensure_ascii=False, indent=2))
    else:
        for one in findings:
            print("%s: line %d: %s" % (one["severity"], one["line"], one["message"]))
        print("not good yet" if wrong else "good")
    return 4 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
