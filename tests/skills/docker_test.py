"""The docker-management skill, with a docker that says what a real one said."""
import json
import unittest

from skill_case import SkillCase

FIRST, SECOND, THIRD, FOURTH = ("%012x" % n + "0" * 52 for n in (0xABC1, 0xABC2, 0xABC3, 0xABC4))
VERSION = {
    "Client": {"Version": "28.2.2", "Os": "linux"},
    "Server": {"Version": "27.5.1", "Os": "linux", "Arch": "amd64"},
}


def container(identity, name, state, status, **more):
    return dict(
        {
            "Command": '"nginx -g \'daemon of…"',
            "CreatedAt": "2025-05-30 12:00:00 +0000 UTC",
            "ID": identity,
            "Image": "nginx:1.27",
            "Labels": "a=b",
            "LocalVolumes": "0",
            "Mounts": "",
            "Names": name,
            "Networks": "bridge",
            "Ports": "0.0.0.0:8080->80/tcp",
            "RunningFor": "2 hours ago",
            "Size": "0B",
            "State": state,
            "Status": status,
        },
        **more,
    )


def details(identity, state, restarts=0, **more):
    return {
        "id": identity,
        "name": "/x",
        "restarts": restarts,
        "policy": "always",
        "state": dict({"Status": state, "OOMKilled": False, "ExitCode": 0}, **more),
    }


CONTAINERS = [
    container(FIRST, "web", "running", "Up 2 hours"),
    container(SECOND, "db", "running", "Up 2 hours (unhealthy)", Ports=""),
    container(THIRD, "worker", "restarting", "Restarting (1) 5 seconds ago"),
    container(FOURTH, "job", "exited", "Exited (137) 3 hours ago"),
]
DETAILS = [
    details(FIRST, "running"),
    details(
        SECOND,
        "running",
        4,
        Health={
            "Status": "unhealthy",
            "FailingStreak": 7,
            "Log": [
                {"ExitCode": 0, "Output": "fine"},
                {"ExitCode": 1, "Output": "could not\n connect\x1b[31m to 5432"},
            ],
        },
    ),
    details(THIRD, "restarting", 17, ExitCode=1),
    details(FOURTH, "exited", ExitCode=137, OOMKilled=True),
]
IMAGES = [
    {
        "Containers": "N/A",
        "CreatedSince": "3 weeks ago",
        "ID": "aaa",
        "Repository": "nginx",
        "Tag": "1.27",
        "Size": "192MB",
    },
    {"CreatedSince": "2 years ago", "ID": "bbb", "Repository": "<none>", "Tag": "<none>", "Size": "1.41GB"},
]
DISK = [
    {"Active": "3", "Reclaimable": "7.2GB (80%)", "Size": "9GB", "TotalCount": "12", "Type": "Images"},
    {"Active": "0", "Reclaimable": "1.1MB", "Size": "1.1MB", "TotalCount": "1", "Type": "Build Cache"},
]

DOCKER = """
import json, sys
with open(%(log)r, "a") as log: log.write(json.dumps(sys.argv[1:]) + "\\n")
with open(%(answers)r) as file: answers = json.load(file)
name = sys.argv[1] if sys.argv[1] != "system" else "df"
code, out, err = answers.get(name, [1, "", "unknown command: docker " + name])
sys.stdout.write(out); sys.stderr.write(err); sys.exit(code)
"""


