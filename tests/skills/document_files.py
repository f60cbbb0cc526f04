"""Small documents of every kind, made in memory."""
import io
import struct
import zipfile
import zlib

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ODF = (
    'xmlns:office="urn:o:office" xmlns:text="urn:o:text" xmlns:table="urn:o:table" xmlns:draw="urn:o:draw" '
    'xmlns:presentation="urn:o:presentation"'
)


def archive(parts, compression=zipfile.ZIP_DEFLATED):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return whole.getvalue()


def relations(*targets):
    return (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">%s</Relationships>'
        % "".join('<Relationship Id="rId%d" Type="x" Target="%s"/>' % one for one in enumerate(targets, 1))
    )


def docx(body, **more):
    parts = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": '<?xml version="1.0"?><w:document %s><w:body>%s</w:body></w:document>' % (WORD, body),
    }
    return archive(dict(parts, **more))


def paragraph(text):
    return "<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>" % text


def xlsx(sheets, strings=(), styles="", workbook=""):
    """`sheets` are (name, rows in XML)."""
    listed = "".join(
        '<sheet name="%s" sheetId="%d" r:id="rId%d"/>' % (name, n, n) for n, (name, _) in enumerate(sheets, 1)
    )
    parts = {
        "xl/workbook.xml": '<workbook xmlns:r="%s">%s<sheets>%s</sheets></workbook>' % (RELATIONS, workbook, listed),
        "xl/_rels/workbook.xml.rels": relations(*["worksheets/sheet%d.xml" % n for n, _ in enumerate(sheets, 1)]),
        "xl/sharedStrings.xml": "<sst>%s</sst>" % "".join("<si>%s</si>" % one for one in strings),
        "xl/styles.xml": "<styleSheet>%s</styleSheet>" % styles,
    }
    for n, (_, rows) in enumerate(sheets, 1):
        parts["xl/worksheets/sheet%d.xml" % n] = "<worksheet><sheetData>%s</sheetData></worksheet>" % rows
    return archive(parts)


def pptx(*slides):
    """`slides` are (text, notes), in the order in which they are shown; they are stored in the opposite one."""
    stored = list(reversed(range(len(slides))))
    listed = "".join('<p:sldId r:id="rId%d" id="%d"/>' % (stored[n] + 1, 256 + n) for n in range(len(slides)))
    parts = {
        "ppt/presentation.xml": '<p:presentation xmlns:p="urn:p" xmlns:r="%s"><p:sldIdLst>%s</p:sldIdLst>'
        "</p:presentation>" % (RELATIONS, listed),
        "ppt/_rels/presentation.xml.rels": relations(*["slides/slide%d.xml" % n for n in range(len(slides))]),
    }
    for n, (text, notes) in enumerate(slides):
        part = "slide%d.xml" % stored[n]
        said = '<p:%s xmlns:p="urn:p" xmlns:a="urn:a"><a:p><a:r><a:t>%s</a:t></a:r></a:p></p:%s>'
        parts["ppt/slides/" + part] = said % ("sld", text, "sld")
        if notes:
            parts["ppt/slides/_rels/%s.rels" % part] = relations("../notesSlides/" + part)
            parts["ppt/notesSlides/" + part] = said % ("notes", notes, "notes")
    return archive(parts)


def open_document(kind, body, **more):
    content = "<office:document-content %s><office:body>%s</office:body></office:document-content>" % (ODF, body)
    return archive(dict({"mimetype": "application/vnd.oasis.opendocument." + kind, "content.xml": content}, **more))


def epub(*chapters):
    items = "".join('<item id="c%d" href="text/chapter%%20%d.xhtml"/>' % (n, n) for n in range(len(chapters)))
    order = "".join('<itemref idref="c%d"/>' % n for n in range(len(chapters)))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": "<package><manifest>%s</manifest><spine>%s</spine></package>" % (items, order),
    }
    for n, chapter in enumerate(chapters):
        parts["OPS/text/chapter %d.xhtml" % n] = chapter
    return archive(parts)


def pdf(*pages, size="612 792"):
    """A page for each text; an empty one has nothing on it."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count %d /Kids [%s] >>"
        % (len(pages), " ".join("%d 0 R" % (4 + 2 * n) for n in range(len(pages)))),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        drawn = "BT /F1 12 Tf 72 500 Td (%s) Tj ET" % text if text else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s] /Contents %d 0 R /Resources << /Font << /F1 3 0 R "
            ">> >> >>" % (size, 5 + 2 * n),
            "<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        ]
    whole, places = b"%PDF-1.4\n", []
    for n, one in enumerate(objects, 1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%s\nendobj\n" % (n, one.encode())
    table = len(whole)
    whole += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    whole += b"".join(b"%010d 00000 n \n" % place for place in places)
    return whole + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)


def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"\0\xff"))
        + chunk(b"IEND", b"")
    )
