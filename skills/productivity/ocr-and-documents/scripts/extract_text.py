#!/usr/bin/env python3
"""Gets the text out of a document: PDF, scans, Word, Excel, PowerPoint, OpenDocument, EPUB, HTML, RTF, CSV, text.

What a file is, its content decides, not its name. Scans and pictures are read with tesseract where it is installed.

Exit codes: 0 done, 1 the file cannot be read, 2 wrong use, 3 a program is missing (the message names its package),
4 there is no text in it, such as in a scan without OCR.
"""
import argparse
import json
import os
import re
import signal
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from document import LARGEST_FILE, MOST_TEXT, Archive, Document, Failure, decode  # noqa: E402
from markup import html_charset, html_text, rtf_text, table_text  # noqa: E402
from office import kind_of, read_office  # noqa: E402
from pdf import read_pdf, read_picture  # noqa: E402

PICTURE = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|II\*\0|MM\0\*|GIF8[79]a|BM.{4}\0{4}|RIFF.{4}WEBP|"
    rb"P[1-6]\s+(#[^\n]*\n)?\d+\s+\d+\s",
    re.S,
)
OTHERS = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file (doc, xls, ppt) or an encrypted new one; save it as docx, "
        "xlsx or pptx without a password, such as with: soffice --headless --convert-to docx FILE",
    ),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!\x1a\7", "a RAR archive; unpack it first"),
    (b"\x7fELF", "a program"),
    (b"%!PS", "PostScript; make a PDF of it: ps2pdf FILE"),
    (b"SQLite format 3\0", "a database"),
)


def parse_ranges(text):
    """[(1, 3), (7, 7), (10, None)] of 1-3,7,10-."""
    ranges = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?\s*)?", part)
        first, dash, last = match.groups() if match else (0, None, None)
        first, last = int(first), int(last) if last else (None if dash else int(first))
        if first < 1 or (last is not None and last < first):
            raise argparse.ArgumentTypeError("%r is no range of pages; write 3 or 1-5 or 2,4,10-" % text)
        ranges.append((first, last))
    return ranges


def fit_ranges(ranges, count):
    """The ranges that a document of so many pages has, in order, none of them twice."""
    fitting = []
    for first, last in sorted(ranges or [(1, None)]):
        first = max(first, fitting[-1][1] + 1 if fitting else 1)
        last = count if last is None else min(last, count)
        if first <= last:
            fitting.append((first, last))
    if not fitting:
        raise Failure(
            "the document has %d pages, none of them is asked for" % count if count else "the document has no pages",
            2 if count else 4,
        )
    return fitting


def only(ranges, document):
    """Leaves the pages that are asked for."""
    if ranges:
        fitting = fit_ranges(ranges, document.page_count)
        document.pages = [page for page in document.pages if any(a <= page.number <= b for a, b in fitting)]
    return document


def is_html(head):
    return (
        re.match(
            rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
            rb"<(?:!doctype\s+html|html|head|body)\b",
            head,
            re.I | re.S,
        )
        is not None
    )


def read_text_file(data, name):
    if is_html(data[:4096]):
        document = Document("html")
        charset = html_charset(data)
        try:
            text = data.decode(charset, "replace") if charset and not data.startswith(b"\xef\xbb\xbf") else decode(data)
        except LookupError:
            text = decode(data)
        document.add(*html_text(text))
        return document
    if data.startswith(b"{\\rtf"):
        document = Document("rtf")
        document.add(rtf_text(data.decode("latin-1")))
        return document
    if b"\0" in data[:8192] and data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        raise Failure("this is a binary file of a kind that is not known here")
    text = decode(data).replace("\r\n", "\n")
    table = table_text(text, name)
    document = Document("text" if table is None else "csv")
    document.add(text if table is None else table)
    return document


def read_document(path, options):
    """Decides by content."""
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST_FILE:
            raise Failure("the file is larger than %d MiB" % (LARGEST_FILE >> 20))
        head = file.read(4096)
        if b"%PDF-" in head[:1024]:
            return read_pdf(path, lambda count: fit_ranges(options.pages, count), options)
        if PICTURE.match(head):
            return only(options.pages, read_picture(path, options))
        for mark, what in OTHERS:
            if head.startswith(mark):
                raise Failure("this is %s" % what)
        if not head.startswith((b"PK\3\4", b"PK\5\6")):
            rest = file.read(MOST_TEXT + 1)
            if len(rest) > MOST_TEXT:
                raise Failure("the file is text of more than %d MiB; read it in parts" % (MOST_TEXT >> 20))
            return only(options.pages, read_text_file(head + rest, os.path.basename(path)))
    archive = Archive(path)
    kind = kind_of(archive)
    if kind is None:
        raise Failure("this is a zip archive, and none of the documents that are archives; unpack it first")
    return only(options.pages, read_office(archive, kind))


