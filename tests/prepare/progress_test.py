"""What cmake/prepare.sh says while something takes long: a fake command that waits for us stands for it."""
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

source = sys.argv.pop(1)
patience = 30

# `begun` is a line that the fake command says; then it waits until a file is there.
script = """
. cmake/prepare.sh
progress_interval=0.1
fake() {
  echo "[ 27% 3/11] Building one"
  until [ -e "$folder/go" ]; do sleep 0.05; done
  echo "[100% 11/11] Building the last"
  return "$code"
}
"""


class Script:
    """A shell that has read prepare.sh and runs `words`; its stderr is a pipe, or a terminal."""

    def __init__(self, words, code=0, terminal=False):
        self.folder = tempfile.TemporaryDirectory()
        self.stderr, theirs = pty.openpty() if terminal else os.pipe()
        self.text = ""
        self.process = subprocess.Popen(
            ["bash", "-c", script + words], cwd=source, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
            env=dict(os.environ, folder=self.folder.name, code=str(code), COLUMNS="60"), start_new_session=True)
        os.close(theirs)

    def read(self, seconds):
        """What comes next on stderr; nothing at its end, None when nothing comes."""
        if not select.select([self.stderr], [], [], seconds)[0]:
            return None
        try:
            piece = os.read(self.stderr, 65536).decode()
        except OSError:  # how a terminal says that it was closed
            piece = ""
        self.text += piece
        return piece

    def await_text(self, text):
        end = time.monotonic() + patience
        while text not in self.text:
            if time.monotonic() > end or self.read(patience) == "":
                raise AssertionError("never said %r, only %r" % (text, self.text))

    def finish(self):
        """Lets the fake command end; gives the exit code and all of stderr."""
        open(self.folder.name + "/go", "w").close()
        code = self.process.wait(patience)
        end = time.monotonic() + patience
        while True:
            piece = self.read(patience)
            if piece is None or time.monotonic() > end:
                raise AssertionError("something still holds stderr")
            if not piece:
                break
        self.process.stdout.close()
        os.close(self.stderr)
        self.folder.cleanup()
        return code, self.text


class ProgressTest(unittest.TestCase):
    def test_a_log_gets_a_line_now_and_then(self):
        running = Script('quietly "$folder/log" fake')
        running.await_text(" s] [ 27% 3/11] Building one\n")
        code, text = running.finish()
        self.assertEqual(code, 0)
        self.assertNotIn("\r", text)

    def test_a_terminal_gets_one_line_that_is_gone_in_the_end(self):
        running = Script('quietly "$folder/log" fake', terminal=True)
        running.await_text("[ 27% 3/11] Building one")
        code, text = running.finish()
        self.assertEqual(code, 0)
        self.assertNotIn("\n", text)
        self.assertTrue(text.endswith("\r\033[K"), text)

    def test_an_installation_says_how_far_it_is(self):
        running = Script('dpkg-query() { :; }; env() { fake; }; sudo() { fake; }; cd "$folder" && require_packages one two')
        running.await_text("Installing one two\n")
        running.await_text(" s] [ 27% 3/11] Building one\n")
        self.assertEqual(running.finish()[0], 0)

    def test_a_failure_shows_the_end_of_the_log(self):
        code, text = Script('quietly "$folder/log" fake', code=3).finish()
        self.assertEqual(code, 3)
        self.assertIn("Building the last\n", text)
        self.assertIn("failed; the whole log is ", text)

    def test_what_took_long_is_said_with_its_time(self):
        code, text = Script("duration 45; tell_duration Built $((SECONDS - 365)); tell_duration Built $SECONDS; fake").finish()
        self.assertEqual((code, text), (0, "Built in 6 min 05 s\n"))

    def test_the_progress_ends_with_the_script(self):
        running = Script('quietly "$folder/log" fake')
        running.await_text("Building one\n")
        running.process.kill()
        self.assertEqual(running.finish()[0], -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
