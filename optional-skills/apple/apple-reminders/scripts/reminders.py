#!/usr/bin/env python3
"""Shows, adds and completes reminders of Apple's Reminders on a Mac.

Exit codes: 0 done, 1 Reminders refused or failed, 2 wrong use, 3 this is not a Mac, or osascript is missing.
"""
import argparse
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reminders.js")
PRIORITIES = {"none": 0, "high": 1, "medium": 5, "low": 9}
SECONDS = 120  # a library with thousands of reminders is slow, and a first run waits for a person to allow it
LONGEST = {"title": 1000, "notes": 20000, "list": 200, "id": 300}


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def checked(name, text):
    """A text that can be handed over as it is."""
    if not text or not text.strip():  # argparse makes an empty list of "-- --"
        raise Failure("%s must not be empty" % name, 2)
    if len(text) > LONGEST[name]:
        raise Failure("%s has %d characters; %d is the limit" % (name, len(text), LONGEST[name]), 2)
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]" if name == "notes" else r"[\x00-\x1f\x7f]", text):
        raise Failure("%s has characters in it that cannot be shown" % name, 2)
    return text


def moment(text):
    """[year, month, day, hour, minute] of the Mac's own time."""
    for pattern in ("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d"):
        try:
            time = datetime.datetime.strptime(text, pattern)
        except ValueError:
            continue
        return [time.year, time.month, time.day, time.hour if "H" in pattern else 9, time.minute]
    raise Failure("%r is no time; write 2024-05-31 or '2024-05-31 14:30'" % text, 2)


def build_question(options):
    """What the program is asked, from what was asked for."""
    asked = {"action": options.action}
    for name in ("title", "notes", "list", "id"):
        text = getattr(options, name, None)
        if text is not None:
            asked[name] = checked(name, text)
    if getattr(options, "due", None):
        asked["due"] = moment(options.due)
    if getattr(options, "priority", None):
        asked["priority"] = PRIORITIES[options.priority]
    if options.action == "show":
        asked["completed"] = options.completed
    return asked


def build_command(asked):
    """The program comes by stdin, the question as one argument in ASCII: neither can become a part of the other."""
    return ["osascript", "-l", "JavaScript", "-", json.dumps(asked, ensure_ascii=True, sort_keys=True)]


def reason_of(complaints):
    """A failure in words, from what osascript complained of."""
    line = " ".join(complaints.split())
    if "-1743" in line or "Not authorized" in line:
        return "this program may not use Reminders yet: System Settings, Privacy & Security, Automation; then try again"
    said = re.search(r"Error: (?:Error: )?(.*?)(?: \(-?\d+\))?$", line)
    return said.group(1) if said else line or "osascript failed without a word"


def run(command):
    if not shutil.which("osascript"):
        raise Failure(
            "the program osascript is not here: this works on macOS only (--dry-run shows what would be run)", 3
        )
    try:
        with open(PROGRAM, "rb") as program:
            done = subprocess.run(
                command, stdin=program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS
            )
    except subprocess.TimeoutExpired:
        raise Failure(
            "Reminders did not answer within %d seconds; is a window asking for permission?" % SECONDS
        ) from None
    except OSError as error:
        raise Failure("cannot run osascript: %s" % error) from None
    if done.returncode:
        raise Failure(reason_of(done.stderr.decode("utf-8", "replace")))
    try:
        return json.loads(done.stdout.decode("utf-8", "replace"))
    except ValueError:
        raise Failure("osascript answered with something else than JSON") from None


def one_line(text):
    return "".join(c if c.isprintable() else " " for c in str(text))


def local_time(text):
    """`due` comes in UTC; people think in their own time."""
    try:
        utc = datetime.datetime.strptime(text[:16], "%Y-%m-%dT%H:%M").replace(tzinfo=datetime.timezone.utc)
    except (TypeError, ValueError):
        return ""
    return utc.astimezone().strftime("%Y-%m-%d %H:%M")


def readable(action, result):
    if action == "lists":
        return "\n".join(one_line(one["name"]) for one in result) or "There are no lists."
    found = result if isinstance(result, list) else [result]
    lines = []
    for one in found:
        due = local_time(one["due"])
        lines.append(
            "[%s] %s%s (%s)  id: %s"
            % (
                "x" if one["completed"] else " ",
                one_line(one["title"]),
                ", due " + due if due else "",
                one_line(one["list"]),
                one_line(one["id"]),
            )
        )
        if one["notes"]:
            lines.append("    " + one_line(one["notes"]))
    return "\n".join(lines) or "There is nothing to do."


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="JSON, with times in UTC")
    shared.add_argument("--dry-run", action="store_true", help="only print the command that would be run")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("lists", parents=[shared], help="names of the lists")
    show = actions.add_parser("show", parents=[shared], help="what is to do")
    show.add_argument("--list", metavar="NAME", help="only this list")
    show.add_argument("--completed", action="store_true", help="also what is done")
    add = actions.add_parser("add", parents=[shared], help="a new reminder")
    add.add_argument("title")
    add.add_argument("--list", metavar="NAME", help="the default list unless given")
    add.add_argument("--notes", metavar="TEXT")
    add.add_argument("--due", metavar="TIME", help="2024-05-31 (at 9:00) or '2024-05-31 14:30', in the Mac's time")
    add.add_argument("--priority", choices=sorted(PRIORITIES))
    complete = actions.add_parser("complete", parents=[shared], help="mark one as done")
    complete.add_argument("id", help="as `show` prints it")
    options = parser.parse_args(arguments)
    if not options.action:
        parser.error("say what to do: lists, show, add or complete")
    return options


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = parse_arguments(arguments)
        command = build_command(build_question(options))
        if options.dry_run:
            print(" ".join(shlex.quote(word) for word in command) + " < " + shlex.quote(PROGRAM))
            return 0
        result = run(command)
        print(json.dumps(result, ensure_ascii=False, indent=2) if options.json else readable(options.action, result))
        return 0
    except Failure as failure:
        print("reminders: %s" % failure, file=sys.stderr)
        return failure.code
    except (KeyError, TypeError):
        print("reminders: Reminders answered with something that is not known here", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
