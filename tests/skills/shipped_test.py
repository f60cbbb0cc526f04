"""What holds for every skill we ship, and for the copies that the build makes of them."""
import ast
import os
import pathlib
import re
import stat
import subprocess
import sys
import unittest

from skill_case import ROOT, SkillCase

ROOTS = ("skills", "optional-skills")
WANTED = {
    "skills/research/arxiv",
    "skills/productivity/ocr-and-documents",
    "skills/software-development/git-workflow",
    "skills/devops/docker-management",
    "skills/meta/skill-author",
    "optional-skills/apple/apple-reminders",
    "optional-skills/productivity/google-workspace",
}
LONGEST = 400  # lines of a file


def files_below(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def folders():
    return sorted(path.parent for root in ROOTS for path in (ROOT / root).rglob("SKILL.md"))


def field(text, name):
    match = re.search(r"(?m)^ *%s: *(.*)$" % name, text.split("\n---\n")[0])
    return match.group(1).strip('"') if match else None


class ShippedSkillsTest(SkillCase):
    def test_all_of_them_are_here(self):
        self.assertEqual({str(folder.relative_to(ROOT)) for folder in folders()}, WANTED)

    def test_nothing_but_skills_lies_in_the_roots(self):
        for root in ROOTS:
            for path in files_below(ROOT / root):
                self.assertTrue(any(folder in path.parents for folder in folders()), path)

    def test_what_each_says_of_itself(self):
        names = [folder.name for folder in folders()]
        self.assertEqual(len(names), len(set(names)))
        for folder in folders():
            text = (folder / "SKILL.md").read_text()
            self.assertEqual(
                [field(text, name) for name in ("name", "author", "license")], [folder.name, "Talaria", "MIT"], folder
            )
            self.assertLessEqual(len(field(text, "description")), 60, folder)
            related = field(text, "related_skills")
            for other in re.findall(r"[a-z-]+", related or ""):
                self.assertIn(other, names, folder)

    def test_the_documentation_names_each_with_its_scripts(self):
        page = (ROOT / "docs/bundled-skills.md").read_text()
        for folder in folders():
            (row,) = [line for line in page.split("\n") if line.startswith("| `%s`" % folder.name)]
            for script in (folder / "scripts").glob("*.py"):
                if os.access(str(script), os.X_OK):
                    self.assertIn("`%s`" % script.name, row)

    def test_scripts_are_for_python_from_3_8_on(self):
        for folder in folders():
            for path in (folder / "scripts").glob("*.py"):
                tree = ast.parse(path.read_text(), str(path), feature_version=(3, 8))
                newer = [
                    node.attr
                    for node in ast.walk(tree)
                    if isinstance(node, ast.Attribute)
                    and node.attr
                    in ("removeprefix", "removesuffix", "pairwise", "batched", "is_relative_to", "with_stem")
                ]
                self.assertEqual(newer, [], path)

    def test_what_begins_as_a_program_may_be_executed_and_nothing_else(self):
        for folder in folders():
            for path in files_below(folder):
                begins = path.read_bytes().startswith(b"#!")
                self.assertEqual(bool(path.stat().st_mode & stat.S_IXUSR), begins, path)

    def test_files_are_short(self):
        for folder in folders():
            for path in files_below(folder):
                lines = path.read_text().count("\n")
                self.assertLessEqual(lines, LONGEST, path)
            self.assertLessEqual((folder / "SKILL.md").read_text().count("\n"), 150, folder)

    def test_every_program_tells_how_it_is_used(self):
        for folder in folders():
            for path in (folder / "scripts").iterdir():
                if os.access(str(path), os.X_OK):
                    ran = self.expect(0, "--help", script=path.relative_to(ROOT))
                    self.assertRegex(ran.out, "(?s)usage: .*Exit codes: 0 ")
                    self.assertIn("--json", ran.out + path.read_text())

    def test_a_program_leaves_its_folder_as_it_is(self):
        copy = self.folder / "copy"
        for folder in folders():
            subprocess.run(["cp", "-a", str(folder), str(copy)], check=True)
            before = files_below(copy)
            for path in (copy / "scripts").iterdir():
                if os.access(str(path), os.X_OK):
                    subprocess.run(
                        [sys.executable, str(path), "--help"],
                        check=True,
                        env=self.environment,
                        stdout=subprocess.DEVNULL,
                    )
            self.assertEqual(sorted(path for path in copy.rglob("*") if path.is_file()), before)
            subprocess.run(["rm", "-rf", str(copy)], check=True)

    def test_the_build_has_exact_copies(self):
        shipped = pathlib.Path(os.environ["TALARIA_SHIPPED"])
        for root in ROOTS:
            source = {path.relative_to(ROOT): path for path in files_below(ROOT / root)}
            copies = {path.relative_to(shipped): path for path in (shipped / root).rglob("*") if path.is_file()}
            self.assertEqual(set(copies), set(source))
            for name, path in source.items():
                self.assertEqual(copies[name].read_bytes(), path.read_bytes(), name)
                self.assertEqual(copies[name].stat().st_mode & 0o111, path.stat().st_mode & 0o111, name)


if __name__ == "__main__":
    unittest.main()
