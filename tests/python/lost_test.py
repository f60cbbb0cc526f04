"""Programs that close the connection under hermes_tools, or leave no room for it."""
import sys
import unittest

from script_case import ScriptCase

CLOSED = "ConnectionError: hermes_tools lost its connection: the script closed it."
NO_ROOM = ("ConnectionError: hermes_tools has no room for its connection: the script has too many files open. Close "
           "some of them.")
FILL = """
import os, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
files = []
while True:
    try:
        files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        break
"""


class LostTest(ScriptCase):
    def lines_of(self, source, keep=False):
        """Exit code, stdout, what stands at the left of stderr, all files named in it, and the last word."""
        script = self.start()
        self.talk.order(1, source, keep=keep)
        code = script.wait()
        err = script.err.decode().splitlines()
        files = sorted({line.split('"')[1] for line in err if line.startswith('  File "')})
        return code, script.out.decode(), [line for line in err if line[:1] != " "], files, self.talk.next_packet()

    def expect_lost(self, source, keep=False):
        self.assertEqual(self.lines_of("import os\nfrom hermes_tools import read_file\n" + source, keep),
                         (1, "before\n", ["Traceback (most recent call last):", CLOSED], ["<execute_code>"], None))

    def test_a_program_that_closes_its_descriptors_is_told_so_in_one_sentence(self):
        for keep in (False, True):
            for close in ("os.close(3); os.close(4)", "os.closerange(3, 100)",
                          "os.closerange(3, 5); files = [open('/dev/null', 'w') for _ in range(2)]",
                          "os.closerange(3, 5); import socket; pair = socket.socketpair(type=socket.SOCK_SEQPACKET)"):
                with self.subTest(close, keep=keep):
                    self.expect_lost("print('before')\n%s\nread_file('a')\n" % close, keep)

    def test_the_channel_that_came_along_needs_no_lobby(self):
        self.assertEqual(self.lines_of("import os\nfrom hermes_tools import read_file\nos.close(3)\n"
                                       "print(read_file('a')['args']['path'])"), (0, "a\n", [], [], None))

    def test_one_that_closes_a_channel_in_use_too(self):
        self.expect_lost("read_file('a')\nprint('before')\nos.closerange(3, 100)\nread_file('b')\n")
        self.expect_lost("read_file('a')\nprint('before')\nos.closerange(3, 100)\n"
                         "files = [open('/dev/null') for _ in range(9)]\nread_file('b')\n")
        # The descriptors that are in its place stay the program's.
        self.expect_lost("""
read_file('a')
os.closerange(3, 100)
ends = [os.pipe() for _ in range(4)]
try:
    read_file('b')
except ConnectionError:
    for _, end in ends:
        os.write(end, b'x')
    print('before')
    raise
""")

    def test_a_channel_alone_is_made_again(self):
        self.expect("""
import os
from hermes_tools import read_file
read_file("a")
os.closerange(4, 100)
print(read_file("b")["args"]["path"])
""", "b\n")

    def test_the_programs_own_exception_and_exit_are_what_remain(self):
        self.assertEqual(self.lines_of("import os\nos.close(3)\nint('x')"),
                         (1, "", ["Traceback (most recent call last):",
                                  "ValueError: invalid literal for int() with base 10: 'x'"], ["<execute_code>"], None))
        self.assertEqual(self.lines_of("import os\nos.close(3)\nprint('done')"), (0, "done\n", [], [], None))
        self.assertEqual(self.lines_of("import os\nos.close(3)\nexit(7)"), (7, "", [], [], None))

    def test_a_program_with_too_many_files_is_told_so_in_one_sentence(self):
        for first in ("", "import hermes_tools; hermes_tools.read_file('a'); del hermes_tools._way()._mine.channel\n"):
            with self.subTest(first):
                source = first + FILL + "from hermes_tools import read_file\nread_file('b')"
                self.assertEqual(self.lines_of(source),
                                 (1, "", ["Traceback (most recent call last):", NO_ROOM], ["<execute_code>"],
                                  {"ended": 1, "how": "error", "exit_code": 1}))

    def test_and_can_go_on_when_it_has_closed_some(self):
        self.expect(FILL + """
from hermes_tools import read_file
try:
    read_file("a")
except ConnectionError as error:
    print(error)
for file in files:
    os.close(file)
print(read_file("b")["args"]["path"])
""", NO_ROOM.partition(": ")[2] + "\nb\n")

    def test_a_kept_process_that_can_take_no_program_says_so(self):
        script = self.start()
        self.talk.order(1, FILL + "os.close(files.pop())", keep=True)
        self.assertEqual(self.talk.next_packet(), {"ended": 1, "how": "ok", "exit_code": 0})
        self.talk.order(2, "print('never')", keep=True)
        why = "execute_code: the script did not arrive: those before it left too many files open\n"
        self.assertEqual((script.wait(), script.out.decode(), script.err.decode()), (1, "", why))
        self.assertIsNone(self.talk.next_packet())

    def test_errors_of_tools_show_none_of_our_lines(self):
        code, _, err, files, _ = self.lines_of("""
import hermes_tools
hermes_tools.strict = True
def work(item):
    return 1 // item
try:
    hermes_tools.parallel_map(work, [0])
except ZeroDivisionError as error:
    raise ValueError("both") from error
""")
        self.assertEqual((code, files, err[-1]), (1, ["<execute_code>"], "ValueError: both"))


if __name__ == "__main__":
    sys.exit(unittest.main())
