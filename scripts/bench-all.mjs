// Measures again each table of results/ that is older than the code and whose command prints its figures as
// JSON (`pocketgraph-lab eval retrieval … --json`, `./build.sh bench rows …`), and writes it:
//   node scripts/bench-all.mjs [--list] LAB DATA [NAME...]
//
// LAB is the program pocketgraph-lab, DATA the folder of public sets. Each table is written as soon as it is
// measured, with the commit and the day, and one that is no older than the code is passed over: a run that
// was interrupted goes on where it stopped. --list says what a run would measure, and what has another
// command.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Folders whose changes may change a figure. */
const CODE = ["companion", "crates", "lab", "models", "src"];

const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" });
const folder = process.env.POCKETGRAPH_RESULTS ?? join(root, "results");
const fileOf = (name) => join(folder, `${name}.json`);

/** Returns true if code was changed after a commit, or the commit is not known. */
function isOlderThanCode(commit) {
  const { status, stdout } = git("log", "-1", "--format=%h", `${commit}..HEAD`, "--", ...CODE);
  return status !== 0 || stdout !== "";
}

/** Returns the program and the words of a table's command, or nothing if it prints no JSON. */
function commandOf({ command }, lab, data) {
  const [program, ...words] = command.split(" ").map((word) => word.replace(/^DATA(?=\/|$)/, data));
  if (program === "pocketgraph-lab" && words.includes("--json")) return [lab, words];
  if (words[1] === "rows") return [program, words];
  if (words[0] === "benches/plan_tables.py") return [program, [...words, "--lab", lab]];
  return undefined;
}

const round = (number, digits) => Number(number.toFixed(digits));

/** Returns a retriever's row for the columns of a table. */
function rowOf(columns, { retriever, mean, intervals, index_bytes, context_tokens }) {
  const estimate = (measure) => ({
    value: round(mean[measure], 3),
    low: round(intervals.low[measure], 3),
    high: round(intervals.high[measure], 3),
  });
  const cells = {
    retriever: `\`${retriever}\``,
    "recall@1": round(mean.recall_1, 3),
    "recall@2": round(mean.recall_2, 3),
    "recall@5": estimate("recall_5"),
    "recall@10": round(mean.recall_10, 3),
    "all gold in the top 5": round(mean.all_recall_5, 3),
    "nDCG@10": estimate("ndcg_10"),
    "MRR@10": round(mean.mrr_10, 3),
    "index MB": round(index_bytes / 1e6, 1),
    "tokens of 5": round(context_tokens, 0),
  };
  return columns.map((column) => {
    if (cells[column] === undefined) throw new Error(`no figure is ${column}`);
    return cells[column];
  });
}

/** Formats a table as results/ has it: a member a line, a row a line. */
function formatTable({ rows, ...head }) {
  const spaced = (value) =>
    JSON.stringify(value, null, 1)
      .replace(/\n */g, " ")
      .replace(/([[{]) | ([\]}])/g, "$1$2");
  const members = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${spaced(value)}`);
  members.push(`  "rows": [\n${rows.map((row) => `    ${spaced(row)}`).join(",\n")}\n  ]`);
  return `{\n${members.join(",\n")}\n}\n`;
}

function main(args) {
  const lists = args[0] === "--list";
  const [lab, data, ...names] = args.slice(Number(lists));
  const all = readdirSync(folder)
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => name !== "summary" && (names.length === 0 || names.includes(name)));
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`results/ has no ${unknown.join(", ")}`);
  for (const name of all) {
    const table = JSON.parse(readFileSync(fileOf(name), "utf8"));
    if (!isOlderThanCode(table.commit)) continue;
    const command = commandOf(table, lab, data);
    if (lists || !command) {
      console.log(command ? `to measure: ${name}` : `has another command: ${name}: ${table.command}`);
      continue;
    }
    console.log(`measuring ${name}`);
    const { status, stdout } = spawnSync(...command, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (status !== 0) throw new Error(`${name}: ${table.command} failed; what was measured before is kept`);
    table.rows = JSON.parse(stdout).rows.map((row) => (Array.isArray(row) ? row : rowOf(table.columns, row)));
    table.commit = git("rev-parse", "--short=12", "HEAD").stdout.trim();
    table.date = new Date().toISOString().slice(0, 10);
    writeFileSync(fileOf(name), formatTable(table));
  }
}

main(process.argv.slice(2));
