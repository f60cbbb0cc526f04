"""The arxiv skill: questions to the API, its feeds, and what happens when something is wrong."""
import re
import unittest
import urllib.parse

from skill_case import SkillCase, free_port

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query=all:attention" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=all:attention</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <updated>2024-03-01T00:00:00-05:00</updated>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">%d</opensearch:totalResults>
  <opensearch:startIndex xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">%d</opensearch:startIndex>
  <opensearch:itemsPerPage xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">5</opensearch:itemsPerPage>
"""
ATTENTION = """  <entry>
    <id>http://arxiv.org/abs/1706.03762v7</id>
    <updated>2023-08-02T00:41:18Z</updated>
    <published>2017-06-12T17:57:34Z</published>
    <title>Attention Is All
  You Need</title>
    <summary>  The dominant sequence transduction models are based on complex recurrent
or convolutional neural networks &amp; an encoder.
</summary>
    <author><name>Ashish Vaswani</name></author>
    <author><name>Noam Shazeer</name></author>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">15 pages, 5 figures</arxiv:comment>
    <link href="http://arxiv.org/abs/1706.03762v7" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/1706.03762v7" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
"""
OLD = """  <entry>
    <id>http://arxiv.org/abs/hep-ex/0307015v1</id>
    <published>2003-07-07T13:46:39Z</published>
    <title>50% {of} $m_x$ &amp; more_stuff } é</title>
    <summary>Measured.</summary>
    <author><name>Jürgen Müller</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1140/epjc/s2003-01326-x</arxiv:doi>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Eur.Phys.J. C31 (2003) 17-29</arxiv:journal_ref>
    <category term="hep-ex"/>
  </entry>
"""
ERROR = """  <entry>
    <id>http://arxiv.org/api/errors#incorrect_id_format_for_1234.1234</id>
    <title>Error</title>
    <summary>incorrect id format for 1234.12345678</summary>
  </entry>
"""


def feed(*entries, total=None, start=0):
    return (HEAD % (len(entries) if total is None else total, start) + "".join(entries) + "</feed>").encode()


def numbered(number):
    return ATTENTION.replace("1706.03762v7", "2401.%05dv1" % number)


class ArxivTest(SkillCase):
    script = "skills/research/arxiv/scripts/search_arxiv.py"

    def serve_feed(self, body, status=200, **headers):
        server = self.serve(lambda request: (status, headers, body))
        self.environment["ARXIV_API_URL"] = server.url + "/api/query"
        return server

    def asked(self, server):
        return [dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(one.path).query)) for one in server.requests]

    def query_of(self, *arguments):
        url = self.expect(0, "--print-url", *arguments).out.strip()
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query)).get("search_query")

    def test_a_search_asks_once_and_tells_everything_in_json(self):
        server = self.serve_feed(feed(ATTENTION, total=1234))
        ran = self.expect(0, "attention", "--json", "--max-results", 3)
        self.assertEqual(
            self.asked(server),
            [
                {
                    "search_query": "all:attention",
                    "start": "0",
                    "max_results": "3",
                    "sortBy": "relevance",
                    "sortOrder": "descending",
                }
            ],
        )
        self.assertEqual(
            ran.json,
            {
                "total": 1234,
                "start": 0,
                "count": 1,
                "missing": [],
                "papers": [
                    {
                        "id": "1706.03762",
                        "version": "v7",
                        "title": "Attention Is All You Need",
                        "authors": ["Ashish Vaswani", "Noam Shazeer"],
                        "abstract": "The dominant sequence transduction models are based on complex recurrent or convolutional "
                        "neural networks & an encoder.",
                        "primary_category": "cs.CL",
                        "categories": ["cs.CL", "cs.LG"],
                        "published": "2017-06-12T17:57:34Z",
                        "updated": "2023-08-02T00:41:18Z",
                        "doi": "",
                        "journal_ref": "",
                        "comment": "15 pages, 5 figures",
                        "abs_url": "https://arxiv.org/abs/1706.03762v7",
                        "pdf_url": "https://arxiv.org/pdf/1706.03762v7",
                    }
                ],
            },
        )

    def test_text_has_what_a_reader_needs(self):
        self.serve_feed(feed(ATTENTION, total=40))
        self.assertEqual(
            self.expect(0, "attention").out,
            (
                "1. Attention Is All You Need\n"
                "   arXiv:1706.03762v7 [cs.CL] 2017-06-12, updated 2023-08-02\n"
                "   Ashish Vaswani, Noam Shazeer\n"
                "   The dominant sequence transduction models are based on complex recurrent or convolutional neural networks "
                "&\n   an encoder.\n"
                "   https://arxiv.org/abs/1706.03762v7  PDF: https://arxiv.org/pdf/1706.03762v7\n"
                "\n1 of 40 papers\n"
            ),
        )

    def test_nothing_found_is_not_an_error(self):
        self.serve_feed(feed())
        self.assertEqual(self.expect(0, "qwertz").out, "No paper matches.\n")

    def test_words_and_options_become_a_query(self):
        self.assertEqual(self.query_of("graph", "neural nets"), "all:graph AND all:neural AND all:nets")
        self.assertEqual(self.query_of('"chain of thought" prompting'), 'all:"chain of thought" AND all:prompting')
        self.assertEqual(
            self.query_of("x", "--author", "Yoshua Bengio", "--category", "cs.LG", "--category", "stat.ML"),
            'all:x AND au:"Yoshua Bengio" AND (cat:cs.LG OR cat:stat.ML)',
        )
        self.assertEqual(
            self.query_of("--title", "deep learning", "--since", "2024-01-31"),
            "ti:deep AND ti:learning AND submittedDate:[202401310000 TO 209912312359]",
        )
        self.assertEqual(self.query_of("ti:a OR ti:b"), "ti:a OR ti:b")
        self.assertEqual(self.query_of("ti:a OR ti:b", "--category", "cs.LG"), "(ti:a OR ti:b) AND cat:cs.LG")

    def test_signs_of_the_query_language_in_words_do_no_harm(self):
        self.assertEqual(self.query_of('f(x) "half a quote'), 'all:"f x" AND all:half AND all:a AND all:quote')
        self.assertEqual(self.query_of("x", "--author", 'a" OR all:"b'), 'all:x AND au:"a OR all b"')

    def test_ids_are_taken_in_every_form(self):
        server = self.serve_feed(feed(ATTENTION, OLD))
        ran = self.expect(
            0,
            "--json",
            "--id",
            "https://arxiv.org/abs/1706.03762v7,arXiv:hep-ex/0307015",
            "--id",
            "http://arxiv.org/pdf/1706.03762v7.pdf",
        )
        self.assertEqual(self.asked(server)[0]["id_list"], "1706.03762v7,hep-ex/0307015,1706.03762v7")
        self.assertEqual([paper["id"] for paper in ran.json["papers"]], ["1706.03762", "hep-ex/0307015"])

    def test_an_id_that_does_not_exist_is_named(self):
        self.serve_feed(feed(ATTENTION))
        ran = self.expect(3, "--json", "--id", "1706.03762,2401.99999")
        self.assertEqual(ran.json["missing"], ["2401.99999"])
        self.assertEqual(ran.err, "search_arxiv: arXiv has no 2401.99999\n")

    def test_bibtex_stays_whole_whatever_a_title_holds(self):
        self.serve_feed(feed(ATTENTION, OLD))
        self.assertEqual(
            self.expect(0, "--id", "1706.03762,hep-ex/0307015", "--bibtex").out,
            """\
