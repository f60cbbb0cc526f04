#!/usr/bin/env python3
"""Reports on a Docker engine: containers, images, disk use, and what is wrong. Only asks, never changes anything.

Exit codes: 0 done, 1 docker failed, 2 wrong use, 3 docker is not installed, 4 with --strict: something is wrong,
5 the daemon cannot be reached.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

LARGEST_ANSWER = 64 << 20
MANY_RESTARTS = 3
MOST_SHOWN = 30
ONCE = 100  # containers that are asked for in one command
# Not the whole of what docker knows: the environment of a container often holds secrets.
DETAILS = (
    '{"id":{{json .Id}},"name":{{json .Name}},"restarts":{{json .RestartCount}},'
    '"policy":{{json .HostConfig.RestartPolicy.Name}},"state":{{json .State}}}'
)
UNITS = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}


class Failure(Exception):
    """Something to tell the user, and the exit code that goes with it."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def clean(text, most=300):
    """One line, with nothing in it that a terminal would act on."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= most else line[:most] + "…"


def reason_of(complaints, words):
    """A failure in words, from what docker complained of."""
    said = clean(complaints) or "it said nothing"
    if "permission denied" in complaints.lower():
        return Failure(
            "this user may not speak to the Docker daemon (%s). Membership of the group docker allows it, and "
            "is as good as being root: ask the person first" % said,
            5,
        )
    if re.search(
        r"cannot connect|is the docker daemon running|error during connect|no such host|connection refused",
        complaints,
        re.I,
    ):
        return Failure(
            "docker is installed, but its daemon cannot be reached (%s). In a sandbox of "
            "Talaria its socket is hidden: run the command with host gateway" % said,
            5,
        )
    return Failure("docker %s failed: %s" % (words[0], said))


def ask(seconds, *words):
    """What docker says to a question."""
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            ["docker", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints
        )
        late = threading.Event()
        timer = threading.Timer(seconds, lambda: (late.set(), process.kill()))
        timer.start()
        try:
            answer = process.stdout.read(LARGEST_ANSWER + 1)
            if len(answer) > LARGEST_ANSWER:
                raise Failure("docker %s said too much" % words[0])
            process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.stdout.close()
            process.wait()
        if late.is_set():
            raise Failure("docker %s did not answer within %d seconds" % (words[0], seconds), 5)
        complaints.seek(0)
        said = complaints.read(1 << 16).decode("utf-8", "replace")
        if process.returncode:
            raise reason_of(said, words)
        return answer.decode("utf-8", "replace")


def rows(answer):
    """The JSON objects of an answer, one a line; docker's own warnings between them are passed over."""
    found = []
    for line in answer.split("\n"):
        if line.strip().startswith("{"):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                found.append(row)
    return found


def text_of(row, name):
    return clean(row.get(name) or "")


def number_of(row, name):
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def part_of(row, name):
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def size_in_bytes(text):
    match = re.match(r"\s*([\d.]{1,20})\s*([kKmMgGtT]?i?)B", str(text))
    try:
        return int(float(match.group(1)) * UNITS[match.group(2).lower()]) if match else 0
    except (ValueError, KeyError, OverflowError):
        return 0


def engine(seconds):
    versions = rows(ask(seconds, "version", "--format", "{{json .}}"))
    server = part_of(versions[0], "Server") if versions else {}
    return {"version": text_of(server, "Version"), "os": text_of(server, "Os"), "architecture": text_of(server, "Arch")}


def containers(seconds):
    found = []
    for row in rows(ask(seconds, "ps", "--all", "--no-trunc", "--format", "{{json .}}")):
        found.append(
            {
                "id": text_of(row, "ID")[:12],
                "name": text_of(row, "Names"),
                "image": text_of(row, "Image"),
                "state": text_of(row, "State").lower(),
                "status": text_of(row, "Status"),
                "ports": text_of(row, "Ports"),
                "created": text_of(row, "CreatedAt"),
                "restarts": 0,
                "restart_policy": "",
                "health": "",
                "exit_code": 0,
                "out_of_memory": False,
                "last_health_check": "",
            }
        )
    # What looks like anything else than an id is not handed on to a command.
    ids = [one["id"] for one in found if re.fullmatch(r"[0-9a-f]{12}", one["id"])]
    by_id = {one["id"]: one for one in found}
    for begin in range(0, len(ids), ONCE):
        try:
            details = rows(
                ask(seconds, "inspect", "--type", "container", "--format", DETAILS, *ids[begin : begin + ONCE])
            )
        except Failure as failure:
            if failure.code != 1:
                raise
            continue  # one has gone meanwhile
        for row in details:
            add_details(by_id.get(text_of(row, "id")[:12]), row)
    return found


def add_details(container, row):
    if container is None:
        return
    state, health = part_of(row, "state"), part_of(part_of(row, "state"), "Health")
    log = health.get("Log")
    last = log[-1] if isinstance(log, list) and log and isinstance(log[-1], dict) else {}
    container.update(
        restarts=number_of(row, "restarts"),
        restart_policy=text_of(row, "policy"),
        health=text_of(health, "Status"),
        exit_code=number_of(state, "ExitCode"),
        out_of_memory=state.get("OOMKilled") is True,
        last_health_check=text_of(last, "Output"),
    )
    container["state"] = text_of(state, "Status") or container["state"]


