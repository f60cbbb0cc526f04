#!/usr/bin/env python3
"""Searches arXiv, or looks papers up by id, and prints them as text, JSON or BibTeX.

Exit codes: 0 done (also when nothing matches), 1 arXiv could not be reached or answered with an error, 2 wrong use,
3 an id was asked for that arXiv does not have.
"""
import argparse
import datetime
import email.utils
import http.client
import json
import os
import re
import socket
import sys
import textwrap
import time
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from atom_feed import FeedError, bibtex, read_feed, split_id  # noqa: E402

DEFAULT_URL = "https://export.arxiv.org/api/query"
PAGE = 100  # papers in one answer
MOST = 500
LARGEST_ANSWER = 16 * 1024 * 1024
TRIES = 4
LONGEST_WAIT = 60  # seconds that a server may ask us to wait
SORTS = {"relevance": "relevance", "submitted": "submittedDate", "updated": "lastUpdatedDate"}
FIELD = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate|lastUpdatedDate):")
OFFLINE = (
    "In a sandbox of Talaria the network is off unless its owner set sandbox.network to on: run the command "
    "with host gateway instead, or fetch the address that --print-url shows and read it with --feed."
)


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def words_of(text):
    """A phrase in double quotes is one term, everything else is a term for each word."""
    for phrase, word in re.findall(r'"([^"]*)"|(\S+)', text):
        term = re.sub(r'[()\[\]{}":\\]', " ", phrase or word).split()
        if term:
            yield '"%s"' % " ".join(term) if len(term) > 1 else term[0]


def terms(field, text):
    return [field + ":" + word for word in words_of(text)]


def phrase(field, text):
    words = [word.strip('"') for word in words_of(text)]
    return '%s:"%s"' % (field, " ".join(words)) if words else ""


def day(text, end):
    try:
        date = datetime.datetime.strptime(text, "%Y-%m-%d")
    except ValueError:
        raise Failure("%r is not a day; write it as 2024-01-31" % text, 2) from None
    return date.strftime("%Y%m%d") + ("2359" if end else "0000")


def build_query(options):
    """The search_query of the API, from what was asked for."""
    text = " ".join(options.query)
    # Who writes fields or operators of the API knows what they want.
    if FIELD.search(text) or re.search(r"\b(AND|OR|ANDNOT)\b", text):
        parts = ["(" + text + ")" if options.author or options.category or options.title else text]
    else:
        parts = terms("all", text)
    parts += [phrase("au", author) for author in options.author]
    parts += terms("ti", options.title) if options.title else []
    categories = [re.sub(r"[^A-Za-z.\-*]", "", one) for one in options.category]
    if any(not one for one in categories):
        raise Failure("a category looks like cs.LG or math.*", 2)
    if categories:
        either = " OR ".join("cat:" + one for one in categories)
        parts.append("(" + either + ")" if len(categories) > 1 else either)
    if options.since or options.until:
        first = day(options.since or "1991-01-01", False)
        last = day(options.until or "2099-12-31", True)
        parts.append("submittedDate:[%s TO %s]" % (first, last))
    return " AND ".join(part for part in parts if part)


def parameters(options, start, count):
    given = {}
    query = build_query(options)
    if query:
        given["search_query"] = query
    if options.id:
        given["id_list"] = ",".join(bare + version for bare, version in options.id)
    if not given:
        raise Failure("nothing to look for: give words, --author, --title, --category, --since, --until or --id", 2)
    given.update(start=start, max_results=count)
    if query and not options.id:
        given.update(sortBy=SORTS[options.sort], sortOrder=options.order)
    return given


def address(options, start, count):
    return options.base_url + "?" + urllib.parse.urlencode(parameters(options, start, count))


