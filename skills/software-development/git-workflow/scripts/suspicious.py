"""What should rarely be committed: secrets, conflict markers, generated files. Judged by names and lines."""
import math
import re

LONGEST_LINE = 4096
GENERATED = re.compile(
    r"(^|/)(node_modules|__pycache__|\.venv|venv|\.tox|\.mypy_cache|\.pytest_cache|\.gradle|\.terraform)/|"
    r"(^|/)(\.DS_Store|Thumbs\.db|core)$|\.(pyc|pyo|class|o|obj|swp|orig|rej)$"
)
PRIVATE = re.compile(
    r"(^|/)(\.env(\.(?!example$|sample$|template$|dist$)[^/]+)?|\.netrc|\.pgpass|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|"
    r"credentials(\.json)?|service[-_]account[^/]*\.json|[^/]*\.(pem|p12|pfx|key|jks|keystore|kdbx))$"
)
SECRETS = (
    ("private key", re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY")),
    ("AWS access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20,}")),
    ("Slack token", re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}")),
    ("Google API key", re.compile(r"\bAIza[A-Za-z0-9_-]{35}")),
    ("Stripe key", re.compile(r"\b[sr]k_live_[A-Za-z0-9]{20,}")),
    ("API key", re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")),
    ("web token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    ("password in an address", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/:@$<{*]{3,100}@")),
)
ASSIGNED = re.compile(
    r"(?i)(password|passwd|secret|token|api_?-?key|access_?-?key)[\"']?\s*(?::|=>?|:=)\s*[\"']([^\"'\s]{12,200})[\"']"
)
PLACEHOLDER = re.compile(
    r"(?i)example|sample|dummy|placeholder|changeme|change_me|redacted|your|test|fake|xxx|\*\*\*|\.\.\.|[<>${}%]"
)


def entropy(text):
    """Bits for each sign: words have few, random keys many."""
    return -sum(share * math.log2(share) for share in (text.count(sign) / len(text) for sign in set(text)))


def masked(text):
    """Enough to find it again, not enough to use it."""
    return "%s… (%d characters)" % (text[:4], len(text))


def secret_in(line):
    """(what it is, masked) of the first thing in a line that looks like a secret; None without one."""
    line = line[:LONGEST_LINE]
    for name, pattern in SECRETS:
        match = pattern.search(line)
        if match and not (name == "password in an address" and PLACEHOLDER.search(match.group())):
            return name, masked(match.group())
    match = ASSIGNED.search(line)
    if match and not PLACEHOLDER.search(match.group(2)) and entropy(match.group(2)) > 3.3:
        return match.group(1).lower() + " in the text", masked(match.group(2))
    return None


def look_at_name(path):
    """What is odd about a path that is to be added."""
    if GENERATED.search(path):
        yield {"kind": "generated file", "path": path, "detail": "made by a program; belongs in .gitignore"}
    if PRIVATE.search(path):
        yield {"kind": "private file", "path": path, "detail": "files of this name hold secrets"}


def look_at_lines(path, lines, most=5):
    """What is odd about the lines that are to be added; `lines` are (number, line)."""
    begin, end, found = None, False, 0
    for number, line in lines:
        if re.match(r"<{7}( |$)", line):
            begin = begin or number
        elif re.match(r">{7}( |$)", line) and begin:
            end = True
        secret = secret_in(line) if found < most else None
        if secret:
            found += 1
            yield {"kind": "secret", "path": path, "line": number, "detail": "looks like a %s: %s" % secret}
    if begin and end:
        yield {"kind": "conflict marker", "path": path, "line": begin, "detail": "a conflict was not resolved"}
