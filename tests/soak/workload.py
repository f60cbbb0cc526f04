"""Clients of a Talaria in trouble: each call ends, and what it says is right or says what is wrong."""

import json
import random
import signal
import subprocess
import time

DEADLINE = 90  # seconds for one call: far beyond every time-out of ours, so past it is a hang


class Client:
    """One at a time, as a person or an agent would; several run side by side."""

    def __init__(self, talaria, environment, workspace, ledger, rest):
        self.talaria, self.environment, self.workspace = talaria, environment, workspace
        self.ledger, self.rest = ledger, rest
        self.kinds = [self.run, self.run, self.keep, self.keep, self.follow, self.end, self.look, self.look,
                      self.interrupt, self.vanish, self.code]

    def one(self):
        random.choice(self.kinds)()

    def start(self, *words):
        return subprocess.Popen([self.talaria, *words], cwd=self.workspace, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, kind, process):
        """(code, stdout, stderr), or None after a hang."""
        try:
            out, err = process.communicate(timeout=DEADLINE)
            return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.ledger.wrong(kind, f"hangs: no end within {DEADLINE} s: {' '.join(process.args[1:])[:100]}")
            return None

    def call(self, kind, *words):
        return self.finish(kind, self.start(*words))

    def judge(self, kind, began, ended, code, output, since=None):
        """Compares with what should have come. What is not right must say why."""
        if ended is None:
            return False
        if ended[0] == code and ended[1] == output:
            self.ledger.right(kind, began)
            return True
        if ended[0] == code and code == 0:
            self.ledger.wrong(kind, f"says it is right, and it is not: {len(ended[1])} bytes instead of {len(output)};"
                                    f" stderr {ended[2][-300:]!r}")
            return False
        self.ledger.failed(kind, began, f"exit {ended[0]}, {len(ended[1])} of {len(output)} bytes: {ended[2]}", since)
        return False

    def run(self):
        began, last, code = time.monotonic(), random.choice([3, 300, 15000]), random.choice([0, 0, 3])
        expected = "".join(f"{n}\n" for n in range(1, last + 1))
        self.judge("exec", began, self.call("exec", "exec", f"seq {last}; exit {code}"), code, expected)

    def background(self, command):
        """The id of a new job, or nothing when it could not be started."""
        began = time.monotonic()
        ended = self.call("exec -b", "exec", "-b", "--no-stdin", command)
        if ended is None:
            return None
        if ended[0] == 0 and ended[1].strip():
            self.ledger.right("exec -b", began)
            return ended[1].strip()
        self.ledger.failed("exec -b", began, f"exit {ended[0]}: {ended[2]}")
        return None

    def keep(self):
        since, lines, code = time.monotonic(), random.choice([5, 40]), random.randrange(5)
        job = self.background(f"for n in $(seq {lines}); do echo line $n; sleep 0.0$((RANDOM % 10)); done; exit {code}")
        if not job:
            return
        began = time.monotonic()
        ended = self.call("wait", "wait", job)
        self.judge("wait", began, ended and (ended[0], "", ended[2]), code, "", since)
        began = time.monotonic()
        expected = "".join(f"line {n}\n" for n in range(1, lines + 1))
        ended = self.call("log --raw", "log", "--raw", job)
        if self.lost_with_keeper(ended, expected, since):
            return self.ledger.right("log --raw", began)
        self.judge("log --raw", began, ended, 0, expected, since)

    def follow(self):
        since, lines = time.monotonic(), 20
        job = self.background(f"for n in $(seq {lines}); do echo line $n; sleep 0.05; done")
        if not job:
            return
        began = time.monotonic()
        ended = self.call("log --follow", "log", "--follow", job)
        expected = "".join(f"line {n}\n" for n in range(1, lines + 1))
        if self.lost_with_keeper(ended, expected, since):
            return self.ledger.right("log --follow", began)
        self.judge("log --follow", began, ended, 0, expected, since)

    def lost_with_keeper(self, ended, expected, since):
        """The keeper was killed and took the end of the output with it, and that was said."""
        if not ended or not expected.startswith(ended[1]) or "lost" not in ended[2]:
            return False
        return bool(self.ledger.troubles_since(since - 2) & {"keeper killed"})

    def end(self):
        since = time.monotonic()
        job = self.background("sleep 1000")
        if not job:
            return
        for _ in range(20):
            began = time.monotonic()
            ended = self.call("kill", "kill", job)
            if ended is None:
                return
            if ended[0] == 0:
                self.ledger.right("kill", began)
                break
            self.ledger.failed("kill", began, f"exit {ended[0]}: {ended[2]}", since)
            self.rest(0.5)
        else:
            return self.ledger.wrong("kill", f"job {job} cannot be ended")
        began = time.monotonic()
        ended = self.call("wait after kill", "wait", job)
        if ended and ended[0] not in (137, 143):
            return self.ledger.failed("wait after kill", began, f"exit {ended[0]}: {ended[2]}", since)
        if ended:
            self.ledger.right("wait after kill", began)

    def look(self):
        began, words = time.monotonic(), random.choice([("ps", "--json"), ("tools", "--json"), ("serve", "--status", "--json")])
        kind = " ".join(words)
        ended = self.call(kind, *words)
        if ended is None:
            return
        if ended[0] == 0 and self.is_answer(words[0], ended[1]):
            return self.ledger.right(kind, began)
        self.ledger.failed(kind, began, f"exit {ended[0]}, {ended[1][:200]!r}: {ended[2]}")

    @staticmethod
    def is_answer(command, text):
        """JSON that is no error; of a status, that of a gateway that runs."""
        try:
            answer = json.loads(text)
        except ValueError:
            return False
        if isinstance(answer, dict) and "error" in answer:
            return False
        return command != "serve" or (isinstance(answer, dict) and answer.get("running") is True)

    def interrupt(self):
        began = time.monotonic()
        process = self.start("exec", "sleep 1000")
        self.rest(random.uniform(0, 1))
        process.send_signal(signal.SIGINT)
        self.rest(random.uniform(0, 0.5))
        if process.poll() is None:
            process.send_signal(random.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
        if self.finish("interrupted exec", process):
            self.ledger.right("interrupted exec", began)

    def vanish(self):
        began = time.monotonic()
        process = self.start("exec", "seq 1000; sleep 0.5")
        self.rest(random.uniform(0, 0.3))
        process.kill()
        if self.finish("killed exec", process):
            self.ledger.right("killed exec", began)

    def code(self):
        began = time.monotonic()
        ended = self.call("code", "code", "-c", "print(6 * 7)")
        self.judge("code", began, ended, 0, "42\n")
