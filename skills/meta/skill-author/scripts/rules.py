"""The rules for skills. Each function gives (severity, file, line, message)."""
import ast
import os
import re
import sys

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SECTIONS = ("When to Use", "Quick Reference", "Procedure", "Pitfalls", "Verification")
PLATFORMS = {"macos", "linux", "windows"}
CONDITIONS = ("requires_toolsets", "requires_tools", "fallback_for_toolsets", "fallback_for_tools")
MASTER_STORES = {".env", "config.yaml", "exec-approvals.json", "talaria.db"}
LONG_BODY = 500  # lines
SHORT_DESCRIPTION = 60  # characters that always fit a prompt
MOST_FILES = 2000
SECRET_WORDS = re.compile(r"(?i)token|secret|password|passwd|api_?key|credential")


def error(message, line=0, file="SKILL.md"):
    return "error", file, line, message


def warning(message, line=0, file="SKILL.md"):
    return "warning", file, line, message


def as_list(value):
    return value if isinstance(value, list) else [] if value in (None, "") else [value]


def check_fields(fields, folder):
    """The front matter. Lines are not known here, the names of the keys say where to look."""
    yield from check_name(fields.get("name"), folder)
    yield from check_description(fields.get("description"))
    for key in ("version", "author", "license"):
        if not fields.get(key):
            yield warning("%s is missing" % key)
    version = fields.get("version")
    if version and not re.fullmatch(r"\d+\.\d+\.\d+([-+][\w.+-]+)?", str(version)):
        yield warning("version should be three numbers, such as 1.0.0")
    for platform in as_list(fields.get("platforms")):
        if platform not in PLATFORMS:
            yield error("platforms knows macos, linux and windows, not %s" % platform)
    yield from check_environment(fields.get("required_environment_variables"))
    yield from check_credentials(fields.get("required_credential_files"))
    metadata = fields.get("metadata")
    hermes = metadata.get("hermes") if isinstance(metadata, dict) else None
    if isinstance(hermes, dict):
        for key in CONDITIONS:
            if key in hermes and not isinstance(hermes[key], list):
                yield error("metadata.hermes.%s must be a list, such as [terminal]" % key)
        yield from check_settings(hermes.get("config"))


def check_name(name, folder):
    if not isinstance(name, str) or not name:
        yield error("name is missing")
    elif len(name) > 64 or not NAME.fullmatch(name):
        yield error("name is 1 to 64 lowercase letters, digits and single hyphens, not %r" % name)
    elif name != folder:
        yield error("name is %s, but the folder is called %s" % (name, folder))


def check_description(description):
    if not isinstance(description, str) or not description.strip():
        yield error("description is missing; it decides whether the skill is ever loaded")
        return
    if len(description) > 1024:
        yield error("description has %d characters; 1024 is the limit" % len(description))
    elif len(description) > SHORT_DESCRIPTION:
        yield warning(
            "description has %d characters; beyond %d a prompt may show it shortened"
            % (len(description), SHORT_DESCRIPTION)
        )
    if "\n" in description:
        yield warning("description should be one line")
    if re.search(r"[<>]", description):
        yield warning("description has < or > in it, which prompts escape")


def check_environment(entries):
    for entry in as_list(entries):
        name = entry.get("name") if isinstance(entry, dict) else entry
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            yield error("each of required_environment_variables needs a name such as MY_API_KEY")
        elif isinstance(entry, dict) and not entry.get("help"):
            yield warning("say under help where to get %s" % name)


def check_credentials(entries):
    for entry in as_list(entries):
        path = entry.get("path") if isinstance(entry, dict) else entry
        if not isinstance(path, str) or not path:
            yield error("each of required_credential_files needs a path")
        elif path.startswith(("/", "~")) or ".." in path.split("/"):
            yield error("the credential file %s must be relative to the home of Talaria, and stay in it" % path)
        elif path in MASTER_STORES:
            yield error("%s is not handed to skills" % path)


def check_settings(entries):
    for entry in as_list(entries):
        if not isinstance(entry, dict) or not entry.get("key") or not entry.get("description"):
            yield error("each setting under metadata.hermes.config needs a key and a description")
        elif SECRET_WORDS.search(str(entry["key"])):
            yield warning(
                "%s sounds like a secret; settings are shown to the model. Use required_environment_variables"
                % entry["key"]
            )


def without_fences(body):
    """[(number, line)] of the text that is not code, numbers counted from 0."""
    found, fence = [], None
    for number, line in enumerate(body.split("\n")):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip().startswith(fence):
            fence = None
        elif not fence:
            found.append((number, line))
    return found


