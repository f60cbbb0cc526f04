"""The two files this skill keeps in the home of Talaria: who we are to Google, and what the person allowed us."""
import datetime
import json
import os
import re
import tempfile
import urllib.parse

from google_web import Failure, Refused, address_of, as_object, send

CLIENT_FILE = "google_client_secret.json"
TOKEN_FILE = "google_token.json"
PENDING_FILE = "google_auth_pending.json"
LARGEST_FILE = 1 << 20
SANDBOX_MARK = "/run/talaria/lib"  # there in sandboxes only
SERVICES = {
    "gmail": "https://www.googleapis.com/auth/gmail.readonly",
    "calendar": "https://www.googleapis.com/auth/calendar.readonly",
    "drive": "https://www.googleapis.com/auth/drive.readonly",
}
SET_UP = "run the set-up first: scripts/setup.py of this skill, on the plain host"


def home():
    return (
        os.environ.get("TALARIA_HOME")
        or os.environ.get("HERMES_HOME")
        or os.path.join(os.path.expanduser("~"), ".talaria")
    )


def path_of(name):
    return os.path.join(home(), name)


def refuse_sandbox():
    """A file that is written to a sandbox's private home is gone with it."""
    if os.path.isdir(SANDBOX_MARK):
        raise Failure(
            "this runs in a sandbox of Talaria, where nothing that is stored lasts: run it with host gateway", 2
        )


def read_object(path):
    """A JSON object from a file; None when there is no file."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Failure("cannot read %s: %s" % (path, error.strerror)) from None
    try:
        found = json.loads(data.decode("utf-8")) if len(data) <= LARGEST_FILE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Failure("%s is not a JSON object; %s" % (path, SET_UP), 5)
    return found


def store(name, content):
    """Puts a file into the home, whole or not at all, for nobody but its owner."""
    folder = home()
    beside = None
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor, beside = tempfile.mkstemp(prefix="." + name + "-", dir=folder)  # made with mode 0600
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, os.path.join(folder, name))
    except OSError as error:
        if beside and os.path.exists(beside):
            os.unlink(beside)
        raise Failure("cannot write %s: %s" % (os.path.join(folder, name), error.strerror)) from None


def remove(name):
    try:
        os.unlink(path_of(name))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Failure("cannot remove %s: %s" % (path_of(name), error.strerror)) from None


def check_client(content):
    """{client_id, client_secret} of the file that Google's console gives."""
    if "web" in content:
        raise Failure("this is a client of the type Web application; make one of the type Desktop app", 2)
    installed = content.get("installed")
    keys = ("client_id", "client_secret")
    if not isinstance(installed, dict) or not all(
        isinstance(installed.get(key), str) and installed[key] for key in keys
    ):
        raise Failure("this is not the JSON file of an OAuth client of the type Desktop app", 2)
    return {key: installed[key] for key in keys}


def load_client():
    content = read_object(path_of(CLIENT_FILE))
    if content is None:
        raise Failure("there is no %s; %s" % (path_of(CLIENT_FILE), SET_UP), 5)
    return check_client(content)


def ask_token(form):
    """What Google's token server answers. Neither the question nor the answer is ever shown."""
    try:
        answer = as_object(send(address_of("token"), form=form), "the token server")
    except Refused as refused:
        if refused.body.get("error") == "invalid_grant":
            raise Failure(
                "Google no longer accepts this sign-in: it has expired, was withdrawn, or the code was used "
                "before; sign in again with scripts/setup.py",
                5,
            ) from None
        raise Failure("Google refused the sign-in (%d): %s" % (refused.status, refused.words()), 5) from None
    if not isinstance(answer.get("access_token"), str) or not answer["access_token"]:
        raise Failure("the token server gave no token")
    return answer


def make_token(answer, client, before=None):
    """The file's content, in the form that Google's own libraries read."""
    before = before or {}
    seconds = answer.get("expires_in")
    seconds = seconds if isinstance(seconds, (int, float)) and 0 < seconds < 1e7 else 3600
    expiry = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    scope = answer.get("scope")
    return dict(
        before,
        token=answer["access_token"],
        refresh_token=answer.get("refresh_token") or before.get("refresh_token"),
        token_uri="https://oauth2.googleapis.com/token",
        client_id=client["client_id"],
        client_secret=client["client_secret"],
        expiry=expiry.strftime("%Y-%m-%dT%H:%M:%SZ"),
        scopes=scope.split() if isinstance(scope, str) and scope else before.get("scopes") or [],
    )


def services_of(token):
    scopes = token.get("scopes")
    scopes = scopes if isinstance(scopes, list) else str(scopes or "").split()
    return [
        name
        for name, scope in SERVICES.items()
        if scope in scopes
        or scope.replace(".readonly", "") in scopes
        or (name == "gmail" and "https://mail.google.com/" in scopes)
    ]


def is_fresh(token):
    """Whether it is good for another minute."""
    try:
        expiry = datetime.datetime.strptime(str(token.get("expiry"))[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return False
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=1)
    return expiry.replace(tzinfo=datetime.timezone.utc) > soon


class Session:
    """A sign-in that renews itself."""

    def __init__(self):
        self.token = read_object(path_of(TOKEN_FILE))
        if self.token is None:
            raise Failure("there is no %s; %s" % (path_of(TOKEN_FILE), SET_UP), 5)

    def renew(self, must_store=False):
        refresh = self.token.get("refresh_token")
        client = {key: self.token.get(key) for key in ("client_id", "client_secret")}
        if not all(client.values()):
            client = load_client()
        if not refresh:
            raise Failure("the sign-in cannot be renewed; sign in again with scripts/setup.py", 5)
        answer = ask_token(dict(client, grant_type="refresh_token", refresh_token=refresh))
        self.token = make_token(answer, client, self.token)
        try:
            store(TOKEN_FILE, self.token)
        except Failure:
            # In a sandbox the file can be read but not written; the new token then lasts as long as this program.
            if must_store:
                raise

    def header(self):
        if not self.token.get("token") or not is_fresh(self.token):
            self.renew()
        token = str(self.token["token"])
        if not re.fullmatch(r"[\x21-\x7e]{1,8192}", token):
            raise Failure("what %s holds is not a token; sign in again with scripts/setup.py" % path_of(TOKEN_FILE), 5)
        return {"Authorization": "Bearer " + token}

    def get(self, service, path, query=(), **how):
        """The body of what a service answers; the sign-in is renewed once if it is refused."""
        if service not in services_of(self.token) and services_of(self.token):
            raise Failure(
                "the person did not allow %s; sign in again with: setup.py auth-url --services %s"
                % (service, ",".join(services_of(self.token) + [service])),
                5,
            )
        url = address_of(service) + path
        pairs = [(name, value) for name, value in query if value not in (None, "")]
        if pairs:
            url += "?" + urllib.parse.urlencode(pairs)
        for turn in (1, 2):
            try:
                return send(url, self.header(), **how)
            except Refused as refused:
                if refused.status == 401 and turn == 1:
                    self.renew()
                    continue
                raise explain(service, refused) from None

    def get_object(self, service, path, query=()):
        return as_object(self.get(service, path, query), service)


def explain(service, refused):
    words = refused.words()
    if refused.status == 401:
        return Failure("Google does not accept the sign-in: %s" % words, 5)
    if refused.status == 403 and ("disabled" in words or "has not been used" in words):
        return Failure("the API of %s is not enabled for this project in Google's console: %s" % (service, words), 5)
    if refused.status == 404:
        return Failure("%s has no such thing: %s" % (service, words), 4)
    return Failure("%s refused (%d): %s" % (service, refused.status, words))
