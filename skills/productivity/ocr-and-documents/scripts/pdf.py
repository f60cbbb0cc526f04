"""PDF files and pictures: their text layer with poppler's programs, and without one tesseract."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

from document import MOST_TEXT, Document, Failure, Unreadable

PACKAGES = {
    "pdfinfo": "poppler-utils",
    "pdftotext": "poppler-utils",
    "pdftoppm": "poppler-utils",
    "tesseract": "tesseract-ocr",
}
FEWEST_LETTERS = 8  # a page with less has no text layer worth the name
RESOLUTION = 300  # dots per inch that tesseract reads best
LARGEST_SIDE = 6000  # dots; a page may claim to be as large as a house


def missing(program):
    package = PACKAGES[program]
    homebrew = {"poppler-utils": "poppler", "tesseract-ocr": "tesseract"}[package]
    return Failure(
        "the program %s is not installed; on Debian and Ubuntu: apt-get install %s, on macOS: brew install %s"
        % (program, package, homebrew),
        3,
    )


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (OSError, AttributeError):
        process.kill()


def run(command, seconds):
    """(exit code, output, complaints). The program and all it started end with the time or the limit on its output."""
    if not shutil.which(command[0]):
        raise missing(command[0])
    late = threading.Event()
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, start_new_session=True
        )
        timer = threading.Timer(seconds, lambda: (late.set(), end_group(process)))
        timer.start()
        try:
            output = process.stdout.read(4 * MOST_TEXT)
            too_much = bool(process.stdout.read(1))
            if too_much:
                end_group(process)
            process.wait()
        finally:
            timer.cancel()
            end_group(process)
            process.stdout.close()
            process.wait()
        if late.is_set():
            raise Unreadable("%s took longer than %d seconds and was ended" % (command[0], seconds))
        if too_much:
            raise Unreadable("%s gave more text than any document needs and was ended" % command[0])
        complaints.seek(0)
        return process.returncode, output, complaints.read(1 << 16).decode("utf-8", "replace").strip()


def failure_of(program, code, complaints):
    if "password" in complaints.lower():
        return Unreadable(
            "the PDF is encrypted; save a copy without a password, such as with: qpdf --decrypt in.pdf out.pdf"
        )
    lines = [line for line in complaints.splitlines() if line.strip()]
    return Unreadable("%s cannot read the file: %s" % (program, lines[-1] if lines else "exit code %d" % code))


def count_pages(path, seconds):
    code, output, complaints = run(["pdfinfo", path], seconds)
    facts = output.decode("utf-8", "replace")
    count = re.search(r"^Pages:\s+(\d+)$", facts, re.M)
    if code or not count:
        raise failure_of("pdfinfo", code, complaints)
    return int(count.group(1))


def dots_per_inch(path, number, seconds):
    _, output, _ = run(["pdfinfo", "-f", str(number), "-l", str(number), path], seconds)
    size = re.search(r"^Page\s+\d*\s*size:\s+([\d.]+) x ([\d.]+)", output.decode("utf-8", "replace"), re.M)
    longest = max(float(size.group(1)), float(size.group(2)), 1) if size else 842
    return max(1, min(RESOLUTION, int(LARGEST_SIDE * 72 / longest)))


def text_layer(path, first, last, options):
    command = ["pdftotext", "-enc", "UTF-8", "-f", str(first), "-l", str(last)]
    command += ["-layout"] if options.layout else []
    code, output, complaints = run(command + [path, "-"], options.timeout)
    if code:
        raise failure_of("pdftotext", code, complaints)
    texts = output.decode("utf-8", "replace").split("\f")[: last - first + 1]
    return texts + [""] * (last - first + 1 - len(texts))


def recognise(picture, options):
    """The text of a picture."""
    code, output, complaints = run(["tesseract", picture, "stdout", "-l", options.language], options.timeout)
    if code:
        lost = re.search(r"Failed loading language '([^']+)'|/([A-Za-z_]+)\.traineddata", complaints)
        if lost:
            name = lost.group(1) or lost.group(2)
            raise Failure(
                "tesseract has no data for the language %s; on Debian and Ubuntu: apt-get install tesseract-ocr-%s"
                % (name, name.replace("_", "-").lower()),
                3,
            )
        raise failure_of("tesseract", code, complaints)
    return output.decode("utf-8", "replace").replace("\f", "").strip()


def recognise_page(path, number, options):
    resolution = dots_per_inch(path, number, options.timeout)
    with tempfile.TemporaryDirectory(prefix="ocr-") as folder:
        target = os.path.join(folder, "page")
        code, _, complaints = run(
            [
                "pdftoppm",
                "-f",
                str(number),
                "-l",
                str(number),
                "-r",
                str(resolution),
                "-gray",
                "-singlefile",
                "-png",
                path,
                target,
            ],
            options.timeout,
        )
        if code or not os.path.exists(target + ".png"):
            raise failure_of("pdftoppm", code, complaints)
        return recognise(target + ".png", options)


def as_ranges(numbers):
    """ "1-3, 7" of [1, 2, 3, 7]."""
    ranges = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else "%d-%d" % (first, last) for first, last in ranges)


def read_pdf(path, wanted, options):
    """`wanted(count)` gives the ranges of pages that are asked for."""
    document = Document("pdf")
    count = count_pages(path, options.timeout)
    pages = {}
    for first, last in wanted(count):
        texts = text_layer(path, first, last, options) if options.ocr != "always" else [""] * (last - first + 1)
        pages.update(zip(range(first, last + 1), texts))
    bare = [number for number, text in pages.items() if len("".join(text.split())) < FEWEST_LETTERS]
    scanned = {}
    if bare and options.ocr != "never":
        scanned = recognise_pages(path, bare, document, options)
    elif bare:
        document.warn("no text layer on page %s: blank, or scans that need OCR (--ocr auto)" % as_ranges(bare))
    for number in sorted(pages):
        found = scanned.get(number)
        document.add(pages[number].strip("\n") if found is None else found, "", "ocr" if found else "text", number)
    document.page_count = count
    return document


def recognise_pages(path, bare, document, options):
    """Texts by page. With a text layer on other pages it is no failure that a program for the rest is not here."""
    found = {}
    for program in ("pdftoppm", "tesseract"):
        if not shutil.which(program):
            document.warn(
                "no text layer on page %s: blank, or scans that need OCR; %s" % (as_ranges(bare), missing(program))
            )
            document.lacks_program = True
            return found
    if len(bare) > options.max_ocr_pages:
        document.warn(
            "page %s has no text layer and was not read: only %d pages are read by OCR (--max-ocr-pages)"
            % (as_ranges(bare[options.max_ocr_pages :]), options.max_ocr_pages)
        )
    for number in bare[: options.max_ocr_pages]:
        try:
            found[number] = recognise_page(path, number, options)
        except Unreadable as error:
            document.warn("page %d: %s" % (number, error))
    return found


def read_picture(path, options):
    document = Document("image")
    if options.ocr == "never":
        document.warn("a picture has no text layer; it needs OCR (--ocr auto)")
        document.add("")
    else:
        document.add(recognise(path, options), "", "ocr")
    return document
