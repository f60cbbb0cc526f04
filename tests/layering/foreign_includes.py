"""Fails when a file under SRC includes a foreign library that another module owns. Each further argument says
header=module, such as boost/json.hpp=json, and stands for all of that library's headers (boost/json/value.hpp)."""

import pathlib
import re
import sys


def library_of(header):
    folder, _, name = header.rpartition("/")
    stem = name.split(".")[0]
    return folder if folder not in ("", "boost") else header[: len(header) - len(name)] + stem


def main():
    source, *owned = sys.argv[1:]
    owners = {library_of(header): module for header, module in (pair.split("=") for pair in owned)}
    if not owners:
        sys.exit("no module names a foreign library: the check has nothing to look for")
    wrong, seen = [], set()
    for file in sorted(pathlib.Path(source).glob("*/**/*")):
        if file.suffix not in (".cc", ".h"):
            continue
        module = file.relative_to(source).parts[0]
        for number, text in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*[<"]([^>"]+)', text)
            if not include:
                continue
            for library, owner in owners.items():
                if re.match(re.escape(library) + r"[./]", include[1]):
                    seen.add(library)
                    if module != owner:
                        wrong.append(f"{file}:{number}: {include[1]} belongs to the module {owner}, not to {module}")
    unseen = sorted(set(owners) - seen)
    if unseen:
        wrong.append("named in CMakeLists.txt, but included by nobody: " + ", ".join(unseen))
    if wrong:
        sys.exit("\n".join(wrong))


main()
