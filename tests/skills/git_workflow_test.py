"""The git-workflow skill: real repositories, looked at and left as they are."""
import os
import subprocess
import unittest

from skill_case import SkillCase

# Made up here, so that nobody finds them in this file and takes them for real.
AWS_KEY = "AKIA" + "Z7QXW3LMN4PRST5V"
GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5" * 4
BEGIN, END = "<" * 7 + " ours", ">" * 7 + " theirs"


class GitOverviewTest(SkillCase):
    script = "skills/software-development/git-workflow/scripts/git_overview.py"

    def setUp(self):
        super().setUp()
        self.environment.update(
            GIT_CONFIG_NOSYSTEM="1",
            GIT_AUTHOR_NAME="A",
            GIT_AUTHOR_EMAIL="a@b",
            GIT_COMMITTER_NAME="A",
            GIT_COMMITTER_EMAIL="a@b",
            GIT_EDITOR="true",
        )
        self.tree = self.folder / "tree"
        self.tree.mkdir()

    def git(self, *arguments, code=0):
        done = subprocess.run(
            ["git", *arguments],
            cwd=str(self.tree),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, code, done.stdout.decode())
        return done.stdout.decode().strip()

    def commit(self, name="a.txt", content="a\n", subject="Add a file"):
        self.write(name, content)
        self.git("add", "--", name)
        self.git("commit", "-qm", subject)

    def begin(self):
        self.git("init", "-q", "-b", "main")
        self.commit()

    def write(self, name, content):
        return self.file("tree/" + name, content)

    def look(self, *arguments, code=0):
        return self.expect(code, self.tree, "--json", *arguments).json

    def odd(self, *arguments):
        return [(one["kind"], one["path"]) for one in self.look(*arguments)["suspicious"]]

    def snapshot(self):
        found = {}
        for folder, _, names in os.walk(str(self.tree)):
            for name in names:
                path = os.path.join(folder, name)
                facts = os.lstat(path)
                with open(path, "rb") as file:
                    found[path] = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_mode, file.read())
        return found

    def test_a_clean_repository(self):
        self.begin()
        state = self.look()
        head = self.git("rev-parse", "HEAD")
        self.assertEqual(
            state,
            {
                "root": str(self.tree),
                "branch": "main",
                "head": head,
                "in_progress": [],
                "base": None,
                "upstream": None,
                "upstream_ahead": None,
                "upstream_behind": None,
                "stash": 0,
                "staged": [],
                "unstaged": [],
                "untracked": [],
                "conflicts": [],
                "suspicious": [],
                "all_looked_at": True,
            },
        )
        self.assertEqual(
            self.expect(0, self.tree).out, "Repository: %s\nBranch: main\nNothing to commit.\n" % self.tree
        )

    def test_a_branch_is_compared_with_its_base_and_its_upstream(self):
        self.begin()
        self.git("clone", "-q", "--bare", ".", str(self.folder / "remote.git"))
        self.git("remote", "add", "origin", str(self.folder / "remote.git"))
        self.git("switch", "-qc", "topic")
        self.commit("b.txt", "1\n2\n", "Add b: for good")
        self.git("push", "-qu", "origin", "topic")
        self.commit("b.txt", "1\n", "Shorten b")
        self.git("switch", "-q", "main")
        self.commit("c.txt", "c", "Add c")
        self.git("switch", "-q", "topic")
        state = self.look()
        self.assertEqual(
            (state["branch"], state["upstream"], state["upstream_ahead"], state["upstream_behind"]),
            ("topic", "origin/topic", 1, 0),
        )
        base = state["base"]
        self.assertEqual(
            (base["ref"], base["ahead"], base["behind"], base["changed"]),
            ("main", 2, 1, {"files": 1, "added": 1, "removed": 0}),
        )
        self.assertEqual([one["subject"] for one in base["commits"]], ["Shorten b", "Add b: for good"])
        self.assertEqual(self.look("--base", "topic~1")["base"]["ahead"], 1)
        self.assertRegex(self.expect(2, self.tree, "--base", "--all").err, "expected one argument")
        self.assertRegex(self.expect(2, self.tree, "--base=--all").err, "there is no commit, branch or tag --all here")

    def test_staged_changed_unknown_and_stashed(self):
        self.begin()
        self.commit("moved.txt", "some content that is long enough\n" * 5)
        self.write("stashed.txt", "x")
        self.git("stash", "push", "-qu")
        self.git("mv", "moved.txt", "new name.txt")
        self.write("a.txt", "b\n")
        self.write("dir/unknown.txt", "x\n")
        state = self.look()
        self.assertEqual(state["staged"], [{"path": "new name.txt", "change": "renamed", "from": "moved.txt"}])
        self.assertEqual(state["unstaged"], [{"path": "a.txt", "change": "modified"}])
        self.assertEqual((state["untracked"], state["stash"]), (["dir/unknown.txt"], 1))

    def test_a_repository_without_a_commit(self):
        self.git("init", "-q", "-b", "main")
        self.write("a.txt", "key = %r\n" % AWS_KEY)
        self.git("add", ".")
        state = self.look()
        self.assertEqual(
            (state["head"], state["branch"], state["staged"]), (None, "main", [{"path": "a.txt", "change": "added"}])
        )
        self.assertEqual([one["kind"] for one in state["suspicious"]], ["secret"])

    def test_a_conflict_and_what_is_under_way(self):
        self.begin()
        self.git("switch", "-qc", "topic")
        self.commit(content="ours\n")
        self.git("switch", "-q", "main")
        self.commit(content="theirs\n")
        self.git("merge", "topic", code=1)
        state = self.look("--strict", code=4)
        self.assertEqual(
            (state["in_progress"], state["conflicts"]), (["merge"], [{"path": "a.txt", "kind": "both modified"}])
        )
        self.assertEqual([(one["kind"], one["line"]) for one in state["suspicious"]], [("conflict marker", 1)])
        self.git("merge", "--abort")
        self.git("checkout", "-q", "topic")
        self.git("rebase", "main", code=1)
        self.assertEqual(self.look()["in_progress"], ["rebase"])
        self.assertIsNone(self.look()["branch"])

    def test_markers_in_what_is_new_are_seen(self):
        self.begin()
        self.write("b.txt", "%s\na\n=======\nb\n%s\n" % (BEGIN, END))
        self.write("title.rst", "Title\n=======\n<<<<<<< only one\n")
        self.assertEqual(self.odd(), [("conflict marker", "b.txt")])

    def test_secrets_are_found_and_never_shown(self):
        self.begin()
        self.write("a.txt", "a\naws = '%s'\n" % AWS_KEY)
        self.write("b.txt", "token: %s\n-----BEGIN RSA PRIVATE KEY-----\n" % GITHUB_TOKEN)
        self.write("c.py", "password = 'kR8#mQ2vLx9Zt4'\nurl = 'https://me:hunter2secret@host/x'\n")
        ran = self.expect(0, self.tree)
        for secret in (AWS_KEY, GITHUB_TOKEN, "kR8#mQ2vLx9Zt4", "hunter2secret"):
            self.assertNotIn(secret, ran.out + self.expect(0, self.tree, "--json").out)
        found = [(one["path"], one["line"], one["detail"]) for one in self.look()["suspicious"]]
        self.assertEqual(
            found,
            [
                ("a.txt", 2, "looks like a AWS access key: AKIA… (20 characters)"),
                ("b.txt", 1, "looks like a GitHub token: ghp_… (44 characters)"),
                ("b.txt", 2, "looks like a private key: ----… (26 characters)"),
                ("c.py", 1, "looks like a password in the text: kR8#… (14 characters)"),
                ("c.py", 2, "looks like a password in an address: http… (25 characters)"),
            ],
        )

    def test_what_was_committed_before_and_placeholders_are_no_findings(self):
        self.begin()
        self.commit("old.txt", "aws = '%s'\n" % AWS_KEY)
        self.write("old.txt", "aws = '%s'\nmore\n" % AWS_KEY)
        self.write(
            "doc.md", "password = 'your-password-here'\napi_key: \"${API_KEY_FROM_ENV}\"\ntoken = 'aaaaaaaaaaaaaaaa'\n"
        )
        self.assertEqual(self.odd(), [])

    def test_a_secret_that_is_only_staged_is_found(self):
        self.begin()
        self.write("a.txt", "x = '%s'\n" % AWS_KEY)
        self.git("add", "a.txt")
        self.write("a.txt", "a\n")
        self.assertEqual(self.odd(), [("secret", "a.txt")])

    def test_files_that_rarely_belong_in_a_commit(self):
        self.begin()
        for name in (
            ".env",
            ".env.example",
            "deploy/id_rsa",
            "node_modules/x/index.js",
            "a.pyc",
            "big.bin",
            "small.bin",
        ):
            self.write(name, b"\0" * (3000000 if name == "big.bin" else 10))
        (self.tree / "link").symlink_to("/etc/passwd")
        (self.tree / "near").symlink_to("a.txt")
        (self.tree / "inner").mkdir()
        subprocess.run(["git", "init", "-q", str(self.tree / "inner")], check=True, env=self.environment)
        self.assertEqual(
            sorted(self.odd("--large-mb", "2.5")),
            [
                ("generated file", "a.pyc"),
                ("generated file", "node_modules/x/index.js"),
                ("large file", "big.bin"),
                ("link out of the repository", "link"),
                ("private file", ".env"),
                ("private file", "deploy/id_rsa"),
                ("repository inside", "inner/"),
            ],
        )

    def test_nothing_in_the_repository_changes(self):
        self.begin()
        self.write("a.txt", "changed\n")
        self.write("b.txt", "new\n")
        # Same content, other time: git itself would now write its index anew.
        self.commit("touched.txt", "x\n")
        os.utime(str(self.tree / "touched.txt"), (1, 1))
        before = self.snapshot()
        self.look()
        self.assertEqual(self.snapshot(), before)

    def test_nothing_that_the_repository_names_is_run(self):
        self.begin()
        trap = self.program(
            "trap", "import sys; open(%r, 'a').write('%%s\\n' %% sys.argv)\n" % str(self.folder / "sprung")
        )
        for name in (
            "core.fsmonitor",
            "diff.external",
            "core.pager",
            "filter.f.clean",
            "filter.f.process",
            "diff.d.textconv",
            "diff.d.command",
            "core.sshCommand",
            "gpg.program",
            "filter.odd=x.clean",
        ):
            self.git("config", name, str(trap))
        self.git("config", "log.showSignature", "true")
        self.git("config", "filter.f.required", "true")
        self.write(".gitattributes", "*.txt filter=f diff=d\n")
        for hook in ("post-index-change", "fsmonitor-watchman"):
            self.write(".git/hooks/" + hook, "#!/bin/sh\nexec %s\n" % trap).chmod(0o755)
        self.environment["GIT_EXTERNAL_DIFF"] = str(trap)
        self.write("a.txt", "changed\n")
        state = self.look()
        self.assertEqual(state["unstaged"], [{"path": "a.txt", "change": "modified"}])
        self.assertFalse((self.folder / "sprung").exists())

    def test_odd_names_do_no_harm(self):
        self.begin()
        for name in ("-rf", "a\nb", "\x1b[31mred", "*", ":(top)x", "naïve", 'q"uote'):
            self.write(name, "key = '%s'\n" % AWS_KEY)
        with open(os.fsencode(str(self.tree)) + b"/\xff.txt", "w"):
            pass
        self.git("add", "--all")
        state = self.look()
        self.assertEqual(
            sorted(one["path"] for one in state["staged"]),
            sorted(["-rf", "a\\nb", "\\x1b[31mred", "*", ":(top)x", "naïve", 'q"uote', "\\xff.txt"]),
        )
        self.assertEqual(len([one for one in state["suspicious"] if one["kind"] == "secret"]), 7)
        self.assertNotIn("\x1b", self.expect(0, self.tree).out)

    def test_where_there_is_no_repository_it_says_so(self):
        self.assertRegex(self.expect(1, self.tree).err, "^git_overview: fatal: not a git repository")
        self.assertRegex(self.expect(2, self.folder / "none").err, "none is not a folder")
        self.git("init", "-q", "--bare", ".")
        self.assertRegex(self.expect(1, self.tree).err, "a repository without a working tree")

    def test_without_git_it_says_what_to_install(self):
        self.only_programs()
        self.assertEqual(
            self.expect(3, self.tree).err,
            "git_overview: the program git is not installed; on Debian and Ubuntu: apt-get install git\n",
        )

    def test_help_names_every_exit_code(self):
        self.assertRegex(self.expect(0, "--help").out, r"(?s)--base.*--json.*Exit codes: 0 .*1 .*2 .*3 .*4 ")


