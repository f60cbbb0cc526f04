"""Word, Excel and PowerPoint files, OpenDocument and EPUB: archives with XML in them."""
import datetime
import posixpath
import re
import urllib.parse

from document import MOST_TEXT, Document, Failure, Unreadable, decode, xml_events
from markup import html_text

BUILT_IN_DATES = set(range(14, 23)) | set(range(45, 48))  # of Excel


def kind_of(archive):
    """What an archive is: by what is in it, whatever its name says."""
    if "mimetype" in archive:
        kind = archive.read("mimetype")[:200].decode("ascii", "replace").strip()
        if kind == "application/epub+zip":
            return "epub"
        match = re.match(r"application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)", kind)
        if match:
            return {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}[match.group(1)]
    for kind, part in (("docx", "word/document.xml"), ("xlsx", "xl/workbook.xml"), ("pptx", "ppt/presentation.xml")):
        if part in archive:
            return kind
    if "META-INF/container.xml" in archive:
        return "epub"
    if "xl/workbook.bin" in archive:
        raise Failure("this is an Excel file in binary form (xlsb); save it as xlsx")
    return None


def relations(archive, part):
    """Targets by id of what a part refers to, as names in the archive."""
    folder, name = posixpath.split(part)
    table = posixpath.join(folder, "_rels", name + ".rels")
    if table not in archive:
        return {}
    found = {}
    for event, tag, attributes in xml_events(archive.chunks(table)):
        if event == "start" and tag == "Relationship" and attributes.get("TargetMode") != "External":
            # A path that begins with a slash begins at the top of the archive.
            target = posixpath.normpath(posixpath.join("/" + folder, attributes.get("Target", "")))
            found[attributes.get("Id")] = target.lstrip("/")
    return found


# Inside of these is no text to read: settings, what was deleted, comments, and a second copy for older programs.
UNREAD = frozenset(["pPr", "rPr", "sectPr", "tblPr", "Fallback", "tracked-changes", "annotation"])
MOST_REPEATS = 32  # of a cell; more are only written to fill a sheet up


class Lines:
    """Lines of text out of a stream of XML: a paragraph each, a table's row each with tabs between its cells.

    `text` names the elements whose text counts, `paragraph` those that end a line, `signs` what stands for a character.
    """

    def __init__(self, paragraph, text, row, cell, signs):
        self.paragraph, self.text, self.row, self.cell, self.signs = paragraph, text, row, cell, signs
        self.lines, self.current, self.cells = [], [], []
        self.in_text = self.in_row = self.unread = 0

    def of(self, events):
        for event, name, attributes in events:
            if event == "text":
                if self.in_text and not self.unread:
                    self.current.append(name)
            elif name in UNREAD:
                self.unread += 1 if event == "start" else -1
            elif self.unread:
                continue
            elif event == "start":
                self.start(name, attributes)
            else:
                self.end(name)
        self.end_line()
        return "\n".join(
            "\t".join(cell.rstrip(" ") for cell in line.rstrip().split("\t")) for line in self.lines
        ).strip("\n")

    def start(self, name, attributes):
        if name in self.text:
            self.in_text += 1
        elif name == self.row:
            self.in_row += 1
        elif name in self.cell:
            repeats = attributes.get("number-columns-repeated", "1")
            self.cells.append((len(self.current), int(repeats) if re.fullmatch(r"\d{1,6}", repeats) else 1))
        elif name in self.signs:
            self.current.append(self.signs[name])

    def end(self, name):
        if name in self.text:
            self.in_text -= 1
        if name in self.cell and self.cells:
            begin, repeats = self.cells.pop()
            content = self.current[begin:] + ["\t"]
            self.current[begin:] = content * (repeats if repeats <= MOST_REPEATS else 1)
        elif name == self.row:
            self.in_row -= 1
            if not self.in_row:
                self.end_line()
        elif name in self.paragraph:
            # A footnote is a paragraph inside of one, and the paragraphs of a cell share its row.
            if self.in_row or self.in_text:
                self.current.append(" ")
            else:
                self.lines.append("".join(self.current))
                self.current = []

    def end_line(self):
        if self.current:
            self.lines.append("".join(self.current).rstrip())
        self.current, self.cells = [], []


