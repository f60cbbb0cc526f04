"""Builds a copy of PROJECT, which must work; then puts LINE at the top of FILE and builds again, which must work too or,
where an ERROR is given, fail with output that matches it."""

import pathlib
import re
import shutil
import subprocess
import sys


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def main():
    cmake, compiler, rules, project, folder, changed, line, *error = sys.argv[1:]
    copy, build = pathlib.Path(folder, "copy"), pathlib.Path(folder, "build")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(project, copy)

    worked, output = run(cmake, "-S", copy, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
                         f"-DRULES={rules}")
    if not worked:
        sys.exit(f"the project cannot be configured:\n{output}")
    worked, output = run(cmake, "--build", build, "--target", "all", "header_checks")
    if not worked:
        sys.exit(f"the control, the project as it is, should build but does not:\n{output}")

    file = copy / changed
    file.write_text(line + "\n" + file.read_text())
    worked, output = run(cmake, "--build", build, "--target", "all", "header_checks")
    if not error:
        if not worked:
            sys.exit(f"with '{line}' in {changed} it should build but does not:\n{output}")
    elif worked:
        sys.exit(f"with '{line}' in {changed} it builds, but must not")
    elif not re.search(error[0], output):
        sys.exit(f"with '{line}' in {changed} it fails as it must, but nothing matches '{error[0]}':\n{output}")


main()
