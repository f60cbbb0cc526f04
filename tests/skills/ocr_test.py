"""The ocr-and-documents skill: PDF files with poppler's programs, scans with a tesseract that tells its input."""
import os
import unittest

import document_files as make
from skill_case import SkillCase

TESSERACT = """
import os, sys
picture, target, flag, language = sys.argv[1:]
assert target == "stdout" and flag == "-l"
if language == "deu":
    sys.stderr.write("Error opening data file /usr/share/tessdata/deu.traineddata\\nFailed loading language 'deu'\\n")
    sys.exit(1)
with open(picture, "rb") as file:
    head = file.read(24)
size = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
print("read by OCR: %s %s\\f" % (language, head[:4]), "%d x %d" % size)
"""


class OcrTest(SkillCase):
    script = "skills/productivity/ocr-and-documents/scripts/extract_text.py"

    def setUp(self):
        super().setUp()
        self.only_programs("pdfinfo", "pdftotext", "pdftoppm")

    def test_a_text_layer_is_read_page_by_page(self):
        path = self.file("-odd name.bin", make.pdf("Hello first page", "Hello second page", "Hello third page"))
        ran = self.expect(0, "--json", "--pages", "2-", "--", path.name)
        self.assertEqual((ran.json["kind"], ran.json["page_count"], ran.err), ("pdf", 3, ""))
        self.assertEqual(
            [(page["number"], page["text"], page["source"]) for page in ran.json["pages"]],
            [(2, "Hello second page", "text"), (3, "Hello third page", "text")],
        )
        self.assertEqual(
            self.expect(0, path, "--pages", "3", "--layout", "--no-headings").out.strip(), "Hello third page"
        )

    def test_a_page_without_text_is_read_by_ocr(self):
        self.program("tesseract", TESSERACT)
        ran = self.expect(0, self.file("a.pdf", make.pdf("Some real text", "")), "--json")
        self.assertEqual(
            [(page["source"], page["text"]) for page in ran.json["pages"]],
            [("text", "Some real text"), ("ocr", "read by OCR: eng b'\\x89PNG' 2550 x 3300")],
        )

    def test_a_page_as_large_as_a_house_becomes_no_picture_as_large(self):
        self.program("tesseract", TESSERACT)
        ran = self.expect(0, self.file("a.pdf", make.pdf("", size="14400 14400")))
        self.assertRegex(ran.out, "6000 x 6000")

    def test_ocr_can_be_asked_for_and_forbidden(self):
        self.program("tesseract", TESSERACT)
        path = self.file("a.pdf", make.pdf("Text that is garbled"))
        self.assertRegex(self.expect(0, path, "--ocr", "always").out, "^read by OCR")
        ran = self.expect(4, self.file("b.pdf", make.pdf("")), "--ocr", "never")
        self.assertRegex(ran.err, r"no text layer on page 1: blank, or scans that need OCR \(--ocr auto\)")

    def test_only_so_many_pages_are_read_by_ocr(self):
        self.program("tesseract", TESSERACT)
        ran = self.expect(0, self.file("a.pdf", make.pdf("", "", "", "", "")), "--max-ocr-pages", 2, "--json")
        self.assertEqual([page["source"] for page in ran.json["pages"]], ["ocr", "ocr", "text", "text", "text"])
        self.assertRegex(ran.err, "page 3-5 has no text layer and was not read: only 2 pages")

    def test_without_tesseract_it_says_what_to_install(self):
        ran = self.expect(3, self.file("a.pdf", make.pdf("", "")))
        self.assertEqual(
            ran.err,
            "extract_text: no text layer on page 1-2: blank, or scans that need OCR; the program "
            "tesseract is not installed; on Debian and Ubuntu: apt-get install tesseract-ocr, on "
            "macOS: brew install tesseract\nextract_text: there is no text in it\n",
        )
        self.assertRegex(self.expect(3, self.file("a.png", make.png())).err, "apt-get install tesseract-ocr,")
        mixed = self.expect(0, self.file("b.pdf", make.pdf("Some real text", "")))
        self.assertRegex(mixed.err, "no text layer on page 2: .*tesseract-ocr")

    def test_without_poppler_it_says_what_to_install(self):
        for name in ("pdfinfo", "pdftotext"):
            os.unlink(str(self.programs / name))
        self.assertEqual(
            self.expect(3, self.file("a.pdf", make.pdf("Hello hello"))).err,
            "extract_text: the program pdfinfo is not installed; on Debian and Ubuntu: apt-get install "
            "poppler-utils, on macOS: brew install poppler\n",
        )

    def test_a_language_that_is_not_installed_is_named(self):
        self.program("tesseract", TESSERACT)
        self.assertEqual(
            self.expect(3, self.file("a.png", make.png()), "--language", "deu").err,
            "extract_text: tesseract has no data for the language deu; on Debian and Ubuntu: apt-get install "
            "tesseract-ocr-deu\n",
        )

    def test_pictures_are_known_by_their_content(self):
        self.program("tesseract", TESSERACT)
        ran = self.expect(0, self.file("photo.txt", make.png()), "--json", "--language", "eng+fra")
        self.assertEqual((ran.json["kind"], ran.json["pages"][0]["source"]), ("image", "ocr"))
        self.assertRegex(ran.json["pages"][0]["text"], "eng[+]fra")
        self.assertRegex(self.expect(4, self.folder / "photo.txt", "--ocr", "never").err, "a picture has no text layer")

    def test_an_encrypted_file_is_not_opened(self):
        self.programs.joinpath("pdfinfo").unlink()
        self.program("pdfinfo", "import sys; sys.exit('Command Line Error: Incorrect password')")
        self.assertRegex(
            self.expect(1, self.file("a.pdf", make.pdf("x"))).err, "the PDF is encrypted; save a copy without"
        )

    def test_a_damaged_file_is_refused_in_words(self):
        for content in (b"%PDF-1.7\nnothing", b"%PDF-1.4\n" + b"\xff" * 5000):
            self.assertRegex(
                self.expect(1, self.file("a.pdf", content)).err, "^extract_text: pdfinfo cannot read the file: "
            )

    def test_a_program_that_hangs_is_ended_with_all_it_started(self):
        alive = self.folder / "alive"
        os.mkfifo(str(alive))
        self.programs.joinpath("pdftotext").unlink()
        # The child holds the pipe open for writing, so that its end is what ends the reading below.
        self.program(
            "pdftotext", "import os, signal\nos.fork()\nfd = os.open(%r, os.O_RDWR)\nsignal.pause()\n" % str(alive)
        )
        reader = os.open(str(alive), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        ran = self.expect(1, self.file("a.pdf", make.pdf("Hello hello")), "--timeout", 1)
        self.assertRegex(ran.err, "took (too long|longer than 1 seconds)")
        os.set_blocking(reader, True)
        self.assertEqual(os.read(reader, 1), b"")

    def test_a_program_that_never_stops_talking_is_ended(self):
        self.programs.joinpath("pdftotext").unlink()
        self.program("pdftotext", "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))")
        self.assertRegex(
            self.expect(1, self.file("a.pdf", make.pdf("Hello hello"))).err,
            "pdftotext gave more text than any document needs",
        )


if __name__ == "__main__":
    unittest.main()
