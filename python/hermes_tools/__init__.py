"""The tools a script run by execute_code can call.

Every function asks the gateway, waits, and returns the tool's result as a dict. When a tool fails, the dict has the key
"error"; set `hermes_tools.strict = True` to get a ToolError instead. Calls may be made from any thread and from forked
processes at once: each has a channel of its own.
"""
import os
from _thread import RLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable

__all__ = [
    "web_search", "web_extract", "read_file", "write_file", "search_files", "patch", "terminal",
    "json_parse", "shell_quote", "retry", "progress", "parallel", "parallel_map", "ToolError",
]

strict = False

_MOST_AT_ONCE = 8
_LONGEST_MESSAGE = 4000

# "<fd>:<inode>" of the socket over which channels to the gateway are made; kept from the start, because a program may
# clear its environment.
_lobby = os.environ.get("TALARIA_RPC", "")
# Set by the host in the process that runs the program: there the lobby was open once, whatever is there now.
_had_lobby = False
_NO_ROOM = "hermes_tools has no room for its connection: the script has too many files open. Close some of them."

# Held while the way to the gateway is imported, and a fork waits for it: in the child, an import that another thread of
# the parent is in the middle of would never end.
_importing = RLock()
os.register_at_fork(before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release)


# The channel that came with the program, as (fd, inode), until a thread takes it: the only one that needs nothing of the
# kernel while another program holds too many descriptors on their way.
_spares = []


def _is_socket(fd: int, inode: int) -> bool:
    """Whether the descriptor is still what it was: a program that closes all it finds may have put another there."""
    try:
        status = os.fstat(fd)
    except (OSError, OverflowError):
        return False
    return status.st_mode & 0o170000 == 0o140000 and status.st_ino == inode


def _take_spare() -> int:
    try:
        fd, inode = _spares.pop()
    except IndexError:
        return -1
    return fd if _is_socket(fd, inode) else -1


def _replace_spare(fd: int = -1) -> None:
    """For the host, which has got another; and for a forked child, which must not share its parent's."""
    old = _take_spare()
    if old >= 0:
        os.close(old)
    if fd < 0:
        return
    try:
        low = os.dup(fd)  # on the lowest number: what was in the way when it came is closed by now
        os.close(fd)
    except OSError:
        low = fd
    _spares.append((low, os.fstat(low).st_ino))


os.register_at_fork(after_in_child=_replace_spare)


class ToolError(Exception):
    """A tool's error, raised when `hermes_tools.strict` is True; `result` is the whole dict."""

    def __init__(self, result: dict) -> None:
        super().__init__(str(result["error"]))
        self.result = result

    def __reduce__(self):
        return ToolError, (self.result,)


def _way() -> "Any":
    # Imported by the first call: a program that makes none does not pay for it.
    with _importing:
        try:
            from . import _channel
        except OSError as error:
            import errno

            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise ConnectionError(_NO_ROOM) from None
            raise
    return _channel


def _call(tool: str, **arguments: "Any") -> dict:
    result = _way().call(_lobby, tool, {name: value for name, value in arguments.items() if value is not None})
    if strict and result.get("error"):
        raise ToolError(result)
    return result


# ---- The tools ----


def web_search(query: str, limit: int = 5) -> dict:
    """Search the web: titles, addresses and descriptions.

    query: What to search for
    limit: Most results, up to 100 (default 5)

    Returns {success, data: {web: [{title, url, description, position}]}}.
    """
    return _call("web_search", query=query, limit=limit)


def web_extract(urls: "list[str]", char_limit: "int | None" = None) -> dict:
    """Fetch up to five web pages and show their readable content as markdown; plain text, JSON and PDF too.

    urls: Addresses, http or https
    char_limit: Most characters of each page (default 15000)

    Returns {results: [{url, title, content, error?}]}, one item for each address.
    """
    return _call("web_extract", urls=urls, char_limit=char_limit)


def read_file(path: str, offset: int = 1, limit: int = 2000) -> dict:
    """Read a text file.

    path: The file
    offset: First line to show (default 1)
    limit: Number of lines (default 2000)

    Returns {content, path, total_lines, file_size, offset, lines_returned, truncated, next_offset?, encoding};
    `content` is the plain text of these lines.
    """
    return _call("read_file", path=path, offset=offset, limit=limit)


def write_file(path: str, content: str, force: bool = False) -> dict:
    """Write a whole file, making directories as needed; what was there is replaced.

    path: The file
    content: The whole text
    force: Write it also if it changed since it was read

    Returns {path, bytes_written, created, sha256}.
    """
    return _call("write_file", path=path, content=content, force=force)