def check_body(body, first, folder):
    lines = body.split("\n")
    headings = [line[3:].strip() for _, line in without_fences(body) if line.startswith("## ")]
    for section in SECTIONS:
        if section not in headings:
            yield warning("there is no section '## %s'" % section)
    present = [one for one in headings if one in SECTIONS]
    if present != sorted(present, key=SECTIONS.index):
        yield warning("sections come in this order: " + ", ".join(SECTIONS))
    if len(lines) > LONG_BODY:
        yield warning("the body has %d lines; move details to references/" % len(lines))
    for number, line in enumerate(lines, first):
        for token in re.findall(r"\$\{(HERMES_\w*)\}", line):
            if token not in ("HERMES_SKILL_DIR", "HERMES_SESSION_ID"):
                yield error("nothing replaces ${%s}" % token, number)
        for path in re.findall(r"\$\{HERMES_SKILL_DIR\}/([\w./-]*\w)", line) + re.findall(
            r"(?<![\w/}])((?:scripts|references|templates|assets)/[\w./-]*\w)", line
        ):
            if not os.path.exists(os.path.join(folder, path)):
                yield error("there is no %s in the folder" % path, number)
        if re.search(r"(?<![\w.])/(?:home|Users)/\w", line):
            yield warning("a path of one machine; use ~ or ${HERMES_SKILL_DIR}", number)
        if re.search(r"(?:curl|wget)\b[^|\n]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b", line):
            yield warning("running what was just downloaded; name a package to install instead", number)
    for number, line in without_fences(body):
        if re.search(r"!`[^`\n]+`", line):
            yield warning("inline shell is off by default; the skill must make sense without it", first + number)


def walk(folder):
    """Paths below the folder, sorted; at most so many."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if one not in (".git",))
        found += [os.path.relpath(os.path.join(place, name), folder) for name in sorted(names)]
        found += [
            os.path.relpath(os.path.join(place, name), folder)
            for name in folders
            if os.path.islink(os.path.join(place, name))
        ]
        if len(found) > MOST_FILES:
            break
    return found


def check_files(folder, body):
    root = os.path.realpath(folder)
    files = walk(folder)
    if len(files) > MOST_FILES:
        yield error("there are more than %d files" % MOST_FILES)
    for name in files[:MOST_FILES]:
        path = os.path.join(folder, name)
        if os.path.islink(path) and not os.path.realpath(path).startswith(root + os.sep):
            yield error("a link that leads out of the folder", 0, name)
            continue
        if "__pycache__" in name.split(os.sep) or name.endswith((".pyc", ".swp", ".DS_Store")):
            yield warning("made by a program; leave it out", 0, name)
        elif os.path.isfile(path) and os.path.getsize(path) > 1 << 20:
            yield warning("larger than 1 MiB", 0, name)
        elif name.startswith("references" + os.sep) and os.path.basename(name) not in body:
            yield warning("SKILL.md does not say when to read it", 0, name)


def own_modules():
    """Names that need no installing."""
    known = getattr(sys, "stdlib_module_names", None)  # from Python 3.10 on
    if known:
        return set(known)
    return (
        set(sys.builtin_module_names)
        | {name.partition(".")[0] for name in os.listdir(os.path.dirname(os.__file__))}
        | {name.partition(".")[0] for name in os.listdir(os.path.join(os.path.dirname(os.__file__), "lib-dynload"))}
    )


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield node.lineno, one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.partition(".")[0]


def check_scripts(folder):
    scripts = os.path.join(folder, "scripts")
    if not os.path.isdir(scripts):
        return
    beside = {name[:-3] for name in os.listdir(scripts) if name.endswith(".py")}
    known = own_modules() | beside
    for name in sorted(os.listdir(scripts)):
        path, shown = os.path.join(scripts, name), "scripts/" + name
        if not os.path.isfile(path) or os.path.getsize(path) > 1 << 20:
            continue
        with open(path, "rb") as file:
            data = file.read()
        if data.startswith(b"#!") and not os.access(path, os.X_OK):
            yield warning("begins with #!, but may not be executed: chmod +x", 0, shown)
        if name.endswith(".py"):
            try:
                tree = ast.parse(data)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
                yield error("is not Python: %s" % wrong, getattr(wrong, "lineno", 0) or 0, shown)
                continue
            for line, module in sorted(set(imported(tree))):
                if module not in known:
                    yield warning(
                        "imports %s, which has to be installed; use the standard library, or say how to "
                        "install it" % module,
                        line,
                        shown,
                    )