def as_json(path, document, options):
    pages = [dict(page._asdict(), characters=len(page.text)) for page in document.pages]
    for page in pages if options.info else ():
        del page["text"]
    return (
        json.dumps(
            {
                "path": path,
                "kind": document.kind,
                "page_count": document.page_count,
                "pages": pages,
                "characters": sum(page["characters"] for page in pages),
                "warnings": document.warnings,
            },
            ensure_ascii=False,
            indent=2,
        )
        + "\n"
    )


def as_text(document, options):
    if options.info:
        lines = ["%s, %d pages" % (document.kind, document.page_count)]
        lines += [
            "page %d%s: %d characters%s"
            % (
                page.number,
                " (%s)" % page.title if page.title else "",
                len(page.text),
                " by OCR" if page.source == "ocr" else "",
            )
            for page in document.pages
        ]
        return "\n".join(lines) + "\n"
    parts = []
    for page in document.pages:
        head = (
            ""
            if document.page_count == 1 or options.no_headings
            else "=== page %d%s ===\n" % (page.number, ": " + page.title if page.title else "")
        )
        parts.append(head + page.text.strip("\n"))
    return "\n\n".join(parts) + "\n"


def write_whole(path, text):
    """The file is there as a whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        descriptor, beside = tempfile.mkstemp(prefix=".extract-", dir=folder)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(beside, 0o666 & ~mask)
            os.replace(beside, path)
        except BaseException:
            os.unlink(beside)
            raise
    except OSError as error:
        raise Failure("cannot write %s: %s" % (path, error.strerror)) from None


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    add = parser.add_argument
    add("file")
    add(
        "--pages",
        type=parse_ranges,
        default=[],
        metavar="RANGES",
        help="such as 1-3,7,10- (sheets, slides and chapters count as pages)",
    )
    add("--output", metavar="FILE", help="write there, and say so in one line")
    add("--json", action="store_true", help="one JSON object, with the text of each page")
    add("--info", action="store_true", help="what it is and how much text there is, without the text")
    add("--no-headings", action="store_true", help="no line between pages")
    add("--layout", action="store_true", help="PDF: keep columns and tables where they stand")
    add("--ocr", choices=["auto", "never", "always"], default="auto", help="auto: pages without a text layer")
    add("--language", default="eng", metavar="CODE", help="of tesseract: eng, deu, eng+fra (eng unless given)")
    add("--max-ocr-pages", type=int, default=50, metavar="N", help="50 unless given")
    add(
        "--timeout", type=int, default=300, metavar="SECONDS", help="for the whole of it, and for each program it calls"
    )
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[A-Za-z0-9_]{2,40}(\+[A-Za-z0-9_]{2,40}){0,9}", options.language):
        parser.error("--language is a code of tesseract such as eng, deu or eng+fra")
    if options.timeout < 1 or options.max_ocr_pages < 0:
        parser.error("--timeout is at least 1, --max-ocr-pages not negative")
    return options


def stop_late(*_):
    raise Failure("this took too long and was given up; raise --timeout or read fewer --pages")


def run(options):
    # An absolute path is never taken for an option by the programs that are called.
    path = os.path.realpath(options.file)
    if not os.path.isfile(path):
        raise Failure(
            "%s is not a file" % options.file if os.path.exists(path) else "there is no file %s" % options.file, 2
        )
    if options.output and os.path.realpath(options.output) == path:
        raise Failure("--output is the document itself", 2)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop_late)
        signal.alarm(options.timeout)
    try:
        document = read_document(path, options)
    except OSError as error:
        raise Failure("cannot read %s: %s" % (options.file, error.strerror or error)) from None
    text = as_json(options.file, document, options) if options.json else as_text(document, options)
    if options.output:
        write_whole(options.output, text)
        print(
            "wrote %d pages, %d characters, to %s"
            % (len(document.pages), sum(len(page.text) for page in document.pages), options.output)
        )
    else:
        sys.stdout.write(text)
    for warning in document.warnings:
        print("extract_text: %s" % warning, file=sys.stderr)
    if not any(page.text.strip() for page in document.pages):
        raise Failure("there is no text in it", 3 if document.lacks_program else 4)
    return 0


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        return run(parse_arguments(arguments))
    except Failure as failure:
        print("extract_text: %s" % failure, file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
