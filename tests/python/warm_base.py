"""Stands for libtalaria-warm.so: loads warm.py and forks runs, one after the other.

Started as the base is (-I -S -X utf8), with the directory of warm.py, the program to pose as, the environment of the
runs in hexadecimal and their number; descriptor 3 is their lobby.
"""
import os
import signal
import sys


def main(folder, program, environment, runs):
    warm = type(sys)("warm")
    warm.__file__ = os.path.join(folder, "warm.py")
    with open(warm.__file__, "rb") as file:
        exec(compile(file.read(), warm.__file__, "exec"), warm.__dict__)
    boot, parts = warm.prepare()
    for _ in range(int(runs)):
        child = os.fork()
        if child == 0:
            # What execve would have done to it.
            for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            warm.become(bytes.fromhex(environment), os.fsencode(program))
            return boot.main(*parts, warm.leave_now)
        _, status = os.waitpid(child, 0)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
