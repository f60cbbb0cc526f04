#!/usr/bin/env python3
"""Signs in to Google once, for reading mail, calendar and files. Keeps two files in the home of Talaria, for its owner
alone; never prints a token.

  setup.py client-secret FILE     keep the OAuth client that Google's console gave as a JSON file (type: Desktop app)
  setup.py auth-url               print the address where the person allows it
  setup.py auth-code ADDRESS      take the address the browser ended at (or the code in it)
  setup.py login                  the two in one, for a browser on this machine
  setup.py status | refresh | revoke

Exit codes: 0 done, 1 it failed, 2 wrong use, 5 a step of the set-up is missing.
"""
import argparse
import base64
import hashlib
import http.server
import json
import os
import re
import secrets
import sys
import time
import urllib.parse

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from credentials import (
    CLIENT_FILE,
    PENDING_FILE,
    SERVICES,
    TOKEN_FILE,
    Session,
    ask_token,
    check_client,
    home,  # noqa: E402
    is_fresh,
    load_client,
    make_token,
    path_of,
    read_object,
    refuse_sandbox,
    remove,
    services_of,
    store,
)
from google_web import Failure, Refused, address_of, send  # noqa: E402

# Nobody listens there. The browser fails, and its address bar holds the code.
NOWHERE = "http://127.0.0.1:1"
PENDING_SECONDS = 3600


def begin(services, redirect):
    """The address where the person says yes; what the answer has to fit is kept for later."""
    verifier, state = secrets.token_urlsafe(64), secrets.token_urlsafe(24)
    client = load_client()
    store(PENDING_FILE, {"verifier": verifier, "state": state, "redirect": redirect, "began": time.time()})
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return (
        address_of("auth")
        + "?"
        + urllib.parse.urlencode(
            {
                "client_id": client["client_id"],
                "redirect_uri": redirect,
                "response_type": "code",
                "scope": " ".join(SERVICES[name] for name in services),
                "access_type": "offline",
                "prompt": "consent",
                "state": state,
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            }
        )
    )


def code_of(given, state):
    """The code in an address or by itself. An answer to another question is refused."""
    given = given.strip()
    if "://" in given or given.startswith("/"):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(given).query))
        if query.get("error"):
            raise Failure("Google says: %s" % re.sub(r"[^\w .-]", " ", query["error"])[:100])
        if not query.get("code"):
            raise Failure("there is no code in this address; copy the whole of what the browser's address bar shows", 2)
        if not secrets.compare_digest(query.get("state", "").encode(), state.encode()):
            raise Failure("this address belongs to another sign-in; begin again with auth-url", 2)
        given = query["code"]
    if not re.fullmatch(r"[A-Za-z0-9/_.~%=+-]{4,2000}", given):
        raise Failure("this is neither the address the browser ended at nor a code", 2)
    return given


def finish(given):
    pending = read_object(path_of(PENDING_FILE))
    if (
        not pending
        or not isinstance(pending.get("began"), (int, float))
        or not 0 <= time.time() - pending["began"] < PENDING_SECONDS
    ):
        raise Failure("no sign-in was begun within the last hour; begin with auth-url", 5)
    client = load_client()
    code = code_of(given, str(pending.get("state")))
    answer = ask_token(
        dict(
            client,
            grant_type="authorization_code",
            code=code,
            code_verifier=pending.get("verifier"),
            redirect_uri=pending.get("redirect"),
        )
    )
    token = make_token(answer, client)
    if not token["refresh_token"]:
        raise Failure(
            "Google gave no right to renew the sign-in; begin again with auth-url and allow everything asked for"
        )
    store(TOKEN_FILE, token)
    remove(PENDING_FILE)
    return token