def microsoft_text(archive, part):
    signs = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
    return Lines(("p",), ("t",), "tr", ("tc",), signs).of(xml_events(archive.chunks(part)))


def read_docx(archive):
    document = Document("docx")
    parts = [microsoft_text(archive, "word/document.xml")]
    for name in ("word/footnotes.xml", "word/endnotes.xml"):
        if name in archive:
            try:
                parts.append(microsoft_text(archive, name).strip())
            except Unreadable as error:
                document.warn(str(error))
    document.add("\n\n".join(part for part in parts if part))
    return document


def ordered_parts(archive, part, tag):
    """(title, part) of the sheets of a workbook or the slides of a presentation, in their order."""
    targets = relations(archive, part)
    found = []
    for event, name, attributes in xml_events(archive.chunks(part)):
        if event == "start" and name == tag:
            target = targets.get(attributes.get("r:id"))
            if target:
                found.append((attributes.get("name", ""), target))
    return found


def read_pptx(archive):
    document = Document("pptx")
    for _, part in ordered_parts(archive, "ppt/presentation.xml", "sldId"):
        try:
            text = microsoft_text(archive, part)
            notes = next((one for one in relations(archive, part).values() if "notesSlides/" in one), None)
            if notes in archive:
                text += "\n\nNotes:\n" + microsoft_text(archive, notes).strip()
        except Unreadable as error:
            document.warn("slide %d: %s" % (document.page_count + 1, error))
            text = ""
        document.add(text)
    return document


def shared_strings(archive):
    found, current, in_text, in_sound = [], [], False, 0
    if "xl/sharedStrings.xml" not in archive:
        return found
    for event, name, _ in xml_events(archive.chunks("xl/sharedStrings.xml")):
        if event == "text":
            if in_text and not in_sound:
                current.append(name)
        elif name == "t":
            in_text = event == "start"
        elif name == "rPh":  # how to say it aloud, for Japanese
            in_sound += 1 if event == "start" else -1
        elif name == "si" and event == "end":
            found.append("".join(current))
            current = []
    return found


def date_styles(archive):
    """The numbers of the cell formats that show a number as a date."""
    if "xl/styles.xml" not in archive:
        return set()
    dates, found, inside, place = set(BUILT_IN_DATES), set(), False, 0
    for event, name, attributes in xml_events(archive.chunks("xl/styles.xml")):
        if name == "cellXfs":
            inside = event == "start"
        elif event == "start" and name == "numFmt":
            code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", attributes.get("formatCode", ""))
            if re.search(r"[ymdhs]", code, re.I) and attributes.get("numFmtId", "").isdecimal():
                dates.add(int(attributes["numFmtId"]))
        elif event == "start" and name == "xf" and inside:
            number = attributes.get("numFmtId", "")
            if number.isdecimal() and int(number) in dates:
                found.add(str(place))
            place += 1
    return found


def as_date(text, since_1904):
    try:
        number = float(text)
        first = datetime.datetime(1904, 1, 1) if since_1904 else datetime.datetime(1899, 12, 30)
        moment = first + datetime.timedelta(days=number)
    except (ValueError, OverflowError):
        return text
    if number < 1:
        return moment.strftime("%H:%M:%S")
    moment = (moment + datetime.timedelta(microseconds=500000)).replace(microsecond=0)
    return moment.strftime("%Y-%m-%d") if moment.time() == datetime.time() else moment.strftime("%Y-%m-%d %H:%M:%S")


def column_of(reference):
    """0 for A1, 27 for AB7; None where there is no reference."""
    letters = re.match(r"[A-Z]{1,3}", reference or "")
    if not letters:
        return None
    number = 0
    for letter in letters.group():
        number = number * 26 + ord(letter) - 64
    return number - 1