def search_files(pattern: str, target: str = "content", path: str = ".", file_glob: "str | None" = None,
                 limit: int = 50, offset: int = 0, output_mode: str = "content", context: int = 0) -> dict:
    """Search file contents with a regular expression, or find files by name with target="files".

    pattern: A regular expression; for files a glob such as *.py or src/**/*.h
    target: What to search (default content)
    path: Directory or file to search in (default .)
    file_glob: Only in files such as *.py or tests/**
    limit: Most results (default 50)
    offset: Results to skip (default 0)
    output_mode: Matching lines, file names or counts per file (default content)
    context: Lines to show around each match, up to 100 (default 0)

    Returns {total_count, matches: [{path, line, column, content, before?, after?}], files?, counts?, truncated,
    next_offset?}; `matches` is always a list.
    """
    return _call("search_files", pattern=pattern, target=target, path=path, file_glob=file_glob, limit=limit,
                 offset=offset, output_mode=output_mode, context=context)


def patch(path: "str | None" = None, old_string: "str | None" = None, new_string: "str | None" = None,
          replace_all: bool = False, mode: str = "replace", patch: "str | None" = None, diff: bool = False) -> dict:
    """Change a part of a file: old_string becomes new_string; small differences in white space are forgiven. Or
    mode="patch" for several files at once, all or none.

    path: replace: the file
    old_string: replace: text to replace, unique unless replace_all
    new_string: replace: the new text
    replace_all: replace: every occurrence (default false)
    mode: replace (default) or patch
    patch: patch: the patch
    diff: Show the change as a diff

    Returns {success, files_modified, strategy, replacements, diff?}.
    """
    return _call("patch", path=path, old_string=old_string, new_string=new_string, replace_all=replace_all, mode=mode,
                 patch=patch, diff=diff)


def terminal(command: str, timeout: "float | None" = None, workdir: "str | None" = None) -> dict:
    """Run a shell command and wait for it: builds, tests, simple commands. cd and exported variables last from one call
    to the next.

    command: Shell command to execute (bash)
    timeout: Seconds until it is ended (default 180)
    workdir: Where to run it (default: where the last one ended)

    Returns {output, exit_code, cwd, duration_seconds, truncated, output_file?, timed_out?, error?}.
    """
    return _call("terminal", command=command, timeout=timeout, workdir=workdir)


# ---- What makes programs shorter ----


def json_parse(text: str) -> "Any":
    """The value of a JSON text, also one with raw tabs and line ends in its strings, or with a byte order mark."""
    import json

    if isinstance(text, str) and text.startswith("\ufeff"):
        text = text[1:]
    return json.loads(text, strict=False)


def shell_quote(s: str) -> str:
    """The text as one word for the shell."""
    import shlex

    return shlex.quote(s)


def retry(fn: "Callable[[], Any]", max_attempts: int = 3, delay: float = 2) -> "Any":
    """fn(), tried again when it raises: after delay seconds, then twice that, and so on; the last error is raised."""
    import time

    if max_attempts < 1:
        raise ValueError("max_attempts must be at least 1")
    for attempt in range(max_attempts):
        try:
            return fn()
        except Exception:
            if attempt + 1 == max_attempts:
                raise
            time.sleep(delay * 2 ** attempt)


def progress(message: str, fraction: "float | None" = None) -> None:
    """Tell the person how far the script is; `fraction` is from 0 to 1. The agent does not see it."""
    text = str(message).encode("utf-8", "backslashreplace").decode()[:_LONGEST_MESSAGE]
    if fraction is not None:
        fraction = min(max(float(fraction), 0.0), 1.0) if fraction == fraction else None
    _way().tell(_lobby, {"progress": {"message": text, "fraction": fraction}})


def parallel(functions: "Iterable[Callable[[], Any]]") -> list:
    """Call the functions, up to 8 at once, and return their results in order. When some raise, all others still finish,
    then the first of these errors is raised."""
    jobs = list(functions)
    for job in jobs:
        if not callable(job):
            raise TypeError("parallel takes a list of functions, such as parallel([lambda: read_file('a'), …]), "
                            "and this is %s" % type(job).__name__)
    return _run_all(len(jobs), lambda index: jobs[index]())


def parallel_map(fn: "Callable[[Any], Any]", items: "Iterable[Any]") -> list:
    """[fn(item) for item in items], up to 8 at once; errors are raised as by parallel()."""
    values = list(items)
    return _run_all(len(values), lambda index: fn(values[index]))


def _run_all(count: int, run: "Callable[[int], Any]") -> list:
    import threading

    results: list = [None] * count
    errors: dict = {}
    waiting = list(range(count - 1, -1, -1))

    def work() -> None:
        while True:
            try:
                index = waiting.pop()
            except IndexError:
                return
            try:
                results[index] = run(index)
            except BaseException as error:
                errors[index] = error

    # Daemons, so that a program which is interrupted in here can end.
    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(count, _MOST_AT_ONCE))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        waiting.clear()
        raise
    if errors:
        raise errors[min(errors)]
    return results
