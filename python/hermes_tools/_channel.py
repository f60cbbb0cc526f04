"""How calls travel: every thread has a stream of its own to the gateway, made on its first call, so that no answer can
reach another thread or a forked child."""
import errno
import json
import os
import sys
from _thread import _local

import hermes_tools

try:  # The C part alone: `socket` itself takes longer to import than all the rest.
    import _socket
except ImportError:
    import socket as _socket

# Names in annotations are quoted, here and in the package: importing what they need would take longer than all else.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_LONGEST_FRAME = 16 * 1024 * 1024
_LONGEST_ANSWER = _LONGEST_FRAME + 65536
_NO_LOBBY = ("hermes_tools has no connection to the gateway in this process: make the call in the script that "
             "execute_code runs, or start this process from it with pass_fds=(3,) and the same environment. "
             "Children of multiprocessing need the start method fork.")
_CLOSED = "hermes_tools lost its connection: the script closed it."
_NO_WAY = ("hermes_tools cannot connect this thread or process: a program of the same user holds too many file "
           "descriptors on their way through sockets, and the kernel passes no more. Call from the main thread, or try "
           "again when that program has ended.")
_GONE = "the gateway went away: no tool can be called any more in this run."


class _Unsendable(Exception):
    """A value that no frame can hold; the text says why."""


def call(lobby: str, tool: str, arguments: dict) -> dict:
    """The tool's result, or a dict with `error`."""
    try:
        for name, value in arguments.items():
            if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
                raise _Unsendable("the argument '%s' is a number of more than 64 bits" % name)
        return _with_channel(lobby, lambda channel: channel.call(tool, arguments))
    except _Unsendable as error:
        return {"error": "%s: %s" % (tool, _blame(arguments) or error)}


def tell(lobby: str, packet: dict) -> None:
    """Send what has no answer."""
    _with_channel(lobby, lambda channel: channel.send(_encode(packet)))


