"""stdout and stderr of a script process."""
import builtins
import io
import sys


class Through(io.FileIO):
    """What is written is with the reader when write() returns: a program may be killed at any time. No buffer below it
    either, as under `python -u`: a signal handler may print while the program prints."""

    @property
    def raw(self) -> io.FileIO:
        return self

    def write(self, data) -> int:
        size = left = len(data) if type(data) is bytes else memoryview(data).nbytes
        done = super().write(data)
        while done != left:  # a signal came, or some child made the pipe non-blocking
            if done is None:
                done = 0
                self.wait()
            data = memoryview(data).cast("B")[done:]
            left, done = len(data), super().write(data)
        return size

    def wait(self) -> None:
        import select

        select.select([], [self.fileno()], [])


def open_stream(fd: int, name: str) -> io.TextIOWrapper:
    raw = Through(fd, "wb", closefd=False)
    raw.name = name
    stream = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)
    stream.mode = "w"
    return stream


print_in_pieces = builtins.print


# The built-in writes each value, space and line end by itself. Unbuffered, every piece would be a system call, and the
# lines of threads would run into each other: so all of it is written as one.
def print(*values, sep=" ", end="\n", file=None, flush=False):
    stream = sys.stdout if file is None else file
    if type(stream) is io.TextIOWrapper and type(stream.buffer) is Through and type(sep) is type(end) is str:
        stream.write(sep.join(map(str, values)) + end)
    else:
        print_in_pieces(*values, sep=sep, end=end, file=file, flush=flush)


print.__module__, print.__doc__ = "builtins", print_in_pieces.__doc__


def replace() -> None:
    """Puts new streams in the place of what is there."""
    flush()
    sys.stdout = sys.__stdout__ = open_stream(1, "<stdout>")
    sys.stderr = sys.__stderr__ = open_stream(2, "<stderr>")
    builtins.print = print


def flush() -> None:
    for stream in (sys.stdout, sys.__stdout__, sys.stderr, sys.__stderr__):
        try:
            stream.flush()
        except Exception:  # closed, or replaced by something else
            pass
