#!/usr/bin/env python3
"""Prints src/base/width_table.h from the Unicode data of this Python.

python3 src/base/width_table.py > src/base/width_table.h && clang-format -i src/base/width_table.h
"""
import unicodedata

FIRST = 0x300  # Every printable character before is one column wide.


def takes_none(code):
    # The vowels and final consonants of Hangul are drawn into the syllable before them.
    inside_syllable = 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB
    return inside_syllable or unicodedata.category(chr(code)) in ("Mn", "Me", "Cf")


def takes_two(code):
    if takes_none(code):
        return False
    # The planes of ideographs are wide as a whole, so that those that are added later are, too.
    if code & 0xFFFF < 0xFFFE and 0x20000 <= code <= 0x3FFFD:
        return True
    return unicodedata.category(chr(code)) != "Cn" and unicodedata.east_asian_width(chr(code)) in "WF"


def ranges_of(takes):
    """A gap of characters that do not exist does not end a range."""
    found = []
    for code in range(FIRST, 0x110000):
        if not takes(code):
            continue
        gap = range(found[-1][1] + 1, code) if found else None
        if gap is not None and len(gap) < 64 and all(unicodedata.category(chr(c)) == "Cn" for c in gap):
            found[-1][1] = code
        else:
            found.append([code, code])
    return found


def print_table(name, ranges):
    print(f"inline constexpr CodeRange {name}[] = {{")
    print(" ".join(f"{{0x{first:X}, 0x{last:X}}}," for first, last in ranges))
    print("};")


print("#pragma once")
print(f"// Made by width_table.py from Unicode {unicodedata.unidata_version}.")
print('#include "base/code_range.h"\n\nnamespace talaria {\n')
print_table("no_column_ranges", ranges_of(takes_none))
print()
print_table("two_column_ranges", ranges_of(takes_two))
print("\n}  // namespace talaria")