class _Channel:
    """A stream of frames: four bytes of length, little endian, and that much JSON."""

    __slots__ = ("stream", "inode", "last")

    def __init__(self, lobby: str) -> None:
        self.last = 0
        self.inode = 0
        spare = hermes_tools._take_spare()
        if spare < 0:
            self.stream, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        else:
            self.stream, theirs = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, spare), None
        self.inode = os.fstat(self.stream.fileno()).st_ino
        # A program's socket.setdefaulttimeout() is not meant for us.
        self.stream.settimeout(None)
        if theirs is not None:
            try:
                _hand_over(lobby, theirs.fileno())
            finally:
                theirs.close()

    def __del__(self) -> None:
        try:
            self.close()
        except (AttributeError, OSError, TypeError):  # never opened, or the interpreter is being taken apart
            pass

    def is_open(self) -> bool:
        """Whether the descriptor is still ours: a program that closes all it finds may have put another there."""
        return hermes_tools._is_socket(self.stream.fileno(), self.inode)

    def close(self) -> None:
        if self.is_open():
            self.stream.close()
        else:
            self.stream.detach()

    def call(self, tool: str, arguments: dict) -> dict:
        number = self.last = self.last + 1
        self.send(_encode({"id": number, "tool": tool, "args": arguments}))
        while True:
            answer = self.receive()
            # Another number belongs to a call that was given up; none, to a frame the gateway could not read.
            if answer.get("id") in (number, None):
                break
        result = answer.get("result")
        return result if isinstance(result, dict) else {"error": str(answer.get("error", "the answer is empty"))}

    def send(self, body: bytes) -> None:
        if len(body) > _LONGEST_FRAME:
            raise _Unsendable("the call is %d bytes long, and %d is the most" % (len(body), _LONGEST_FRAME))
        # A program may have put SIGPIPE back to its default.
        self.stream.sendall(len(body).to_bytes(4, "little") + body, _socket.MSG_NOSIGNAL)

    def receive(self) -> dict:
        length = int.from_bytes(self.read(4), "little")
        answer = json.loads(self.read(length)) if length <= _LONGEST_ANSWER else None
        if not isinstance(answer, dict):
            raise ConnectionError("the gateway sent something that is no answer")
        return answer

    def read(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            count = self.stream.recv_into(view, 0, _socket.MSG_WAITALL)
            if count == 0:
                raise ConnectionResetError
            view = view[count:]
        return data


_mine = _local()


def _with_channel(lobby: str, work: "Callable[[_Channel], Any]") -> "Any":
    """Does the work with this thread's channel."""
    channel = known = getattr(_mine, "channel", None)
    if known is not None and not known.is_open():
        known.close()
        channel = known = None
    try:
        if channel is None:
            channel = _mine.channel = _Channel(lobby)
        return work(channel)
    except _Unsendable:  # before a byte of it was sent
        raise
    except BaseException as error:
        # Interrupted, maybe in the middle of a frame: only a new channel is sure to be at the beginning of one.
        # Closed and not only dropped, as the traceback keeps it alive.
        _mine.channel = None
        if channel is not None:
            channel.close()
        if known is not None and isinstance(error, BrokenPipeError):
            # Of a gateway that went away since the last call. Nobody has read this one, and another may be there.
            return _with_channel(lobby, work)
        if isinstance(error, (BrokenPipeError, ConnectionResetError, ConnectionRefusedError)):
            raise ConnectionError(_GONE) from None
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            raise ConnectionError(hermes_tools._NO_ROOM) from None
        if isinstance(error, OSError) and error.errno == errno.ETOOMANYREFS:
            raise ConnectionError(_NO_WAY) from None
        if isinstance(error, OSError) and error.errno in (errno.EBADF, errno.ENOTSOCK):  # while the call was under way
            raise ConnectionError(_CLOSED) from None
        raise


def _hand_over(lobby: str, fd: int) -> None:
    """Gives the gateway its end of a new channel."""
    number, _, inode = lobby.partition(":")
    if not (number.isdigit() and inode.isdigit() and hermes_tools._is_socket(int(number), int(inode))):
        raise ConnectionError(_CLOSED if hermes_tools._had_lobby else _NO_LOBBY)
    # A copy: whatever becomes of this object, the lobby itself stays open.
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET, 0, os.dup(int(number)))
    try:
        door.settimeout(None)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fd.to_bytes(4, sys.byteorder))
        door.sendmsg([b'{"channel": true}'], [rights], _socket.MSG_NOSIGNAL)
    finally:
        door.close()


def _forget_channels() -> None:
    """In a forked child: what is open is the parent's."""
    global _mine
    channel = getattr(_mine, "channel", None)
    if channel is not None:
        channel.close()
    _mine = _local()


os.register_at_fork(after_in_child=_forget_channels)


def _plain(value: "Any") -> str:
    """What stands for a value JSON does not know: a path its text."""
    if hasattr(value, "__fspath__"):
        value = os.fspath(value)
        if isinstance(value, str):
            return value
    hint = ": decode it first" if isinstance(value, (bytes, bytearray)) else ""
    raise TypeError("%s is no JSON value%s" % (type(value).__name__, hint))


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


def _encode(value: "Any") -> bytes:
    try:
        return _encoder.encode(value).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _Unsendable("%r is half of a surrogate pair, which is no character"
                          % error.object[error.start:error.start + 1]) from None
    except RecursionError:
        raise _Unsendable("it is nested too deeply") from None
    except (TypeError, ValueError) as error:
        raise _Unsendable(str(error)) from None


def _blame(arguments: dict) -> str:
    """Which argument cannot be sent, and why; empty when each of them can."""
    for name, value in arguments.items():
        try:
            _encode(value)
        except _Unsendable as error:
            return "the argument '%s' cannot be sent: %s" % (name, error)
    return ""
