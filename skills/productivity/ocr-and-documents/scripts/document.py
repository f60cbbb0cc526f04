"""What every reader of a document works with: pages, failures, limits, and archives and XML read safely."""
import collections
import xml.parsers.expat
import zipfile
import zlib

LARGEST_FILE = 1 << 30
LARGEST_MEMBER = 128 << 20  # bytes of one part of an archive, unpacked
LARGEST_ARCHIVE = 512 << 20  # bytes that are unpacked altogether
MOST_MEMBERS = 20000
MOST_TEXT = 64 << 20  # characters that are kept of one document
DEEPEST = 256

# `source` is text or ocr; `title` the name of a sheet or chapter, where there is one.
Page = collections.namedtuple("Page", "number title text source")


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Unreadable(Failure):
    """The file is damaged, hostile or locked."""


class Document:
    """The pages of a file. A part that cannot be read is a warning; the others are still worth having."""

    def __init__(self, kind):
        self.kind = kind
        self.pages = []
        self.page_count = 0
        self.warnings = []
        self.lacks_program = False  # without which pages could not be read
        self.size = 0

    def add(self, text, title="", source="text", number=None):
        """A page. Text beyond the limit is cut off."""
        self.page_count = self.page_count + 1 if number is None else number
        if self.size + len(text) > MOST_TEXT:
            text = text[: max(0, MOST_TEXT - self.size)]
            self.warn("only the first %d million characters are kept" % (MOST_TEXT >> 20))
        self.size += len(text)
        self.pages.append(Page(self.page_count, title, text, source))

    def warn(self, text):
        if text not in self.warnings:
            self.warnings.append(text)


class Archive:
    """A zip file, of which no more is unpacked than a document can need."""

    def __init__(self, path):
        try:
            self.file = zipfile.ZipFile(path)
            self.names = [info.filename for info in self.file.infolist()]
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, OverflowError) as error:
            raise Unreadable("the file is a damaged archive: %s" % error) from None
        if len(self.names) > MOST_MEMBERS:
            raise Unreadable("the file has %d parts; no document has so many" % len(self.names))
        self.left = LARGEST_ARCHIVE

    def __contains__(self, name):
        return name in self.file.NameToInfo

    def chunks(self, name):
        """The bytes of a part. What the archive says about sizes is not believed: they are counted as they come."""
        taken = 0
        try:
            info = self.file.getinfo(name)
            if info.flag_bits & 1:
                raise Unreadable("the file is encrypted; save a copy without a password")
            with self.file.open(info) as stream:
                while True:
                    chunk = stream.read(1 << 16)
                    if not chunk:
                        return
                    taken += len(chunk)
                    self.left -= len(chunk)
                    if taken > LARGEST_MEMBER or self.left < 0:
                        raise Unreadable("%s unpacks to more than any document needs; it was not read further" % name)
                    yield chunk
        except KeyError:
            raise Unreadable("the file has no part %s" % name) from None
        except (
            zipfile.BadZipFile,
            zlib.error,
            OSError,
            EOFError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise Unreadable("%s in the file is damaged: %s" % (name, error)) from None

    def read(self, name):
        return b"".join(self.chunks(name))


def xml_events(chunks):
    """("start", name, attributes), ("end", name, None) and ("text", text, None).

    Names come without their namespaces; only the attributes that refer to another part are called r:something.

    A document type that declares something is refused, since only with one can entities grow or read files; one that
    only names a file is passed over, and the file is never opened. Nothing is kept but what one chunk gave, so that a
    large sheet takes no more memory than a small one.
    """
    events = []
    parser = xml.parsers.expat.ParserCreate(namespace_separator="}")
    depth = 0

    def short(name):
        space, _, last = name.rpartition("}")
        return "r:" + last if space.endswith("/relationships") else last

    def start(name, attributes):
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Unreadable("its XML is nested too deeply")
        events.append(("start", name.rpartition("}")[2], {short(key): value for key, value in attributes.items()}))

    def end(name):
        nonlocal depth
        depth -= 1
        events.append(("end", name.rpartition("}")[2], None))

    def judge_document_type(name, system, public, declares):
        if declares:
            raise Unreadable("its XML declares entities, which no document needs; it was not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: events.append(("text", text, None))
    parser.StartDoctypeDeclHandler = judge_document_type
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
            yield from events
            del events[:]
        parser.Parse(b"", True)
        yield from events
    except xml.parsers.expat.ExpatError as error:
        raise Unreadable("its XML is damaged: %s" % error) from None
    except LookupError as error:  # an encoding that does not exist
        raise Unreadable("its XML cannot be decoded: %s" % error) from None


def decode(data):
    """Text in the encoding it seems to have, without the mark that some programs begin it with."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace").lstrip("\ufeff")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
