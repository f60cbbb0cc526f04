"""Atom feeds of the arXiv API: bytes in, papers out. Touches neither network nor files."""
import re
import unicodedata
import xml.etree.ElementTree
import xml.parsers.expat

ATOM = "{http://www.w3.org/2005/Atom}"
ARXIV = "{http://arxiv.org/schemas/atom}"
SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
DEEPEST = 64

# 2301.01234, 2301.01234v2, and those from before 2007: math.GT/0309136, hep-th/9901001v3
ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z][a-z-]*(?:\.[A-Z]{2})?/\d{7})(v\d+)?")


class FeedError(Exception):
    """What came is not a feed, or the feed says that the question was wrong."""


def parse_xml(data):
    """The root element. A document type is refused: only with one can entities grow or read files."""
    builder = xml.etree.ElementTree.TreeBuilder()
    parser = xml.parsers.expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    depth = 0

    def full_name(name):
        return "{" + name if "}" in name else name

    def start(name, attributes):
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FeedError("the answer is nested too deeply to be a feed of arXiv")
        builder.start(full_name(name), {full_name(key): value for key, value in attributes.items()})

    def end(name):
        nonlocal depth
        depth -= 1
        builder.end(full_name(name))

    def refuse(*_):
        raise FeedError("the answer has a document type, which no feed of arXiv has; it was not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except xml.parsers.expat.ExpatError as error:
        raise FeedError("the answer is not well-formed XML: %s" % error) from None
    except (LookupError, ValueError) as error:  # an encoding that does not exist
        raise FeedError("the answer cannot be decoded: %s" % error) from None
    return builder.close()


def one_line(text):
    """Words with one space between them; nothing in it that a terminal would act on."""
    text = "".join(c if unicodedata.category(c) not in ("Cc", "Cf") or c in "\n\t" else "" for c in text or "")
    return " ".join(text.split())


def text_of(element, path):
    found = element.find(path)
    return one_line(found.text) if found is not None else ""


def number_of(root, name):
    text = text_of(root, SEARCH + name)
    return int(text) if text.isdecimal() and len(text) < 12 else 0


def split_id(text):
    """("2301.01234", "v2") of an id, an address of arXiv or arXiv:…; None when it is none of these."""
    text = text.strip()
    text = re.sub(r"^(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/", "", text, flags=re.I)
    text = re.sub(r"^arxiv:", "", text, flags=re.I)
    text = re.sub(r"\.pdf$", "", re.sub(r"[?#].*$", "", text))
    match = ID.fullmatch(text)
    return (match.group(1), match.group(2) or "") if match else None


def read_paper(entry):
    known = split_id(text_of(entry, ATOM + "id"))
    title = text_of(entry, ATOM + "title")
    if not known or not title:
        return None
    bare, version = known
    categories = [one_line(one.get("term")) for one in entry.findall(ATOM + "category")]
    primary = entry.find(ARXIV + "primary_category")
    primary = one_line(primary.get("term")) if primary is not None else (categories or [""])[0]
    authors = [text_of(author, ATOM + "name") for author in entry.findall(ATOM + "author")]
    return {
        "id": bare,
        "version": version,
        "title": title,
        "authors": [name for name in authors if name],
        "abstract": text_of(entry, ATOM + "summary"),
        "primary_category": primary,
        "categories": [one for one in categories if one],
        "published": text_of(entry, ATOM + "published"),
        "updated": text_of(entry, ATOM + "updated"),
        "doi": text_of(entry, ARXIV + "doi"),
        "journal_ref": text_of(entry, ARXIV + "journal_ref"),
        "comment": text_of(entry, ARXIV + "comment"),
        # Made from the id, not taken from the feed: these are addresses that somebody will open.
        "abs_url": "https://arxiv.org/abs/" + bare + version,
        "pdf_url": "https://arxiv.org/pdf/" + bare + version,
    }


def read_feed(data):
    """{"total", "start", "papers"}."""
    root = parse_xml(data)
    if root.tag != ATOM + "feed":
        raise FeedError("the answer is XML, but no Atom feed")
    papers = []
    for entry in root.findall(ATOM + "entry"):
        # This is how the API says that it did not understand the question.
        if "/api/errors" in text_of(entry, ATOM + "id"):
            raise FeedError("arXiv refused the question: " + (text_of(entry, ATOM + "summary") or "no reason given"))
        paper = read_paper(entry)
        if paper:
            papers.append(paper)
    return {
        "total": max(number_of(root, "totalResults"), len(papers)),
        "start": number_of(root, "startIndex"),
        "papers": papers,
    }


def for_bibtex(text):
    """Braces that do not pair would end the field early; & % # _ mean something to TeX outside of formulas."""
    depth = 0
    for c in text:
        depth += (c == "{") - (c == "}")
        if depth < 0:
            break
    if depth != 0:
        text = text.replace("{", "").replace("}", "")
    parts = re.split(r"(\$[^$]*\$)", text)
    return "".join(
        part if part.startswith("$") and len(part) > 1 else re.sub(r"(?<!\\)([&%#_])", r"\\\1", part) for part in parts
    )


def plain_letters(text):
    decomposed = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z0-9]", "", decomposed.encode("ascii", "ignore").decode().lower())


def bibtex_key(paper):
    surname = plain_letters(paper["authors"][0].split()[-1]) if paper["authors"] else ""
    small = {"a", "an", "the", "on", "of", "in", "for", "and", "to", "with", "towards", "is", "are"}
    words = [plain_letters(word) for word in paper["title"].split()]
    word = next((one for one in words if one and one not in small), "")
    return (surname + paper["published"][:4] + word) or "arxiv" + plain_letters(paper["id"])


def bibtex(paper):
    fields = [
        ("title", "{" + for_bibtex(paper["title"]) + "}"),
        ("author", for_bibtex(" and ".join(paper["authors"]))),
        ("year", paper["published"][:4]),
        ("eprint", paper["id"]),
        ("archivePrefix", "arXiv"),
        ("primaryClass", paper["primary_category"]),
        ("doi", for_bibtex(paper["doi"])),
        ("note", for_bibtex(paper["journal_ref"])),
        ("url", paper["abs_url"]),
    ]
    lines = ["  %s = {%s}," % (name, value) for name, value in fields if value and value != "{}"]
    return "\n".join(["@misc{%s," % bibtex_key(paper)] + lines + ["}"])
