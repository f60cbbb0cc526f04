"""The apple-reminders skill. Its program runs in node, with an app that stands in for Reminders."""
import json
import shlex
import shutil
import unittest

from skill_case import SkillCase

# Takes the program from stdin and its argument, as osascript does, and says what the app was left with.
OSASCRIPT = r"""#!%(node)s
const fs = require('fs');
const vm = require('vm');
const [language, name, dash, ...argv] = process.argv.slice(2);
if (language !== '-l' || name !== 'JavaScript' || dash !== '-') throw new Error('called as ' + process.argv);
const state = JSON.parse(fs.readFileSync('%(state)s', 'utf8'));
const value = (x) => () => x;
const dated = (x) => () => x ? new Date(x) : null;
function reminder(list, data) {
  return {id: value(data.id), name: value(data.name), body: value(data.body || null), dueDate: dated(data.dueDate),
          priority: value(data.priority || 0), exists: value(true), container: value({name: value(list.name)}),
          completed: value(data.completed), data: data};
}
function many(list, items) {
  const column = (name) => () => items.map((one) => one[name] === undefined ? null : one[name]);
  return {id: column('id'), name: column('name'), body: column('body'), completed: column('completed'),
          priority: column('priority'), dueDate: () => items.map((one) => one.dueDate ? new Date(one.dueDate) : null),
          whose: (what) => many(list, items.filter((one) => one.completed === what.completed)),
          push: (made) => { made.data.id = 'new-1'; made.data.completed = false; made.id = value('new-1'); made.completed = value(false);
                            list.reminders.push(made.data); }};
}
function listOf(list) {
  return {name: value(list.name), id: value('list-' + list.name), exists: value(true), reminders: many(list, list.reminders)};
}
function byId(id) {
  for (const list of state) {
    for (const data of list.reminders) {
      if (data.id !== id) continue;
      const found = reminder(list, data);
      return new Proxy(found, {set(target, key, x) { data[key] = x; target[key] = value(x); return true; }});
    }
  }
  return {exists: value(false)};
}
function Application(app) {
  if (app !== 'Reminders') throw new Error('Application ' + app);
  const lists = () => state.map(listOf);
  lists.byName = (wanted) => { const one = state.find((x) => x.name === wanted); return one ? listOf(one) : {exists: value(false)}; };
  return {lists: lists, defaultList: () => listOf(state[0]), reminders: {byId: byId},
          Reminder: (fields) => reminder(state[0], Object.assign({}, fields))};
}
const context = vm.createContext({Application: Application, argv: argv});
try {
  vm.runInContext(fs.readFileSync(0, 'utf8'), context);
  console.log(vm.runInContext('run(argv)', context));
  fs.writeFileSync('%(state)s', JSON.stringify(state));
} catch (error) {
  console.error('execution error: Error: ' + error + ' (-2700)');
  process.exit(1);
}
"""
HOSTILE = [
    '"; app.quit(); //',
    "' & (do shell script \"id\") & '",
    "$(id) `id`",
    '\\" \\n ${x}',
    "</script>",
    "-e",
    "日本 é 😀",
    "a\u2028\u2029b",
    "%s %d",
    "a\u202eb",
]


