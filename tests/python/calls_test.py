"""Calls of hermes_tools: what is sent, whose answer comes back, and what happens when something is wrong."""
import math
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import unittest

import gateway

hermes_tools = gateway.use_hermes_tools()
NO_LOBBY = ("hermes_tools has no connection to the gateway in this process: make the call in the script that "
            "execute_code runs, or start this process from it with pass_fds=(3,) and the same environment. Children of "
            "multiprocessing need the start method fork.")


class CallsTest(unittest.TestCase):
    def setUp(self):
        from hermes_tools import _channel

        self.talk = gateway.Gateway()
        self.addCleanup(self.talk.close)
        self.addCleanup(_channel._forget_channels)
        self.addCleanup(setattr, hermes_tools, "strict", False)
        hermes_tools._lobby = self.talk.address()

    def error_of(self, tool, *arguments, **named):
        result = getattr(hermes_tools, tool)(*arguments, **named)
        self.assertEqual(list(result), ["error"])
        self.assertEqual(self.talk.requests, [])
        return result["error"]

    def test_every_tool_sends_what_it_is_given_and_its_defaults(self):
        hermes_tools.web_search("q")
        hermes_tools.web_extract(["http://a"])
        hermes_tools.web_extract(["http://a"], 100)
        hermes_tools.read_file("p", 3)
        hermes_tools.write_file("p", "text\n", force=True)
        hermes_tools.search_files("x", file_glob="*.py")
        hermes_tools.patch("p", "old", "new")
        hermes_tools.patch(mode="patch", patch="*** Begin Patch")
        hermes_tools.terminal("ls")
        hermes_tools.terminal("ls", 1.5, workdir="/")
        self.assertEqual([(request["tool"], request["args"]) for request in self.talk.requests], [
            ("web_search", {"query": "q", "limit": 5}),
            ("web_extract", {"urls": ["http://a"]}),
            ("web_extract", {"urls": ["http://a"], "char_limit": 100}),
            ("read_file", {"path": "p", "offset": 3, "limit": 2000}),
            ("write_file", {"path": "p", "content": "text\n", "force": True}),
            ("search_files", {"pattern": "x", "target": "content", "path": ".", "file_glob": "*.py", "limit": 50,
                              "offset": 0, "output_mode": "content", "context": 0}),
            ("patch", {"path": "p", "old_string": "old", "new_string": "new", "replace_all": False, "mode": "replace",
                       "diff": False}),
            ("patch", {"replace_all": False, "mode": "patch", "patch": "*** Begin Patch", "diff": False}),
            ("terminal", {"command": "ls"}),
            ("terminal", {"command": "ls", "timeout": 1.5, "workdir": "/"}),
        ])
        self.assertEqual([request["id"] for request in self.talk.requests], list(range(1, 11)))

    def test_text_of_any_language_and_paths_arrive_unchanged(self):
        text = "ä€😀\0\u2028\x7f\"\\"
        self.assertEqual(hermes_tools.write_file(pathlib.Path("a/b"), text)["args"],
                         {"path": "a/b", "content": text, "force": False})

    def test_eight_threads_get_their_own_answers(self):
        wrong = []

        def work(thread):
            for number in range(500):
                name = "%d-%d" % (thread, number)
                if hermes_tools.read_file(name)["args"]["path"] != name:
                    wrong.append(name)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(gateway.DEADLINE)
        self.assertEqual((wrong, len(self.talk.requests), len(self.talk.channels)), ([], 4000, 8))
        for _ in range(8):  # each ends with its thread
            self.talk.channel_closed.get(timeout=gateway.DEADLINE)

    def test_an_answer_to_another_call_is_dropped(self):
        self.talk.answer = lambda request: [{"id": 77, "result": {"late": True}}, {"id": 0, "error": "late"},
                                            {"id": request["id"], "result": {"right": True}}]
        self.assertEqual(hermes_tools.read_file("a"), {"right": True})
        self.assertEqual(hermes_tools.read_file("b"), {"right": True})

    def test_a_result_of_ten_megabytes(self):
        text = "ä" * (5 * 1024 * 1024)
        self.talk.answer = lambda request: {"id": request["id"], "result": {"content": text}}
        self.assertEqual(hermes_tools.read_file("a"), {"content": text})

    def test_an_error_is_a_dict(self):
        self.talk.answer = lambda request: {"id": request["id"], "error": "Tool call limit reached (50)."}
        self.assertEqual(hermes_tools.read_file("a"), {"error": "Tool call limit reached (50)."})

    def test_an_error_without_a_number_is_for_the_call_that_waits(self):
        self.talk.answer = lambda request: {"id": None, "error": "too long"}
        self.assertEqual(hermes_tools.read_file("a"), {"error": "too long"})

    def test_strict_raises_what_is_an_error_and_nothing_else(self):
        hermes_tools.strict = True
        self.talk.answer = lambda request: {"id": request["id"], "result": {"error": None, "content": "x"}}
        self.assertEqual(hermes_tools.read_file("a"), {"error": None, "content": "x"})
        self.talk.answer = lambda request: {"id": request["id"], "result": {"error": "gone", "similar_files": ["b"]}}
        with self.assertRaises(hermes_tools.ToolError) as caught:
            hermes_tools.read_file("a")
        self.assertEqual((str(caught.exception), caught.exception.result),
                         ("gone", {"error": "gone", "similar_files": ["b"]}))
        with self.assertRaises(hermes_tools.ToolError):
            hermes_tools.read_file(b"a")

    def test_what_cannot_be_sent_names_the_argument(self):
        circle = []
        circle.append(circle)
        deep = []
        for _ in range(100_000):
            deep = [deep]
        half = "'\\ud%s' is half of a surrogate pair, which is no character"
        for value, why in (("a\ud800b", half % "800"),
                           (b"bytes", "bytes is no JSON value: decode it first"),
                           ({1}, "set is no JSON value"),
                           (pathlib.PurePosixPath("a\udcff"), half % "cff"),
                           (circle, "Circular reference detected"),
                           (deep, "it is nested too deeply")):
            self.assertEqual(self.error_of("write_file", "a", value),
                             "write_file: the argument 'content' cannot be sent: " + why)
        for value in (math.nan, math.inf, [-math.inf]):
            self.assertIn("terminal: the argument 'timeout' cannot be sent: Out of range float values are not JSON",
                          self.error_of("terminal", "ls", value))
        self.assertEqual(self.error_of("read_file", "a", 1 << 64),
                         "read_file: the argument 'offset' is a number of more than 64 bits")
        self.assertEqual(hermes_tools.read_file("a")["tool"], "read_file")

    def test_a_frame_over_16_mebibytes_is_refused_here(self):
        most = 16 * 1024 * 1024
        over = len('{"id":1,"tool":"write_file","args":{"path":"a","content":"","force":false}}')
        self.assertEqual(self.error_of("write_file", "a", "x" * (most - over + 1)),
                         "write_file: the call is 16777217 bytes long, and 16777216 is the most")
        self.assertEqual(self.error_of("write_file", "a", "x" * most),
                         "write_file: the call is %d bytes long, and 16777216 is the most" % (most + over))
        self.talk.answer = lambda request: {"id": request["id"], "result": {"size": len(request["args"]["content"])}}
        # The calls that were refused have used up numbers, but none of two digits.
        self.assertEqual(hermes_tools.write_file("a", "x" * (most - over)), {"size": most - over})

    def test_a_default_timeout_of_the_program_does_not_end_a_call(self):
        def slow(request):
            threading.Event().wait(0.2)
            return gateway.echo(request)

        self.talk.answer = slow
        self.addCleanup(socket.setdefaulttimeout, socket.getdefaulttimeout())
        socket.setdefaulttimeout(0.01)
        self.assertEqual(hermes_tools.read_file("a")["tool"], "read_file")

    def test_a_gateway_that_is_gone_says_so(self):
        gone = "the gateway went away: no tool can be called any more in this run."
        self.addCleanup(signal.signal, signal.SIGPIPE, signal.signal(signal.SIGPIPE, signal.SIG_DFL))

        def leave(request):
            self.talk.channels[-1].shutdown(socket.SHUT_RDWR)

        self.talk.answer = leave
        with self.assertRaisesRegex(ConnectionError, gone):
            hermes_tools.read_file("a")
        self.talk.answer = gateway.echo
        self.assertEqual(hermes_tools.read_file("a")["tool"], "read_file")
        self.talk.lobby.shutdown(socket.SHUT_RDWR)
        self.talk.channels[-1].shutdown(socket.SHUT_RDWR)
        for _ in range(2):
            with self.assertRaisesRegex(ConnectionError, gone):
                hermes_tools.read_file("a")

    def test_an_answer_that_is_none_ends_the_channel(self):
        self.talk.answer = lambda request: ["nonsense"]
        with self.assertRaisesRegex(ConnectionError, "the gateway sent something that is no answer"):
            hermes_tools.read_file("a")
        self.talk.answer = gateway.echo
        self.assertEqual(hermes_tools.read_file("a")["tool"], "read_file")

    def test_without_a_lobby_the_first_call_says_what_to_do(self):
        with open(os.devnull, "rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            for address in ("", "x", "3", "999999:1", "%d:%d" % (file.fileno(), inode),
                            self.talk.address() + "1"):
                hermes_tools._lobby = address
                with self.assertRaises(ConnectionError) as caught:
                    hermes_tools.terminal("ls")
                self.assertEqual(str(caught.exception), NO_LOBBY)

    def test_importing_it_imports_nothing_else(self):
        source = "import sys; before = set(sys.modules); import hermes_tools; print(set(sys.modules) - before)"
        out = subprocess.check_output(["/usr/bin/python3", "-c", source], env=gateway.base_environment(), text=True)
        self.assertEqual(out, "{'hermes_tools'}\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