@misc{vaswani2017attention,
  title = {{Attention Is All You Need}},
  author = {Ashish Vaswani and Noam Shazeer},
  year = {2017},
  eprint = {1706.03762},
  archivePrefix = {arXiv},
  primaryClass = {cs.CL},
  url = {https://arxiv.org/abs/1706.03762v7},
}

@misc{muller200350,
  title = {{50\\% of $m_x$ \\& more\\_stuff  é}},
  author = {Jürgen Müller},
  year = {2003},
  eprint = {hep-ex/0307015},
  archivePrefix = {arXiv},
  primaryClass = {hep-ex},
  doi = {10.1140/epjc/s2003-01326-x},
  note = {Eur.Phys.J. C31 (2003) 17-29},
  url = {https://arxiv.org/abs/hep-ex/0307015v1},
}
""",
        )

    def test_more_than_a_page_is_fetched_page_by_page(self):
        def answer(request):
            asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.path).query))
            start, count = int(asked["start"]), int(asked["max_results"])
            entries = [numbered(n) for n in range(start, min(230, start + count))]
            return 200, {}, feed(*entries, total=230, start=start)

        server = self.serve(answer)
        ran = self.expect(0, "x", "--max-results", 500, "--delay", 0, "--json", "--base-url", server.url)
        self.assertEqual(ran.json["count"], 230)
        self.assertEqual(
            [(one["start"], one["max_results"]) for one in self.asked(server)],
            [("0", "100"), ("100", "100"), ("200", "100")],
        )

    def test_a_busy_server_is_asked_again_after_the_time_it_names(self):
        answers = [
            (503, {"Retry-After": "0"}, b"busy"),
            (429, {"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}, b""),
            (200, {}, feed(ATTENTION)),
        ]
        server = self.serve(lambda request: answers[len(server.requests) - 1])
        self.assertEqual(self.expect(0, "x", "--json", "--base-url", server.url).json["count"], 1)
        self.assertEqual(len(server.requests), 3)

    def test_a_server_that_stays_busy_is_left_alone(self):
        server = self.serve_feed(b"", 503, **{"Retry-After": "0"})
        self.assertEqual(self.expect(1, "x").err, "search_arxiv: arXiv is busy: it answered 503 4 times\n")
        self.assertEqual(len(server.requests), 4)

    def test_nobody_waits_for_an_hour(self):
        server = self.serve_feed(b"", 503, **{"Retry-After": "3600"})
        self.assertEqual(self.expect(1, "x").err, "search_arxiv: arXiv is busy and asks to come back in 3600 seconds\n")
        self.assertEqual(len(server.requests), 1)

    def test_what_the_api_refuses_is_said_in_its_own_words(self):
        for status in (200, 400):
            self.serve_feed(feed(ERROR), status)
            self.assertEqual(
                self.expect(1, "x").err,
                "search_arxiv: arXiv refused the question: incorrect id format for 1234.12345678\n",
            )
        self.serve_feed(b"<html>gone</html>", 404)
        self.assertEqual(self.expect(1, "x").err, "search_arxiv: arXiv answered 404 Not Found\n")

    def test_without_a_network_it_says_what_to_do(self):
        self.environment["ARXIV_API_URL"] = "http://127.0.0.1:%d/" % free_port()
        ran = self.expect(1, "x")
        self.assertRegex(ran.err, r"^search_arxiv: cannot reach 127.0.0.1:\d+: .*Connection refused.*host gateway")
        self.assertEqual(ran.out, "")

    def test_a_saved_answer_is_read_without_asking_anybody(self):
        self.environment["ARXIV_API_URL"] = "http://127.0.0.1:%d/" % free_port()
        saved = self.file("saved.xml", feed(ATTENTION))
        self.assertEqual(self.expect(0, "--feed", saved, "--json").json["count"], 1)
        self.assertEqual(self.expect(0, "--feed", "-", "--json", given=saved.read_bytes()).json["count"], 1)
        self.assertRegex(self.expect(1, "--feed", "no-such-file").err, "cannot read no-such-file: No such file")

    def test_entities_are_never_expanded(self):
        bombs = [
            b'<!DOCTYPE f [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;">]><feed>&b;</feed>',
            b'<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feed>&x;</feed>',
            b'<!DOCTYPE feed SYSTEM "http://127.0.0.1:1/x.dtd"><feed/>',
        ]
        for bomb in bombs:
            ran = self.expect(1, "--feed", "-", given=b'<?xml version="1.0"?>' + bomb)
            self.assertEqual(
                ran.err,
                "search_arxiv: the answer has a document type, which no feed of arXiv has; it was " "not read\n",
            )

    def test_what_is_no_feed_is_refused_in_words(self):
        for body, reason in (
            (b"", "not well-formed"),
            (b"<feed", "not well-formed"),
            (b"\xff\xfe\0", "not well-formed"),
            (b"<html></html>", "no Atom feed"),
            (b"<a>" * 5000, "nested too deeply"),
            (b'<?xml version="1.0" encoding="x-none"?><feed/>', "not well-formed|cannot be decoded"),
        ):
            self.assertRegex(self.expect(1, "--feed", "-", given=body).err, "^search_arxiv: the answer .*(%s)" % reason)

    def test_an_endless_answer_is_cut_off(self):
        self.serve_feed(b"x" * (17 << 20))
        self.assertEqual(self.expect(1, "x").err, "search_arxiv: the answer is larger than 16 MiB and was not read\n")

    def test_an_answer_that_breaks_off_is_an_error(self):
        self.serve_feed(feed(ATTENTION)[:200], **{"Content-Length": "100000"})
        self.assertRegex(self.expect(1, "x").err, "^search_arxiv: ")

    def test_odd_entries_are_left_out_or_cleaned(self):
        nameless = "<entry><id>http://arxiv.org/abs/2401.00001v1</id></entry>"
        foreign = "<entry><id>http://evil.example/2401.00001</id><title>t</title></entry>"
        signs = ATTENTION.replace("Noam Shazeer", "N\u202eoam \u200bShazeer\x7f")
        papers = self.expect(0, "--feed", "-", "--json", given=feed(nameless, foreign, signs)).json["papers"]
        self.assertEqual([paper["authors"] for paper in papers], [["Ashish Vaswani", "Noam Shazeer"]])

    def test_wrong_use_says_what_is_wrong(self):
        for arguments, reason in (
            ([], "nothing to look for"),
            (["--id", "abc"], "'abc' is not an id of arXiv"),
            (["x", "--max-results", "0"], "from 1 to 500"),
            (["x", "--max-results", "many"], "invalid int value"),
            (["x", "--since", "May"], "'May' is not a day"),
            (["x", "--category", "!!"], "a category looks like"),
            (["x", "--base-url", "file:///etc/passwd"], "must begin with http"),
            (["--id", "1706.03762/../../x"], "is not an id"),
        ):
            self.assertRegex(self.expect(2, *arguments).err, reason)

    def test_help_lists_every_option(self):
        text = self.expect(0, "--help").out
        self.assertLessEqual(
            {"--author", "--id", "--json", "--bibtex", "--feed", "--base-url"}, set(re.findall(r"--[a-z-]+", text))
        )


if __name__ == "__main__":
    unittest.main()
