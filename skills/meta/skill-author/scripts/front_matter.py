"""The part of YAML that skills are written in: maps, lists, plain and quoted texts, folded and literal blocks.

No more than a check of a skill's shape needs. Talaria itself reads all of YAML.
"""
import re

KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*!|>'"%@`{}\[\],][^#]*?)\s*:(?:\s+(.*)|)$""")
LONGEST_LINE = 4096


class Wrong(Exception):
    """What is wrong, and in which line of the file."""

    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


def split(text):
    """(lines of the front matter, number of the file's line they begin in, body, the body's first line)."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        raise Wrong(1, "the file must begin with a line ---")
    for place, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return lines[1:place], 2, "\n".join(lines[place + 1 :]), place + 2
    raise Wrong(1, "the front matter has no second line ---")


def scalar(text, line):
    """A value that stands in one line."""
    text = text.strip()
    if text[:1] == '"':
        match = re.match(r'"((?:[^"\\]|\\.)*)"\s*(#.*)?$', text)
        if not match:
            raise Wrong(line, "a quotation mark is not closed")
        return re.sub(r"\\(.)", lambda one: {"n": "\n", "t": "\t"}.get(one.group(1), one.group(1)), match.group(1))
    if text[:1] == "'":
        match = re.match(r"'((?:[^']|'')*)'\s*(#.*)?$", text)
        if not match:
            raise Wrong(line, "a quotation mark is not closed")
        return match.group(1).replace("''", "'")
    text = re.sub(r"(^|\s)#.*$", "", text).strip()
    if text[:1] == "[":
        if not text.endswith("]"):
            raise Wrong(line, "a list in brackets must end in its line")
        return [
            scalar(one, line)
            for one in re.findall(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)\s*(?:,|$)""", text[1:-1])
            if one.strip()
        ]
    if text[:1] in ("&", "*", "!", "%", "@", "`"):
        raise Wrong(line, "a value cannot begin with %s; put it in quotes" % text[0])
    if re.search(r":\s", text) and text[:1] != "{":
        raise Wrong(line, "a colon in a text; put it in quotes")
    return text


class Reader:
    """Lines with their numbers, taken one by one."""

    def __init__(self, lines, first):
        for number, line in enumerate(lines, first):
            if len(line) > LONGEST_LINE:
                raise Wrong(number, "a line of %d characters" % len(line))
        self.lines = [
            (number, len(line) - len(line.lstrip(" ")), line.rstrip()) for number, line in enumerate(lines, first)
        ]
        self.place = 0

    def next(self):
        """The next line with something in it, not taken yet; None at the end."""
        while self.place < len(self.lines):
            number, indent, line = self.lines[self.place]
            if line.strip() and not line.lstrip().startswith("#"):
                if "\t" in line[: indent + 1]:
                    raise Wrong(number, "a tab in the indentation; YAML wants spaces")
                return number, indent, line.strip()
            self.place += 1
        return None

    def value(self, indent, depth=0):
        """What is written with this indentation, from here on."""
        number, _, line = self.next()
        if depth > 20:
            raise Wrong(number, "nested too deeply")
        if line == "-" or line.startswith("- "):
            return self.list(indent, depth)
        return self.map(indent, depth)

    def list(self, indent, depth):
        found = []
        while self.next() and self.next()[1] == indent and (self.next()[2] + " ").startswith("- "):
            number, _, line = self.next()
            rest = line[1:].strip()
            if rest and KEY.match(rest) and rest[:1] not in "\"'[{":
                # A map that begins behind the hyphen: the hyphen counts as indentation.
                inner = indent + len(line) - len(rest)
                self.lines[self.place] = (number, inner, " " * inner + rest)
                found.append(self.map(inner, depth + 1))
            else:
                self.place += 1
                found.append(scalar(rest, number) if rest else self.nested(indent, depth))
        return found

    def map(self, indent, depth):
        found = {}
        while self.next() and self.next()[1] >= indent:
            number, deep, line = self.next()
            match = KEY.match(line)
            if deep != indent or not match:
                raise Wrong(number, "expected 'key: value', indented by %d" % indent)
            self.place += 1
            key, rest = scalar(match.group(1), number), (match.group(2) or "").strip()
            if key in found:
                raise Wrong(number, "%s is there twice" % key)
            if re.match(r"[|>][+-]?\d?\s*(#.*)?$", rest):
                found[key] = self.block(indent)
            elif rest and not rest.startswith("#"):
                found[key] = self.continued(scalar(rest, number), indent)
            else:
                found[key] = self.nested(indent, depth)
        return found

    def nested(self, indent, depth):
        """What belongs to a key without a value: something indented further, or a list beside it; else nothing."""
        upcoming = self.next()
        if upcoming and (upcoming[1] > indent or (upcoming[1] == indent and (upcoming[2] + " ").startswith("- "))):
            return self.value(upcoming[1], depth + 1)
        return None

    def continued(self, value, indent):
        """A plain text goes on in lines that are indented further."""
        while isinstance(value, str) and self.next() and self.next()[1] > indent and not KEY.match(self.next()[2]):
            value += " " + self.next()[2]
            self.place += 1
        return value

    def block(self, indent):
        lines = []
        while self.place < len(self.lines):
            _, deep, line = self.lines[self.place]
            if line.strip() and deep <= indent:
                break
            lines.append(line.strip())
            self.place += 1
        return "\n".join(lines).strip("\n")


def read(lines, first):
    """The front matter as a map."""
    reader = Reader(lines, first)
    if reader.next() is None:
        return {}
    number, indent, _ = reader.next()
    found = reader.value(indent)
    if not isinstance(found, dict):
        raise Wrong(number, "the front matter must be made of 'key: value'")
    if reader.next():
        raise Wrong(reader.next()[0], "this line is indented less than the ones before")
    return found