class CheckMessageTest(SkillCase):
    script = "skills/software-development/git-workflow/scripts/check_message.py"

    def findings(self, code, text, *arguments):
        ran = self.expect(code, "-", "--json", *arguments, given=text if isinstance(text, bytes) else text.encode())
        self.assertEqual(ran.json["ok"], code == 0)
        return [(one["severity"], one["line"], one["message"]) for one in ran.json["findings"]]

    def test_good_messages_pass(self):
        for text in (
            "Add a way to read feeds\n\nThe API answers with Atom.\n",
            "policy: refuse what has no rule\n",
            "fix(parser)!: embed the table\n\n# a comment\nBecause.\n",
            "Bring the list up to date\r\n\r\nWhy not.\r\n",
            "Show it\n\nhttps://example.org/" + "x" * 200 + "\n\n    " + "y" * 200,
        ):
            self.assertEqual(self.findings(0, text), [])

    def test_what_must_not_be_is_an_error(self):
        for text, line, reason in (
            ("", 1, "there is no message"),
            ("# only a comment\n", 1, "there is no message"),
            ("Add " + "x" * 80, 1, "the subject has 84 characters; 72 is the limit"),
            ("Add a thing.", 1, "the subject ends with a full stop"),
            ("WIP on things", 1, "this is marked as not finished"),
            ("fixup! Add a thing", 1, "this is marked as not finished"),
            (
                "Add a thing\nand another",
                2,
                "leave the second line blank; git takes what follows " "for the subject's end",
            ),
            ("Add a thing\n\n%s\n" % BEGIN, 3, "a conflict marker"),
        ):
            self.assertIn(("error", line, reason), self.findings(4, text))

    def test_a_secret_is_an_error_that_does_not_show_it(self):
        ran = self.expect(4, "-", given=("Use the key\n\n%s\n" % GITHUB_TOKEN).encode())
        self.assertEqual(ran.out, "error: line 3: looks like a GitHub token: ghp_… (44 characters)\nnot good yet\n")

    def test_style_is_only_remarked_on(self):
        self.assertEqual(
            self.findings(0, "Added a thing"), [("remark", 1, "write what the commit does, as in 'add', not 'Added'")]
        )
        self.assertEqual(
            self.findings(0, "ui: fixing buttons\n\n" + "word " * 30),
            [
                ("remark", 1, "write what the commit does, as in 'add', not 'fixing'"),
                ("remark", 3, "149 characters; break lines at 72 to 100"),
            ],
        )

    def test_the_limit_can_be_set_and_files_are_read(self):
        path = self.file("message", "Add a thing that is long\n\n# ---- >8 ----\n%s\n" % BEGIN)
        self.assertEqual(self.expect(0, path).out, "good\n")
        self.expect(4, path, "--limit", 10)

    def test_what_cannot_be_read_is_said(self):
        self.assertEqual(self.expect(1, "none").err, "check_message: cannot read none: No such file or directory\n")
        self.assertRegex(self.expect(1, self.file("huge", b"x" * (2 << 20))).err, "larger than a message can be")
        self.findings(0, b"Add \xff\xfe\0 bytes")
        self.expect(2)


if __name__ == "__main__":
    unittest.main()