class RemindersTest(SkillCase):
    script = "optional-skills/apple/apple-reminders/scripts/reminders.py"

    def mac(self, *lists):
        """A Mac with these lists: (name, reminders)."""
        state = [{"name": name, "reminders": reminders} for name, reminders in lists]
        self.state = self.file("state.json", json.dumps(state))
        path = self.programs / "osascript"
        path.write_text(OSASCRIPT % {"node": shutil.which("node"), "state": self.state})
        path.chmod(0o755)
        self.environment["TZ"] = "UTC"

    def dry(self, *arguments):
        """What the program would be asked."""
        words = shlex.split(self.expect(0, arguments[0], "--dry-run", *arguments[1:]).out)
        self.assertEqual(words[:4] + words[5:6], ["osascript", "-l", "JavaScript", "-", "<"])
        return json.loads(words[4])

    def test_what_is_to_do_is_shown(self):
        self.mac(
            (
                "Work",
                [
                    {
                        "id": "x-1",
                        "name": "Call Ada",
                        "body": "about\nengines",
                        "dueDate": "2024-05-31T12:30:00Z",
                        "completed": False,
                        "priority": 1,
                    },
                    {"id": "x-2", "name": "Old", "completed": True, "priority": 0},
                ],
            ),
            ("Home", [{"id": "x-3", "name": "Milk", "completed": False, "priority": 0}]),
        )
        self.assertEqual(
            self.expect(0, "show").out,
            "[ ] Call Ada, due 2024-05-31 12:30 (Work)  id: x-1\n    about engines\n" "[ ] Milk (Home)  id: x-3\n",
        )
        self.assertEqual(
            self.expect(0, "show", "--list", "Work", "--completed", "--json").json,
            [
                {
                    "id": "x-1",
                    "list": "Work",
                    "title": "Call Ada",
                    "notes": "about\nengines",
                    "due": "2024-05-31T12:30:00.000Z",
                    "completed": False,
                    "priority": 1,
                },
                {
                    "id": "x-2",
                    "list": "Work",
                    "title": "Old",
                    "notes": "",
                    "due": None,
                    "completed": True,
                    "priority": 0,
                },
            ],
        )
        self.assertEqual(self.expect(0, "lists").out, "Work\nHome\n")

    def test_one_is_added_with_all_it_has(self):
        self.mac(("Work", []), ("Home", []))
        ran = self.expect(
            0, "add", "Call Ada", "--list", "Home", "--notes", "a\nb", "--due", "2024-05-31 14:30", "--priority", "high"
        )
        self.assertEqual(ran.out, "[ ] Call Ada, due 2024-05-31 14:30 (Home)  id: new-1\n    a b\n")
        self.assertEqual(
            json.loads(self.state.read_text())[1]["reminders"],
            [
                {
                    "name": "Call Ada",
                    "body": "a\nb",
                    "priority": 1,
                    "dueDate": "2024-05-31T14:30:00.000Z",
                    "id": "new-1",
                    "completed": False,
                }
            ],
        )

    def test_one_is_completed(self):
        self.mac(("Work", [{"id": "x-1", "name": "Call", "completed": False, "priority": 0}]))
        self.assertEqual(self.expect(0, "complete", "x-1").out, "[x] Call (Work)  id: x-1\n")
        self.assertTrue(json.loads(self.state.read_text())[0]["reminders"][0]["completed"])
        self.assertEqual(self.expect(0, "show").out, "There is nothing to do.\n")

    def test_no_text_can_become_a_part_of_the_program(self):
        for text in HOSTILE:
            self.mac(("Work", []))
            self.expect(0, "add", "--notes=" + text, "--", text)
            self.assertEqual(
                json.loads(self.state.read_text())[0]["reminders"],
                [{"name": text, "body": text, "id": "new-1", "completed": False}],
            )

    def test_a_dry_run_shows_the_question_and_needs_no_mac(self):
        self.only_programs()
        for text in HOSTILE:
            self.assertEqual(
                self.dry("add", "--list=" + text, "--", text), {"action": "add", "title": text, "list": text}
            )
        self.assertEqual(self.dry("show"), {"action": "show", "completed": False})
        self.assertEqual(
            self.dry("add", "x", "--due", "2024-02-29"), {"action": "add", "title": "x", "due": [2024, 2, 29, 9, 0]}
        )

    def test_what_reminders_refuses_is_said_in_words(self):
        self.mac(("Work", []))
        self.assertEqual(self.expect(1, "show", "--list", "None").err, "reminders: there is no list None\n")
        self.assertEqual(self.expect(1, "complete", "none").err, "reminders: there is no reminder none\n")
        self.program(
            "osascript",
            "import sys; sys.exit('execution error: Error: Not authorized to send Apple events to "
            "Reminders. (-1743)')",
        )
        self.assertRegex(self.expect(1, "lists").err, "Privacy & Security, Automation")
        for answer in ("print('hello')", "print('[1]')", "print('{}')", "pass"):
            self.program("osascript", answer)
            self.assertRegex(self.expect(1, "show").err, "^reminders: (osascript|Reminders) answered with something")

    def test_elsewhere_it_says_that_a_mac_is_needed(self):
        self.only_programs()
        self.assertRegex(
            self.expect(3, "lists").err, "^reminders: the program osascript is not here: this works on macOS only"
        )

    def test_wrong_use_says_what_is_wrong(self):
        for arguments, reason in (
            ([], "say what to do"),
            (["remove"], "invalid choice"),
            (["add"], "required: title"),
            (["add", " "], "title must not be empty"),
            (["add", "x" * 1001], "1000 is the limit"),
            (["add", "a\nb"], "cannot be shown"),
            (["add", "a\x1b[0m"], "cannot be shown"),
            (["add", "x", "--due", "soon"], "'soon' is no time"),
            (["add", "x", "--due", "2024-02-30"], "is no time"),
            (["add", "x", "--priority", "urgent"], "invalid choice"),
        ):
            self.assertRegex(self.expect(2, *arguments).err, reason)
        self.assertRegex(self.expect(0, "--help").out, "(?s)lists.*complete.*Exit codes: 0 .*1 .*2 .*3 ")


if __name__ == "__main__":
    unittest.main()
