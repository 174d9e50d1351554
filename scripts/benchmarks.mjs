// The tables of docs/benchmarks.md and docs/benchmarks/ from the figures in results/:
//   node scripts/benchmarks.mjs           marks figures that are older than the code that they measure, and writes the tables into the pages
//   node scripts/benchmarks.mjs --check   fails where a page and the figures disagree, where a file lacks something, or where a figure is shown nowhere
//
// A file of results/ is one table of one run: `about`, `command`, `commit`, `date`, `machine`, the paths that it `measures`, `columns`, `rows`, and for columns of
// numbers their `digits`. A cell is a text, a number, nothing, or {value, low, high} with its interval. A page holds its tables between
//   <!-- figures: table NAME -->              all of it
//   <!-- figures: pivot COLUMN NAME=HEAD … -->  one column of several files side by side, by their first column
//   <!-- figures: summary -->                 what results/summary.json says, a line a page
// and <!-- figures end -->. What stands between is written anew each time.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED = ["about", "command", "commit", "date", "machine", "measures", "older_than_code", "columns", "digits", "rows"];
const OLDER = "older than the code";
const checking = process.argv.includes("--check");
const faults = [];

function git(...args) {
  return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Whether what a figure measures has changed since; undefined where the history does not reach back to it. */
function changedSince(commit, paths) {
  try {
    git("cat-file", "-e", `${commit}^{commit}`);
    git("merge-base", "--is-ancestor", commit, "HEAD");
    return git("log", "-1", "--format=%H", `${commit}..HEAD`, "--", ...paths) !== "";
  } catch {
    return undefined;
  }
}

function readResults() {
  const names = readdirSync(join(root, "results")).filter((n) => n.endsWith(".json") && n !== "summary.json").sort();
  return new Map(names.map((file) => {
    const name = file.slice(0, -".json".length);
    const result = JSON.parse(readFileSync(join(root, "results", file), "utf8"));
    faults.push(...wrongIn(name, result));
    return [name, result];
  }));
}

function wrongIn(name, result) {
  const lacks = NEEDED.filter((key) => result[key] === undefined).map((key) => `results/${name}.json has no ${key}`);
  if (lacks.length > 0) return lacks;
  const gone = result.measures.filter((path) => !existsSync(join(root, path))).map((path) => `results/${name}.json measures ${path}, which is not there`);
  const ragged = result.rows.filter((row) => row.length !== result.columns.length).map((row) => `results/${name}.json: ${row[0]} has ${row.length} cells`);
  return [...gone, ...ragged];
}

/** A number as tables show it: .984, 1,190, 2.5. */
function shown(value, digits) {
  if (digits === "plain") return String(value);
  if (digits === 0) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 ? "-" : "") + (digits === 3 ? text.replace(/^0/, "") : text);
}

function cell(result, row, column, interval = true) {
  const value = row[result.columns.indexOf(column)];
  const digits = result.digits[column];
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value.replaceAll("|", "\\|");
  if (typeof value === "number") return shown(value, digits);
  return shown(value.value, digits) + (interval ? ` (${shown(value.low, digits)} to ${shown(value.high, digits)})` : "");
}