class Sheet:
    """Rows of one sheet of Excel as lines with tabs."""

    def __init__(self, strings, dates, since_1904):
        self.strings, self.dates, self.since_1904 = strings, dates, since_1904
        self.left = MOST_TEXT  # a string is stored once, and any number of cells can show it

    def shown(self, kind, style, text):
        if kind == "s":
            return self.strings[int(text)] if text.isdecimal() and int(text) < len(self.strings) else text
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        if kind in (None, "n") and style in self.dates and text:
            return as_date(text, self.since_1904)
        return text

    def lines(self, events):
        lines, row, cell, text, inside = [], [], None, [], False
        for event, name, attributes in events:
            if event == "text":
                if inside:
                    text.append(name)
            elif name in ("v", "t"):
                inside = event == "start"
            elif name == "c" and event == "start":
                cell, text = attributes, []
            elif name == "c":
                column = column_of(cell.get("r"))
                if column is not None:
                    row += [""] * (column - len(row))
                shown = self.shown(cell.get("t"), cell.get("s"), "".join(text))
                row.append(re.sub(r"[\t\n\r]+", " ", shown))
                self.left -= len(shown)
            elif name == "row" and event == "end":
                lines.append("\t".join(row).rstrip("\t"))
                self.left -= len(row)
                row = []
            if self.left < 0:
                raise Unreadable("it shows more text than any sheet needs; it was not read further")
        return "\n".join(lines).strip("\n")


def read_xlsx(archive):
    document = Document("xlsx")
    since_1904 = any(
        event == "start" and name == "workbookPr" and attributes.get("date1904") in ("1", "true")
        for event, name, attributes in xml_events(archive.chunks("xl/workbook.xml"))
    )
    sheet = Sheet(shared_strings(archive), date_styles(archive), since_1904)
    for title, part in ordered_parts(archive, "xl/workbook.xml", "sheet"):
        try:
            document.add(sheet.lines(xml_events(archive.chunks(part))), title)
        except Unreadable as error:
            document.warn("sheet %s: %s" % (title, error))
            document.add("", title)
    return document


def inside_of(tag, events):
    """The events up to the end of the element `tag`, whose start was just taken."""
    depth = 1
    for event in events:
        depth += (event[0] == "start" and event[1] == tag) - (event[0] == "end" and event[1] == tag)
        if not depth:
            return
        yield event


def read_open_document(archive, kind):
    """Text documents are one page, sheets and slides are one each."""
    if "META-INF/manifest.xml" in archive and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise Unreadable("the file is encrypted; save a copy without a password")
    document = Document(kind)

    def text_of(events):
        signs = {"tab": "\t", "line-break": "\n", "s": " "}
        return Lines(("p", "h"), ("p", "h"), "table-row", ("table-cell", "covered-table-cell"), signs).of(events)

    events = xml_events(archive.chunks("content.xml"))
    page = {"odt": None, "ods": "table", "odp": "page"}[kind]
    if not page:
        document.add(text_of(events))
        return document
    for event, name, attributes in events:
        if event == "start" and name == page:
            document.add(text_of(inside_of(page, events)), attributes.get("name", ""))
    return document


def read_epub(archive):
    """A chapter is a page, in the order of reading."""
    document = Document("epub")
    package = None
    for event, name, attributes in xml_events(archive.chunks("META-INF/container.xml")):
        if event == "start" and name == "rootfile":
            package = package or attributes.get("full-path")
    if not package or package not in archive:
        raise Unreadable("the book does not say where its contents are")
    items, order = {}, []
    for event, name, attributes in xml_events(archive.chunks(package)):
        if event == "start" and name == "item":
            items[attributes.get("id")] = attributes.get("href", "")
        elif event == "start" and name == "itemref":
            order.append(attributes.get("idref"))
    for one in order:
        part = posixpath.normpath(posixpath.join(posixpath.dirname(package), urllib.parse.unquote(items.get(one, ""))))
        try:
            text, title = html_text(decode(archive.read(part)))
            document.add(text, title)
        except Unreadable as error:
            document.warn("chapter %d: %s" % (document.page_count + 1, error))
            document.add("")
    return document


def read_office(archive, kind):
    if kind in ("odt", "ods", "odp"):
        return read_open_document(archive, kind)
    return {"docx": read_docx, "xlsx": read_xlsx, "pptx": read_pptx, "epub": read_epub}[kind](archive)
