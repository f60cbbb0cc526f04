"""Calls from forked children and subprocesses, and calls that are interrupted."""
import json
import signal
import sys
import unittest

import gateway
from script_case import ScriptCase


def hold_back(request):
    """No answer to what is to wait."""
    return None if request["args"].get("path") == "wait" else gateway.echo(request)


class ProcessesTest(ScriptCase):
    def test_a_fork_in_the_middle_gets_answers_of_its_own(self):
        self.expect("""
import os, threading
from hermes_tools import read_file

def check(who):
    for number in range(100):
        name = "%s-%d" % (who, number)
        assert read_file(name)["args"]["path"] == name

check("before")
thread = threading.Thread(target=check, args=("thread",))
thread.start()
children = []
for child in range(4):
    pid = os.fork()
    if pid == 0:
        check("child%d" % child)
        os._exit(0)
    children.append(pid)
check("parent")
thread.join()
print([os.waitpid(pid, 0)[1] for pid in children])
""", "[0, 0, 0, 0]\n")

    def test_a_fork_before_the_first_call_leaves_the_channel_that_came_along_to_its_parent(self):
        self.expect("""
import os
import hermes_tools
for calls_first in (False, True):
    pid = os.fork()
    if pid == 0:
        assert not hermes_tools._spares
        for number in range(100):
            assert hermes_tools.read_file("child%d" % number)["args"]["path"] == "child%d" % number
        os._exit(0)
    for number in range(100):
        assert hermes_tools.read_file("parent%d" % number)["args"]["path"] == "parent%d" % number
    print(os.waitpid(pid, 0)[1])
""", "0\n0\n")
        self.assertEqual(len(self.talk.channels), 3)

    def test_a_program_that_closed_the_channel_that_came_along_makes_its_own(self):
        self.expect("""
import os
import hermes_tools
fd = hermes_tools._spares[0][0]
null = os.open(os.devnull, os.O_RDONLY)
os.dup2(null, fd)
print(hermes_tools.read_file("a")["args"]["path"])
assert os.path.sameopenfile(null, fd)
""", "a\n")

    def test_a_fork_while_another_thread_makes_the_first_call(self):
        self.expect("""
import os, signal, sys, threading, time
import hermes_tools

entered = threading.Event()

class SlowJson:
    def find_spec(self, name, *_):
        if name != "json":
            return None
        import importlib.machinery
        found = importlib.machinery.PathFinder.find_spec(name)
        execute = found.loader.exec_module
        found.loader.exec_module = lambda module: (entered.set(), time.sleep(0.1), execute(module))
        return found

sys.meta_path.insert(0, SlowJson())
thread = threading.Thread(target=hermes_tools.read_file, args=("thread",))
thread.start()
entered.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    print(hermes_tools.read_file("child")["args"]["path"])
    os._exit(0)
thread.join()
print(os.waitpid(pid, 0)[1])
""", "child\n0\n")

    def test_a_pool_of_processes(self):
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                code, out, err, _ = self.run_program("""
import multiprocessing
from hermes_tools import read_file

def work(name):
    try:
        return read_file(name)["args"]["path"]
    except ConnectionError as error:
        return str(error)[:30]

if __name__ == "__main__":
    read_file("first")
    with multiprocessing.get_context(%r).Pool(4) as pool:
        print(pool.map(work, [str(number) for number in range(20)]))
""" % method)
                expected = ["hermes_tools has no connection"] * 20
                if method == "fork":
                    expected = [str(number) for number in range(20)]
                self.assertEqual((code, err, out), (0, "", "%s\n" % expected))

    def test_a_subprocess_is_told_what_to_do(self):
        code, out, err, _ = self.run_program("""
import subprocess, sys
child = "import hermes_tools; print(hermes_tools.read_file('a')['tool'])"
print(subprocess.run([sys.executable, "-c", child], capture_output=True, text=True).stderr.splitlines()[-1])
print(subprocess.run([sys.executable, "-c", child], close_fds=False, capture_output=True, text=True).returncode)
print(subprocess.run([sys.executable, "-c", child], pass_fds=(3,), capture_output=True, text=True))
""")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.splitlines()[:2], [
            "ConnectionError: hermes_tools has no connection to the gateway in this process: make the call in "
            "the script that execute_code runs, or start this process from it with pass_fds=(3,) and the same "
            "environment. Children of multiprocessing need the start method fork.",
            "1"])
        self.assertIn("returncode=0, stdout='read_file\\n', stderr=''", out.splitlines()[2])

    def test_no_descriptor_of_ours_reaches_another_program(self):
        self.expect("""
import os, subprocess
from hermes_tools import read_file
read_file("a")
print(subprocess.run("ls /proc/self/fd", shell=True, close_fds=False, capture_output=True, text=True).stdout.split())
print(len(os.listdir("/proc/self/fd")))
""", "['0', '1', '2', '3']\n6\n")  # 3 is ls's own; ours are 0, 1, 2, the lobby, one channel and that of listdir

    def test_an_environment_that_was_cleared_does_not_matter(self):
        self.expect("import os\nos.environ.clear()\nfrom hermes_tools import read_file\nprint(read_file('a')['tool'])",
                    "read_file\n")

    def test_after_an_interrupt_calls_get_their_own_answers(self):
        script = self.start(answer=hold_back)
        self.talk.order(1, """
from hermes_tools import read_file
for number in range(20):
    try:
        read_file("wait")
    except KeyboardInterrupt:
        print(read_file(str(number))["args"]["path"])
""")
        for number in range(20):
            while self.talk.called.get(timeout=gateway.DEADLINE)["args"]["path"] != "wait":
                pass
            script.process.send_signal(signal.SIGINT)
        self.assertEqual((script.wait(), script.out.decode().split(), script.err.decode()),
                         (0, [str(number) for number in range(20)], ""))

    def test_signals_that_are_handled_do_not_disturb_a_call(self):
        text = "x" * 3_000_000
        script = self.start(answer=lambda request: {"id": request["id"], "result": {"content": text}})
        self.talk.order(1, """
import signal
from hermes_tools import write_file
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
for _ in range(10):
    assert write_file("a", "y" * 3_000_000) == {"content": "x" * 3_000_000}
signal.setitimer(signal.ITIMER_REAL, 0)
print("whole")
""")
        self.assertEqual((script.wait(), script.out.decode(), script.err.decode()), (0, "whole\n", ""))

    def test_what_the_examples_do(self):
        def answer(request):
            results = {"search_files": {"matches": [{"path": "a.yaml"}, {"path": "b.yaml"}]},
                       "read_file": {"content": "text of " + request["args"].get("path", "")}}
            return {"id": request["id"], "result": results[request["tool"]]}

        code, out, err, _ = self.run_program("""
from hermes_tools import search_files, read_file
import json

matches = search_files("database", path=".", file_glob="*.yaml", limit=20)
configs = []
for match in matches.get("matches", []):
    content = read_file(match["path"])
    configs.append({"file": match["path"], "preview": content["content"][:200]})

print(json.dumps(configs, indent=2))
""", answer=answer)
        self.assertEqual((code, err, json.loads(out)), (0, "", [
            {"file": "a.yaml", "preview": "text of a.yaml"}, {"file": "b.yaml", "preview": "text of b.yaml"}]))


if __name__ == "__main__":
    sys.exit(unittest.main())
