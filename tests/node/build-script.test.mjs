// build.sh as somebody meets it at the terminal, and the parts of it that decide whether a budget is kept.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "build-script-"));
after(() => rmSync(scratch, { recursive: true }));

const build = (...args) => spawnSync("bash", ["build.sh", ...args], { cwd: root, encoding: "utf8" });

/** Runs shell code with the helpers loaded, in a scratch target folder. */
function withHelpers(code, environment = {}) {
  const lines = ["set -euo pipefail", `ROOT='${root}'`, 'cd "$ROOT"'];
  for (const helper of ["common", "tools", "wasm", "site", "test", "size"])
    lines.push(`. scripts/${helper}.sh`);
  lines.push(`WORK='${scratch}'`, 'STAMPS="$WORK/stamps"', code);
  return spawnSync("bash", ["-c", lines.join("\n")], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
}

test("the help names every task, and a task that is not there is refused", () => {
  const help = build("--help");
  assert.equal(help.status, 0);
  for (const task of ["demo", "test", "wasm", "companion", "package", "bench", "size", "clean"]) {
    assert.match(help.stdout, new RegExp(`^  ${task}\\b`, "m"));
  }
  for (const wrong of [
    [],
    ["deom"],
    ["wasm", "now"],
    ["demo", "--docs", "/no/such/folder"],
    ["demo", "--port", "x"],
  ]) {
    const refused = build(...wrong);
    assert.equal(refused.status, 2, wrong.join(" "));
    assert.match(refused.stderr, /build\.sh/);
  }
});

test("a table that is older than the code is measured again once, and one of another command is named", () => {
  const lab = join(scratch, "lab.sh");
  const means = { recall_1: 0.5, recall_2: 0.5, recall_5: 0.75, recall_10: 1, all_recall_5: 0.25 };
  const measures = { ...means, ndcg_10: 0.6, mrr_10: 0.7 };
  const row = {
    retriever: "dense",
    mean: measures,
    intervals: { low: measures, high: measures },
    index_bytes: 1_260_000,
    context_tokens: 99.6,
  };
  writeFileSync(lab, `#!/bin/sh\necho "$@" >>"$0.calls"\necho '${JSON.stringify({ rows: [row] })}'\n`, {
    mode: 0o755,
  });
  const results = join(scratch, "results");
  mkdirSync(results);
  const table = (commit, command) => ({
    about: "a set",
    command,
    commit,
    columns: ["retriever", "recall@5", "index MB"],
  });
  const old = table("0000000", "pocketgraph-lab eval retrieval --corpus DATA/x.jsonl --json");
  writeFileSync(join(results, "one.json"), JSON.stringify({ ...old, rows: [] }));
  writeFileSync(join(results, "two.json"), JSON.stringify({ ...table("0000000", "by hand"), rows: [] }));
  const again = (...args) =>
    spawnSync("node", ["scripts/bench-all.mjs", ...args, lab, "/data"], {
      cwd: root,
      encoding: "utf8",
      env: { ...process.env, POCKETGRAPH_RESULTS: results },
    }).stdout;
  assert.match(again("--list"), /to measure: one\nhas another command: two: by hand/);
  assert.match(again(), /measuring one\nhas another command: two/);
  assert.doesNotMatch(again(), /measuring/);
  assert.equal(readFileSync(`${lab}.calls`, "utf8"), "eval retrieval --corpus /data/x.jsonl --json\n");
  const { rows, commit } = JSON.parse(readFileSync(join(results, "one.json"), "utf8"));
  assert.deepEqual(rows, [["`dense`", { value: 0.75, low: 0.75, high: 0.75 }, 1.3]]);
  assert.match(commit, /^[0-9a-f]{12}$/);
});

test("what binds the modules is of the version that they are made with", () => {
  const manifest = readFileSync(join(root, "Cargo.toml"), "utf8");
  const pinned = (name) => new RegExp(`^${name} = "=(.*)"`, "m").exec(manifest)?.[1];
  assert.match(pinned("wasm-bindgen"), /^\d+\.\d+\.\d+$/);
  assert.equal(pinned("wasm-bindgen-cli-support"), pinned("wasm-bindgen"));
});

test("the wheel's half is compiled of crates that the workspace has compiled, but for what it alone needs", () => {
  const crates = (...which) => {
    const tree = spawnSync(
      "cargo",
      ["tree", "--locked", ...which, "--format", "{p}|{f}", "--prefix", "none"],
      { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 },
    );
    assert.equal(tree.status, 0, tree.stderr);
    return new Set(tree.stdout.split("\n").map((line) => line.replace(/ \((\*|proc-macro)\)/g, "")));
  };
  const own = /^(pocketgraph-python|pocketgraph-models|pyo3|target-lexicon)/;
  // What is linked, and then also what runs while it is compiled, which has features of its own.
  for (const edges of ["normal,no-proc-macro", "normal,build"]) {
    const compiled = crates("--workspace", "--exclude", "pocketgraph-python", "--edges", `${edges},dev`);
    const anew = [...crates("--package", "pocketgraph-python", "--edges", edges)].filter(
      (crate) => !compiled.has(crate),
    );
    assert.deepEqual(
      anew.filter((crate) => !own.test(crate)),
      [],
      "features in companion/python/Cargo.toml differ from the workspace's",
    );
    assert.ok(anew.length > 1, "the wheel's half has crates of its own");
  }
});

test("a broken budget fails, a kept one and one that is only told do not", () => {
  const file = join(scratch, "budgets.txt");
  writeFileSync(file, "# a comment\nstrict 100 bytes fail x\nmild 100 bytes tell x\n");
  const judge = (rows) => withHelpers(`${rows}\nend_with_verdict`, { POCKETGRAPH_BUDGETS: file });

  const kept = judge("row x 100 strict");
  assert.equal(kept.status, 0, kept.stderr);
  assert.match(kept.stdout, /within 100 bytes/);
  const broken = judge("row x 101 strict\nrow y 5 strict");
  assert.equal(broken.status, 1);
  assert.match(broken.stdout, /\*\*over\*\* 100 bytes/);
  assert.match(broken.stderr, /1 of the budgets/);
  assert.equal(judge("row x 101 mild").status, 0);
  assert.equal(judge("figure_row x 100.5 s strict").status, 1);
  assert.notEqual(judge("row x 1 missing").status, 0);
});

test("the limits of both wasm modules are the ones of the ratchets, and break the build", () => {
  const limits = Object.fromEntries(
    readFileSync(join(root, "tests/ratchets.txt"), "utf8")
      .match(/^\w+ +\d+/gm)
      .map((line) => line.split(/ +/)),
  );
  for (const name of ["search_module", "full_module"]) {
    const judged = withHelpers(`row x ${Number(limits[name]) + 1} ${name}\nend_with_verdict`);
    assert.equal(judged.status, 1);
    assert.ok(judged.stdout.includes(`**over** ${limits[name]} bytes`), judged.stdout);
  }
});

test("a changed, added or renamed file changes what a stamp is compared with", () => {
  const folder = join(scratch, "docs");
  mkdirSync(join(folder, "a b"), { recursive: true });
  writeFileSync(join(folder, "a b", "one.md"), "1");
  const hash = () => withHelpers(`hash_of_files "${folder}"`).stdout.trim();
  const seen = [hash()];
  assert.match(seen[0], /^[0-9a-f]{64}$/);
  assert.equal(hash(), seen[0]);
  writeFileSync(join(folder, "a b", "one.md"), "2");
  seen.push(hash());
  writeFileSync(join(folder, "two.md"), "");
  seen.push(hash());
  rmSync(join(folder, "two.md"));
  writeFileSync(join(folder, "three.md"), "");
  seen.push(hash());
  assert.equal(new Set(seen).size, 4);
  const stamped = withHelpers(
    "stamp thing abc; stamp_is thing abc && echo same; stamp_is thing abd || echo other",
  );
  assert.equal(stamped.stdout, "same\nother\n");
});

test("the first step that fails is named, and stops the rest", () => {
  const run = withHelpers(`
    trap report_failed_step EXIT
    step good true
    bad() { false; echo went on; }
    step "the bad one" bad
    step never echo reached`);
  assert.equal(run.status, 1);
  assert.match(run.stderr, /FAILED: the bad one \(after 1 steps/);
  assert.doesNotMatch(run.stdout, /went on|reached/);
});

test(
  "a step beside others that fails is named, with what it said, and one that is in the way of another's " +
    "failure is ended",
  async () => {
    const target = { CARGO_TARGET_DIR: join(scratch, "beside") };
    mkdirSync(target.CARGO_TARGET_DIR, { recursive: true });
    const begin =
      "trap report_failed_step EXIT\ngood() { sleep 0.3; echo it went well; }\nbad() { echo it went wrong; " +
      "false; echo on; }\n";
    const passed = withHelpers(
      `${begin}beside 'the good one' good\nstep other echo meanwhile\nfinish_beside\nSTEP=''\necho ` +
        `"$STEPS_PASSED passed"`,
      target,
    );
    assert.equal(passed.status, 0, passed.stderr);
    assert.match(passed.stdout, /meanwhile[^]*the good one[^]*it went well[^]*2 passed/);
    const failed = withHelpers(
      `${begin}beside 'the good one' good\nbeside 'the bad one' bad\nstep other echo ` +
        `meanwhile\nfinish_beside\necho reached`,
      target,
    );
    assert.equal(failed.status, 1);
    assert.match(failed.stderr, /FAILED: the bad one \(after 2 steps/);
    assert.match(failed.stdout, /it went wrong/);
    assert.doesNotMatch(failed.stdout, /^on$|reached/m);
    const ended = withHelpers(
      `${begin}beside long sleep 60\necho "long is \${BESIDE_PIDS[0]}"\nstep 'the other' false`,
      target,
    );
    assert.match(ended.stderr, /FAILED: the other/);
    const [, pid] = /long is (\d+)/.exec(ended.stdout);
    const state = () => spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).stdout;
    // What was ended and not yet waited for is a zombie.
    for (let tries = 0; tries < 40 && !/^(Z.*)?$/s.test(state()); tries += 1) await sleep(50);
    assert.match(state(), /^(Z.*)?$/s, "it is left running");
  },
);

test("a folder without tests fails instead of passing", () => {
  mkdirSync(join(scratch, "none"), { recursive: true });
  const run = withHelpers(`node_tests "${scratch}/none"`);
  assert.equal(run.status, 1);
  assert.match(run.stderr, /there are no tests/);
});

test("pages are written out below the folder and nowhere else", () => {
  const pages = join(scratch, "pages.jsonl");
  const write = (path) => {
    writeFileSync(pages, JSON.stringify({ path, text: "# x\n" }) + "\n");
    return spawnSync("node", ["scripts/write-pages.mjs", pages, join(scratch, "out")], {
      cwd: root,
      encoding: "utf8",
    });
  };
  assert.equal(write("src/a.md").status, 0);
  assert.equal(readFileSync(join(scratch, "out/src/a.md"), "utf8"), "# x\n");
  assert.notEqual(write("../escaped.md").status, 0);
});
