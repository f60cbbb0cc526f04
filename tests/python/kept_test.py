"""A process that is kept: one namespace, one program after the other."""
import os
import signal
import sys
import tempfile
import unittest

import gateway
from script_case import ScriptCase


class KeptTest(ScriptCase):
    def setUp(self):
        self.script = self.start()
        self.runs = 0

    def order(self, source, **how):
        self.runs += 1
        self.seen = len(self.script.out), len(self.script.err)
        self.talk.order(self.runs, source, keep=True, **how)

    def finish(self):
        """stdout, stderr and how the run ended. The packet comes after the output was written, not read."""
        packet = self.talk.next_packet()
        self.assertEqual(packet.pop("ended"), self.runs)
        mark = b"-- %d --\n" % self.runs
        out, err = self.script.out, self.script.err
        self.talk.order(0, "import os as _os\n_os.write(1, %r)\n_os.write(2, %r)" % (mark, mark), keep=True)
        self.talk.next_packet()
        gateway.wait_until(lambda: out.endswith(mark) and err.endswith(mark), "the marks")
        return (out[self.seen[0]:-len(mark)].decode(), err[self.seen[1]:-len(mark)].decode(),
                packet["how"], packet["exit_code"])

    def run_kept(self, source, **how):
        self.order(source, **how)
        return self.finish()

    def test_names_and_imports_survive(self):
        self.assertEqual(self.run_kept("import math\nx = 2\ndef f(): return x * math.pi"), ("", "", "ok", 0))
        self.assertEqual(self.run_kept("x = 3\nprint(int(f()))\nx"), ("9\n", "", "ok", 0))
        self.assertEqual(self.run_kept("from hermes_tools import read_file\nprint(read_file('a')['tool'])"),
                         ("read_file\n", "", "ok", 0))
        self.assertEqual(self.run_kept("print(read_file('b')['args']['path'], __name__)"),
                         ("b __main__\n", "", "ok", 0))

    def test_an_exit_ends_the_run_only(self):
        self.assertEqual(self.run_kept("import sys\nx = 1\nsys.exit(3)"), ("", "", "exit", 3))
        self.assertEqual(self.run_kept("sys.exit('why')"), ("", "why\n", "exit", 1))
        self.assertEqual(self.run_kept("print(x)"), ("1\n", "", "ok", 0))

    def test_errors_show_the_lines_of_the_run_they_are_from(self):
        self.run_kept("def f(x):\n    return 1 / x  # first")
        out, err, how, code = self.run_kept("a = 1\nb = 2\nf(0)  # second")
        self.assertEqual((out, how, code), ("", "error", 1))
        self.assertEqual([line for line in err.splitlines() if "^" not in line], [
            "Traceback (most recent call last):",
            '  File "<execute_code 3>", line 3, in <module>', "    f(0)  # second",
            '  File "<execute_code>", line 2, in f', "    return 1 / x  # first",
            "ZeroDivisionError: division by zero"])
        self.assertEqual(self.run_kept("import inspect\nprint(inspect.getsource(f), b)"),
                         ("def f(x):\n    return 1 / x  # first\n 2\n", "", "ok", 0))

    def test_a_syntax_error_changes_nothing(self):
        self.run_kept("x = 1")
        out, err, how, code = self.run_kept("x = 2\n)")
        self.assertEqual((out, how, code), ("", "syntax", 1))
        self.assertIn("line 2\n    )\n    ^\nSyntaxError: unmatched ')'\n", err)
        self.assertEqual(self.run_kept("print(x)"), ("1\n", "", "ok", 0))

    def test_an_interrupt_ends_the_run_only(self):
        self.run_kept("import time\nx = 1")
        for wait in ("time.sleep(600)", "while True: pass"):
            self.order("try:\n    print('ready %d')\n    %s\nfinally:\n    x += 1" % (self.runs, wait))
            self.script.wait_for_output("ready %d" % (self.runs - 1))
            self.script.process.send_signal(signal.SIGINT)
            out, err, how, code = self.finish()
            self.assertEqual((how, code, err.splitlines()[-1]), ("interrupted", 130, "KeyboardInterrupt"))
            self.assertNotIn(".py", err)
        self.assertEqual(self.run_kept("print(x)"), ("3\n", "", "ok", 0))

    def test_an_interrupt_between_runs_is_ignored(self):
        self.run_kept("x = 1")
        for _ in range(20):
            self.script.process.send_signal(signal.SIGINT)
            self.talk.lobby.sendall(b'{"hello": 9}')
            self.assertEqual(self.talk.next_packet(), {"hello": 9})
        self.assertEqual(self.run_kept("print(x)"), ("1\n", "", "ok", 0))

    def test_interrupts_at_any_moment_do_not_end_the_process(self):
        self.run_kept("import time")
        for _ in range(100):
            self.runs += 1
            self.talk.order(self.runs, "time.sleep(0.001)", keep=True)
            self.script.process.send_signal(signal.SIGINT)
            self.script.process.send_signal(signal.SIGINT)
            self.assertIn(self.talk.next_packet()["how"], ("ok", "interrupted"))
        self.seen = len(self.script.out), len(self.script.err)
        self.assertEqual(self.run_kept("print('alive')")[2:], ("ok", 0))

    def test_a_program_may_handle_interrupts_itself(self):
        self.run_kept("import signal, time\nmine = []\nsignal.signal(signal.SIGINT, lambda *_: mine.append(1))")
        self.order("print('ready')\nwhile not mine: time.sleep(0.001)\nprint('done')")
        self.script.wait_for_output("ready")
        self.script.process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(), ("ready\ndone\n", "", "ok", 0))

    def test_hello_is_not_answered_while_a_program_runs(self):
        self.order("print('ready')\nfrom hermes_tools import read_file\nread_file('a')")
        self.script.wait_for_output("ready")
        self.talk.lobby.sendall(b'{"hello": 1}')
        self.assertEqual(self.talk.next_packet()["ended"], self.runs)
        self.assertEqual(self.talk.next_packet(), {"hello": 1})

    def test_every_run_begins_with_the_real_streams(self):
        self.run_kept("import io, sys\nsys.stdout = io.StringIO()\nprint('lost')")
        self.assertEqual(self.run_kept("print('seen')\nsys.stdout.close()\nsys.stderr.close()")[0], "seen\n")
        self.assertEqual(self.run_kept("print('again')"), ("again\n", "", "ok", 0))
        self.assertEqual(self.run_kept("sys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint('buffered')")[0],
                         "buffered\n")

    def test_a_forked_child_does_not_take_orders(self):
        self.assertEqual(self.run_kept("import os\npid = os.fork()\nif pid == 0: print('child')\n"
                                       "else: print(os.waitpid(pid, 0)[1])"), ("child\n0\n", "", "ok", 0))
        self.assertEqual(self.run_kept("pid = os.fork()\nif pid == 0: exit(5)\nprint(os.waitpid(pid, 0)[1] >> 8)"),
                         ("5\n", "", "ok", 0))

    def test_a_staging_directory_stays_as_long_as_the_process(self):
        with tempfile.TemporaryDirectory() as folder:
            staging = os.path.join(folder, "staging")
            self.run_kept("open('kept', 'w').close()", staging=staging)
            self.assertEqual(self.talk.packets.qsize(), 0)
            self.order("import os\nprint(os.listdir('.'))", staging=staging)
            self.talk.next_packet()
            self.script.wait_for_output("['kept']")
            self.talk.close()
            self.assertEqual((self.script.wait(), os.listdir(folder)), (0, []))

    def test_without_a_gateway_it_leaves_whatever_its_threads_do(self):
        self.run_kept("import atexit, threading\nthreading.Thread(target=threading.Event().wait).start()\n"
                      "atexit.register(lambda: print('at exit'))")
        self.talk.close()
        self.assertEqual(self.script.wait(), 0)
        self.assertTrue(self.script.out.endswith(b"at exit\n"))

    def test_a_channel_that_nobody_used_is_closed_by_the_next_run(self):
        count = "import os\nprint(len(os.listdir('/proc/self/fd')))"
        first = self.run_kept(count)
        for _ in range(5):
            self.assertEqual(self.run_kept(count), first)
        self.assertEqual(self.run_kept("from hermes_tools import read_file\nprint(read_file('b')['args']['path'])"),
                         ("b\n", "", "ok", 0))

    def test_memory_of_old_programs_is_bounded(self):
        for number in range(60):
            self.runs += 1
            self.talk.order(self.runs, "import linecache\nx = %d" % number, keep=True)
            self.assertEqual(self.talk.next_packet()["how"], "ok")
        out = self.run_kept("print(len([name for name in linecache.cache if name.startswith('<execute_code')]))")[0]
        self.assertEqual(out, "50\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
