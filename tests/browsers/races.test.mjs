// Files that come late, in any order, or fail at first, while a reader types, asks and leaves, in three
// browsers: no model is lost, no rejection goes unheard, no list is stale. POCKETGRAPH_RACES says how many
// (24 where it is not set); a seed that failed is run alone with POCKETGRAPH_RACE.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { serveSite } from "../browser/server.mjs";
import { BROWSERS } from "./drivers.mjs";

const RACES = Number(process.env.POCKETGRAPH_RACES ?? 24);
const ONLY = process.env.POCKETGRAPH_RACE;
const LATE_MS = 700;
const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-races-"));
let site;

before(async () => {
  site = await serveSite(process.env.POCKETGRAPH_SITE, { cacheControl: "max-age=600" });
  site.mounts.set("/suite/", fileURLToPath(new URL(".", import.meta.url)));
  for (const [name, text] of Object.entries({
    films: "Night Ferry is a film about a crossing. It was shot in Bergen in the autumn of 1997.",
    others: "The lamp stands in the harbour of Bergen.",
  })) {
    mkdirSync(join(scratch, name));
    writeFileSync(join(scratch, name, "page.md"), `# Night Ferry\n\n${text}\n`);
    const build = [
      "build",
      join(scratch, name),
      "-o",
      join(scratch, `${name}-kg`),
      "--kg",
      fileURLToPath(new URL("../data/films.tsv", import.meta.url)),
      "--no-runtime",
      "--no-cache",
      "-q",
    ];
    execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
    site.mounts.set(`/${name}/`, join(scratch, `${name}-kg`));
  }
});
after(async () => {
  await site?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A number from 0 to 1 that follows from a text. */
function chance(text) {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ letter.charCodeAt(0), 16777619);
  state = Math.imul(state ^ (state >>> 13), 0x5bd1e995);
  return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
}

for (const [name, { path, start }] of Object.entries(BROWSERS)) {
  describe(name, { skip: path === null ? `${name} is not installed: left out` : false }, () => {
    let driver;
    before(async () => {
      driver = await start(path);
    });
    after(() => driver?.close());

    /** One race; `delay(path)` is how late each file is, until the page says that it is calm. */
    const race = async (seed, delay) => {
      let calm = false;
      site.hold = (file) => {
        if (file.startsWith("/calm/")) calm = true;
        return calm || file.startsWith("/suite/")
          ? null
          : new Promise((resolve) => setTimeout(resolve, delay(file)));
      };
      // In a page of its own, so that modules are loaded anew.
      await driver.goto(`${site.url}suite/index.html?${seed}`);
      const wrong = await driver.run(
        "while (!window.suite) await new Promise((r) => setTimeout(r, 20)); return window.suite.race(a, " +
          "['/films/', '/others/'])",
        seed,
      );
      site.hold = null;
      assert.deepEqual(wrong, [], `seed ${seed}`);
    };

    test("each file in turn comes late", { skip: Boolean(ONLY) }, async () => {
      site.requests.length = 0;
      await race(1, () => 0);
      const files = [...new Set(site.requests)].filter((file) => /\.(js|wasm|pgs|json)$/.test(file));
      assert.ok(files.length > 10, files.join(" "));
      for (const [at, late] of files.entries())
        await race(1 + (at % 7), (file) => (file === late ? LATE_MS : 0));
    });

    test("all come in any order", async () => {
      const seeds = ONLY ? [Number(ONLY)] : Array.from({ length: RACES }, (_, at) => 1000 + at);
      for (const seed of seeds) await race(seed, (file) => chance(`${seed} ${file}`) ** 2 * 400);
    });

    test("some fail at first", async () => {
      const seeds = ONLY
        ? [Number(ONLY)]
        : Array.from({ length: Math.ceil(RACES / 4) }, (_, at) => 5000 + at);
      for (const seed of seeds) {
        site.faults.clear();
        for (const part of [".pgs", "manifest.json", "_bg.wasm"]) {
          if (chance(`${seed} ${part}`) < 0.5)
            site.faults.set(part, {
              kind: chance(`${seed}${part}`) < 0.5 ? "status" : "cut",
              status: 503,
              times: 1,
            });
        }
        await race(seed, (file) => chance(`${seed} ${file}`) * 100);
      }
      site.faults.clear();
    });
  });
}
