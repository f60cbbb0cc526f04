// Runs in osascript -l JavaScript. The program is always the same; what is asked for comes as one argument in JSON, so
// that no text of a reminder is ever part of a program.
function pickList(app, name) {
  if (!name) return app.defaultList();
  const list = app.lists.byName(name);
  if (!list.exists()) throw new Error('there is no list ' + name);
  return list;
}

function day(value) {
  return value ? value.toISOString() : null;
}

// One question for each property of all reminders: one for each reminder would take minutes.
function reminders(list, asked) {
  const found = asked.completed ? list.reminders : list.reminders.whose({completed: false});
  const columns = {
    id: found.id(), title: found.name(), notes: found.body(), due: found.dueDate(), completed: found.completed(),
    priority: found.priority(),
  };
  return columns.id.map((id, n) => ({
    id: id, list: list.name(), title: columns.title[n], notes: columns.notes[n] || '', due: day(columns.due[n]),
    completed: columns.completed[n], priority: columns.priority[n],
  }));
}

function one(reminder, list) {
  return {
    id: reminder.id(), list: list, title: reminder.name(), notes: reminder.body() || '', due: day(reminder.dueDate()),
    completed: reminder.completed(), priority: reminder.priority(),
  };
}

const ACTIONS = {
  lists: (app) => app.lists().map((list) => ({name: list.name(), id: list.id()})),
  show: (app, asked) => {
    const lists = asked.list ? [pickList(app, asked.list)] : app.lists();
    return [].concat(...lists.map((list) => reminders(list, asked)));
  },
  add: (app, asked) => {
    const list = pickList(app, asked.list);
    const fields = {name: asked.title};
    if (asked.notes) fields.body = asked.notes;
    if (asked.priority) fields.priority = asked.priority;
    if (asked.due) fields.dueDate = new Date(asked.due[0], asked.due[1] - 1, asked.due[2], asked.due[3], asked.due[4]);
    const reminder = app.Reminder(fields);
    list.reminders.push(reminder);
    return one(reminder, list.name());
  },
  complete: (app, asked) => {
    const reminder = app.reminders.byId(asked.id);
    if (!reminder.exists()) throw new Error('there is no reminder ' + asked.id);
    reminder.completed = true;
    return one(reminder, reminder.container().name());
  },
};

function run(argv) {
  const asked = JSON.parse(argv[0]);
  return JSON.stringify(ACTIONS[asked.action](Application('Reminders'), asked));
}
