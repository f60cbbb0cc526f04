"""What hermes_tools has beside the tools: json_parse, shell_quote, retry, progress, parallel, parallel_map."""
import inspect
import math
import queue
import sys
import threading
import time
import typing
import unittest
from unittest import mock

import gateway

hermes_tools = gateway.use_hermes_tools()


class ShortcutsTest(unittest.TestCase):
    def setUp(self):
        from hermes_tools import _channel

        self.talk = gateway.Gateway()
        self.addCleanup(self.talk.close)
        self.addCleanup(_channel._forget_channels)
        hermes_tools._lobby = self.talk.address()

    def test_signatures(self):
        self.assertEqual({name: str(inspect.signature(getattr(hermes_tools, name))) for name in hermes_tools.__all__
                          if name != "ToolError"}, {
            "web_search": "(query: str, limit: int = 5) -> dict",
            "web_extract": "(urls: 'list[str]', char_limit: 'int | None' = None) -> dict",
            "read_file": "(path: str, offset: int = 1, limit: int = 2000) -> dict",
            "write_file": "(path: str, content: str, force: bool = False) -> dict",
            "search_files": "(pattern: str, target: str = 'content', path: str = '.', file_glob: 'str | None' = None, "
                            "limit: int = 50, offset: int = 0, output_mode: str = 'content', context: int = 0) -> dict",
            "patch": "(path: 'str | None' = None, old_string: 'str | None' = None, new_string: 'str | None' = None, "
                     "replace_all: bool = False, mode: str = 'replace', patch: 'str | None' = None, "
                     "diff: bool = False) -> dict",
            "terminal": "(command: str, timeout: 'float | None' = None, workdir: 'str | None' = None) -> dict",
            "json_parse": "(text: str) -> 'Any'",
            "shell_quote": "(s: str) -> str",
            "retry": "(fn: 'Callable[[], Any]', max_attempts: int = 3, delay: float = 2) -> 'Any'",
            "progress": "(message: str, fraction: 'float | None' = None) -> None",
            "parallel": "(functions: 'Iterable[Callable[[], Any]]') -> list",
            "parallel_map": "(fn: 'Callable[[Any], Any]', items: 'Iterable[Any]') -> list",
        })
        self.assertEqual(typing.get_type_hints(hermes_tools.terminal)["timeout"], typing.Optional[float])

    def test_every_parameter_of_a_tool_is_described(self):
        for name in hermes_tools.__all__[:7]:
            function = getattr(hermes_tools, name)
            described = [line.split(":")[0].strip() for line in function.__doc__.split("\n\n")[1].splitlines()]
            self.assertEqual(described, list(inspect.signature(function).parameters))

    def test_json_parse_forgives_a_mark_and_raw_control_characters(self):
        self.assertEqual(hermes_tools.json_parse('\ufeff{"a": "x\ty\nz"}'), {"a": "x\ty\nz"})
        self.assertEqual(hermes_tools.json_parse(b"[1]"), [1])
        with self.assertRaises(ValueError):
            hermes_tools.json_parse("\ufeff\ufeff[]")

    def test_shell_quote(self):
        self.assertEqual([hermes_tools.shell_quote(text) for text in ("a", "", "it's $x")],
                         ["a", "''", "'it'\"'\"'s $x'"])

    def test_retry_waits_longer_each_time_and_raises_the_last_error(self):
        errors = iter([ValueError(1), KeyError(2), OSError(3), OSError(4)])

        def fail():
            raise next(errors)

        with mock.patch("time.sleep") as sleep:
            with self.assertRaises(OSError) as caught:
                hermes_tools.retry(fail, delay=3)
        self.assertEqual((caught.exception.args, [call.args[0] for call in sleep.call_args_list]), ((3,), [3, 6]))

    def test_retry_stops_at_the_first_success(self):
        results = iter([None])
        with mock.patch("time.sleep") as sleep:
            self.assertIsNone(hermes_tools.retry(lambda: next(results), max_attempts=1))
            with self.assertRaises(KeyboardInterrupt):
                hermes_tools.retry(mock.Mock(side_effect=KeyboardInterrupt))
        self.assertEqual(sleep.call_args_list, [])
        with self.assertRaises(ValueError):
            hermes_tools.retry(lambda: 1, max_attempts=0)

    def test_progress_is_sent_and_not_waited_for(self):
        for arguments in (("half", 0.5), ("more", 7), (12,), ("odd", math.nan), ("\ud800", -1), ("x" * 5000,)):
            hermes_tools.progress(*arguments)
        self.assertEqual([self.talk.progress.get(timeout=gateway.DEADLINE) for _ in range(6)], [
            {"message": "half", "fraction": 0.5}, {"message": "more", "fraction": 1.0},
            {"message": "12", "fraction": None}, {"message": "odd", "fraction": None},
            {"message": "\\ud800", "fraction": 0.0}, {"message": "x" * 4000, "fraction": None}])
        self.assertEqual(hermes_tools.read_file("a")["tool"], "read_file")

    def test_parallel_returns_results_in_order(self):
        names = [str(number) for number in range(50)]
        results = hermes_tools.parallel([lambda name=name: hermes_tools.read_file(name) for name in names])
        self.assertEqual([result["args"]["path"] for result in results], names)
        self.assertEqual(hermes_tools.parallel([]), [])
        self.assertEqual(hermes_tools.parallel_map(len, iter(["a", "bb"])), [1, 2])

    def test_parallel_runs_eight_at_once_and_no_more(self):
        barrier = threading.Barrier(8, timeout=gateway.DEADLINE)
        running, most = [], []

        def work(_):
            running.append(1)
            barrier.wait()  # passes only with seven others
            most.append(len(running))
            barrier.wait()
            running.pop()

        hermes_tools.parallel_map(work, range(16))
        self.assertEqual(max(most), 8)

    def test_parallel_raises_the_first_error_after_all_have_finished(self):
        finished = queue.Queue()

        def work(number):
            if number == 0:
                time.sleep(0.05)
            finished.put(number)
            if number in (0, 3, 4):
                raise ValueError(number)

        with self.assertRaises(ValueError) as caught:
            hermes_tools.parallel_map(work, range(20))
        self.assertEqual(caught.exception.args, (0,))
        self.assertEqual(sorted(finished.queue), list(range(20)))

    def test_parallel_says_what_it_takes(self):
        with self.assertRaisesRegex(TypeError, "parallel takes a list of functions.*and this is dict"):
            hermes_tools.parallel([hermes_tools.read_file("a")])


if __name__ == "__main__":
    sys.exit(unittest.main())
