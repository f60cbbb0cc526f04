"""What the tests of the skills we ship share: running a script, programs that stand in for others, a web server."""
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Ran:
    """How a script ended."""

    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return "exit code %d\n--- stdout\n%s\n--- stderr\n%s" % (self.code, self.out, self.err)


class SkillCase(unittest.TestCase):
    maxDiff = None
    script = None  # below the root of the tree

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="skill-"))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.programs = self.folder / "programs"
        self.programs.mkdir()
        # Nothing of whoever runs the tests: neither their settings nor their credentials.
        self.environment = {
            "PATH": "%s:/usr/bin:/bin" % self.programs,
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.folder),
        }
        (self.folder / "home").mkdir()

    def run_script(self, *arguments, given=b"", cwd=None, script=None, timeout=100):
        command = [sys.executable, str(ROOT / (script or self.script)), *map(str, arguments)]
        return Ran(
            subprocess.run(
                command,
                input=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self.environment,
                cwd=str(cwd or self.folder),
                timeout=timeout,
            )
        )

    def expect(self, code, *arguments, **how):
        ran = self.run_script(*arguments, **how)
        self.assertEqual(ran.code, code, ran)
        self.assertNotIn("Traceback", ran.err)
        return ran

    def program(self, name, source):
        """Puts a Python program on PATH; it stands in for the real one."""
        path = self.programs / name
        path.write_text("#!%s\n%s" % (sys.executable, source))
        path.chmod(0o755)
        return path

    def only_programs(self, *names):
        """Leaves nothing on PATH but the stand-ins and these programs of the system."""
        for name in names:
            (self.programs / name).symlink_to(shutil.which(name, path="/usr/bin:/bin"))
        self.environment["PATH"] = str(self.programs)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def serve(self, answer):
        """A web server on loopback; `answer(request)` gives (status, headers, body). Returns it with its `url` and the
        `requests` it got."""
        server = Server(answer)
        self.addCleanup(server.close)
        return server


class Request:
    def __init__(self, handler):
        self.method = handler.command
        self.path = handler.path
        self.headers = dict(handler.headers.items())
        self.body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))

    def __repr__(self):
        return "%s %s" % (self.method, self.path)


class Server:
    def __init__(self, answer):
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                request = Request(self)
                outer.requests.append(request)
                status, headers, body = answer(request)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    pass  # the other side had enough

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def free_port():
    """A port of loopback on which nobody listens."""
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
