"""The ocr-and-documents skill: documents that the script reads by itself, good and hostile ones."""
import io
import os
import unittest
import zipfile

import document_files as make
from skill_case import SkillCase

BOMB = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><w:document %s><w:p><w:t>&b;</w:t></w:p></w:document>'


class DocumentsTest(SkillCase):
    script = "skills/productivity/ocr-and-documents/scripts/extract_text.py"

    def pages(self, name, content, *arguments):
        ran = self.expect(0, self.file(name, content), "--json", *arguments)
        return ran.json["kind"], [(page["title"], page["text"]) for page in ran.json["pages"]]

    def text(self, name, content, *arguments):
        return self.expect(0, self.file(name, content), *arguments).out

    def refusal(self, code, name, content, *arguments):
        return self.expect(code, self.file(name, content), *arguments).err

    def test_a_word_file_gives_paragraphs_tables_and_footnotes(self):
        table = "<w:tbl><w:tr><w:tc>%s%s</w:tc><w:tc>%s</w:tc></w:tr></w:tbl>" % (
            make.paragraph("a"),
            make.paragraph("b"),
            make.paragraph("c"),
        )
        deleted = (
            "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p>"
        )
        boxes = (
            "<w:p><w:r><AlternateContent><Choice><w:t>once</w:t></Choice><Fallback><w:t>once</w:t></Fallback>"
            "</AlternateContent></w:r></w:p>"
        )
        content = make.docx(
            make.paragraph("Hello &amp; grüß Gott") + table + deleted + boxes,
            **{"word/footnotes.xml": "<w:footnotes %s>%s</w:footnotes>" % (make.WORD, make.paragraph("note"))},
        )
        self.assertEqual(
            self.pages("letter.pdf", content), ("docx", [("", "Hello & grüß Gott\na b\tc\nx\ny\nonce\n\nnote")])
        )

    def test_sheets_give_values_as_they_are_shown(self):
        styles = (
            '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="0.0 &quot;mm&quot;"/>'
            '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="odd"/></cellXfs>'
        )
        rows = (
            '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in</t></is></c></row>'
            '<row><c r="A2" s="1"><v>45322</v></c><c r="B2" s="1"><v>45322.5</v></c><c r="C2" s="2"><v>1.5</v></c>'
            '<c r="D2" t="b"><v>1</v></c><c r="E2" t="e"><v>#N/A</v></c><c r="F2" t="s"><v>99</v></c></row>'
        )
        strings = ["<r><t>ri</t></r><r><t>ch</t></r><rPh><t>sound</t></rPh>"]
        content = make.xlsx(
            [("First", rows), ("Second", '<row><c t="str"><f>1+1</f><v>2</v></c></row>')], strings, styles
        )
        self.assertEqual(
            self.pages("a.xlsx", content),
            ("xlsx", [("First", "rich\t\tin\n2024-01-31\t2024-01-31 12:00:00\t1.5\tTRUE\t#N/A\t99"), ("Second", "2")]),
        )

    def test_dates_that_count_from_1904_are_right_too(self):
        styles = '<cellXfs><xf numFmtId="14"/></cellXfs>'
        rows = '<row><c r="A1" s="0"><v>0.25</v></c><c r="B1" s="0"><v>43860</v></c></row>'
        content = make.xlsx([("S", rows)], styles=styles, workbook='<workbookPr date1904="1"/>')
        self.assertEqual(self.pages("a.xlsx", content)[1], [("S", "06:00:00\t2024-01-31")])

    def test_slides_come_in_their_order_with_notes(self):
        content = make.pptx(("Welcome", "smile"), ("Second", ""), ("Thanks", ""))
        self.assertEqual(
            self.pages("a.pptx", content), ("pptx", [("", "Welcome\n\nNotes:\nsmile"), ("", "Second"), ("", "Thanks")])
        )

    def test_open_document_text_sheets_and_slides(self):
        text = (
            "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h>Title</text:h>"
            "<text:p>one<text:tab/>two<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note> three</text:p>"
        )
        self.assertEqual(
            self.pages("a.odt", make.open_document("text", text)), ("odt", [("", "Title\none\ttwonote  three")])
        )
        cell = "<table:table-cell%s><text:p>%s</text:p></table:table-cell>"
        sheet = '<table:table table:name="%s"><table:table-row>%s</table:table-row></table:table>'
        row = (
            cell % (' table:number-columns-repeated="2"', "x")
            + cell % ("", "y")
            + '<table:table-cell table:number-columns-repeated="16000"/>'
        )
        content = make.open_document("spreadsheet", sheet % ("One", row) + sheet % ("Two", cell % ("", "z")))
        self.assertEqual(self.pages("a.ods", content), ("ods", [("One", "x\tx\ty"), ("Two", "z")]))
        slides = '<draw:page draw:name="p1"><text:p>hi</text:p></draw:page><draw:page draw:name="p2"/>'
        self.assertEqual(
            self.pages("a.odp", make.open_document("presentation", slides)), ("odp", [("p1", "hi"), ("p2", "")])
        )

    def test_a_book_gives_its_chapters(self):
        chapter = (
            "<?xml version='1.0'?><!DOCTYPE html><html><head><title>%s</title></head><body><p>%s</p></body></html>"
        )
        self.assertEqual(
            self.pages("a.epub", make.epub(chapter % ("I", "It began."), chapter % ("II", "It ended."))),
            ("epub", [("I", "It began."), ("II", "It ended.")]),
        )

    def test_html_without_its_scripts(self):
        page = (
            "<!-- a --><!-- b --><!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body><h1>Head</h1>"
            "<p>a  b<script>if (a<b) x()</script> &eacute;</p><ul><li>one<li>two</ul><table><tr><td>1<td>2</table></body>"
        )
        self.assertEqual(self.pages("a.txt", page), ("html", [("T", "Head\n\na b é\n\n- one\n- two\n\n1\t2")]))
        self.assertEqual(
            self.pages("b.html", "<html><meta charset='iso-8859-2'><body>".encode() + b"\xb3")[1], [("", "ł")]
        )
        self.assertEqual(self.pages("c.html", "<html><meta charset='no-such'><body>é")[1], [("", "é")])

    def test_rich_text(self):
        content = (
            r"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0 Arial;}}{\*\generator X;}\f0 Hello \b bold\b0\par "
            r"z\'b3oty \u8364?5 \u-10179?\u-8704? \{x\} {\field{\*\fldinst HYPERLINK x}{\fldrslt link}}\line end}"
        )
        self.assertEqual(self.pages("a.rtf", content), ("rtf", [("", "Hello bold\nzłoty €5 😀 {x} link\nend")]))

    def test_tables_of_text(self):
        self.assertEqual(
            self.pages("a.csv", 'name,note\n"Ada; L","one, two\nlines"\n'),
            ("csv", [("", "name\tnote\nAda; L\tone, two lines")]),
        )
        self.assertEqual(self.pages("a.txt", "a;b\n1;2\n")[0], "csv")
        self.assertEqual(self.pages("b.txt", "Well, yes.\nNo, thanks.\n")[0], "text")

    def test_text_in_several_encodings(self):
        for data in (
            "naïve".encode(),
            b"\xef\xbb\xbf" + "naïve".encode(),
            "naïve".encode("utf-16"),
            "naïve".encode("cp1252"),
        ):
            self.assertEqual(self.pages("a.txt", data), ("text", [("", "naïve")]))
        self.assertEqual(self.pages("b.txt", "BMW and MZ and P5")[0], "text")

    def test_pages_are_chosen_and_headed(self):
        content = make.pptx(("a", ""), ("b", ""), ("c", ""), ("d", ""))
        self.assertEqual(
            self.text("a.pptx", content, "--pages", "2,4-,1-2"),
            "=== page 1 ===\na\n\n=== page 2 ===\nb\n\n=== page 4 ===\nd\n",
        )
        self.assertEqual(self.text("a.pptx", content, "--pages", "3", "--no-headings"), "c\n")
        self.assertEqual(
            self.text("a.pptx", content, "--info", "--pages", "3"), "pptx, 4 pages\npage 3: 1 characters\n"
        )
        self.assertEqual(
            self.refusal(2, "a.pptx", content, "--pages", "9"),
            "extract_text: the document has 4 pages, none of them is asked for\n",
        )

    def test_output_goes_to_a_file_as_a_whole(self):
        source, target = self.file("a.txt", "hello"), self.folder / "out.txt"
        self.assertEqual(
            self.expect(0, source, "--output", target).out, "wrote 1 pages, 5 characters, to %s\n" % target
        )
        self.assertEqual(target.read_text(), "hello\n")
        self.assertRegex(self.expect(2, source, "--output", source).err, "--output is the document itself")
        self.assertRegex(
            self.expect(1, source, "--output", self.folder / "no" / "out").err, "cannot write .*: No such file"
        )
        self.assertEqual([one for one in os.listdir(str(self.folder)) if one.startswith(".extract")], [])

    def test_entities_are_never_expanded(self):
        hostile = make.archive({"word/document.xml": BOMB % make.WORD.encode()})
        self.assertRegex(self.refusal(1, "a.docx", hostile), "declares entities")
        remote = b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><w:document %s><w:p><w:t>ok</w:t></w:p></w:document>'
        self.assertEqual(self.text("b.docx", make.archive({"word/document.xml": remote % make.WORD.encode()})), "ok\n")

    def test_an_archive_that_unpacks_without_end_is_given_up(self):
        text = b"<w:document %s><w:t>" % make.WORD.encode() + b" " * (140 << 20)
        ran = self.refusal(1, "a.docx", make.archive({"word/document.xml": text}))
        self.assertRegex(ran, "unpacks to more than any document needs")

    def test_a_string_shown_by_every_cell_is_given_up(self):
        strings = ["<t>%s</t>" % ("x" * (1 << 20))]
        rows = "<row>%s</row>" % ('<c t="s"><v>0</v></c>' * 100)
        ran = self.expect(4, self.file("a.xlsx", make.xlsx([("S", rows)], strings)))
        self.assertRegex(ran.err, "sheet S: it shows more text than any sheet needs")
        rows = '<row><c r="ZZZ1"><v>1</v></c></row>' * 5000
        self.assertRegex(self.expect(4, self.file("b.xlsx", make.xlsx([("S", rows)]))).err, "more text than any sheet")

    def test_one_bad_part_leaves_the_others(self):
        with zipfile.ZipFile(io.BytesIO(make.pptx(("a", ""), ("b", "")))) as file:
            parts = {name: file.read(name) for name in file.namelist()}
        parts["ppt/slides/slide1.xml"] = "<a:p"
        ran = self.expect(0, self.file("a.pptx", make.archive(parts)), "--json")
        self.assertEqual([page["text"] for page in ran.json["pages"]], ["", "b"])
        self.assertRegex(ran.json["warnings"][0], "^slide 1: its XML is damaged")

    def test_damaged_files_are_refused_in_words(self):
        good = make.docx(make.paragraph("hello"))
        deep = "<w:p>" * 400
        for name, content, reason in (
            ("cut", good[: len(good) // 2], "damaged archive"),
            ("zip", make.archive({"a.txt": "x"}), "zip archive"),
            ("none", make.archive({"mimetype": "application/epub+zip"}), "no part META-INF"),
            ("deep", make.docx(deep), "nested too deeply"),
            ("broken", make.docx("<w:p>"), "XML is damaged"),
            ("doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old Office file"),
            ("gz", b"\x1f\x8b\x08\0", "gzip"),
            ("binary", b"ab\0\1\2" * 50, "binary file"),
            ("locked", make.open_document("text", "", **{"META-INF/manifest.xml": "<encryption-data/>"}), "encrypted"),
        ):
            self.assertRegex(self.refusal(1, name, content), "^extract_text: .*" + reason)

    def test_nothing_in_it_has_an_exit_code_of_its_own(self):
        self.assertEqual(self.refusal(4, "a.txt", ""), "extract_text: there is no text in it\n")

    def test_wrong_use_says_what_is_wrong(self):
        there = self.file("a.txt", "x")
        for arguments, reason in (
            ([], "required: file"),
            (["none.txt"], "there is no file none.txt"),
            ([self.folder], "is not a file"),
            ([there, "--pages", "0"], "no range of pages"),
            ([there, "--pages", "5-3"], "no range of pages"),
            ([there, "--pages", "a"], "no range of pages"),
            ([there, "--language", "eng; rm"], "--language is a code"),
            ([there, "--ocr", "maybe"], "invalid choice"),
            ([there, "--timeout", "0"], "at least 1"),
        ):
            self.assertRegex(self.expect(2, *arguments).err, reason)

    def test_help_names_every_exit_code(self):
        self.assertRegex(self.expect(0, "--help").out, r"(?s)--pages.*--json.*Exit codes: 0 .*1 .*2 .*3 .*4 ")


if __name__ == "__main__":
    unittest.main()
