"""Two modules that give one name to two types break the program in ways no compiler reports: says which."""
import collections
import pathlib
import re
import sys

DEFINITION = re.compile(r"^(?:struct|class|enum class)\s+(?:\[\[nodiscard\]\]\s*)?(\w+)[^;{]*\{")


def main(source: pathlib.Path) -> int:
    places = collections.defaultdict(list)
    for header in sorted(source.glob("*/*.h")):
        if header.stem.endswith("trial"):  # of tests, which are programs of their own
            continue
        for line in header.read_text(encoding="utf-8").splitlines():
            if match := DEFINITION.match(line):
                places[match[1]].append(str(header.relative_to(source)))
    doubled = {name: headers for name, headers in places.items() if len(headers) > 1}
    for name, headers in doubled.items():
        print(f"{name} is defined in {' and in '.join(headers)}")
    return 1 if doubled or not places else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
