"""The script process's side of the lobby: takes the gateway's orders, runs each one's program, tells how it ended."""
import _signal
import _socket
import atexit
import errno
import os
import sys

LONGEST_PACKET = 65536


class Grammar:
    """What the scanner of JSON wants to know. The scanner alone: json takes as long to import as the interpreter to
    start."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def parse(text: str) -> dict:
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    return make_scanner(Grammar)(text, 0)[0]


class Lobby:
    """The socket on which orders come."""

    def __init__(self, address: str) -> None:
        number, _, inode = address.partition(":")
        self.fd, self.inode = (int(number), int(inode)) if number.isdigit() and inode.isdigit() else (-1, -1)
        if not self.is_open():
            sys.exit("only the gateway starts this, with a socket that TALARIA_RPC names")
        # Only a subprocess that is given it (pass_fds=(3,)) is to have it.
        os.set_inheritable(self.fd, False)

    def is_open(self) -> bool:
        """Whether the descriptor is still the lobby: a program may have closed it and opened another in its place."""
        try:
            status = os.fstat(self.fd)
        except (OSError, OverflowError):
            return False
        return status.st_mode & 0o170000 == 0o140000 and status.st_ino == self.inode

    def open(self) -> _socket.socket:
        if not self.is_open():
            raise OSError(errno.EBADF, "the script closed the lobby")
        # A copy: whatever becomes of this object, the descriptor stays, for hermes_tools needs it too.
        door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, os.dup(self.fd))
        door.settimeout(None)
        return door

    def receive(self) -> tuple:
        """The next packet and the descriptors that came with it; (None, []) when the gateway is gone or cannot be
        reached any more."""
        try:
            door = self.open()
        except OSError:
            return None, []
        try:
            data, rights, _, _ = door.recvmsg(LONGEST_PACKET, _socket.CMSG_SPACE(8), _socket.MSG_CMSG_CLOEXEC)
        except ConnectionError:
            data, rights = b"", []
        finally:
            door.close()
        numbers = rights[0][2] if rights else b""
        fds = [int.from_bytes(numbers[at:at + 4], sys.byteorder) for at in range(0, len(numbers), 4)]
        return (parse(data.decode("utf-8")) if data else None), fds

    def send(self, packet: str) -> None:
        try:
            door = self.open()
        except OSError:
            self.send_without_copy(packet)
            return
        try:
            door.sendmsg([packet.encode("utf-8")], [], _socket.MSG_NOSIGNAL)
        except ConnectionError:
            pass  # nobody is left to be told
        finally:
            door.close()

    def send_without_copy(self, packet: str) -> None:
        """For a process that may open nothing more, or has closed the lobby."""
        try:
            if self.is_open():
                os.write(self.fd, packet.encode("utf-8"))
        except OSError:
            pass


class Service:
    """Runs programs until the gateway goes away or has one run that this process is not kept for."""

    def __init__(self, program, streams, keep_channel, leave_now=None) -> None:
        self.program, self.streams = program, streams
        self.keep_channel = keep_channel  # for the program's calls
        self.leave_now = leave_now  # ends the process with a code, without taking the interpreter apart
        self.lobby = Lobby(os.environ.get("TALARIA_RPC", ""))
        self.first_streams = sys.stdout, sys.stderr
        self.staging = None
        self.has_run = False
        self.run, self.how, self.exit_code = 0, "ok", 0
        self.on_interrupt = _signal.default_int_handler
        self.is_child = False
        os.register_at_fork(after_in_child=self.become_child)
        self.namespace = program.make_main()

    def become_child(self) -> None:
        """The program forked: what is promised to the gateway is the parent's business."""
        self.is_child = True

    def serve(self) -> None:
        self.ignore_interrupts()
        while True:
            packet, fds = self.lobby.receive()
            if packet is None:
                if self.lobby.is_open():
                    self.exit_code = 0
                self.leave()
            elif "hello" in packet:
                self.lobby.send('{"hello": %d}' % packet["hello"])
            elif "run" in packet:
                if not fds:
                    self.exit_code = 1
                    print("execute_code: the script did not arrive: those before it left too many files open",
                          file=sys.stderr)
                    self.leave()
                with open(fds[0], "rb") as file:
                    source = file.read()
                for channel in fds[1:]:
                    self.keep_channel(channel)
                if not packet.get("keep"):
                    return self.run_once(packet, source)
                self.run_kept(packet, source)

    def prepare(self, order: dict, source: bytes):
        """The code of the order's program, everything else being ready; None when nothing is to run."""
        self.run, self.how, self.exit_code = order["run"], "ok", 0
        self.use_first_streams()
        sys.argv = list(order.get("argv") or ["execute_code"])
        try:
            self.enter(order.get("staging"))
        except OSError as error:
            print("execute_code: no directory to run in: %s" % error, file=sys.stderr)
            self.how, self.exit_code = "error", 1
            return None
        if self.program.Program.current is not None:
            self.program.Program.current.remove_file()
        code = self.program.Program(source).compile()
        if code is None:
            self.how, self.exit_code = "syntax", 1
        return code

    def use_first_streams(self) -> None:
        """Every program begins with the real stdout and stderr, whatever the one before it did to them."""
        if any(stream.closed for stream in self.first_streams):
            self.streams.replace()
            self.first_streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self.first_streams

    def enter(self, staging) -> None:
        """Goes to the directory in which programs may do as they like. A process that is kept stays there."""
        if not self.has_run:
            sys.path.insert(0, staging or "")
        elif staging in (None, self.staging):
            return
        self.has_run = True
        self.remove_staging()
        if staging is not None:
            os.mkdir(staging, 0o700)
            self.staging = staging
            os.chdir(staging)

    def remove_staging(self) -> None:
        if self.staging is not None:
            import shutil

            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging = None

    def run_once(self, order: dict, source: bytes) -> None:
        """Runs the program the way the interpreter runs a script: its end is the end of the process."""
        code = self.prepare(order, source)
        # Registered first and so called last, after the program's own handlers and its threads.
        atexit.register(self.finish)
        if code is None:
            raise SystemExit(1)
        try:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            exec(code, self.namespace)
            return
        except SystemExit as error:
            self.how, self.exit_code = "exit", self.program.exit_code(error)
            raise
        except KeyboardInterrupt as error:
            self.how, self.exit_code = "interrupted", 130
            self.program.report(error)
        except BaseException as error:
            self.how, self.exit_code = "error", self.program.report(error)
            raise SystemExit(self.exit_code) from None
        # It has been reported; the interpreter is to end itself as it does after an interrupt.
        sys.excepthook = lambda *_: None
        raise KeyboardInterrupt

    def run_kept(self, order: dict, source: bytes) -> None:
        code = self.prepare(order, source)
        if code is not None:
            self.how, self.exit_code = self.run_interruptibly(code)
        if self.is_child:
            raise SystemExit(self.exit_code)
        self.streams.flush()
        self.tell_end()

    def run_interruptibly(self, code) -> tuple:
        try:
            try:
                _signal.signal(_signal.SIGINT, self.on_interrupt)
                exec(code, self.namespace)
                return "ok", 0
            finally:
                self.on_interrupt = self.ignore_interrupts() or _signal.default_int_handler
        except SystemExit as error:
            if error.code is not None and not isinstance(error.code, int):
                print(error.code, file=sys.stderr)
            return "exit", self.program.exit_code(error)
        except KeyboardInterrupt as error:
            self.ignore_interrupts()
            self.program.report(error)
            return "interrupted", 130
        except BaseException as error:
            return "error", self.program.report(error)

    def ignore_interrupts(self):
        """Between programs; returns what would have been done. A handler and not SIG_IGN, which children inherit."""
        while True:
            try:
                return _signal.signal(_signal.SIGINT, nothing)
            except KeyboardInterrupt:
                pass

    def finish(self) -> None:
        if self.is_child:
            return
        self.streams.flush()
        self.clean_up()
        self.tell_end()
        self.let_go()
        if self.leave_now is not None and self.how != "interrupted":
            self.leave_now(self.exit_code)

    def let_go(self) -> None:
        """What the interpreter does for a program at its end: its files are written, and what it still holds goes, here
        while print still works. Files first: in a cycle, one may be closed before what is to be written into it."""
        import gc
        import io

        for thing in gc.get_objects():
            if isinstance(thing, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
                try:
                    thing.flush()
                except (OSError, ValueError):
                    pass
        for private in (True, False):
            for name in list(self.namespace):
                if name != "__builtins__" and (not private or (name[:1] == "_" and name[:2] != "__")):
                    self.namespace[name] = None
        gc.collect()
        self.streams.flush()

    def clean_up(self) -> None:
        try:
            self.remove_files()
        except ImportError:  # a process that may open nothing more cannot load what this needs
            pass

    def remove_files(self) -> None:
        if self.program.Program.current is not None:
            self.program.Program.current.remove_file()
        self.remove_staging()

    def tell_end(self) -> None:
        self.lobby.send('{"ended": %d, "how": "%s", "exit_code": %d}' % (self.run, self.how, self.exit_code))

    def leave(self) -> None:
        """The gateway has no more use for this process: nobody would see its threads finish."""
        try:
            atexit._run_exitfuncs()
        except BaseException as error:
            self.program.report(error)
        self.streams.flush()
        self.clean_up()
        os._exit(self.exit_code)


def nothing(number, frame) -> None:
    pass
