"""Speaking HTTP with Google, and with nobody else."""
import http.client
import json
import os
import socket
import time
import urllib.error
import urllib.parse
import urllib.request

LARGEST_ANSWER = 32 << 20
TRIES = 3
LONGEST_WAIT = 30  # seconds that a server may ask us to wait
SECONDS = 30
ADDRESSES = {
    "auth": "https://accounts.google.com/o/oauth2/v2/auth",
    "token": "https://oauth2.googleapis.com/token",
    "revoke": "https://oauth2.googleapis.com/revoke",
    "gmail": "https://gmail.googleapis.com/gmail/v1",
    "calendar": "https://www.googleapis.com/calendar/v3",
    "drive": "https://www.googleapis.com/drive/v3",
}
OFFLINE = (
    "In a sandbox of Talaria the network is off unless its owner set sandbox.network to on: run the command with "
    "host gateway instead."
)


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Refused(Exception):
    """An answer that is not 2xx."""

    def __init__(self, status, body):
        super().__init__(status)
        self.status = status
        try:
            self.body = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            self.body = {}
        if not isinstance(self.body, dict):
            self.body = {}

    def words(self):
        """What Google says about it, on one line."""
        error = self.body.get("error")
        said = error.get("message") if isinstance(error, dict) else self.body.get("error_description") or error
        return (
            " ".join("".join(c if c.isprintable() else " " for c in str(said or "")).split())[:300] or "no reason given"
        )


def address_of(name):
    """Where a service is. GOOGLE_WORKSPACE_ENDPOINT puts all of them elsewhere, but only on this machine: whoever gets
    a request gets the token in it."""
    elsewhere = os.environ.get("GOOGLE_WORKSPACE_ENDPOINT")
    if not elsewhere:
        return ADDRESSES[name]
    parts = urllib.parse.urlsplit(elsewhere)
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Failure("GOOGLE_WORKSPACE_ENDPOINT may only name this machine, such as http://127.0.0.1:8000", 2)
    return elsewhere.rstrip("/") + "/" + name


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another host."""

    def redirect_request(self, *_):
        return None


def opener():
    handlers = [NoRedirects]
    if os.environ.get("GOOGLE_WORKSPACE_ENDPOINT"):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def read_all(answer, most=LARGEST_ANSWER, into=None):
    """The body, or how many bytes of it went into a file."""
    chunks, count, deadline = [], 0, time.monotonic() + 20 * SECONDS
    while True:
        chunk = answer.read1(1 << 16)
        if not chunk:
            # Nothing else tells an answer that broke off from one that ended.
            length = answer.headers.get("Content-Length", "")
            if length.isdecimal() and count < int(length[:19]):
                raise Failure("the answer broke off after %d of %s bytes" % (count, length))
            return b"".join(chunks) if into is None else count
        count += len(chunk)
        if count > most:
            raise Failure("the answer is larger than %d MiB and was not read" % (most >> 20))
        if time.monotonic() > deadline:
            raise Failure("the answer did not end within %d seconds" % (20 * SECONDS))
        (chunks.append if into is None else into.write)(chunk)


def wait_of(headers, turn):
    text = (headers.get("Retry-After") or "").strip()
    return int(text[:9]) if text.isdecimal() else 2**turn


def send(url, headers=None, form=None, into=None, most=LARGEST_ANSWER):
    """The body of the answer; raises Refused for one that says no."""
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    request = urllib.request.Request(
        url, data=data, headers=dict({"User-Agent": "talaria-google-workspace-skill/1.0"}, **headers or {})
    )
    host = urllib.parse.urlsplit(url).netloc
    for turn in range(1, TRIES + 1):
        try:
            with opener().open(request, timeout=SECONDS) as answer:
                return read_all(answer, most, into)
        except urllib.error.HTTPError as error:
            with error:
                wait = wait_of(error.headers, turn)
                if error.code not in (429, 503) or turn == TRIES or wait > LONGEST_WAIT:
                    raise Refused(error.code, read_all(error.fp)) from None
            time.sleep(wait)
        except urllib.error.URLError as error:
            raise Failure("cannot reach %s: %s. %s" % (host, error.reason, OFFLINE)) from None
        except socket.timeout:
            raise Failure("%s did not answer within %d seconds" % (host, SECONDS)) from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            # Its words are not passed on: those of a ValueError quote the headers.
            raise Failure(
                "the connection to %s failed: %s" % (host, getattr(error, "strerror", None) or type(error).__name__)
            ) from None


def as_object(data, who):
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Failure("%s answered with something else than a JSON object" % who)
    return found
