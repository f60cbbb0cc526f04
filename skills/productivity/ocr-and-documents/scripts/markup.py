"""HTML, RTF and tables of text: a text in, a readable text out."""
import csv
import html.parser
import io
import re

BLOCKS = frozenset(
    "address article aside blockquote body br caption dd div dl dt figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead title tr ul".split()
)
SILENT = frozenset("script style noscript template svg head iframe object".split())


class Reader(html.parser.HTMLParser):
    """Text with a line for each block, a tab between a table's cells, and nothing of scripts and styles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.parts, self.title, self.silent, self.in_title = [], [], [], False

    def handle_starttag(self, tag, attributes):
        if tag == "title":
            self.in_title = True
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.append(tag)
        elif tag in SILENT:
            self.silent.append(tag)
        elif tag in BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")
        elif tag in ("td", "th"):
            self.parts.append("\t")

    def handle_startendtag(self, tag, attributes):
        if not self.silent and tag in BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag):
        if tag == "title":
            self.in_title = False
        if self.silent:
            # A body begins where a head was left open.
            if tag == self.silent[-1]:
                self.silent.pop()
        elif tag in BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data):
        if self.in_title:
            self.title.append(data)
        elif not self.silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def html_text(text):
    """(text, title)."""
    # A head that is never closed would silence everything after it.
    text = re.sub(r"(?i)<body\b", "</head><body", text, count=1)
    reader = Reader()
    reader.feed(text)
    reader.close()
    lines = [
        "\t".join(" ".join(cell.split()) for cell in line.split("\t")).strip()
        for line in "".join(reader.parts).split("\n")
    ]
    lines = [line for line in lines if line != "-"]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip(), " ".join("".join(reader.title).split())


def html_charset(data):
    """The encoding that an HTML file names in its first kilobyte."""
    match = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", data[:1024], re.I)
    return match.group(1).decode() if match else None


RTF = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)")
RTF_SIGNS = {
    "par": "\n",
    "line": "\n",
    "sect": "\n\n",
    "page": "\n\n",
    "tab": "\t",
    "cell": "\t",
    "row": "\n",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "emspace": " ",
    "enspace": " ",
}
# Groups that hold something else than the text.
RTF_SILENT = frozenset(
    "fonttbl colortbl stylesheet info pict object header footer headerl headerr footerl footerr "
    "listtable listoverridetable generator themedata datastore xmlnstbl fldinst".split()
)


def rtf_text(text):
    """`text` is the file, read as Latin-1: RTF itself is ASCII."""
    encoding = "cp1252"
    page = re.search(r"\\ansicpg(\d{3,5})", text[:4096])
    if page:
        try:
            b"".decode("cp" + page.group(1))
            encoding = "cp" + page.group(1)
        except LookupError:
            pass
    out, bytes_left, skip, silent, stack, unicode_skip = [], bytearray(), 0, False, [], 1

    def flush():
        if bytes_left:
            out.append(bytes(bytes_left).decode(encoding, "replace"))
            del bytes_left[:]

    for match in RTF.finditer(text):
        word, number, code, sign, brace, plain = match.groups()
        if match.lastindex is None:  # the end of a line means nothing
            continue
        if code and not silent and not skip:
            bytes_left.append(int(code, 16))
            continue
        flush()
        if brace == "{":
            stack.append((silent, unicode_skip))
        elif brace == "}":
            silent, unicode_skip = stack.pop() if stack else (False, 1)
        elif word in RTF_SILENT or sign == "*":
            silent = True
        elif word == "uc":
            unicode_skip = max(0, min(int(number or 1), 8))
        elif word == "bin":
            silent = True
        elif silent:
            continue
        elif word == "u" and number:
            value = int(number) % 65536
            out.append(chr(value))
            skip = unicode_skip
            continue
        elif word:
            out.append(RTF_SIGNS.get(word, ""))
        elif code or plain or sign:
            # What follows \u stands for readers that do not know it.
            shown = (
                plain
                if plain
                else {"~": "\u00a0", "_": "-", "\n": "\n", "\r": "\n"}.get(
                    sign, sign if sign in ("\\", "{", "}") else ""
                )
            )
            step = min(skip, 1 if code else len(shown))
            skip -= step
            out.append("" if code else shown[step:])
            continue
        skip = 0
    flush()
    joined = "".join(out).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in joined.split("\n"))).strip()


def table_text(text, name=""):
    """A table with tabs between its columns; None when the text is none. Prose has commas too, so that only the name
    of a file makes lines with commas a table."""
    lines = [line for line in text[: 1 << 16].split("\n")[:100] if line.strip()]
    named = name.lower().endswith((".csv", ".tsv", ".tab"))
    if named and lines:
        mark = max("\t;,|", key=lines[0].count)
    else:
        even = [mark for mark in "\t;|" if len({line.count(mark) for line in lines}) == 1 and lines[0].count(mark)]
        mark = even[0] if even and len(lines) > 1 else None
    if not mark:
        return None
    csv.field_size_limit(1 << 24)
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
        return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)
    except csv.Error:
        return None
