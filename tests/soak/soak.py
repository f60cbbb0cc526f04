#!/usr/bin/env python3
"""Runs clients against a Talaria in trouble and says whether anything hung, lied or was lost.

    soak.py BIN MINUTES [SEED]

BIN holds talaria, talaria-gateway and talaria-keeper. Everything happens in namespaces and a small tmpfs of its own, so
that a full disk is full for nobody else. The exit code is 1 when something was wrong.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ledger import Ledger  # noqa: E402
from trouble import Troubles, processes_named  # noqa: E402
from workload import Client  # noqa: E402

CLIENTS = 4
MOST_MEMORY_KB = {"talaria-gateway": 96 << 10, "talaria-keeper": 48 << 10}
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


def enter_namespaces():
    """Starts this program again in mount and pid namespaces of its own."""
    if os.environ.get("TALARIA_SOAK") == "inside":
        return
    unshare = ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if os.geteuid() != 0:
        unshare.append("--map-root-user")
    os.environ["TALARIA_SOAK"] = "inside"
    os.execvp("unshare", unshare + [sys.executable] + sys.argv)


def environment_for(place):
    environment = {"PATH": os.environ["PATH"], "HOME": f"{place}/user", "TALARIA_HOME": f"{place}/home", "LANG": "C.UTF-8"}
    if not os.path.exists(FAKETIME):
        return environment, None
    clock = f"{place}/clock"
    with open(clock, "w") as file:
        file.write("+0\n")
    environment |= {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
    return environment, clock


def check_health(client, ledger):
    """While nothing is wrong, everything works, and nothing has grown."""
    began = time.monotonic()
    ended = client.call("quiet exec", "exec", "echo alive")
    if ended == (0, "alive\n", ended and ended[2]):
        ledger.right("quiet exec", began)
    elif ended:
        ledger.wrong("quiet exec", f"exit {ended[0]}, {ended[1][-80:]!r}: {ended[2][-400:]!r}")
    for name, most in MOST_MEMORY_KB.items():
        for pid in processes_named(name):
            try:
                with open(f"/proc/{pid}/status") as status:
                    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
                descriptors = len(os.listdir(f"/proc/{pid}/fd"))
            except (OSError, StopIteration):
                continue
            if resident > most or descriptors > 200:
                ledger.wrong("growth", f"{name} has {resident} KB and {descriptors} descriptors")


def run(bin_folder, minutes, seed):
    random.seed(seed)
    place = tempfile.mkdtemp(prefix="talaria-soak-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m,nr_inodes=4000,mode=0700", "soak", place], check=True)
    for folder in ("user", "home", "workspace"):
        os.mkdir(f"{place}/{folder}", 0o700)
    environment, clock = environment_for(place)
    if not clock:
        print(f"without clock steps: {FAKETIME} is missing (Debian package faketime)")
    ledger, over = Ledger(), threading.Event()
    client = Client(f"{bin_folder}/talaria", environment, f"{place}/workspace", ledger, time.sleep)
    troubles = Troubles(environment["TALARIA_HOME"], clock, ledger, time.sleep)
    # So that what is kept of finished jobs does not fill the small disk by itself.
    for setting, value in (("exec.job_ttl", "60"), ("jobs.max_total_bytes", str(8 << 20))):
        client.call("config set", "config", "set", setting, value)
    check_health(client, ledger)

    def work():
        while not over.is_set():
            client.one()

    workers = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for worker in workers:
        worker.start()
    until = time.monotonic() + minutes * 60
    while time.monotonic() < until:
        for _ in range(random.randrange(4, 9)):
            name = random.choice(list(troubles.all))
            try:
                troubles.cause(name)
            except OSError as error:
                print(f"cannot cause {name}: {error}")
            time.sleep(random.uniform(0, 2))
        time.sleep(3)  # for what is tried again after a trouble
        check_health(client, ledger)
        print(f"{time.monotonic() - ledger.begin:6.0f} s: {sum(ledger.calls.values())} calls, "
              f"{sum(ledger.excused.values())} excused, {len(ledger.failures)} wrong", flush=True)
    over.set()
    for worker in workers:
        worker.join()
    check_health(client, ledger)
    client.call("serve --stop", "serve", "--stop")
    print(f"seed {seed}, {minutes} minutes", ledger.report(), flush=True)
    return 1 if ledger.failures else 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    enter_namespaces()
    # Started in the background of a script we would ignore Ctrl-C, and so would the clients, which are to be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(run(os.path.abspath(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) == 4 else int(time.time())))
