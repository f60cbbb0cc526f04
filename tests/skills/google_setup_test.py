"""The google-workspace skill: signing in, and keeping what that gave."""
import json
import os
import stat
import subprocess
import sys
import unittest
import unittest.mock
import urllib.parse
import urllib.request

from google_case import CLIENT, READ_ALL, GoogleCase
from skill_case import ROOT, free_port

GRANTED = {
    "access_token": "SECRET-access",
    "refresh_token": "SECRET-refresh",
    "expires_in": 3599,
    "token_type": "Bearer",
    "scope": " ".join(READ_ALL),
}


class GoogleSetupTest(GoogleCase):
    script = GoogleCase.folder_of_scripts + "setup.py"

    def begin(self):
        self.put("google_client_secret.json", CLIENT)
        url = self.expect(0, "auth-url", "--json").json["url"]
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))

    def mode(self, name):
        return stat.S_IMODE(os.stat(str(self.home / name)).st_mode)

    def test_the_client_is_kept_for_its_owner_alone(self):
        given = self.file("downloaded.json", json.dumps(CLIENT))
        ran = self.expect(0, "client-secret", given)
        self.assertEqual(
            ran.out, "kept as %s/google_client_secret.json; the file you gave can be deleted\n" % self.home
        )
        self.assertEqual(json.loads((self.home / "google_client_secret.json").read_text()), CLIENT)
        self.assertEqual((self.mode("google_client_secret.json"), self.mode(".")), (0o600, 0o700))
        self.expect(0, "client-secret", "-", given=json.dumps(CLIENT).encode())

    def test_what_is_no_client_is_refused(self):
        for content, reason in (
            ("{}", "not the JSON file of an OAuth client"),
            ('{"web": {}}', "make one of the type Desktop app"),
            ('{"installed": {"client_id": 5, "client_secret": "x"}}', "not the JSON file"),
            ("[]", "not a JSON object"),
            ("x", "not a JSON object"),
            ("[" * 100000, "not a JSON object"),
        ):
            self.assertRegex(self.run_script("client-secret", self.file("x.json", content)).err, "^setup: .*" + reason)
        self.assertRegex(self.expect(2, "client-secret", "none.json").err, "there is no file none.json")
        self.assertRegex(self.expect(2, "client-secret", "-", given=b"nonsense").err, "what came in is not JSON")
        self.assertFalse(self.home.exists())

    def test_the_address_asks_for_reading_only_and_for_nothing_secret(self):
        asked = self.begin()
        self.assertEqual(
            {
                name: asked[name]
                for name in (
                    "client_id",
                    "redirect_uri",
                    "response_type",
                    "access_type",
                    "prompt",
                    "code_challenge_method",
                )
            },
            {
                "client_id": "id.apps.example",
                "redirect_uri": "http://127.0.0.1:1",
                "response_type": "code",
                "access_type": "offline",
                "prompt": "consent",
                "code_challenge_method": "S256",
            },
        )
        self.assertEqual(asked["scope"].split(), READ_ALL)
        self.assertEqual(self.mode("google_auth_pending.json"), 0o600)
        self.environment.pop("GOOGLE_WORKSPACE_ENDPOINT")
        self.assertRegex(
            self.expect(0, "auth-url", "--services", "drive").out,
            r"\n\nhttps://accounts\.google\.com/o/oauth2/v2/auth\?.*drive.readonly",
        )

    def test_an_address_with_a_code_becomes_a_token(self):
        asked = self.begin()
        self.answers["/token"] = GRANTED
        back = "http://127.0.0.1:1/?state=%s&code=4/0SECRET-code&scope=x" % asked["state"]
        ran = self.expect(0, "auth-code", back)
        self.assertEqual(ran.out, "signed in for gmail, calendar, drive\n")
        ((path, form),) = self.asked()
        self.assertEqual(
            (path, form["code"], form["grant_type"], form["redirect_uri"], form["client_secret"]),
            ("/token", "4/0SECRET-code", "authorization_code", "http://127.0.0.1:1", "SECRET-of-client"),
        )
        import base64
        import hashlib

        challenge = (
            base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        )
        self.assertEqual(challenge, asked["code_challenge"])
        token = self.stored()
        self.assertEqual(
            (token["token"], token["refresh_token"], token["scopes"]), ("SECRET-access", "SECRET-refresh", READ_ALL)
        )
        self.assertEqual(self.mode("google_token.json"), 0o600)
        self.assertEqual(sorted(os.listdir(str(self.home))), ["google_client_secret.json", "google_token.json"])
        self.assertEqual(self.expect(0, "status").out, "ready for gmail, calendar, drive\n")

    def test_a_bare_code_from_stdin_will_do(self):
        self.begin()
        self.answers["/token"] = GRANTED
        self.expect(0, "auth-code", "-", given=b"4/0SECRET-code\n")
        self.assertEqual(self.asked()[0][1]["code"], "4/0SECRET-code")

    def test_answers_that_do_not_fit_are_refused_unasked(self):
        self.begin()
        for address, reason in (
            ("http://127.0.0.1:1/?state=other&code=SECRET-code", "belongs to another sign-in"),
            ("http://127.0.0.1:1/?code=SECRET-code", "belongs to another sign-in"),
            ("http://127.0.0.1:1/?error=access_denied", "Google says: access_denied"),
            ("http://127.0.0.1:1/", "there is no code in this address"),
            ("a b", "neither the address"),
            ("", "neither the address"),
        ):
            ran = self.run_script("auth-code", address)
            self.assertNotEqual(ran.code, 0)
            self.assertRegex(ran.err, "^setup: .*" + reason)
        self.assertEqual(self.google.requests, [])
        self.assertFalse((self.home / "google_token.json").exists())

    def test_a_sign_in_that_was_never_begun_or_long_ago_is_refused(self):
        self.put("google_client_secret.json", CLIENT)
        self.assertRegex(self.expect(5, "auth-code", "abcdef").err, "no sign-in was begun within the last hour")
        self.put("google_auth_pending.json", {"verifier": "v", "state": "s", "redirect": "r", "began": 1})
        self.assertRegex(self.expect(5, "auth-code", "abcdef").err, "no sign-in was begun within the last hour")

    def test_what_google_refuses_is_said_without_secrets(self):
        self.begin()
        for answer, code, reason in (
            ((400, {}, b'{"error": "invalid_grant"}'), 5, "no longer accepts this sign-in"),
            ((401, {}, b'{"error": "invalid_client", "error_description": "Unknown"}'), 5, r"\(401\): Unknown"),
            ((500, {}, b"<html>"), 5, r"\(500\): no reason given"),
            ((200, {}, b"[]"), 1, "something else than a JSON"),
            ((200, {}, b"{}"), 1, "gave no token"),
            ((302, {"Location": "http://evil.example/"}, b""), 5, r"\(302\)"),
            (dict(GRANTED, refresh_token=None), 1, "no right to renew"),
        ):
            self.answers["/token"] = answer
            self.assertRegex(self.expect(code, "auth-code", "SECRET-code").err, reason)
            self.assertFalse((self.home / "google_token.json").exists())

    def test_login_waits_for_the_browser(self):
        self.put("google_client_secret.json", CLIENT)
        self.answers["/token"] = GRANTED
        process = subprocess.Popen(
            [sys.executable, str(ROOT / self.script), "login"], env=self.environment, stdout=subprocess.PIPE
        )
        self.addCleanup(process.kill)
        url = next(line for line in iter(process.stdout.readline, b"") if b"://" in line).decode()
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url.strip()).query))
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with self.assertRaises(urllib.error.HTTPError):
            direct.open(asked["redirect_uri"] + "/favicon.ico")
        with direct.open(asked["redirect_uri"] + "/?code=SECRET-code&state=" + asked["state"]) as page:
            self.assertEqual(page.read(), b"You can close this window and go back.")
        self.assertEqual(process.communicate(timeout=60)[0], b"signed in for gmail, calendar, drive\n")
        self.assertEqual(self.stored()["token"], "SECRET-access")

    def test_login_does_not_wait_for_ever(self):
        self.put("google_client_secret.json", CLIENT)
        self.assertRegex(
            self.expect(1, "login", "--timeout", "1").err, "nobody came back from the browser within 1 seconds"
        )

    def test_status_tells_the_next_step(self):
        ran = self.expect(5, "status", "--json")
        self.assertEqual(
            ran.json,
            {
                "home": str(self.home),
                "client_secret": False,
                "token": False,
                "fresh": False,
                "expiry": "",
                "services": [],
                "ready": False,
                "message": "first of all: setup.py client-secret FILE",
            },
        )
        self.put("google_client_secret.json", CLIENT)
        self.assertEqual(self.expect(5, "status").out, "sign in next: setup.py auth-url\n")
        self.sign_in()
        self.assertTrue(self.expect(0, "status", "--json").json["fresh"])
        self.put("google_token.json", "[]")
        self.assertRegex(self.expect(5, "status").err, "google_token.json is not a JSON object")

    def test_a_token_is_renewed_and_keeps_what_it_had(self):
        self.sign_in(expiry="2001-01-01T00:00:00Z", account="ada")
        self.answers["/token"] = {"access_token": "SECRET-renewed", "expires_in": 60}
        self.assertEqual(self.expect(0, "refresh").out, "renewed\n")
        token = self.stored()
        self.assertEqual(
            (token["token"], token["refresh_token"], token["account"], token["scopes"]),
            ("SECRET-renewed", "SECRET-refresh", "ada", READ_ALL),
        )
        self.assertEqual(self.asked()[0][1]["grant_type"], "refresh_token")

    def test_a_failed_write_leaves_the_old_token(self):
        before = self.sign_in(expiry="2001-01-01T00:00:00Z").read_text()
        self.answers["/token"] = (400, {}, b'{"error": "invalid_grant"}')
        self.expect(5, "refresh")
        self.assertEqual(self.stored(), json.loads(before))

    def test_revoking_removes_the_file(self):
        self.sign_in()
        self.answers["/revoke"] = {}
        self.assertEqual(self.expect(0, "revoke").out, "withdrawn at Google, and the file was removed\n")
        self.assertEqual(self.asked(), [("/revoke", {"token": "SECRET-refresh"})])
        self.assertEqual(os.listdir(str(self.home)), [])
        self.assertRegex(self.expect(5, "revoke").err, "there is no .*google_token.json")

    def test_the_home_is_found_as_talaria_finds_it(self):
        self.environment["HERMES_HOME"] = str(self.folder / "hermes")
        self.assertEqual(self.expect(5, "status", "--json").json["home"], str(self.home))
        self.environment.pop("TALARIA_HOME")
        self.assertEqual(self.expect(5, "status", "--json").json["home"], str(self.folder / "hermes"))
        self.environment.pop("HERMES_HOME")
        self.assertEqual(self.expect(5, "status", "--json").json["home"], str(self.folder / "home" / ".talaria"))

    def test_only_this_machine_can_stand_in_for_google(self):
        self.begin()
        for elsewhere in (
            "http://evil.example",
            "https://127.0.0.1.evil.example",
            "http://127.0.0.1@evil.example",
            "ftp://127.0.0.1",
        ):
            self.environment["GOOGLE_WORKSPACE_ENDPOINT"] = elsewhere
            self.assertRegex(self.expect(2, "auth-code", "SECRET-code").err, "may only name this machine")

    def test_without_a_network_it_says_what_to_do(self):
        self.begin()
        self.environment["GOOGLE_WORKSPACE_ENDPOINT"] = "http://127.0.0.1:%d" % free_port()
        self.assertRegex(
            self.expect(1, "auth-code", "SECRET-code").err, "cannot reach 127.0.0.1:.*Connection refused.*host gateway"
        )

    def test_in_a_sandbox_nothing_is_set_up(self):
        sys.path.insert(0, str(ROOT / GoogleCase.folder_of_scripts))
        self.addCleanup(sys.path.pop, 0)
        import credentials
        import google_web

        with unittest.mock.patch.object(credentials, "SANDBOX_MARK", str(self.folder)):
            with self.assertRaisesRegex(google_web.Failure, "this runs in a sandbox of Talaria"):
                credentials.refuse_sandbox()
        with unittest.mock.patch.object(credentials, "SANDBOX_MARK", str(self.folder / "none")):
            credentials.refuse_sandbox()

    def test_wrong_use(self):
        self.assertRegex(self.expect(2).err, "say what to do")
        self.assertRegex(
            self.expect(2, "auth-url", "--services", "gmail,music").err, "services are gmail, calendar, drive"
        )
        self.assertRegex(
            self.expect(5, "auth-url").err, "there is no .*google_client_secret.json; run the set-up first"
        )
        self.assertRegex(self.expect(0, "--help").out, "(?s)client-secret.*revoke.*Exit codes: 0 ")


if __name__ == "__main__":
    unittest.main()
