# Compiles every Python file, eight at a time: cd examples/sample && talaria code ../parallel_check.py
from hermes_tools import parallel_map, progress, search_files, shell_quote, terminal

files = search_files("*.py", target="files", limit=1000)["files"]
progress(f"compiling {len(files)} files")


def check(path):
    return terminal(f"python3 -m py_compile {shell_quote(path)} 2>&1", timeout=60)


broken = 0
for path, result in zip(files, parallel_map(check, files)):
    if result["exit_code"] != 0:
        broken += 1
        print(f"{path}: {result['output'].strip().splitlines()[-1]}")
print(f"{len(files)} files, {broken} broken")