class DockerReportTest(SkillCase):
    script = "skills/devops/docker-management/scripts/docker_report.py"

    def answer(self, **given):
        """Puts a docker on PATH that gives these answers; each a list of rows or (exit code, stdout, stderr)."""
        answers = {"version": [VERSION], "ps": CONTAINERS, "inspect": DETAILS, "images": IMAGES, "df": DISK}
        answers.update(given)
        lines = {
            name: one if isinstance(one, tuple) else (0, "".join(json.dumps(row) + "\n" for row in one), "")
            for name, one in answers.items()
        }
        self.log = self.folder / "asked"
        answers = self.file("answers.json", json.dumps(lines))
        self.program("docker", DOCKER % {"log": str(self.log), "answers": str(answers)})

    def problems(self):
        return [one["what"] + " " + one["problem"] for one in self.expect(0, "--json", "--problems").json["problems"]]

    def test_a_report_has_everything(self):
        self.answer()
        report = self.expect(0, "--json").json
        self.assertEqual(report["engine"], {"version": "27.5.1", "os": "linux", "architecture": "amd64"})
        self.assertEqual(
            report["containers"][1],
            {
                "id": SECOND[:12],
                "name": "db",
                "image": "nginx:1.27",
                "state": "running",
                "status": "Up 2 hours (unhealthy)",
                "ports": "",
                "created": "2025-05-30 12:00:00 +0000 UTC",
                "restarts": 4,
                "restart_policy": "always",
                "health": "unhealthy",
                "exit_code": 0,
                "out_of_memory": False,
                "last_health_check": "could not connect [31m to 5432",
            },
        )
        self.assertEqual(
            [(one["repository"], one["bytes"], one["dangling"]) for one in report["images"]],
            [("<none>", 1410000000, True), ("nginx", 192000000, False)],
        )
        self.assertEqual(report["disk"][0]["reclaimable_bytes"], 7200000000)

    def test_problems_are_named(self):
        self.answer()
        self.assertEqual(
            self.problems(),
            [
                "container db was restarted 4 times",
                "container db is unhealthy: could not connect [31m to 5432",
                "container worker keeps restarting: 17 times so far, last exit code 1",
                "container job was ended because memory ran out",
                "images 7.2GB (80%) could be freed",
            ],
        )
        self.expect(4, "--strict")

    def test_a_healthy_engine_has_none(self):
        self.answer(ps=CONTAINERS[:1], inspect=DETAILS[:1], df=DISK[1:])
        self.assertEqual(self.expect(0, "--strict", "--problems").out, "No problems.\n")

    def test_text_is_readable(self):
        self.answer(ps=CONTAINERS[:1], inspect=DETAILS[:1], df=DISK[:1])
        self.assertEqual(
            self.expect(0).out,
            """\
Docker 27.5.1 on linux/amd64

Containers (1)
  NAME  IMAGE       STATUS      PORTS
  web   nginx:1.27  Up 2 hours  0.0.0.0:8080->80/tcp

Images (2)
  IMAGE          SIZE    CREATED
  <none>:<none>  1.41GB  2 years ago
  nginx:1.27     192MB   3 weeks ago

Disk (1)
  TYPE    COUNT  SIZE  RECLAIMABLE
  Images  12     9GB   7.2GB (80%)

Problems (1)
  images 7.2GB (80%) could be freed
""",
        )

    def test_an_empty_engine(self):
        self.answer(ps=[], images=[], df=[])
        self.assertIn("Containers: none\n\nImages: none\n\nDisk: none\n\nNo problems.\n", self.expect(0).out)

    def test_it_only_asks(self):
        self.answer()
        self.expect(0)
        asked = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual(
            [(one[0], one[1]) for one in asked],
            [("version", "--format"), ("ps", "--all"), ("inspect", "--type"), ("images", "--format"), ("system", "df")],
        )
        self.assertNotIn("Env", " ".join(asked[2]))

    def test_many_containers_are_asked_for_in_parts(self):
        many = [container("%064x" % (n << 208), "c%d" % n, "running", "Up") for n in range(1, 251)]
        self.answer(ps=many, inspect=[])
        self.assertEqual(len(self.expect(0, "--json").json["containers"]), 250)
        asked = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual([len(one) - 5 for one in asked if one[0] == "inspect"], [100, 100, 50])

    def test_without_docker_it_says_what_to_install(self):
        self.only_programs()
        self.assertRegex(
            self.expect(3).err, "^docker_report: the program docker is not installed; .*apt-get install docker.io"
        )

    def test_without_the_daemon_it_says_so(self):
        said = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n"
        self.answer(version=(1, '{"Client":{"Version":"28.2.2"},"Server":null}\n', said))
        ran = self.expect(5, "--json")
        self.assertRegex(
            ran.err, "^docker_report: docker is installed, but its daemon cannot be reached .*host gateway\n$"
        )
        self.assertEqual(ran.out, "")

    def test_without_the_right_to_it_says_so(self):
        said = "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"
        self.answer(version=(1, "", said))
        self.assertRegex(self.expect(5).err, "this user may not speak to the Docker daemon .*as good as being root")

    def test_a_container_that_goes_meanwhile_spoils_nothing(self):
        self.answer(inspect=(1, "", "Error: No such container: abc"))
        self.assertEqual(len(self.expect(0, "--json").json["containers"]), 4)

    def test_another_failure_is_passed_on_in_its_words(self):
        self.answer(images=(1, "", "Error response from daemon: something\x1b[0m odd\n"))
        self.assertEqual(
            self.expect(1).err, "docker_report: docker images failed: Error response from daemon: something [0m odd\n"
        )

    def test_odd_answers_do_no_harm(self):
        odd = (
            "WARNING: no swap limit\n[1]\n{}\n{bad\n"
            + '{"a":' * 100000
            + "\n"
            + json.dumps(
                {"ID": "--help", "Names": None, "State": 7, "Ports": {"a": [1]}, "Status": "x\x1b[2J" + "y" * 1000}
            )
            + "\n"
        )
        self.answer(
            ps=(0, odd, ""),
            images=(0, '{"Size": "999999999999999999999999TB", "Repository": 5}\n{"Size": "..B"}', ""),
            df=(0, '{"Type": null, "Reclaimable": []}', ""),
            version=(0, "null", ""),
        )
        report = self.expect(0, "--json").json
        self.assertEqual([one["name"] for one in report["containers"]], ["", ""])
        self.assertLess(len(report["containers"][1]["status"]), 310)
        self.assertNotIn("inspect", self.log.read_text())

    def test_a_docker_that_hangs_is_given_up(self):
        self.program("docker", "import signal; signal.pause()")
        self.assertEqual(
            self.expect(5, "--timeout", 1).err, "docker_report: docker version did not answer within 1 seconds\n"
        )

    def test_a_docker_that_never_stops_talking_is_given_up(self):
        self.program("docker", "import sys\nwhile True: sys.stdout.write('x' * (1 << 20))")
        self.assertEqual(self.expect(1).err, "docker_report: docker version said too much\n")

    def test_wrong_use_and_help(self):
        self.expect(2, "--no-such-option")
        self.assertRegex(self.expect(2, "--timeout", 0).err, "--timeout is at least 1")
        self.assertRegex(self.expect(0, "--help").out, r"(?s)--json.*--strict.*Exit codes: 0 .*1 .*2 .*3 .*4 .*5 ")


if __name__ == "__main__":
    unittest.main()