function table(columns, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

function provenance(result) {
  const older = result.older_than_code ? ` These figures are **${OLDER}**.` : "";
  const command = result.command.includes(" ") || result.command.includes("/") ? `\`${result.command}\`` : result.command;
  return `Measured ${result.date} at \`${result.commit}\` on ${result.machine}. Command: ${command}.${older}`;
}

const makers = {
  table(results, [name]) {
    const result = results.get(name);
    const rows = result.rows.map((row) => result.columns.map((column) => cell(result, row, column)));
    const note = result.note ? ` ${result.note}` : "";
    return `${table(result.columns, rows)}\n\nThe table is of ${result.about}.${note} ${provenance(result)}`;
  },
  pivot(results, [column, ...heads]) {
    const files = heads.map((text) => text.split("=")).map(([name, head]) => ({ result: results.get(name), head: head.replaceAll("_", " ") }));
    const keys = [...new Set(files.flatMap(({ result }) => result.rows.map((row) => row[0])))];
    const rows = keys.map((key) => [key, ...files.map(({ result }) => {
      const row = result.rows.find((r) => r[0] === key);
      return row ? cell(result, row, column.replaceAll("_", " "), false) : "";
    })]);
    const dates = [...new Set(files.map(({ result }) => result.date))].join(", ");
    const older = files.filter(({ result }) => result.older_than_code).map(({ head }) => head);
    const mark = older.length > 0 ? ` **Older than the code**: ${older.length === files.length ? "all columns" : older.join(", ")}.` : "";
    return `${table([files[0].result.columns[0], ...files.map((f) => f.head)], rows)}\n\n${column.replaceAll("_", " ")} by set, measured ${dates}.${mark}`;
  },
  summary(results) {
    const rows = JSON.parse(readFileSync(join(root, "results/summary.json"), "utf8")).map(({ asks, page, says, from }) => {
      const used = from.map(([name, key, column, second]) => ({ result: results.get(name), key, column, name, second }));
      const values = used.map(({ result, key, column, name, second }) => {
        const row = result?.rows.find((r) => r[0] === key && (second === undefined || r[1] === second));
        if (!row || !result.columns.includes(column)) throw new Error(`results/summary.json: ${name} has no ${column} of ${key}`);
        return cell(result, row, column, false);
      });
      const older = used.some(({ result }) => result.older_than_code) ? `, ${OLDER}` : "";
      const dates = [...new Set(used.map(({ result }) => result.date))].sort().join(", ");
      return [`[${asks}](${page})`, says.replace(/\{(\d+)\}/g, (_, i) => values[Number(i)]), dates + older];
    });
    return table(["question", "what was measured", "when"], rows);
  },
};

const BLOCK = /<!-- figures: (\w+)([^>]*) -->\n[\s\S]*?<!-- figures end -->/g;

/** A page with its tables written anew; the names that it shows are added to `used`. */
function written(text, results, used, page) {
  return text.replace(BLOCK, (whole, kind, rest) => {
    const words = rest.trim().split(/\s+/).filter(Boolean);
    words.map((word) => word.split("=")[0]).filter((name) => results.has(name)).forEach((name) => used.add(name));
    try {
      return `<!-- figures: ${kind}${rest} -->\n\n${makers[kind](results, words)}\n\n<!-- figures end -->`;
    } catch (error) {
      faults.push(`${page}: <!-- figures: ${kind}${rest} -->: ${error.message}`);
      return whole;
    }
  });
}

/** Writes what is marked now back into the files, where the history tells it. */
function mark(results) {
  for (const [name, result] of results) {
    const older = changedSince(result.commit, result.measures);
    if (older === undefined || older === result.older_than_code) continue;
    result.older_than_code = older;
    const path = join(root, "results", `${name}.json`);
    writeFileSync(path, readFileSync(path, "utf8").replace(/"older_than_code": (true|false)/, `"older_than_code": ${older}`));
  }
}

const results = readResults();
if (!checking) mark(results);
const pages = ["docs/benchmarks.md", ...readdirSync(join(root, "docs/benchmarks")).filter((n) => n.endsWith(".md")).sort().map((n) => `docs/benchmarks/${n}`)];
const used = new Set();
for (const page of pages) {
  const before = readFileSync(join(root, page), "utf8");
  const after = written(before, results, used, page);
  if (before === after) continue;
  if (checking) faults.push(`${page} is not what the figures say: run node scripts/benchmarks.mjs`);
  else writeFileSync(join(root, page), after);
}
faults.push(...[...results.keys()].filter((name) => !used.has(name)).map((name) => `no page shows results/${name}.json`));
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
const older = [...results.values()].filter((r) => r.older_than_code).length;
console.log(`${results.size} tables of figures in ${pages.length} pages, ${older} of them older than the code`);
