"""A program in a process of its own: what it prints, how it ends, what it sees."""
import os
import pathlib
import signal
import sys
import tempfile
import unittest

import gateway
from script_case import ScriptCase


class BootTest(ScriptCase):
    def test_print(self):
        self.expect("print('hello', 'ä€😀')", "hello ä€😀\n")

    def test_an_empty_program(self):
        self.expect("", "")
        self.expect("\ufeff# nothing", "")

    def test_a_program_of_five_megabytes(self):
        self.expect("x = 'abcdefg'\n" * 380_000 + "print(len(x))", "7\n")

    def test_half_a_line_before_a_kill_arrives(self):
        script = self.start()
        self.talk.order(1, """
import os, sys, time
print("half", end="")
sys.stdout.buffer.write(b" a")
sys.stdout.write(" line")
os.kill(os.getpid(), 9)
""")
        self.assertEqual((script.wait(), script.out), (-signal.SIGKILL, b"half a line"))
        self.assertIsNone(self.talk.next_packet())

    def test_lone_surrogates_are_printed_as_escapes(self):
        self.expect("import sys\nprint('a\\ud800b', file=sys.stderr)\nprint('a\\udcffb')", "a\\udcffb\n",
                    err="a\\ud800b\n")

    def test_nothing_is_lost_in_a_pipe_that_does_not_block(self):
        self.expect("""
import fcntl, os, sys
for fd in (1, 2):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK)
for number in range(30):
    print(str(number % 10) * 200_000)
sys.stdout.buffer.write(b"end")
""", "".join(str(number % 10) * 200_000 + "\n" for number in range(30)) + "end")

    def test_handled_signals_do_not_cut_what_is_written(self):
        self.expect("""
import signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
for number in range(30):
    print(str(number % 10) * 400_000)
signal.setitimer(signal.ITIMER_REAL, 0)
""", "".join(str(number % 10) * 400_000 + "\n" for number in range(30)))

    def test_a_signal_handler_may_print_while_the_program_prints(self):
        code, out, err, _ = self.run_program("""
import signal
signal.signal(signal.SIGALRM, lambda *_: print("handler"))
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
for number in range(20_000):
    print("program")
signal.setitimer(signal.ITIMER_REAL, 0)
""")
        self.assertEqual((code, err, out.count("program")), (0, "", 20_000))
        self.assertGreater(out.count("handler"), 0)

    def test_the_lines_of_threads_stay_whole(self):
        code, out, err, _ = self.run_program("""
from hermes_tools import parallel_map, read_file
parallel_map(lambda number: print("got", number, read_file("a")["tool"]), range(1000))
""")
        self.assertEqual((code, err, sorted(out.splitlines())),
                         (0, "", sorted("got %d read_file" % number for number in range(1000))))

    def test_print_is_the_print_everybody_knows(self):
        self.expect("""
import io, pickle, sys
print(1, "b", None, sep=", ", end=".\\n", flush=True)
print(sep=None, end=None)
print("to stderr", file=sys.stderr)
memory = io.StringIO()
print("elsewhere", 2, file=memory)
print(repr(memory.getvalue()), pickle.loads(pickle.dumps(print)) is print, print.__name__)
for wrong in ({"sep": 1}, {"end": b""}, {"file": 3}, {"other": 4}):
    try:
        print("x", **wrong)
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
sys.stdout = None
print("nowhere")
""", "1, b, None.\n\n'elsewhere 2\\n' True print\nTypeError\nTypeError\nAttributeError\nTypeError\n",
                    err="to stderr\n")

    def test_the_binary_stream_takes_what_any_does(self):
        self.expect("""
import array, io, sys
sys.stdout.buffer.write(array.array("H", [0x4241, 0x4443]))
sys.stdout.buffer.writelines([bytearray(b"e"), memoryview(b"fg")[1:]])
sys.stdout.buffer.raw.write(b"!")
sys.stdout.flush()
sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="latin-1")
print("last")
""", "ABCDeg!last\n")

    def test_exits(self):
        for source, out, code, err in (("exit(3)", "", 3, ""), ("raise SystemExit", "", 0, ""),
                                       ("exit(256)", "", 0, ""), ("exit(-1)", "", 255, ""), ("exit(True)", "", 1, ""),
                                       ("exit('why')", "", 1, "why\n"),
                                       ("exit([1, 2])", "", 1, "[1, 2]\n"),
                                       ("try: exit(5)\nfinally: print('last')", "last\n", 5, "")):
            with self.subTest(source):
                self.expect(source, out, "exit", code, err)

    def test_an_exception_shows_the_programs_lines_and_none_of_ours(self):
        code, out, err, last = self.run_program("def f(x):\n    return 1 / x\n\nprint('before')\nf(0)\n")
        self.assertEqual([line for line in err.splitlines() if "^" not in line], [
            "Traceback (most recent call last):",
            '  File "<execute_code>", line 5, in <module>', "    f(0)",
            '  File "<execute_code>", line 2, in f', "    return 1 / x",
            "ZeroDivisionError: division by zero"])
        self.assertEqual((code, out, last), (1, "before\n", {"ended": 1, "how": "error", "exit_code": 1}))

    def test_chained_exceptions_and_deep_recursion(self):
        _, _, err, _ = self.run_program("try:\n    {}['a']\nexcept KeyError:\n    int('x')")
        self.assertIn("KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n", err)
        self.assertNotIn("host", err)
        _, _, err, last = self.run_program("def f():\n    f()\nf()")
        self.assertTrue(err.endswith("RecursionError: maximum recursion depth exceeded\n"), err[-200:])
        self.assertEqual(last["how"], "error")

    def test_the_programs_own_hook_is_called(self):
        self.expect("import sys\nsys.excepthook = lambda kind, _, trace: print(kind.__name__, trace.tb_lineno)\n1 / 0",
                    "ZeroDivisionError 3\n", "error", 1)
        self.expect("import sys\nsys.excepthook = lambda *_: exit(7)\n1 / 0", "", "error", 7)
        code, _, err, _ = self.run_program("import sys\nsys.excepthook = lambda *_: 1 / 0\nint('x')")
        self.assertEqual((code, [line for line in err.splitlines() if not line.startswith(" ")]), (1, [
            "Error in sys.excepthook:", "Traceback (most recent call last):", "ZeroDivisionError: division by zero", "",
            "Original exception was:", "Traceback (most recent call last):",
            "ValueError: invalid literal for int() with base 10: 'x'"]))

    def test_who_looks_for_its_source_finds_it(self):
        code, out, err, _ = self.run_program("""import inspect, traceback
class Some:
    value = 1  # of a class

def function():
    raise ValueError  # of a function

print(inspect.getsource(Some), end="")
print(inspect.getsource(function), end="")
try:
    function()
except ValueError:
    traceback.print_exc()
""")
        self.assertEqual((code, out), (0, "class Some:\n    value = 1  # of a class\n"
                                          "def function():\n    raise ValueError  # of a function\n"))
        self.assertIn("    raise ValueError  # of a function\n", err)

    def test_a_syntax_error_is_reported_before_anything_runs(self):
        for source, err in (
            ("print(1)\nif True\n    pass", '  File "<execute_code>", line 2\n    if True\n           ^\n'
                                              "SyntaxError: expected ':'\n"),
            ("print(1)\nreturn 5", '  File "<execute_code>", line 2\n    return 5\n    ^^^^^^^^\n'
                                   "SyntaxError: 'return' outside function\n"),
            ("print(1)\nx = 'a\0b'", "  File \"<execute_code>\", line 2\n    x = 'a\n          ^\n"
                                       "SyntaxError: source code cannot contain null bytes\n"),
            ("# coding: none-such\nprint(1)", '  File "<execute_code>", line 1\n    # coding: none-such\n'
                                              "SyntaxError: unknown encoding: none-such\n"),
            ("print(1)\n" + "-" * 100_000 + "1", '  File "<execute_code>", line 1\n'
                                                  "SyntaxError: too deeply nested to be compiled\n"),
            ("print(1)\nx = a" + ".a" * 100_000, '  File "<execute_code>", line 1\n'
             "SyntaxError: maximum recursion depth exceeded during compilation\n"),
        ):
            with self.subTest(source[:20]):
                self.expect(source, "", "syntax", 1, err)

    def test_exit_handlers_and_threads_come_before_the_last_word(self):
        self.expect("""
import atexit, threading
go = threading.Event()
atexit.register(lambda: print("at exit"))
threading.Thread(target=lambda: (go.wait(), print("thread"))).start()
threading.Timer(0.1, go.set).start()
print("main")
""", "main\nthread\nat exit\n")

    def test_a_process_that_leaves_by_itself_has_no_last_word(self):
        for source, code in (("import os\nprint('x')\nos._exit(4)", 4),
                             ("import os, signal\nprint('x')\nos.kill(os.getpid(), signal.SIGTERM)", -15)):
            script = self.start()
            self.talk.order(1, source)
            self.assertEqual((script.wait(), script.out), (code, b"x\n"))
            self.assertIsNone(self.talk.next_packet())

    def test_an_interrupt_ends_it_as_it_ends_any_interpreter(self):
        script = self.start()
        self.talk.order(1, "import time\nprint('ready')\ntime.sleep(600)")
        script.wait_for_output("ready")
        script.process.send_signal(signal.SIGINT)
        self.assertEqual(script.wait(), -signal.SIGINT)
        lines = [line for line in script.err.decode().splitlines() if "^" not in line]  # it may still be printing
        self.assertEqual((lines[0], len(lines), lines[-1]),
                         ("Traceback (most recent call last):", 4, "KeyboardInterrupt"))
        self.assertEqual(self.talk.next_packet(), {"ended": 1, "how": "interrupted", "exit_code": 130})

    def test_a_forked_child_that_returns_says_nothing_to_the_gateway(self):
        self.expect("import os\npid = os.fork()\nif pid:\n    print(os.waitpid(pid, 0)[1])\nelse:\n    print('child')",
                    "child\n0\n")
        self.assertIsNone(self.talk.next_packet())

    def test_what_a_program_sees(self):
        self.expect("""
import os, sys
print(sys.argv, __name__, __file__, sys.path[0] == "", sorted(globals()))
print(sys.modules["__main__"].__dict__ is globals(), sys.modules["__main__"].__file__)
print(sys.stdin.read() == "", sys.stdout.name, sys.stdout.encoding, sys.stdout.buffer.raw.fileno(), sys.stderr.errors)
for name in ("boot", "warm", "service", "program", "streams"):
    try:
        __import__(name)
        print("there is a", name)
    except ImportError:
        pass
print([name for name, module in sys.modules.items() if "host" in str(getattr(module, "__file__", ""))])
links = {fd: os.readlink("/proc/self/fd/%d" % fd) for fd in range(16) if os.path.lexists("/proc/self/fd/%d" % fd)}
print(sorted(links)[:4], [link[:6] for fd, link in links.items() if fd > 3], os.get_inheritable(3))
""", "['execute_code'] __main__ <execute_code> True ['__annotations__', '__builtins__', '__doc__', '__file__', "
     "'__loader__', '__name__', '__package__', '__spec__', 'os', 'sys']\n"
     "True <execute_code>\nTrue <stdout> utf-8 1 backslashreplace\n[]\n[0, 1, 2, 3] ['socket'] False\n")

    def test_ours_wins_over_a_file_of_the_same_name(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "hermes_tools.py").write_text("raise RuntimeError('not ours')")
            pathlib.Path(folder, "mine.py").write_text("VALUE = 6")
            self.expect("import hermes_tools, mine\nprint(hermes_tools.read_file('a')['tool'], mine.VALUE)",
                        "read_file 6\n", cwd=folder)

    def test_a_staging_directory_is_made_and_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            staging = os.path.join(folder, "staging")
            self.expect("""
import os, stat, sys
print(os.getcwd() == sys.path[0], oct(stat.S_IMODE(os.stat(".").st_mode)))
os.makedirs("a/b")
open("a/b/c.py", "w").close()
print(os.getcwd())
""", "True 0o700\n%s\n" % staging, staging=staging)
            self.assertEqual(os.listdir(folder), [])
            os.mkdir(staging)
            self.expect("print('never')", "", "error", 1, "execute_code: no directory to run in: "
                        "[Errno 17] File exists: '%s'\n" % staging, staging=staging)

    def test_a_gateway_that_never_orders_anything(self):
        script = self.start()
        self.talk.lobby.sendall(b'{"hello": 5}')
        self.assertEqual(self.talk.next_packet(), {"hello": 5})
        self.talk.close()
        self.assertEqual((script.wait(), script.out, script.err), (0, b"", b""))

    def test_started_by_hand_it_says_who_starts_it(self):
        environment = gateway.base_environment()
        script = self.start(environment=environment, command=["/usr/bin/env", "-u", "TALARIA_RPC", "/usr/bin/python3",
                                                             str(gateway.PYTHON / "host" / "boot.py")])
        self.assertEqual((script.wait(), script.err.decode()),
                         (1, "only the gateway starts this, with a socket that TALARIA_RPC names\n"))


if __name__ == "__main__":
    sys.exit(unittest.main())
