"""A run forked from the warm base is what a cold interpreter would be."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import gateway

INTERPRETER = "/usr/bin/python3"

PROBE = r"""
import builtins, gc, io, json, locale, os, random, signal, site, subprocess, sys, tempfile, threading, time, warnings

def plain(value):
    return value if isinstance(value, (int, str, type(None))) else repr(value)

seen = {name: plain(getattr(sys, name, "missing")) for name in (
    "executable", "_base_executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix", "platlibdir", "path",
    "flags", "argv", "orig_argv", "warnoptions", "_xoptions", "dont_write_bytecode", "pycache_prefix", "_home",
    "_framework", "stdin", "stdout", "stderr", "__stdout__", "_stdlib_dir")}
seen.update({
    "environment": dict(os.environ), "native environment": dict(os.environb) == sys.modules["posix"].environ,
    "child's environment": subprocess.check_output(["/usr/bin/env", "-0"], errors="surrogateescape").split("\0"),
    "cwd": os.getcwd(), "interactive": hasattr(sys, "__interactivehook__"),
    "stream errors": [s.errors + s.encoding + str(s.line_buffering) for s in (sys.stdin, sys.stdout, sys.stderr)],
    "site": [site.ENABLE_USER_SITE, site.USER_SITE, site.USER_BASE, site.PREFIXES],
    "builtins": [name for name in dir(builtins)],
    "arguments": subprocess._args_from_interpreter_flags(),
    "signals": [str(signal.getsignal(n)) for n in range(1, signal.NSIG)],
    "blocked": [int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
    "real signals": [line for line in open("/proc/self/status") if line.startswith(("SigCgt", "SigIgn"))],
    "threads": [threading.current_thread() is threading.main_thread(), threading.active_count(),
                threading.main_thread().ident == threading.get_ident(),
                threading.main_thread().native_id == threading.get_native_id()],
    "locale": locale.setlocale(locale.LC_ALL), "zone": time.tzname, "temporary": tempfile.gettempdir(),
    "filters": repr(warnings.filters), "main": sorted(globals()), "name": __name__, "file": __file__,
    "collector": [gc.isenabled(), gc.get_threshold()], "encoding": sys.getfilesystemencoding(),
    "ours": sorted(name for name in sys.modules
                   if (getattr(sys.modules[name], "__file__", None) or "").startswith(os.environ["LIBRARY"])),
    "finders": [str(getattr(finder, "__name__", type(finder))) for finder in sys.meta_path],
    "in path": [name for name in ("boot", "warm", "service", "program", "streams") if name in sys.modules],
})
try:
    import packed
    seen["package"] = packed.VALUE, packed.__file__, packed.pth
except ImportError as error:
    seen["package"] = str(error)
print(json.dumps(seen))
"""


class WarmTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.library = os.path.join(cls.folder.name, "lib")
        shutil.copytree(str(gateway.PYTHON / "host"), os.path.join(cls.library, "host"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(str(gateway.PYTHON / "hermes_tools"), os.path.join(cls.library, "python", "hermes_tools"),
                        ignore=shutil.ignore_patterns("__pycache__"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def environment(self, **more):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder.name, "LANG": "C.UTF-8", "LIBRARY": self.library,
                       "PYTHONPATH": os.path.join(self.library, "python")}
        environment.update(more)
        return {name: value for name, value in environment.items() if value is not None}

    def run_program(self, source, warm, program=INTERPRETER, environment=None, runs=1):
        talk = gateway.Gateway()
        self.addCleanup(talk.close)
        environment = self.environment() if environment is None else environment
        command = [program, "-X", "utf8", os.path.join(self.library, "host", "boot.py")]
        if warm:
            told = dict(environment, TALARIA_RPC=talk.address(3))
            coded = b"".join(os.fsencode(name + "=" + value) + b"\0" for name, value in told.items()).hex()
            command = [INTERPRETER, "-I", "-S", "-X", "utf8", str(gateway.PYTHON.parent / "tests/python/warm_base.py"),
                       os.path.join(self.library, "host"), program, coded, str(runs)]
            environment = {"LANG": "C.UTF-8"}
        script = gateway.Script(talk, environment=environment, cwd=self.folder.name, command=command)
        self.addCleanup(script.stop)
        for number in range(runs):
            talk.order(7 + number, source)
        return script.wait(), script.out.decode(), script.err.decode(), talk

    def compare(self, **how):
        seen = []
        for warm in (False, True):
            code, out, err, _ = self.run_program(PROBE, warm, **how)
            self.assertEqual((code, err), (0, ""))
            seen.append(json.loads(out))
        cold, warm = seen
        self.assertEqual((cold.pop("ours"), warm.pop("ours")),
                         (["hermes_tools"], ["hermes_tools", "hermes_tools._channel"]))
        for one in seen:  # the sockets differ
            one["environment"].pop("TALARIA_RPC")
            lines = one["child's environment"]
            one["child's environment"] = sorted(line for line in lines if "TALARIA_RPC" not in line)
        self.assertEqual({name: (warm[name], cold[name]) for name in cold if warm[name] != cold[name]}, {})
        return warm

    def test_the_plain_interpreter(self):
        self.compare()

    def test_a_virtual_environment(self):
        where = os.path.join(self.folder.name, "venv")
        subprocess.run([INTERPRETER, "-m", "venv", "--without-pip", where], check=True, timeout=gateway.DEADLINE)
        program = os.path.join(where, "bin", "python3")
        packages = subprocess.check_output([program, "-c", "import site; print(site.getsitepackages()[0])"],
                                           text=True, timeout=gateway.DEADLINE).strip()
        elsewhere = os.path.join(self.folder.name, "elsewhere")
        os.mkdir(elsewhere)
        with open(os.path.join(packages, "packed.py"), "w", encoding="utf-8") as file:
            file.write("VALUE = 'packed'\nimport builtins\npth = builtins.seen_by_pth\n")
        with open(os.path.join(packages, "packed.pth"), "w", encoding="utf-8") as file:
            file.write(elsewhere + "\nimport builtins, sys; builtins.seen_by_pth = sys.prefix\n")
        seen = self.compare(program=program, environment=self.environment(VIRTUAL_ENV=where))
        self.assertEqual(seen["package"], ["packed", os.path.join(packages, "packed.py"), where])
        self.assertEqual(seen["prefix"], where)
        self.assertIn(elsewhere, seen["path"])

    def test_a_python_path_of_the_person(self):
        path = os.pathsep.join([os.path.join(self.library, "python"), "relative", "", "/usr/lib", "/usr/lib"])
        self.compare(environment=self.environment(PYTHONPATH=path))

    def test_a_user_site(self):
        user = subprocess.check_output([INTERPRETER, "-c", "import site; print(site.getusersitepackages())"], text=True,
                                       env=self.environment(), timeout=gateway.DEADLINE).strip()
        os.makedirs(user)
        self.addCleanup(shutil.rmtree, user)
        seen = self.compare()
        self.assertIn(user, seen["path"])

    def test_locales_and_time_zones(self):
        for more in ({"LANG": None}, {"LANG": None, "LC_ALL": "C"}, {"LANG": "xx_YY.UTF-8"}, {"LC_ALL": "xx_YY"},
                     {"LC_CTYPE": "C"}, {"TZ": "UTC-3"}):
            with self.subTest(more):
                self.compare(environment=self.environment(**more))

    def test_values_that_are_no_text(self):
        self.compare(environment=self.environment(ODD="\udcff=\n", EMPTY=""))


    def test_files_named_like_modules_of_the_library(self):
        for name in ("json.py", "token.py", "quietly.py"):
            path = os.path.join(self.folder.name, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("MINE = True\n")
            self.addCleanup(os.remove, path)
        source = ("import hermes_tools, json, token, quietly\n"
                  "print(hermes_tools.read_file('a')['tool'], [hasattr(m, 'MINE') for m in (json, token, quietly)])\n")
        for warm in (False, True):
            with self.subTest(warm=warm):
                code, out, err, _ = self.run_program(source, warm)
                self.assertEqual((code, out, err), (0, "read_file [False, False, True]\n", ""))

    def test_what_a_program_leaves_open_is_written(self):
        source = ("import atexit, ctypes, os, sys, threading, zipfile\n"
                  "class Last:\n    def __del__(self): print('gone')\n"
                  "_private, last = Last(), Last()\n"
                  "file = open('left-open', 'w'); file.write('text')\n"
                  "held = {'raw': open('left-open.bin', 'wb')}; held['raw'].write(b'bytes'); held['self'] = held\n"
                  "os.left = open('left-elsewhere', 'w'); os.left.write('more')\n"
                  "packed = zipfile.ZipFile('left-open.zip', 'w'); packed.writestr('a', 'b')\n"
                  "atexit.register(print, 'atexit')\n"
                  "threading.Timer(0.05, lambda: print('thread')).start()\n"
                  "ctypes.CDLL(None).printf(b'from C\\n')\n"
                  "sys.exit(258)\n")
        for warm in (False, True):
            with self.subTest(warm=warm):
                code, out, err, _ = self.run_program(source, warm)
                self.assertEqual((code, err), (2, ""))
                self.assertEqual(sorted(out.splitlines()), ["atexit", "from C", "gone", "gone", "thread"])
                for name, size in (("left-open", 4), ("left-open.bin", 5), ("left-elsewhere", 4)):
                    path = os.path.join(self.folder.name, name)
                    self.assertEqual(os.path.getsize(path), size, name)
                    os.remove(path)
                path = os.path.join(self.folder.name, "left-open.zip")
                with zipfile.ZipFile(path) as packed:
                    self.assertEqual(packed.read("a"), b"b")
                os.remove(path)

    def test_a_call_and_the_end_are_told(self):
        source = "from hermes_tools import *\nprint(read_file('a')['tool'])\nexit(4)"
        code, out, err, talk = self.run_program(source, True)
        self.assertEqual((code, out, err), (4, "read_file\n", ""))
        self.assertEqual(talk.next_packet(), {"ended": 7, "how": "exit", "exit_code": 4})

    def test_two_runs_of_one_base_do_not_draw_the_same_numbers(self):
        source = ("import random, tempfile, uuid\n"
                  "print(random.random(), uuid.uuid4(), next(tempfile._get_candidate_names()))")
        code, out, err, _ = self.run_program(source, True, runs=2)
        self.assertEqual((code, err), (0, ""))
        first, second = (line.split() for line in out.splitlines())
        self.assertEqual([one for one, other in zip(first, second) if one == other], [])

    def test_an_error_shows_the_programs_lines_only(self):
        code, out, err, talk = self.run_program("def f():\n    return 1 / 0\n\nf()", True)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual([line for line in err.splitlines() if "^" not in line], [
            "Traceback (most recent call last):",
            '  File "<execute_code>", line 4, in <module>', "    f()",
            '  File "<execute_code>", line 2, in f', "    return 1 / 0",
            "ZeroDivisionError: division by zero"])
        self.assertEqual(talk.next_packet(), {"ended": 7, "how": "error", "exit_code": 1})


if __name__ == "__main__":
    sys.exit(unittest.main())
