#!/usr/bin/env python3
"""Reads mail, calendar and files of a Google account. Never changes anything there.

Exit codes: 0 done, 1 Google failed or cannot be reached, 2 wrong use, 4 there is no such message, event or file,
5 the set-up is missing or out of date (setup.py).
"""
import argparse
import base64
import binascii
import datetime
import html
import json
import os
import re
import sys
import tempfile
import unicodedata
import urllib.parse

sys.dont_write_bytecode = True  # the folder of a skill stays as it is

from credentials import Session  # noqa: E402
from google_web import Failure  # noqa: E402

MOST = 50
MOST_TEXT = 1 << 20  # characters of one text
LARGEST_DOWNLOAD = 512 << 20
ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
EXPORTS = {
    "application/vnd.google-apps.document": "text/plain",
    "application/vnd.google-apps.spreadsheet": "text/csv",
    "application/vnd.google-apps.presentation": "text/plain",
    "application/vnd.google-apps.script": "application/vnd.google-apps.script+json",
    "application/vnd.google-apps.drawing": "image/png",
}


def shown(text, lines=False):
    """Text with nothing in it that a terminal would act on."""
    kept = "".join(
        c for c in str(text or "")[:MOST_TEXT] if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return kept if lines else " ".join(kept.split())


def checked_id(text):
    if not ID.fullmatch(text):
        raise Failure("%r is not an id" % text[:60], 2)
    return text


def objects(answer, name):
    found = answer.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def part_of(answer, name):
    value = answer.get(name)
    return value if isinstance(value, dict) else {}


def headers_of(message):
    return {
        str(one.get("name")).lower(): shown(one.get("value")) for one in objects(part_of(message, "payload"), "headers")
    }


def mail_card(message):
    headers = headers_of(message)
    labels = message.get("labelIds")
    return {
        "id": shown(message.get("id")),
        "thread": shown(message.get("threadId")),
        "from": headers.get("from", ""),
        "to": headers.get("to", ""),
        "subject": headers.get("subject", ""),
        "date": headers.get("date", ""),
        "unread": isinstance(labels, list) and "UNREAD" in labels,
        "snippet": shown(html.unescape(shown(message.get("snippet")))),
    }


def search_mail(session, options):
    query = [("q", options.query), ("maxResults", options.max)]
    listed = objects(session.get_object("gmail", "/users/me/messages", query), "messages")
    found = []
    for one in listed[: options.max]:
        path = "/users/me/messages/" + checked_id(str(one.get("id")))
        query = [("format", "metadata")] + [("metadataHeaders", name) for name in ("From", "To", "Subject", "Date")]
        found.append(mail_card(session.get_object("gmail", path, query)))
    return {"messages": found}


def parts_of(payload, depth=0):
    """The parts of a mail that have no parts themselves."""
    inner = objects(payload, "parts")
    if not inner or depth > 20:
        yield payload
    for one in inner if depth <= 20 else ():
        yield from parts_of(one, depth + 1)


def decoded(part):
    data = part_of(part, "body").get("data")
    try:
        return base64.urlsafe_b64decode(str(data or "") + "===").decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


def without_tags(text):
    """The text of HTML, in one pass: a mail may be made to keep a cleverer reader busy for hours."""
    kept, silent, place = [], None, 0
    for tag in re.finditer(r"<(/?)([A-Za-z][A-Za-z0-9]*)?[^<>]*>", text):
        if not silent:
            kept.append(" ".join(text[place : tag.start()].split("\n")))
        place = tag.end()
        closes, name = tag.group(1), (tag.group(2) or "").lower()
        if silent:
            silent = None if closes and name == silent else silent
        elif name in ("script", "style", "head") and not closes:
            silent = name
        elif name in ("br", "p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6"):
            kept.append("\n")
    kept.append("" if silent else " ".join(text[place:].split("\n")))
    lines = [" ".join(line.split()) for line in html.unescape("".join(kept)).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def read_mail(session, options):
    message = session.get_object("gmail", "/users/me/messages/" + checked_id(options.id), [("format", "full")])
    plain, rich, attached = [], [], []
    for part in parts_of(part_of(message, "payload")):
        kind, name = str(part.get("mimeType")), shown(part.get("filename"))
        if name:
            attached.append({"name": name, "type": shown(kind), "bytes": part_of(part, "body").get("size")})
        elif kind == "text/plain":
            plain.append(decoded(part))
        elif kind == "text/html":
            rich.append(without_tags(decoded(part)))
    return dict(mail_card(message), text=shown("\n".join(plain or rich), lines=True).strip(), attachments=attached)


def read_labels(session, options):
    return {
        "labels": [
            {"id": shown(one.get("id")), "name": shown(one.get("name"))}
            for one in objects(session.get_object("gmail", "/users/me/labels"), "labels")
        ]
    }


def moment(text, end):
    """A day or a time, of this machine's own clock, as Google wants it."""
    for pattern in ("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"):
        try:
            time = datetime.datetime.strptime(text, pattern)
        except ValueError:
            continue
        if end and "H" not in pattern:
            time += datetime.timedelta(days=1)
        return time.astimezone().isoformat()
    raise Failure("%r is no time; write 2024-05-31 or '2024-05-31 14:30'" % text, 2)


def search_events(session, options):
    first = (
        moment(options.since, False)
        if options.since
        else datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    )
    query = [
        ("timeMin", first),
        ("timeMax", moment(options.until, True) if options.until else None),
        ("q", options.query),
        ("maxResults", options.max),
        ("singleEvents", "true"),
        ("orderBy", "startTime"),
    ]
    path = "/calendars/%s/events" % urllib.parse.quote(options.calendar, safe="")
    found = []
    for one in objects(session.get_object("calendar", path, query), "items")[: options.max]:
        start, end = part_of(one, "start"), part_of(one, "end")
        found.append(
            {
                "id": shown(one.get("id")),
                "title": shown(one.get("summary")),
                "start": shown(start.get("dateTime") or start.get("date")),
                "end": shown(end.get("dateTime") or end.get("date")),
                "where": shown(one.get("location")),
                "status": shown(one.get("status")),
                "organizer": shown(part_of(one, "organizer").get("email")),
                "with": [shown(guest.get("email")) for guest in objects(one, "attendees")],
                "notes": shown(without_tags(str(one.get("description") or "")), lines=True),
                "link": shown(one.get("htmlLink")),
            }
        )
    return {"events": found}


def read_calendars(session, options):
    return {
        "calendars": [
            {"id": shown(one.get("id")), "name": shown(one.get("summary")), "primary": one.get("primary") is True}
            for one in objects(session.get_object("calendar", "/users/me/calendarList"), "items")
        ]
    }


def file_card(one):
    owners = objects(one, "owners")
    return {
        "id": shown(one.get("id")),
        "name": shown(one.get("name")),
        "type": shown(one.get("mimeType")),
        "bytes": shown(one.get("size")),
        "changed": shown(one.get("modifiedTime")),
        "owner": shown(owners[0].get("emailAddress")) if owners else "",
        "link": shown(one.get("webViewLink")),
    }


FILE_FIELDS = "id,name,mimeType,size,modifiedTime,owners(emailAddress),webViewLink"


def search_files(session, options):
    text = options.query
    if text and not options.raw:
        quoted = text.replace("\\", "\\\\").replace("'", "\\'")
        text = "(name contains '%s' or fullText contains '%s') and trashed = false" % (quoted, quoted)
    # Google refuses an order of its own together with a search in the text.
    query = [
        ("q", text or "trashed = false"),
        ("pageSize", options.max),
        ("fields", "files(%s)" % FILE_FIELDS),
        ("orderBy", None if "fullText" in text else "modifiedTime desc"),
    ]
    return {
        "files": [
            file_card(one) for one in objects(session.get_object("drive", "/files", query), "files")[: options.max]
        ]
    }


def download(session, options):
    """Into a file, whole or not at all."""
    path = "/files/" + checked_id(options.id)
    card = file_card(session.get_object("drive", path, [("fields", FILE_FIELDS)]))
    own = card["type"].startswith("application/vnd.google-apps.")
    kind = options.type or EXPORTS.get(card["type"])
    if own and not kind:
        raise Failure("a %s cannot be downloaded" % card["type"].rpartition(".")[2])
    query = [("mimeType", kind)] if own else [("alt", "media")]
    folder = os.path.dirname(os.path.abspath(options.output))
    try:
        with tempfile.NamedTemporaryFile(prefix=".download-", dir=folder, delete=False) as file:
            try:
                count = session.get("drive", path + ("/export" if own else ""), query, into=file, most=LARGEST_DOWNLOAD)
                file.flush()
                os.replace(file.name, options.output)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise Failure("cannot write %s: %s" % (options.output, error.strerror)) from None
    return dict(card, output=options.output, written=count)


def readable(result):
    """For people: a block for each thing, empty fields left out."""
    lists = [
        value for value in result.values() if isinstance(value, list) and all(isinstance(one, dict) for one in value)
    ]
    things = lists[0] if len(result) == 1 and lists else [result]
    blocks = []
    for one in things:
        lines = [
            "%s: %s" % (key, ", ".join(map(str, value)) if isinstance(value, list) else value)
            for key, value in one.items()
            if value not in ("", [], None, False) and key != "text"
        ]
        blocks.append("\n".join(lines + (["", one["text"]] if one.get("text") else [])))
    return "\n\n".join(blocks) or "Nothing was found."


ACTIONS = {
    ("gmail", "search"): search_mail,
    ("gmail", "read"): read_mail,
    ("gmail", "labels"): read_labels,
    ("calendar", "events"): search_events,
    ("calendar", "list"): read_calendars,
    ("drive", "search"): search_files,
    ("drive", "download"): download,
}


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object")
    many = argparse.ArgumentParser(add_help=False)
    many.add_argument("--max", type=int, default=10, metavar="N", help="1 to %d, 10 unless given" % MOST)
    services = parser.add_subparsers(dest="service", metavar="gmail|calendar|drive")
    mail = services.add_parser("gmail", help="mail").add_subparsers(
        dest="action", metavar="search|read|labels", required=True
    )
    mail.add_parser(
        "search", parents=[shared, many], help="as in Gmail: from:ada is:unread newer_than:7d"
    ).add_argument("query", nargs="?", default="")
    mail.add_parser("read", parents=[shared]).add_argument("id")
    mail.add_parser("labels", parents=[shared])
    days = services.add_parser("calendar", help="appointments").add_subparsers(
        dest="action", metavar="events|list", required=True
    )
    events = days.add_parser("events", parents=[shared, many], help="from now on, unless --since is given")
    events.add_argument("query", nargs="?", default="")
    events.add_argument("--since", metavar="TIME", help="2024-05-31 or '2024-05-31 14:30', in this machine's time")
    events.add_argument("--until", metavar="TIME", help="a day is meant as a whole")
    events.add_argument("--calendar", default="primary", metavar="ID")
    days.add_parser("list", parents=[shared])
    files = services.add_parser("drive", help="files").add_subparsers(
        dest="action", metavar="search|download", required=True
    )
    search = files.add_parser(
        "search", parents=[shared, many], help="in names and texts; the newest ones without words"
    )
    search.add_argument("query", nargs="?", default="")
    search.add_argument("--raw", action="store_true", help="the words are in Drive's own query language")
    fetch = files.add_parser("download", parents=[shared])
    fetch.add_argument("id")
    fetch.add_argument("--output", required=True, metavar="FILE")
    fetch.add_argument(
        "--type", metavar="TYPE", help="for Google's own documents: text/plain, text/csv, application/pdf …"
    )
    options = parser.parse_args(arguments)
    if not options.service:
        parser.error("say what to read: gmail, calendar or drive")
    if not 1 <= getattr(options, "max", 1) <= MOST:
        parser.error("--max is from 1 to %d" % MOST)
    return options


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = parse_arguments(arguments)
        result = ACTIONS[options.service, options.action](Session(), options)
        print(json.dumps(result, ensure_ascii=False, indent=2) if options.json else readable(result))
        return 0
    except Failure as failure:
        print("google_query: %s" % failure, file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
