"""Where a script process begins: puts its parts together and serves the gateway's orders.

The interpreter starts it as a script; warm.py loads it and calls main() in a process that has everything loaded. The
parts are loaded without a trace in sys.modules or sys.path, so that a program meets no name of ours but hermes_tools.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


# What a warm base has loaded. Not among them: what keeps a secret from its import on (multiprocessing), and what is
# large and seldom wanted.
USUAL = """
    argparse array ast base64 bisect collections.abc concurrent.futures.thread contextlib copy csv ctypes dataclasses
    datetime encodings.utf_8_sig enum errno fnmatch functools glob gzip hashlib heapq inspect io itertools json
    linecache locale logging math operator os pathlib pprint queue random re secrets select selectors shlex shutil
    signal site socket stat statistics string struct subprocess tempfile textwrap threading time tokenize traceback
    types typing unicodedata urllib.parse uuid warnings weakref zlib
""".split()


def load_usual():
    for name in USUAL:
        try:
            __import__(name)
        except ImportError:  # some interpreters lack some
            pass


def load_shadowed():
    """A file in the program's directory that is named like a module of the library replaces it only where that is not
    loaded yet. In a warm run it is, so it must be in this one: a program behaves the same in both."""
    known = getattr(sys, "stdlib_module_names", None) or {name.partition(".")[0] for name in USUAL}
    try:
        names = os.listdir(".")
    except OSError:
        return
    if any(name.partition(".")[0] in known for name in names):
        load_usual()


def load(name):
    from _frozen_importlib_external import SourceFileLoader

    path = os.path.join(HERE, name + ".py")
    part = type(sys)(name)
    part.__file__ = path
    SourceFileLoader(name, path).exec_module(part)
    return part


def load_parts():
    return load("service"), load("program"), load("streams")


def main(service, program, streams, leave_now=None):
    streams.replace()
    keep_channel = os.close
    try:
        # Before the program's own directory is searched: a file of that name there is not ours.
        import hermes_tools
        hermes_tools._had_lobby = True  # else the service does not begin
        keep_channel = hermes_tools._replace_spare
    except ImportError:
        pass
    service.Service(program, streams, keep_channel, leave_now).serve()


if __name__ == "__main__":
    if sys.path[:1] == [HERE]:  # put there by the interpreter for a script
        del sys.path[0]
        sys.path_importer_cache.pop(HERE, None)
    load_shadowed()
    main(*load_parts())
