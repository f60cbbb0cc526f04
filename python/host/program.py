"""A program: its source, its module `__main__`, its run and what is said of its errors."""
import os
import sys

NAME = "<execute_code>"
MOST_REMEMBERED = 50
Module = type(sys)


class Main(Module):
    """The module `__main__`. When multiprocessing starts a process that it does not fork, that process loads the
    program from its file: multiprocessing alone is told of a real one, made when it asks."""

    @property
    def __file__(self) -> str:
        asking = sys._getframe(1).f_globals.get("__name__", "")
        if asking.endswith(".spawn") and Program.current is not None:
            return Program.current.file()
        try:
            return self.__dict__["__file__"]
        except KeyError:
            raise AttributeError("module '__main__' has no attribute '__file__'") from None

    @__file__.setter
    def __file__(self, value: str) -> None:
        self.__dict__["__file__"] = value


def make_main() -> dict:
    """A new `__main__`; returns its namespace."""
    import builtins

    main = sys.modules["__main__"] = Main("__main__")
    main.__builtins__, main.__loader__, main.__file__ = builtins, builtins.__loader__, NAME
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    return main.__dict__


class LazyLines(Module):
    """Stands for linecache, whose import takes nearly as long as the interpreter's start, until somebody looks in."""

    def __getattr__(self, name: str):
        if name.startswith("__") and name != "__all__":
            raise AttributeError("module 'linecache' has no attribute %r" % name)
        if type(self) is LazyLines:
            import importlib.machinery

            spec = importlib.machinery.PathFinder.find_spec("linecache")
            self.__spec__, self.__loader__, self.__file__ = spec, spec.loader, spec.origin
            spec.loader.exec_module(self)
            self.__class__ = Module
            for program in Program.past:
                program.show_lines(self)
        return getattr(self, name)


class Program:
    """One order's program. The functions of earlier ones live on in a process that is kept: each has a name of its own
    under which its lines are found."""

    current = None
    count = 0
    past: list = []

    def __init__(self, source: bytes) -> None:
        Program.current, Program.count = self, Program.count + 1
        self.source = source
        self.name = NAME if Program.count == 1 else "<execute_code %d>" % Program.count
        self.folder = None
        self.remember()

    def remember(self) -> None:
        linecache = sys.modules.get("linecache")
        if linecache is None:
            linecache = sys.modules["linecache"] = LazyLines("linecache")
        Program.past.append(self)
        forgotten = Program.past.pop(0) if len(Program.past) > MOST_REMEMBERED else None
        if type(linecache) is not LazyLines:
            self.show_lines(linecache)
            if forgotten is not None:
                linecache.cache.pop(forgotten.name, None)

    def lines(self) -> list:
        text = self.source.decode("utf-8-sig", "replace")
        return [line + "\n" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]

    def show_lines(self, linecache) -> None:
        # Without a time of change, linecache does not look for a file.
        linecache.cache[self.name] = (len(self.source), None, self.lines(), self.name)

    def compile(self):
        """The code; None, after a report, when there is none."""
        try:
            return compile(self.source, self.name, "exec", dont_inherit=True)
        except SyntaxError as error:
            wrong = error if error.lineno else self.explain(error)
            if wrong.filename == self.name and wrong.text is None:
                wrong.text = dict(enumerate(self.lines(), 1)).get(wrong.lineno)
        except Exception as error:  # null bytes, or too much of something for the compiler
            wrong = self.explain(error)
        wrong.__context__ = wrong.__traceback__ = None
        print_error(wrong)
        return None

    def explain(self, error: Exception) -> SyntaxError:
        """The error with a place, or with the nearest thing to one."""
        before, nul, _ = self.source.partition(b"\0")
        if nul:
            lines = before.decode("utf-8", "replace").split("\n")
            place = (self.name, len(lines), len(lines[-1]) + 1, lines[-1])
            return SyntaxError("source code cannot contain null bytes", place)
        # The parser's MemoryError has no text, and mostly means depth.
        message = error.msg if isinstance(error, SyntaxError) else str(error) or "too deeply nested to be compiled"
        return SyntaxError(message, (self.name, 1, 0, None))

    def file(self) -> str:
        """The path of a file that holds the program."""
        if self.folder is None:
            import tempfile

            self.folder = tempfile.mkdtemp(prefix="talaria-program-")
            with open(os.path.join(self.folder, "execute_code.py"), "wb") as file:
                file.write(self.source)
        return os.path.join(self.folder, "execute_code.py")

    def remove_file(self) -> None:
        if self.folder is not None:
            import shutil

            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None


def print_error(error: BaseException) -> None:
    try:
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
    except Exception:  # the program broke what this needs
        sys.__excepthook__(type(error), error, error.__traceback__)


def without_our_frames(trace):
    """Neither those that called the program nor those of the streams and of hermes_tools that it called."""
    ours = {os.path.dirname(without_our_frames.__code__.co_filename)}
    tools = sys.modules.get("hermes_tools")
    if isinstance(getattr(tools, "__file__", None), str):
        ours.add(os.path.dirname(tools.__file__))

    def next_of_theirs(trace):
        while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) in ours:
            trace = trace.tb_next
        return trace

    first = trace = next_of_theirs(trace)
    while trace is not None:
        trace.tb_next = next_of_theirs(trace.tb_next)
        trace = trace.tb_next
    return first


def hide_our_frames(error: BaseException) -> None:
    """Also in what led to it."""
    seen: set = set()
    waiting = [error]
    while waiting:
        link = waiting.pop()
        if link is None or id(link) in seen:
            continue
        seen.add(id(link))
        link.__traceback__ = without_our_frames(link.__traceback__)
        waiting += [link.__cause__, link.__context__]


def report(error: BaseException) -> int:
    """Does what the interpreter does with an exception that nobody caught; returns the exit code."""
    hide_our_frames(error)
    trace = error.__traceback__
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = sys.excepthook
    if hook is sys.__excepthook__:  # it does not know the lines of a program that has no file
        print_error(error)
        return 1
    try:
        hook(type(error), error, trace)
    except SystemExit as left:
        return exit_code(left)
    except BaseException as second:
        print("Error in sys.excepthook:", file=sys.stderr)
        second.__context__ = None
        second.__traceback__ = without_our_frames(second.__traceback__)
        print_error(second)
        print("\nOriginal exception was:", file=sys.stderr)
        print_error(error)
    return 1


def exit_code(error: SystemExit) -> int:
    """What the interpreter makes of it, and the system of that."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF if -(1 << 63) <= error.code < 1 << 63 else 0xFF
    return 1
