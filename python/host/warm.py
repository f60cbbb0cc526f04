"""The warm base: an interpreter that has loaded what programs usually import and has run nothing of anybody's. Each run
is a fork of it, made and confined by libtalaria-warm.so, which then becomes what `<program> -X utf8 boot.py` would be.

Started as `<interpreter> -I -S -X utf8 warm.py <libtalaria-warm.so>`: of the person's environment and packages it knows
nothing until it is a run.
"""
import ctypes
import gc
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load_modules():
    """Returns boot.py, loaded, and its parts."""
    import importlib.machinery

    boot = type(sys)("boot")
    boot.__file__ = os.path.join(HERE, "boot.py")
    importlib.machinery.SourceFileLoader("boot", boot.__file__).exec_module(boot)
    boot.load_usual()
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "python"))
    try:
        importlib.import_module("hermes_tools._channel")
    finally:
        del sys.path[0]
    return boot, boot.load_parts()


def set_environment(environment):
    os.environ.clear()
    for entry in environment.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if name and equals:
            os.environb[name] = value


def set_locale():
    """As the interpreter does when it starts: a C locale becomes one that knows UTF-8, also for children."""
    import _locale
    import time

    try:
        name = _locale.setlocale(_locale.LC_CTYPE, "")
    except _locale.Error:
        name = _locale.setlocale(_locale.LC_CTYPE, "C")
    if name == "C" and not os.environ.get("LC_ALL"):
        for better in ("C.UTF-8", "C.utf8", "UTF-8"):
            try:
                _locale.setlocale(_locale.LC_CTYPE, better)
            except _locale.Error:
                continue
            os.environ["LC_CTYPE"] = better
            try:
                _locale.setlocale(_locale.LC_ALL, "")
            except _locale.Error:
                pass
            break
    time.tzset()


def set_flags():
    """sys.flags as without -I -S, which have had their effect. The type cannot be called, hence the C API."""
    changed = {"isolated": 0, "ignore_environment": 0, "no_user_site": 0, "no_site": 0, "safe_path": False}
    kind = type(sys.flags)
    names = [name for name, member in vars(kind).items() if type(member).__name__ == "member_descriptor"]
    new, put = ctypes.pythonapi.PyStructSequence_New, ctypes.pythonapi.PyStructSequence_SetItem
    new.argtypes, new.restype = [ctypes.py_object], ctypes.py_object
    put.argtypes, put.restype = [ctypes.py_object, ctypes.c_ssize_t, ctypes.py_object], None
    flags = new(kind)
    for index, name in enumerate(names):
        value = changed.get(name, getattr(sys.flags, name))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(value))  # the sequence keeps it
        put(flags, index, value)
    sys.flags = flags


def find_home(program):
    """The directory of the interpreter on which a virtual environment's program is built; None without one."""
    folder = os.path.dirname(program)
    for place in (folder, os.path.dirname(folder)):
        try:
            with open(os.path.join(place, "pyvenv.cfg"), encoding="utf-8") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        for line in lines:
            name, _, value = line.partition("=")
            if name.strip().lower() == "home":
                return value.strip()
        return None
    return None


def base_executable(program):
    home = find_home(program) if sys.version_info >= (3, 11) else None
    if home is None:
        return program
    if os.path.islink(program):
        return os.path.realpath(program)
    names = [os.path.basename(program), "python3", "python%d.%d" % sys.version_info[:2]]
    paths = [os.path.join(home, name) for name in names]
    return next((path for path in paths if os.path.isfile(path)), paths[0])


def set_identity(program, script):
    """What sys tells of the interpreter and its command line."""
    sys.executable = program
    sys._base_executable = base_executable(program)
    sys.argv = [script]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [program, "-X", "utf8", script]
    path = os.environ.get("PYTHONPATH")
    if path:
        sys.path[:0] = path.split(os.pathsep)
    if sys.version_info >= (3, 14) and find_home(program) is not None:  # site did this itself before
        sys.prefix = sys.exec_prefix = os.path.dirname(os.path.dirname(program))


def set_signals():
    """As the interpreter does: the confinement put all back to their defaults."""
    import _signal

    for ignored in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(ignored, _signal.SIG_IGN)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def refresh_modules():
    """What modules found when they were loaded and would find otherwise now."""
    import logging
    import threading
    import time

    sys.modules["hermes_tools"]._lobby = os.environ.get("TALARIA_RPC", "")
    now = getattr(time, "time_ns" if isinstance(logging._startTime, int) else "time")
    logging._startTime = now()
    threading.main_thread()._set_native_id()


def become(environment, program):
    """Makes this fork of the base what a new interpreter would be."""
    set_environment(environment)
    set_locale()
    set_signals()
    set_identity(os.fsdecode(program), os.path.join(HERE, "boot.py"))
    refresh_modules()
    sys.modules["site"].main()


def leave_now(code):
    """To take apart all that the base has loaded would take longer than most programs run."""
    ctypes.CDLL(None).fflush(None)
    os._exit(code & 255)


def prepare():
    """Does all that can be done before the runs; returns boot.py and its parts."""
    loaded = load_modules()
    set_flags()
    gc.collect()
    gc.freeze()  # the runs then share these pages with the base and with each other
    return loaded


def main(library):
    boot, parts = prepare()
    warm = ctypes.PyDLL(library)
    warm.talaria_warm_serve.argtypes = [ctypes.c_int]
    warm.talaria_warm_environment.argtypes = [ctypes.POINTER(ctypes.c_size_t)]
    warm.talaria_warm_environment.restype = ctypes.c_void_p
    warm.talaria_warm_program.restype = ctypes.c_char_p
    if warm.talaria_warm_serve(3) != 0:
        sys.exit(1)
    size = ctypes.c_size_t()
    environment = ctypes.string_at(warm.talaria_warm_environment(ctypes.byref(size)), size.value)
    become(environment, warm.talaria_warm_program())
    boot.main(*parts, leave_now)


if __name__ == "__main__":
    main(sys.argv[1])
