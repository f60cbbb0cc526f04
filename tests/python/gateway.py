"""A gateway for tests: the other end of the lobby and of the channels, and script processes with their pipes."""
import array
import json
import os
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
DEADLINE = 60

# Kept busy, so that it is free for the lobby of every script process.
try:
    os.fstat(3)
except OSError:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 3)


def echo(request):
    return {"id": request["id"], "result": {"tool": request["tool"], "args": request["args"]}}


def read_exactly(stream, size):
    data = b""
    while len(data) < size:
        part = stream.recv(size - len(data))
        if not part:
            return None
        data += part
    return data


def frame(value):
    body = json.dumps(value, ensure_ascii=False).encode()
    return len(body).to_bytes(4, "little") + body


class Gateway:
    """`answer` is called with every request and returns the answer, or a list of answers, or None for none."""

    def __init__(self, answer=echo):
        self.answer = answer
        self.lobby, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.packets = queue.Queue()
        self.requests = []
        self.progress = queue.Queue()
        self.called = queue.Queue()
        self.channels = []
        self.channel_closed = queue.Queue()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def address(self, fd=None):
        fd = self.theirs.fileno() if fd is None else fd
        return "%d:%d" % (fd, os.fstat(self.theirs.fileno()).st_ino)

    def listen(self):
        while True:
            try:
                data, rights, _, _ = self.lobby.recvmsg(65536, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)
            except OSError:
                return
            if not data:
                self.packets.put(None)
                return
            packet = json.loads(data)
            if packet == {"channel": True}:
                self.admit(socket.socket(fileno=array.array("i", rights[0][2][:4])[0]))
            else:
                self.packets.put(packet)

    def admit(self, channel):
        self.channels.append(channel)
        threading.Thread(target=self.serve, args=(channel,), daemon=True).start()

    def serve(self, channel):
        with channel:
            while True:
                try:
                    head = read_exactly(channel, 4)
                    body = head and read_exactly(channel, int.from_bytes(head, "little"))
                    if body is None:
                        break
                    self.take(channel, json.loads(body))
                except OSError:
                    break
        self.channel_closed.put(channel)

    def take(self, channel, packet):
        if "progress" in packet:
            self.progress.put(packet["progress"])
            return
        self.requests.append(packet)
        self.called.put(packet)
        answers = self.answer(packet)
        for answer in answers if isinstance(answers, list) else [answers] if answers is not None else []:
            channel.sendall(frame(answer))

    def order(self, run, source, keep=False, staging=None, argv=("execute_code",)):
        memory = os.memfd_create("program")
        ours, theirs = socket.socketpair()
        try:
            os.write(memory, b"")
            view = memoryview(source if isinstance(source, bytes) else source.encode())
            while view:
                view = view[os.write(memory, view):]
            os.lseek(memory, 0, os.SEEK_SET)
            packet = {"run": run, "keep": keep, "staging": staging, "argv": list(argv)}
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [memory, theirs.fileno()]))]
            self.lobby.sendmsg([json.dumps(packet).encode()], rights)
            self.admit(ours)
        finally:
            os.close(memory)
            theirs.close()

    def next_packet(self):
        return self.packets.get(timeout=DEADLINE)

    def close(self):
        for end in (self.lobby, self.theirs):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


class Script:
    """A script process started cold, its lobby on descriptor 3."""

    def __init__(self, gateway, interpreter="/usr/bin/python3", environment=None, cwd=None, command=None):
        self.gateway = gateway
        environment = dict(base_environment() if environment is None else environment)
        environment["TALARIA_RPC"] = gateway.address(3)
        argv = command or [interpreter, "-X", "utf8", str(PYTHON / "host" / "boot.py")]
        lobby = gateway.theirs.fileno()
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment, cwd=cwd, pass_fds=(3,),
                                        preexec_fn=lambda: os.dup2(lobby, 3, inheritable=True))
        # Ours alone would keep the lobby open after the process is gone.
        gateway.theirs.close()
        self.out, self.err = bytearray(), bytearray()
        self.news = threading.Condition()
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.out), (self.process.stderr, self.err))]
        for reader in self.readers:
            reader.start()

    def read(self, pipe, into):
        while True:
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            with self.news:
                into.extend(data)
                self.news.notify_all()

    def wait_for_output(self, text):
        with self.news:
            if not self.news.wait_for(lambda: text.encode() in self.out, DEADLINE):
                raise AssertionError("%r was not printed, but %r and %r" % (text, self.out, self.err))

    def wait(self):
        """Its exit code, when it is gone and all it printed has been read."""
        code = self.process.wait(timeout=DEADLINE)
        for reader in self.readers:
            reader.join(timeout=DEADLINE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.wait()


def base_environment():
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(PYTHON)}


def wait_until(true, what):
    """For what no event tells."""
    end = time.monotonic() + DEADLINE
    while not true():
        if time.monotonic() > end:
            raise AssertionError("never came true: " + what)
        time.sleep(0.005)


def use_hermes_tools():
    sys.path.insert(0, str(PYTHON))
    import hermes_tools

    return hermes_tools
