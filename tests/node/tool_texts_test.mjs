// What a model reads of our tools, with every request: all descriptions and schemas together stay below a budget.
// node tool_texts_test.mjs TALARIA NODE_PACKAGES
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const budget = 3000;
const [talaria, packages] = process.argv.slice(2).map((path) => resolve(path));

function fail(message) {
  console.error(message);
  process.exit(1);
}

function encoding() {
  try {
    const require = createRequire(join(packages, "package.json"));
    const { Tiktoken } = require("js-tiktoken/lite");
    return new Tiktoken(require("js-tiktoken/ranks/o200k_base"));
  } catch (error) {
    fail(`js-tiktoken is not in ${packages}: ./test installs it from npm's registry. ${error.message}`);
  }
}

// All tools: web_search is listed with a provider only.
function listed_tools() {
  const home = mkdtempSync(join(tmpdir(), "talaria-texts."));
  const run = (...words) =>
    execFileSync(talaria, words, {
      cwd: home,
      env: { ...process.env, HOME: home, TALARIA_HOME: join(home, "t") },
      encoding: "utf8",
      timeout: 60_000,
    });
  try {
    run("config", "set", "web.search.provider", "searxng");
    run("config", "set", "web.search.url", "http://127.0.0.1:1");
    return JSON.parse(run("tools", "--json")).tools;
  } finally {
    run("serve", "--stop", "--end-jobs");
    rmSync(home, { recursive: true, force: true });
  }
}

const tokens = encoding();
const count = (text) => tokens.encode(text).length;
const counts = listed_tools().map(({ name, description, inputSchema }) => [
  name,
  count(JSON.stringify({ name, description, inputSchema })),
]);
const sum = counts.reduce((all, [, one]) => all + one, 0);
for (const [name, one] of counts) console.log(`${String(one).padStart(5)} ${name}`);
console.log(`${String(sum).padStart(5)} tokens of o200k_base, of ${budget}`);
if (counts.length !== 13) fail(`there are ${counts.length} tools in the list, and 13 are meant`);
if (sum > budget) fail("The tools' descriptions and schemas have become too long for a model: shorten some.");