def asked_wait(headers, usual):
    """Seconds that Retry-After names, as a number or as a date."""
    text = (headers.get("Retry-After") or "").strip()
    if text.isdecimal():
        return int(text[:9])
    try:
        return max(0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return usual


def read_all(answer, seconds):
    """The body. A server that sends a byte now and then never runs into the timeout of a single read."""
    chunks, size, deadline = [], 0, time.monotonic() + 4 * seconds
    while True:
        chunks.append(answer.read1(1 << 16))
        size += len(chunks[-1])
        if not chunks[-1]:
            return b"".join(chunks)
        if size > LARGEST_ANSWER:
            raise Failure("the answer is larger than %d MiB and was not read" % (LARGEST_ANSWER >> 20))
        if time.monotonic() > deadline:
            raise Failure("the answer did not end within %g seconds" % (4 * seconds))


def refused(error, seconds):
    """What a refusal says about its reason: the API answers a wrong question with a feed."""
    try:
        read_feed(read_all(error.fp, seconds))
    except FeedError as reason:
        if "refused" in str(reason):
            raise Failure(str(reason)) from None
    except (OSError, http.client.HTTPException, Failure):
        pass
    raise Failure("arXiv answered %d %s" % (error.code, error.reason))


def fetch(url, options):
    request = urllib.request.Request(url, headers={"User-Agent": "talaria-arxiv-skill/1.0"})
    host = urllib.parse.urlsplit(url).netloc
    for turn in range(1, TRIES + 1):
        try:
            with urllib.request.urlopen(request, timeout=options.timeout) as answer:
                return read_all(answer, options.timeout)
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in (429, 503):
                    refused(error, options.timeout)
                wait = asked_wait(error.headers, max(options.delay, 3 * turn))
            if wait > LONGEST_WAIT:
                raise Failure("arXiv is busy and asks to come back in %d seconds" % wait) from None
            if turn == TRIES:
                raise Failure("arXiv is busy: it answered %d %d times" % (error.code, TRIES)) from None
            time.sleep(wait)
        except socket.timeout:
            raise Failure("%s did not answer within %g seconds" % (host, options.timeout)) from None
        except urllib.error.URLError as error:
            raise Failure("cannot reach %s: %s. %s" % (host, error.reason, OFFLINE)) from None
        except (OSError, ValueError, http.client.HTTPException) as error:  # it broke, or is not HTTP
            raise Failure("the connection to %s failed: %s" % (host, error or type(error).__name__)) from None


def saved_answer(path):
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            data = file.read(LARGEST_ANSWER + 1)
    except OSError as error:
        raise Failure("cannot read %s: %s" % (path, error.strerror)) from None
    if len(data) > LARGEST_ANSWER:
        raise Failure("%s is larger than %d MiB" % (path, LARGEST_ANSWER >> 20))
    return data


def collect(options):
    """All pages that are needed, one after the other and not in a hurry, as arXiv asks."""
    if options.feed:
        return read_feed(saved_answer(options.feed))
    papers, total = [], 0
    while len(papers) < options.max_results:
        if papers:
            time.sleep(options.delay)
        count = min(PAGE, options.max_results - len(papers))
        page = read_feed(fetch(address(options, options.start + len(papers), count), options))
        total = page["total"]
        papers += page["papers"][:count]
        if len(page["papers"]) < count:
            break
    return {"total": total, "start": options.start, "papers": papers}


def missing_ids(options, papers):
    there = {paper["id"] for paper in papers}
    return [bare + version for bare, version in options.id if bare not in there]


def readable(result, options):
    lines = []
    for place, paper in enumerate(result["papers"], result["start"] + 1):
        abstract = paper["abstract"]
        if not options.full and len(abstract) > 400:
            abstract = abstract[:400].rsplit(" ", 1)[0] + " …"
        names = paper["authors"] if options.full or len(paper["authors"]) <= 6 else paper["authors"][:6] + ["et al."]
        dates = paper["published"][:10]
        if paper["updated"][:10] not in ("", dates):
            dates += ", updated " + paper["updated"][:10]
        lines += [
            "%d. %s" % (place, paper["title"]),
            "   arXiv:%s%s [%s] %s" % (paper["id"], paper["version"], paper["primary_category"], dates),
            "   " + ", ".join(names),
            textwrap.fill(abstract, 110, initial_indent="   ", subsequent_indent="   "),
            "   %s  PDF: %s" % (paper["abs_url"], paper["pdf_url"]),
        ]
        lines += [
            "   %s: %s" % (label, paper[key])
            for label, key in (("DOI", "doi"), ("Published in", "journal_ref"))
            if paper[key]
        ]
        lines.append("")
    shown = len(result["papers"])
    lines.append("%d of %d papers" % (shown, result["total"]) if shown else "No paper matches.")
    return "\n".join(lines)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    add = parser.add_argument
    add(
        "query",
        nargs="*",
        help='words, all of which must occur; a "phrase in quotes"; or the API\'s own syntax: ti:x AND cat:cs.LG',
    )
    add("--author", action="append", default=[], help="an author; may be repeated, all must match")
    add("--title", default="", help="words of the title")
    add("--category", action="append", default=[], help="such as cs.LG; may be repeated, one must match")
    add("--since", metavar="DAY", help="submitted on that day or later, such as 2024-01-31")
    add("--until", metavar="DAY", help="submitted on that day or before")
    add("--id", action="append", default=[], help="an id or an address of arXiv; may be repeated or a list with commas")
    add("--max-results", type=int, default=5, metavar="N", help="1 to %d, 5 unless given" % MOST)
    add("--start", type=int, default=0, metavar="N", help="leave out the first N, for the next page")
    add("--sort", choices=sorted(SORTS), default="relevance")
    add("--order", choices=["descending", "ascending"], default="descending")
    add("--full", action="store_true", help="whole abstracts and all authors")
    add("--json", action="store_true", help="one JSON object")
    add("--bibtex", action="store_true", help="a BibTeX entry for each paper")
    add("--print-url", action="store_true", help="only print the address that would be asked")
    add("--feed", metavar="FILE", help="read this saved answer instead of asking arXiv; - is stdin")
    add("--base-url", default=os.environ.get("ARXIV_API_URL") or DEFAULT_URL, help="the API's address (ARXIV_API_URL)")
    add("--timeout", type=float, default=30, metavar="SECONDS")
    add("--delay", type=float, default=3, metavar="SECONDS", help="between two questions; arXiv asks for 3")
    options = parser.parse_args(arguments)
    if not 1 <= options.max_results <= MOST:
        parser.error("--max-results is from 1 to %d" % MOST)
    if options.start < 0 or options.timeout <= 0 or not 0 <= options.delay <= LONGEST_WAIT:
        parser.error(
            "--start and --delay are not negative, --delay is at most %d, --timeout is more than 0" % LONGEST_WAIT
        )
    if urllib.parse.urlsplit(options.base_url).scheme not in ("http", "https"):
        parser.error("--base-url must begin with http:// or https://")
    wanted = [one for given in options.id for one in given.split(",") if one.strip()]
    options.id = [
        split_id(one) or parser.error("%r is not an id of arXiv, such as 1706.03762 or hep-th/9901001" % one)
        for one in wanted
    ]
    options.max_results = max(options.max_results, min(len(options.id), MOST))
    return options


def run(options):
    if options.print_url:
        print(address(options, options.start, min(PAGE, options.max_results)))
        return 0
    try:
        result = collect(options)
    except FeedError as error:
        raise Failure(str(error)) from None
    missing = missing_ids(options, result["papers"])
    if options.json:
        papers = [dict(paper, bibtex=bibtex(paper)) if options.bibtex else paper for paper in result["papers"]]
        print(
            json.dumps(
                {
                    "total": result["total"],
                    "start": result["start"],
                    "count": len(papers),
                    "papers": papers,
                    "missing": missing,
                },
                ensure_ascii=False,
                indent=2,
            )
        )
    elif options.bibtex:
        print("\n\n".join(bibtex(paper) for paper in result["papers"]))
    else:
        print(readable(result, options))
    if missing:
        raise Failure("arXiv has no " + ", ".join(missing), 3)
    return 0


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        return run(parse_arguments(arguments))
    except Failure as failure:
        print("search_arxiv: %s" % failure, file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