def images(seconds):
    found = []
    for row in rows(ask(seconds, "images", "--format", "{{json .}}")):
        found.append(
            {
                "id": text_of(row, "ID"),
                "repository": text_of(row, "Repository"),
                "tag": text_of(row, "Tag"),
                "size": text_of(row, "Size"),
                "bytes": size_in_bytes(row.get("Size")),
                "created": text_of(row, "CreatedSince"),
                "dangling": row.get("Repository") == "<none>",
            }
        )
    return sorted(found, key=lambda one: -one["bytes"])


def disk(seconds):
    return [
        {
            "type": text_of(row, "Type"),
            "count": text_of(row, "TotalCount"),
            "active": text_of(row, "Active"),
            "size": text_of(row, "Size"),
            "bytes": size_in_bytes(row.get("Size")),
            "reclaimable": text_of(row, "Reclaimable"),
            "reclaimable_bytes": size_in_bytes(row.get("Reclaimable")),
        }
        for row in rows(ask(seconds, "system", "df", "--format", "{{json .}}"))
    ]


def problems_of(container):
    """What is wrong with a container, worst first."""
    if container["state"] == "restarting":
        yield "keeps restarting: %d times so far, last exit code %d" % (container["restarts"], container["exit_code"])
    elif container["restarts"] >= MANY_RESTARTS:
        yield "was restarted %d times" % container["restarts"]
    if container["health"] == "unhealthy" or "(unhealthy)" in container["status"]:
        check = container["last_health_check"]
        yield "is unhealthy" + (": " + check if check else "")
    if container["out_of_memory"]:
        yield "was ended because memory ran out"
    if container["state"] == "dead":
        yield "is dead: docker could not remove it"
    # 137 and 143 are what `docker stop` leaves behind.
    if container["state"] == "exited" and container["exit_code"] not in (0, 137, 143):
        yield "ended with exit code %d" % container["exit_code"]


def problems(report, reclaimable_gb):
    found = []
    for container in report["containers"]:
        found += [
            {"what": "container " + (container["name"] or container["id"]), "problem": one}
            for one in problems_of(container)
        ]
    for one in report["disk"]:
        if one["reclaimable_bytes"] > reclaimable_gb * 1e9:
            found.append({"what": one["type"].lower(), "problem": "%s could be freed" % one["reclaimable"]})
    return found


def make_report(options):
    if not shutil.which("docker"):
        raise Failure(
            "the program docker is not installed; on Debian and Ubuntu: apt-get install docker.io (or see "
            "https://docs.docker.com/engine/install)",
            3,
        )
    report = {
        "engine": engine(options.timeout),
        "containers": containers(options.timeout),
        "images": images(options.timeout),
        "disk": disk(options.timeout),
    }
    report["problems"] = problems(report, options.reclaimable_gb)
    return report


def table(title, head, lines):
    if not lines:
        return [title + ": none", ""]
    shown = [head] + lines[:MOST_SHOWN]
    widths = [min(40, max(len(line[column]) for line in shown)) for column in range(len(head))]
    text = ["%s (%d)" % (title, len(lines))]
    text += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in shown]
    return text + (["  … and %d more" % (len(lines) - MOST_SHOWN)] if len(lines) > MOST_SHOWN else []) + [""]


def readable(report):
    lines = [
        "Docker %s on %s/%s"
        % (report["engine"]["version"] or "?", report["engine"]["os"], report["engine"]["architecture"]),
        "",
    ]
    lines += table(
        "Containers",
        ("NAME", "IMAGE", "STATUS", "PORTS"),
        [(one["name"], one["image"], one["status"], one["ports"]) for one in report["containers"]],
    )
    lines += table(
        "Images",
        ("IMAGE", "SIZE", "CREATED"),
        [("%s:%s" % (one["repository"], one["tag"]), one["size"], one["created"]) for one in report["images"]],
    )
    lines += table(
        "Disk",
        ("TYPE", "COUNT", "SIZE", "RECLAIMABLE"),
        [(one["type"], one["count"], one["size"], one["reclaimable"]) for one in report["disk"]],
    )
    lines.append("Problems (%d)" % len(report["problems"]) if report["problems"] else "No problems.")
    return "\n".join(lines + ["  %s %s" % (one["what"], one["problem"]) for one in report["problems"]])


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0],
        formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(__doc__.strip().split("\n")[2:]),
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--problems", action="store_true", help="only what is wrong")
    parser.add_argument("--strict", action="store_true", help="exit code 4 when something is wrong")
    parser.add_argument(
        "--reclaimable-gb",
        type=float,
        default=5,
        metavar="N",
        help="more than that to free is a problem; 5 unless given",
    )
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS", help="for each question; 60 unless given")
    options = parser.parse_args(arguments)
    if options.timeout < 1:
        parser.error("--timeout is at least 1")
    return options


def main(arguments):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        options = parse_arguments(arguments)
        report = make_report(options)
        if options.problems:
            report = {"problems": report["problems"]}
        if options.json:
            print(json.dumps(report, ensure_ascii=False, indent=2))
        elif options.problems:
            print("\n".join("%s %s" % (one["what"], one["problem"]) for one in report["problems"]) or "No problems.")
        else:
            print(readable(report))
        return 4 if options.strict and report["problems"] else 0
    except Failure as failure:
        print("docker_report: %s" % failure, file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has enough; the interpreter's own flush at exit must not complain about it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
