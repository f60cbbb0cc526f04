"""Compiles SOURCE without and with MUST_NOT_COMPILE, as compile_commands.json says: the first must work, the second
must fail with a message that matches REGEX."""

import json
import re
import shlex
import subprocess
import sys


def compile_command(commands_file, source):
    with open(commands_file) as file:
        for entry in json.load(file):
            if entry["file"] == source:
                return shlex.split(entry["command"]), entry["directory"]
    sys.exit(f"{commands_file} has no entry for {source}")


def compile_source(command, directory, *more):
    # The last of two -o counts; nothing is left behind.
    done = subprocess.run([*command, *more, "-o", "/dev/null"], cwd=directory, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def main():
    commands_file, source, regex = sys.argv[1:]
    command, directory = compile_command(commands_file, source)
    compiled, output = compile_source(command, directory)
    if not compiled:
        sys.exit(f"the control, {source} without MUST_NOT_COMPILE, should compile but does not:\n{output}")
    compiled, output = compile_source(command, directory, "-DMUST_NOT_COMPILE")
    if compiled:
        sys.exit(f"{source} compiles with MUST_NOT_COMPILE, but must not")
    if not re.search(regex, output):
        sys.exit(f"{source} fails as it must, but not with a message that matches '{regex}':\n{output}")


main()