class Answer(http.server.BaseHTTPRequestHandler):
    """Takes the one request with which the browser comes back."""

    def do_GET(self):
        if "code=" in self.path or "error=" in self.path:
            self.server.path = self.path
        body = b"You can close this window and go back." if self.server.path else b"Not found."
        self.send_response(200 if self.server.path else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass  # the request holds the code


def login(services, seconds):
    with http.server.HTTPServer(("127.0.0.1", 0), Answer) as server:
        server.path = None
        Answer.timeout = 10
        print(
            "Open this address in a browser on this machine:\n\n%s\n"
            % begin(services, "http://127.0.0.1:%d" % server.server_address[1]),
            flush=True,
        )
        deadline = time.monotonic() + seconds
        while not server.path:
            server.timeout = deadline - time.monotonic()
            if server.timeout <= 0:
                raise Failure("nobody came back from the browser within %d seconds" % seconds)
            server.handle_request()
        return finish(server.path)


def status():
    """What is there, without a word of what is in it."""
    client, token = read_object(path_of(CLIENT_FILE)), read_object(path_of(TOKEN_FILE))
    if client is not None:
        check_client(client)
    ready = bool(token and token.get("refresh_token"))
    return {
        "home": home(),
        "client_secret": client is not None,
        "token": token is not None,
        "fresh": bool(token) and is_fresh(token),
        "expiry": str((token or {}).get("expiry") or ""),
        "services": services_of(token or {}),
        "ready": ready,
    }


def revoke():
    token = read_object(path_of(TOKEN_FILE))
    if token is None:
        raise Failure("there is no %s" % path_of(TOKEN_FILE), 5)
    try:
        send(address_of("revoke"), form={"token": token.get("refresh_token") or token.get("token") or ""})
        said = "withdrawn at Google, and "
    except Refused as refused:
        said = "Google did not know it any more (%s); " % refused.words()
    remove(TOKEN_FILE)
    return said + "the file was removed"


def keep_client(path):
    content = read_object(path) if path != "-" else json.loads(sys.stdin.read(1 << 20))
    if not isinstance(content, dict):
        raise Failure("there is no file %s" % path if content is None else "this is no JSON object", 2)
    check_client(content)
    store(CLIENT_FILE, content)
    return "kept as %s; the file you gave can be deleted" % path_of(CLIENT_FILE)


def parse_services(text):
    services = [one.strip() for one in text.split(",") if one.strip()]
    if not services or any(one not in SERVICES for one in services):
        raise argparse.ArgumentTypeError("services are " + ", ".join(SERVICES))
    return services


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object")
    which = argparse.ArgumentParser(add_help=False)
    which.add_argument(
        "--services",
        type=parse_services,
        default=list(SERVICES),
        metavar="LIST",
        help="some of %s; all unless given" % ",".join(SERVICES),
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    actions.add_parser("client-secret", parents=[shared]).add_argument("file", help="the JSON file; - is stdin")
    actions.add_parser("auth-url", parents=[shared, which])
    actions.add_parser("auth-code", parents=[shared]).add_argument("address", help="or the code; - is stdin")
    actions.add_parser("login", parents=[shared, which]).add_argument(
        "--timeout", type=int, default=300, metavar="SECONDS"
    )
    for name in ("status", "refresh", "revoke"):
        actions.add_parser(name, parents=[shared])
    options = parser.parse_args(arguments)
    if not options.action:
        parser.error("say what to do: " + ", ".join(actions.choices))
    return options


def act(options):
    """What to tell, as an object with a `message` for people."""
    if options.action == "status":
        found = status()
        found["message"] = (
            "ready for " + ", ".join(found["services"])
            if found["ready"]
            else (
                "sign in next: setup.py auth-url"
                if found["client_secret"]
                else "first of all: setup.py client-secret FILE"
            )
        )
        return found
    refuse_sandbox()
    if options.action == "client-secret":
        return {"message": keep_client(options.file)}
    if options.action == "auth-url":
        url = begin(options.services, NOWHERE)
        return {
            "url": url,
            "message": "Open this address, say yes, and copy the address the browser ends at (the page does "
            "not load, that is right). Then: setup.py auth-code ADDRESS\n\n" + url,
        }
    if options.action == "refresh":
        Session().renew(must_store=True)
        return {"message": "renewed"}
    if options.action == "revoke":
        return {"message": revoke()}
    given = (
        sys.stdin.read(1 << 16)
        if options.action == "auth-code" and options.address == "-"
        else getattr(options, "address", "")
    )
    token = finish(given) if options.action == "auth-code" else login(options.services, options.timeout)
    return {"services": services_of(token), "message": "signed in for " + ", ".join(services_of(token))}


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    os.umask(0o077)
    try:
        options = parse_arguments(arguments)
        found = act(options)
        print(json.dumps(found, ensure_ascii=False, indent=2) if options.json else found["message"])
        return 0 if found.get("ready", True) else 5
    except Failure as failure:
        print("setup: %s" % failure, file=sys.stderr)
        return failure.code
    except (ValueError, RecursionError):
        print("setup: what came in is not JSON", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
