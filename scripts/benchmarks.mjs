// Writes the tables of docs/benchmarks.md and docs/benchmarks/ from the figures in results/:
//   node scripts/benchmarks.mjs           writes the tables into the pages
//   node scripts/benchmarks.mjs --check   fails where a page and the figures disagree, or a figure is shown
//   nowhere
//
// A file of results/ is one table of one run: `about`, `command`, `commit`, `date`, `columns`, `rows`, for
// columns of numbers their `digits`, and `machine` where it is not the one that docs/benchmarks.md names. A
// cell is a text, a number, null, or {value, low, high} with its interval. A page holds its tables between
//   <!-- figures: table NAME -->                the whole table
//   <!-- figures: pivot COLUMN NAME=HEAD … -->  one column of several files side by side, by their first
//   column
//   <!-- figures: summary -->                   the lines of results/summary.json, one for each page
// and <!-- figures end -->. The text between the two marks is replaced.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED = ["about", "command", "commit", "date", "columns", "digits", "rows"];
const BLOCK = /<!-- figures: (\w+)([^>]*) -->\n[\s\S]*?<!-- figures end -->/g;
const checking = process.argv.includes("--check");
const faults = [];

function readResults() {
  const files = readdirSync(join(root, "results"))
    .filter((n) => n.endsWith(".json") && n !== "summary.json")
    .sort();
  return new Map(
    files.map((file) => {
      const result = JSON.parse(readFileSync(join(root, "results", file), "utf8"));
      faults.push(...faultsOf(file, result));
      return [file.slice(0, -".json".length), result];
    }),
  );
}

function faultsOf(file, result) {
  const missing = NEEDED.filter((key) => result[key] === undefined).map(
    (key) => `results/${file} has no ${key}`,
  );
  if (missing.length > 0) return missing;
  const ragged = result.rows.filter((row) => row.length !== result.columns.length);
  return ragged.map((row) => `results/${file}: ${row[0]} has ${row.length} cells`);
}

/** Formats a number for a table: .984, 1,190, 2.5. */
function formatNumber(value, digits) {
  if (digits === "plain") return String(value);
  if (digits === 0) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 ? "-" : "") + (digits === 3 ? text.replace(/^0/, "") : text);
}

function formatCell(result, row, column, withInterval = true) {
  const value = row[result.columns.indexOf(column)];
  const digits = result.digits[column];
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value.replaceAll("|", "\\|");
  if (typeof value === "number") return formatNumber(value, digits);
  const [middle, low, high] = [value.value, value.low, value.high].map((number) =>
    formatNumber(number, digits),
  );
  return withInterval ? `${middle} (${low} to ${high})` : middle;
}

function formatTable(columns, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |");
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

function provenance(result) {
  const command = /[ /]/.test(result.command) ? `\`${result.command}\`` : result.command;
  const machine = result.machine ? ` on ${result.machine}` : "";
  return `Measured ${result.date} at \`${result.commit}\`${machine}: ${command}.`;
}

const makers = {
  table(results, [name]) {
    const result = results.get(name);
    const rows = result.rows.map((row) => result.columns.map((column) => formatCell(result, row, column)));
    const about = result.about.replace(/^./, (letter) => letter.toUpperCase());
    return `${formatTable(result.columns, rows)}\n\n${about}. ${provenance(result)}`;
  },
  pivot(results, [column, ...heads]) {
    const named = heads.map((text) => text.split("="));
    const files = named.map(([name, head]) => ({
      result: results.get(name),
      head: head.replaceAll("_", " "),
    }));
    const keys = [...new Set(files.flatMap(({ result }) => result.rows.map((row) => row[0])))];
    const rows = keys.map((key) => [
      key,
      ...files.map(({ result }) => {
        const row = result.rows.find((r) => r[0] === key);
        return row ? formatCell(result, row, column.replaceAll("_", " "), false) : "";
      }),
    ]);
    const dates = [...new Set(files.map(({ result }) => result.date))].join(", ");
    const [first] = files;
    return `${formatTable([first.result.columns[0], ...files.map((f) => f.head)], rows)}\n\nMeasured ${dates}.`;
  },
  summary(results) {
    const lines = JSON.parse(readFileSync(join(root, "results/summary.json"), "utf8"));
    const rows = lines.map(({ asks, page, says, from }) => {
      const values = from.map(([name, key, column, second]) => {
        const result = results.get(name);
        const row = result?.rows.find((r) => r[0] === key && (second === undefined || r[1] === second));
        if (!row || !result.columns.includes(column)) throw new Error(`${name} has no ${column} of ${key}`);
        return formatCell(result, row, column, false);
      });
      const dates = [...new Set(from.map(([name]) => results.get(name).date))].sort().join(", ");
      return [`[${asks}](${page})`, says.replace(/\{(\d+)\}/g, (_, i) => values[Number(i)]), dates];
    });
    return formatTable(["question", "result", "measured"], rows);
  },
};

/** Returns a page with its tables replaced, and adds the names that it shows to `used`. */
function writeTables(text, results, used, page) {
  return text.replace(BLOCK, (whole, kind, rest) => {
    const words = rest.trim().split(/\s+/).filter(Boolean);
    words
      .map((word) => word.split("=")[0])
      .filter((name) => results.has(name))
      .forEach((name) => used.add(name));
    try {
      return `<!-- figures: ${kind}${rest} -->\n\n${makers[kind](results, words)}\n\n<!-- figures end -->`;
    } catch (error) {
      faults.push(`${page}: <!-- figures: ${kind}${rest} -->: ${error.message}`);
      return whole;
    }
  });
}

const results = readResults();
const below = readdirSync(join(root, "docs/benchmarks"))
  .filter((n) => n.endsWith(".md"))
  .sort();
const pages = ["docs/benchmarks.md", ...below.map((name) => `docs/benchmarks/${name}`)];
const used = new Set();
for (const page of pages) {
  const before = readFileSync(join(root, page), "utf8");
  const after = writeTables(before, results, used, page);
  if (before === after) continue;
  if (checking) faults.push(`${page} differs from the figures: run node scripts/benchmarks.mjs`);
  else writeFileSync(join(root, page), after);
}
const unused = [...results.keys()].filter((name) => !used.has(name));
faults.push(...unused.map((name) => `no page shows results/${name}.json`));
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
console.log(`${results.size} tables of figures in ${pages.length} pages`);
