"""A Google on loopback, for the tests of the google-workspace skill."""
import json
import urllib.parse

from skill_case import SkillCase

CLIENT = {
    "installed": {
        "client_id": "id.apps.example",
        "client_secret": "SECRET-of-client",
        "auth_uri": "https://evil.example/auth",
        "token_uri": "https://evil.example/token",
    }
}
# Whatever goes wrong, none of these may be seen.
SECRETS = ("SECRET-of-client", "SECRET-access", "SECRET-renewed", "SECRET-refresh", "SECRET-code")
READ_ALL = ["https://www.googleapis.com/auth/%s.readonly" % name for name in ("gmail", "calendar", "drive")]


class GoogleCase(SkillCase):
    folder_of_scripts = "optional-skills/productivity/google-workspace/scripts/"

    def setUp(self):
        super().setUp()
        self.home = self.folder / "talaria-home"
        self.environment["TALARIA_HOME"] = str(self.home)
        self.answers = {}
        self.google = self.serve(self.answer)
        self.environment["GOOGLE_WORKSPACE_ENDPOINT"] = self.google.url

    def answer(self, request):
        """By path; an answer is an object, or (status, headers, body), or a list of these for one request each."""
        given = self.answers.get(
            urllib.parse.urlsplit(request.path).path, (404, {}, b'{"error": {"message": "Not Found"}}')
        )
        if isinstance(given, list):
            given = given.pop(0)
        return given if isinstance(given, tuple) else (200, {}, json.dumps(given).encode())

    def expect(self, code, *arguments, **how):
        ran = super().expect(code, *arguments, **how)
        for secret in SECRETS:
            self.assertNotIn(secret, ran.out + ran.err)
        return ran

    def put(self, name, content, mode=0o600):
        self.home.mkdir(exist_ok=True)
        path = self.home / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        path.chmod(mode)
        return path

    def sign_in(self, expiry="2099-01-01T00:00:00Z", **more):
        """As after a set-up that went well."""
        return self.put(
            "google_token.json",
            dict(
                {
                    "token": "SECRET-access",
                    "refresh_token": "SECRET-refresh",
                    "client_id": "id.apps.example",
                    "client_secret": "SECRET-of-client",
                    "scopes": READ_ALL,
                    "expiry": expiry,
                },
                **more,
            ),
        )

    def stored(self):
        return json.loads((self.home / "google_token.json").read_text())

    def asked(self):
        """(path, query or form) of all requests so far."""
        found = []
        for one in self.google.requests:
            parts = urllib.parse.urlsplit(one.path)
            found.append((parts.path, dict(urllib.parse.parse_qsl(one.body.decode() if one.body else parts.query))))
        return found
