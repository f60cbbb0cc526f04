"""Troubles for a running Talaria: each begins, lasts a moment, and is taken back."""

import errno
import os
import random
import resource
import signal
import sqlite3


def processes_named(name):
    """Pids of our programs; the soak has a pid namespace of its own, so there are no others."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/comm") as comm:
                if comm.read().strip() == name[:15]:
                    found.append(int(entry))
        except OSError:
            pass
    return found


def signal_all(name, number):
    for pid in processes_named(name):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


class Troubles:
    def __init__(self, home, clock_file, ledger, rest):
        self.home, self.clock_file, self.ledger, self.rest = home, clock_file, ledger, rest
        self.all = {
            "gateway killed": self.kill_gateway,
            "keeper killed": self.kill_keeper,
            "gateway stopped": self.stop_gateway,
            "full disk": self.fill_disk,
            "no inodes": self.fill_inodes,
            "few descriptors": self.few_descriptors,
            "locked database": self.lock_database,
            "socket removed": self.remove_socket,
        }
        if clock_file:
            self.all["clock stepped"] = self.step_clock

    def cause(self, name):
        span = self.ledger.trouble_begins(name)
        try:
            self.all[name]()
        finally:
            self.ledger.trouble_ends(span)

    def kill_gateway(self):
        signal_all("talaria-gateway", signal.SIGKILL)

    def kill_keeper(self):
        # The first of that name: its spawner has another.
        signal_all("talaria-keeper", signal.SIGKILL)

    def stop_gateway(self):
        pids = processes_named("talaria-gateway")
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        self.rest(random.uniform(0.2, 3))
        for pid in pids:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass

    def fill_disk(self):
        path = f"{self.home}/ballast"
        try:
            with open(path, "wb", buffering=0) as ballast:
                size = 1 << 20
                while size:
                    try:
                        ballast.write(b"\0" * size)
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
                        size //= 2
                self.rest(random.uniform(0.5, 6))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
        finally:
            if os.path.exists(path):
                os.unlink(path)

    def fill_inodes(self):
        folder = f"{self.home}/inodes"
        made = []
        try:
            os.makedirs(folder, exist_ok=True)
            while True:
                path = f"{folder}/{len(made)}"
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
                made.append(path)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            self.rest(random.uniform(0.5, 6))
        finally:
            for path in made:
                os.unlink(path)

    def few_descriptors(self):
        changed = []
        for name in ("talaria-gateway", "talaria-keeper"):
            for pid in processes_named(name):
                try:
                    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
                    taken = len(os.listdir(f"/proc/{pid}/fd"))
                    resource.prlimit(pid, resource.RLIMIT_NOFILE, (taken + random.randrange(6), before[1]))
                    changed.append((pid, before))
                except OSError:
                    pass
        self.rest(random.uniform(0.5, 4))
        for pid, before in changed:
            try:
                resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            except OSError:
                pass

    def lock_database(self):
        connection = sqlite3.connect(f"{self.home}/talaria.db", timeout=5, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            self.rest(random.choice([0.2, 1, 3, 7]))
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            pass  # just then we had it locked ourselves, or the disk is full
        finally:
            connection.close()

    def remove_socket(self):
        folder = f"{self.home}/run"
        for name in os.listdir(folder):
            if name.endswith(".sock"):
                os.unlink(f"{folder}/{name}")

    def step_clock(self):
        days = random.choice([-2, -0.5, 0.01, 0.5, 2])
        with open(self.clock_file + ".new", "w") as file:
            file.write(f"{int(days * 86400):+d}\n")
        os.rename(self.clock_file + ".new", self.clock_file)
        self.rest(random.uniform(0.5, 4))
        with open(self.clock_file, "w") as file:
            file.write("+0\n")


