"""The google-workspace skill: reading mail, appointments and files."""
import base64
import json
import os
import unittest

from google_case import READ_ALL, GoogleCase


def encoded(text):
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def mail(identity="m1", **more):
    headers = [
        {"name": "From", "value": "Ada <ada@x.example>"},
        {"name": "Subject", "value": "Engines\x1b[31m \u202eback"},
        {"name": "Date", "value": "Fri, 31 May 2024 12:00:00 +0000"},
        {"name": "To", "value": "me@x.example"},
    ]
    return dict(
        {
            "id": identity,
            "threadId": "t1",
            "labelIds": ["UNREAD"],
            "snippet": "I &amp; you",
            "payload": {"headers": headers},
        },
        **more,
    )


CARD = {
    "id": "m1",
    "thread": "t1",
    "from": "Ada <ada@x.example>",
    "to": "me@x.example",
    "subject": "Engines[31m back",
    "date": "Fri, 31 May 2024 12:00:00 +0000",
    "unread": True,
    "snippet": "I & you",
}


class GoogleQueryTest(GoogleCase):
    script = GoogleCase.folder_of_scripts + "google_query.py"

    def setUp(self):
        super().setUp()
        self.environment["TZ"] = "UTC"

    def test_mail_is_searched(self):
        self.sign_in()
        self.answers.update(
            {"/gmail/users/me/messages": {"messages": [{"id": "m1"}]}, "/gmail/users/me/messages/m1": mail()}
        )
        self.assertEqual(
            self.expect(0, "gmail", "search", "from:ada is:unread", "--max", 5, "--json").json, {"messages": [CARD]}
        )
        self.assertEqual(self.asked()[0], ("/gmail/users/me/messages", {"q": "from:ada is:unread", "maxResults": "5"}))
        self.assertEqual(self.google.requests[0].headers["Authorization"], "Bearer SECRET-access")
        self.assertEqual(self.expect(0, "gmail", "search").out.split("\n")[2], "from: Ada <ada@x.example>")

    def test_a_mail_is_read_with_its_text_and_attachments(self):
        self.sign_in()
        parts = [
            {
                "mimeType": "multipart/alternative",
                "parts": [
                    {"mimeType": "text/plain", "body": {"data": encoded("Dear you,\n\ngrüße \x1b[2J")}},
                    {"mimeType": "text/html", "body": {"data": encoded("<p>no</p>")}},
                ],
            },
            {"mimeType": "application/pdf", "filename": "a.pdf", "body": {"size": 12, "attachmentId": "x"}},
        ]
        payload = dict(mail()["payload"], mimeType="multipart/mixed", parts=parts)
        self.answers["/gmail/users/me/messages/m1"] = mail(payload=payload)
        self.assertEqual(
            self.expect(0, "gmail", "read", "m1", "--json").json,
            dict(
                CARD,
                text="Dear you,\n\ngrüße [2J",
                attachments=[{"name": "a.pdf", "type": "application/pdf", "bytes": 12}],
            ),
        )

    def test_a_mail_of_html_is_read_as_text(self):
        self.sign_in()
        page = "<head><style>x</style></head><p>Hello<br>there &lt;you&gt;<script>evil()</script></p><p>Bye</p>"
        self.answers["/gmail/users/me/messages/m1"] = mail(
            payload={"mimeType": "text/html", "body": {"data": encoded(page)}}
        )
        self.assertEqual(self.expect(0, "gmail", "read", "m1", "--json").json["text"], "Hello\nthere <you>\n\nBye")

    def test_a_mail_made_to_waste_time_is_read_all_the_same(self):
        self.sign_in()
        for text in ("<script" * 100000, "<" * 500000, "<!--" * 100000, "\n" * 500000):
            self.answers["/gmail/users/me/messages/m1"] = mail(
                payload={"mimeType": "text/html", "body": {"data": encoded(text)}}
            )
            self.expect(0, "gmail", "read", "m1")

    def test_odd_answers_do_no_harm(self):
        self.sign_in()
        deep = {"mimeType": "text/plain", "body": {"data": encoded("deep")}}
        for _ in range(200):
            deep = {"parts": [deep]}
        for payload in (
            None,
            [],
            {"headers": 5, "parts": [1, None, {"body": {"data": "%%%"}, "mimeType": "text/plain"}]},
            deep,
        ):
            self.answers["/gmail/users/me/messages/m1"] = {"payload": payload, "labelIds": 7, "snippet": {"a": 1}}
            self.expect(0, "gmail", "read", "m1", "--json")
        self.answers["/gmail/users/me/messages"] = {"messages": [{"id": "../../../evil"}]}
        self.assertRegex(self.expect(2, "gmail", "search").err, "is not an id")

    def test_labels_and_calendars_are_listed(self):
        self.sign_in()
        self.answers.update(
            {
                "/gmail/users/me/labels": {"labels": [{"id": "L1", "name": "Work"}]},
                "/calendar/users/me/calendarList": {"items": [{"id": "a@b", "summary": "Mine", "primary": True}]},
            }
        )
        self.assertEqual(self.expect(0, "gmail", "labels").out, "id: L1\nname: Work\n")
        self.assertEqual(
            self.expect(0, "calendar", "list", "--json").json,
            {"calendars": [{"id": "a@b", "name": "Mine", "primary": True}]},
        )

    def test_appointments_of_a_day(self):
        self.sign_in()
        self.answers["/calendar/calendars/team%40x.example/events"] = {
            "items": [
                {
                    "id": "e1",
                    "summary": "Talk",
                    "start": {"dateTime": "2024-05-31T14:30:00Z"},
                    "end": {"dateTime": "2024-05-31T15:00:00Z"},
                    "location": "Room 1",
                    "description": "<b>bring</b> tea",
                    "attendees": [{"email": "ada@x.example"}],
                    "status": "confirmed",
                },
                {"id": "e2", "summary": "Holiday", "start": {"date": "2024-05-31"}, "end": {"date": "2024-06-01"}},
            ]
        }
        found = self.expect(
            0,
            "calendar",
            "events",
            "tea",
            "--since",
            "2024-05-31",
            "--until",
            "2024-05-31",
            "--calendar",
            "team@x.example",
            "--json",
        ).json["events"]
        self.assertEqual(
            [(one["title"], one["start"], one["notes"], one["with"]) for one in found],
            [("Talk", "2024-05-31T14:30:00Z", "bring tea", ["ada@x.example"]), ("Holiday", "2024-05-31", "", [])],
        )
        self.assertEqual(
            self.asked()[0][1],
            {
                "timeMin": "2024-05-31T00:00:00+00:00",
                "timeMax": "2024-06-01T00:00:00+00:00",
                "q": "tea",
                "maxResults": "10",
                "singleEvents": "true",
                "orderBy": "startTime",
            },
        )
        self.assertRegex(self.expect(2, "calendar", "events", "--since", "soon").err, "'soon' is no time")

    def test_files_are_searched_and_quotes_in_words_do_no_harm(self):
        self.sign_in()
        self.answers["/drive/files"] = {
            "files": [
                {
                    "id": "f1",
                    "name": "Report",
                    "mimeType": "application/pdf",
                    "size": "12",
                    "owners": [{"emailAddress": "ada@x.example"}],
                }
            ]
        }
        found = self.expect(0, "drive", "search", "it's \\ 'x' or trashed", "--json").json["files"]
        self.assertEqual((found[0]["name"], found[0]["owner"]), ("Report", "ada@x.example"))
        self.assertEqual(
            self.asked()[0][1]["q"],
            "(name contains 'it\\'s \\\\ \\'x\\' or trashed' or fullText contains "
            "'it\\'s \\\\ \\'x\\' or trashed') and trashed = false",
        )
        self.expect(0, "drive", "search", "--raw", "name = 'a'")
        self.assertEqual(self.asked()[1][1]["q"], "name = 'a'")

    def test_files_are_downloaded_whole(self):
        self.sign_in()
        target = self.folder / "out.bin"
        self.answers["/drive/files/f1"] = [
            {"id": "f1", "name": "x", "mimeType": "application/pdf"},
            (200, {}, b"\0binary" * 1000),
        ]
        self.assertEqual(self.expect(0, "drive", "download", "f1", "--output", target, "--json").json["written"], 7000)
        self.assertEqual(target.read_bytes(), b"\0binary" * 1000)
        self.assertEqual(self.asked()[1][1], {"alt": "media"})
        self.answers["/drive/files/f2"] = {"id": "f2", "mimeType": "application/vnd.google-apps.document"}
        self.answers["/drive/files/f2/export"] = (200, {}, b"text")
        self.expect(0, "drive", "download", "f2", "--output", target)
        self.assertEqual((target.read_bytes(), self.asked()[3][1]), (b"text", {"mimeType": "text/plain"}))

    def test_a_download_that_fails_leaves_nothing_behind(self):
        self.sign_in()
        target = self.folder / "out.bin"
        self.answers["/drive/files/f1"] = [
            {"id": "f1", "mimeType": "text/plain"},
            (200, {"Content-Length": "100"}, b"cut off"),
        ]
        self.expect(1, "drive", "download", "f1", "--output", target)
        self.answers["/drive/files/f1"] = [{"id": "f1", "mimeType": "text/plain"}, (403, {}, b"{}")]
        self.expect(1, "drive", "download", "f1", "--output", target)
        self.answers["/drive/files/f1"] = {"id": "f1", "mimeType": "application/vnd.google-apps.folder"}
        self.assertRegex(
            self.expect(1, "drive", "download", "f1", "--output", target).err, "a folder cannot be downloaded"
        )
        self.assertEqual([name for name in os.listdir(str(self.folder)) if "out" in name or "download" in name], [])
        self.answers["/drive/files/f1"] = {"id": "f1", "mimeType": "text/plain"}
        self.assertRegex(self.expect(1, "drive", "download", "f1", "--output", "no/where").err, "cannot write no/where")

    def test_an_old_token_is_renewed_first(self):
        self.sign_in(expiry="2001-01-01T00:00:00.123456Z")
        self.answers.update(
            {"/token": {"access_token": "SECRET-renewed", "expires_in": 3600}, "/gmail/users/me/labels": {}}
        )
        self.expect(0, "gmail", "labels")
        self.assertEqual([one.path for one in self.google.requests], ["/token", "/gmail/users/me/labels"])
        self.assertEqual(self.google.requests[1].headers["Authorization"], "Bearer SECRET-renewed")
        self.assertEqual(self.stored()["token"], "SECRET-renewed")

    def test_a_token_that_cannot_be_stored_is_good_for_this_run(self):
        # A home in which there is room for the file's name, but not for the longer one of a new file beside it: this
        # holds for root as well.
        self.home = self.folder
        while len(str(self.home)) < 4077:
            self.home = self.home / ("x" * min(200, 4076 - len(str(self.home))))
        self.home.mkdir(parents=True)
        self.environment["TALARIA_HOME"] = str(self.home)
        before = self.sign_in(expiry="2001-01-01T00:00:00Z").read_text()
        self.answers.update({"/token": {"access_token": "SECRET-renewed"}, "/gmail/users/me/labels": {}})
        self.expect(0, "gmail", "labels")
        self.assertEqual(self.google.requests[1].headers["Authorization"], "Bearer SECRET-renewed")
        self.assertEqual(self.stored(), json.loads(before))
        self.assertRegex(
            self.expect(1, "refresh", script=GoogleCase.folder_of_scripts + "setup.py").err,
            "cannot write .*File name too long",
        )

    def test_a_token_that_is_refused_is_renewed_once(self):
        self.sign_in()
        self.answers.update(
            {"/token": {"access_token": "SECRET-renewed"}, "/gmail/users/me/labels": [(401, {}, b"{}"), {}]}
        )
        self.expect(0, "gmail", "labels")
        self.answers["/gmail/users/me/labels"] = (401, {}, b'{"error": {"message": "Invalid Credentials"}}')
        self.assertRegex(self.expect(5, "gmail", "labels").err, "does not accept the sign-in: Invalid Credentials")

    def test_a_busy_server_is_asked_again(self):
        self.sign_in()
        self.answers["/gmail/users/me/labels"] = [
            (429, {"Retry-After": "0"}, b""),
            (503, {"Retry-After": "0"}, b""),
            {},
        ]
        self.expect(0, "gmail", "labels")
        self.answers["/gmail/users/me/labels"] = (503, {"Retry-After": "7200"}, b"")
        self.assertRegex(self.expect(1, "gmail", "labels").err, r"gmail refused \(503\)")
        self.assertEqual(len(self.google.requests), 4)

    def test_refusals_are_told_apart(self):
        self.sign_in()
        for status, words, code, reason in (
            (404, "Requested entity was not found.", 4, "gmail has no such thing"),
            (403, "Gmail API has not been used in project 1 before or it is disabled.", 5, "is not enabled"),
            (403, "Rate\x1b[2J limit", 1, r"gmail refused \(403\): Rate \[2J limit"),
            (302, "", 1, r"gmail refused \(302\)"),
        ):
            self.answers["/gmail/users/me/messages/m1"] = (
                status,
                {"Location": "http://127.0.0.1:1/"},
                json.dumps({"error": {"message": words}}).encode(),
            )
            self.assertRegex(self.expect(code, "gmail", "read", "m1").err, reason)

    def test_what_the_person_did_not_allow_is_not_asked_for(self):
        self.sign_in(scopes=READ_ALL[:1])
        self.assertRegex(
            self.expect(5, "drive", "search").err,
            "did not allow drive; sign in again with: setup.py auth-url --services gmail,drive",
        )
        self.assertEqual(self.google.requests, [])

    def test_without_a_set_up_it_says_so(self):
        self.assertRegex(self.expect(5, "gmail", "labels").err, "there is no .*google_token.json; run the set-up first")
        for content in ("x", "[]", "{}", '{"token": "SECRET-access\\nX-Evil: 1", "expiry": "2099-01-01T00:00:00Z"}'):
            self.put("google_token.json", content)
            self.expect(5, "gmail", "labels")
        self.assertEqual(self.google.requests, [])

    def test_endless_and_broken_answers(self):
        self.sign_in()
        for answer, reason in (
            ((200, {}, b"x" * (33 << 20)), "larger than 32 MiB"),
            ((200, {}, b"[]"), "something else than a JSON object"),
            ((200, {}, b'{"a":' * 100000), "something else than a JSON object"),
        ):
            self.answers["/gmail/users/me/labels"] = answer
            self.assertRegex(self.expect(1, "gmail", "labels").err, reason)

    def test_wrong_use(self):
        self.sign_in()
        for arguments, reason in (
            ([], "say what to read"),
            (["gmail"], "required"),
            (["gmail", "send"], "invalid choice"),
            (["gmail", "read", "a/b"], "'a/b' is not an id"),
            (["gmail", "search", "--max", "51"], "from 1 to 50"),
            (["drive", "download", "x"], "required: --output"),
        ):
            self.assertRegex(self.expect(2, *arguments).err, reason)
        self.assertRegex(self.expect(0, "--help").out, "(?s)gmail.*Exit codes: 0 .*1 .*2 .*4 ")


if __name__ == "__main__":
    unittest.main()
