"""What went wrong on purpose, when, and what was seen meanwhile."""

import collections
import threading
import time

# Which troubles may be behind a failure that says these words, in lower case.
EXPLANATIONS = [
    ("disk is full", {"full disk", "no inodes"}),
    ("no space left", {"full disk", "no inodes"}),
    ("not kept", {"full disk", "no inodes", "locked database"}),
    ("was lost", {"full disk", "no inodes", "keeper killed"}),
    ("were lost", {"full disk", "no inodes"}),
    ("looked after it went away", {"keeper killed"}),
    ("command lost", {"keeper killed"}),
    ("locked", {"locked database"}),
    ("keeper", {"keeper killed", "few descriptors"}),
    ("open files", {"few descriptors"}),
    ("descriptors", {"few descriptors"}),
    ("may have run", {"gateway killed", "keeper killed", "few descriptors"}),
    ("gateway", {"gateway killed", "gateway stopped", "socket removed", "few descriptors", "full disk", "no inodes"}),
    ("killed by signal 9", {"keeper killed"}),
]


# What only reads is tried again until it is answered, whatever happens to the gateway or the disk: only what is really
# gone excuses it.
READING = {"ps --json", "tools --json", "serve --status --json", "log --raw", "log --follow", "wait"}
EXCUSES_A_READER = {"was lost", "were lost", "command lost", "locked", "open files", "descriptors"}


class Ledger:
    """Thread-safe: clients and troubles write into it, the end of the run reads it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.spans = []  # [name, begin, end or None]
        self.troubles = collections.Counter()
        self.calls = collections.Counter()
        self.excused = collections.Counter()
        self.failures = []
        self.longest = collections.Counter()
        self.begin = time.monotonic()

    def trouble_begins(self, name):
        with self.lock:
            self.troubles[name] += 1
            self.spans.append([name, time.monotonic(), None])
            return self.spans[-1]

    def trouble_ends(self, span):
        with self.lock:
            span[2] = time.monotonic()

    def troubles_since(self, moment):
        """The names of the troubles that were there at some time after `moment`."""
        with self.lock:
            return {name for name, _, end in self.spans if end is None or end >= moment}

    def right(self, kind, began):
        with self.lock:
            self.calls[kind] += 1
            self.longest[kind] = max(self.longest[kind], time.monotonic() - began)

    def failed(self, kind, began, said, since=None):
        """A call that did not do what it should, and said so. Excused when a trouble explains its words."""
        words = said.lower()
        around = self.troubles_since((began if since is None else since) - 2)
        for text, causes in EXPLANATIONS:
            if kind in READING and text not in EXCUSES_A_READER:
                continue
            if text in words and around & causes:
                with self.lock:
                    self.calls[kind] += 1
                    self.excused[f"{kind}: {text} ({', '.join(sorted(around & causes))})"] += 1
                return
        self.wrong(kind, f"{said.strip()[-400:]!r} while {sorted(around) or 'nothing'} was going on")

    def wrong(self, kind, what):
        """Nothing excuses this."""
        with self.lock:
            self.calls[kind] += 1
            self.failures.append(f"{time.monotonic() - self.begin:7.1f} s  {kind}: {what}")
            print("WRONG", self.failures[-1], flush=True)

    def report(self):
        lines = ["", "troubles:"]
        lines += [f"  {count:6}  {name}" for name, count in sorted(self.troubles.items())]
        lines += ["calls (and the longest, in seconds):"]
        lines += [f"  {count:6}  {kind} ({self.longest[kind]:.1f})" for kind, count in sorted(self.calls.items())]
        lines += ["failed and said why, as they may:"]
        lines += [f"  {count:6}  {what}" for what, count in sorted(self.excused.items())]
        lines += [f"WRONG: {len(self.failures)}"] + [f"  {failure}" for failure in self.failures]
        return "\n".join(lines)
