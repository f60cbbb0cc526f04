#!/usr/bin/env python3
"""Checks the folder of a skill by simple rules: front matter, sections, files, scripts.

Works without Talaria. Where that is installed, `talaria skills check PATH` checks more: all of YAML, and loading.

Exit codes: 0 no errors (warnings do not count), 1 the folder cannot be read, 2 wrong use, 4 there are errors.
"""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from front_matter import Wrong, read, split  # noqa: E402
from rules import check_body, check_fields, check_files, check_scripts  # noqa: E402

LARGEST = 256 * 1024


def check(folder):
    """[(severity, file, line, message)] of a skill's folder."""
    path = os.path.join(folder, "SKILL.md")
    if not os.path.isfile(path):
        return [("error", "SKILL.md", 0, "there is no SKILL.md (in capitals) in the folder")]
    with open(path, "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        return [("error", "SKILL.md", 0, "it is larger than %d KiB" % (LARGEST >> 10))]
    findings = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        findings.append(("error", "SKILL.md", data.count(b"\n", 0, error.start) + 1, "this is not UTF-8"))
        text = data.decode("utf-8", "replace")
    if text.startswith("\ufeff"):
        findings.append(("warning", "SKILL.md", 1, "it begins with a byte order mark; some programs stumble over that"))
        text = text[1:]
    try:
        lines, first, body, body_line = split(text.replace("\r\n", "\n"))
        fields = read(lines, first)
    except Wrong as wrong:
        return findings + [("error", "SKILL.md", wrong.line, str(wrong))]
    findings += check_fields(fields, os.path.basename(os.path.realpath(folder)))
    findings += check_body(body, body_line, folder)
    findings += check_files(folder, body)
    findings += check_scripts(folder)
    return findings


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    parser.add_argument("folder", nargs="+", help="of a skill, or its SKILL.md")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, for each folder")
    parser.add_argument("--strict", action="store_true", help="warnings count as errors")
    return parser.parse_args(arguments)


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    options = parse_arguments(arguments)
    bad = False
    for given in options.folder:
        folder = os.path.dirname(os.path.abspath(given)) if os.path.basename(given) == "SKILL.md" else given
        if not os.path.isdir(folder):
            print("check_skill: there is no folder %s" % folder, file=sys.stderr)
            return 2
        try:
            findings = check(folder)
        except OSError as error:
            print("check_skill: cannot read %s: %s" % (error.filename or folder, error.strerror), file=sys.stderr)
            return 1
        wrong = any(severity == "error" or options.strict for severity, _, _, _ in findings)
        bad = bad or wrong
        if options.json:
            keys = ("severity", "file", "line", "message")
            print(
                json.dumps(
                    {"path": given, "ok": not wrong, "findings": [dict(zip(keys, one)) for one in findings]},
                    ensure_ascii=False,
                )
            )
        else:
            for severity, file, line, message in findings:
                print("%s: %s%s: %s" % (severity, os.path.join(given, file), ":%d" % line if line else "", message))
            print("%s: %s" % (given, "not good yet" if wrong else "good"))
    if not options.json:
        print("The whole check, where Talaria is installed: talaria skills check " + " ".join(options.folder))
    return 4 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
