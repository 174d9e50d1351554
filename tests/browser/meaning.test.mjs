// Planning by meaning in the page: once the model that embeds questions is there, a question that names no relation is planned by the nearest one.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { harness, use } from "./harness.mjs";

const FILMS = fileURLToPath(new URL("../data/films.tsv", import.meta.url));
const UNNAMED = "Who was behind the camera for Heat?";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-meaning-"));

const t = harness(({ site }) => {
  mkdirSync(join(scratch, "docs"));
  writeFileSync(join(scratch, "docs", "films.md"), "# Films\n\nA page about films.\n");
  const build = ["build", join(scratch, "docs"), "-o", join(scratch, "bundle"), "--kg", FILMS, "--no-runtime", "--no-cache"];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  site.mounts.set("/films/", join(scratch, "bundle"));
});
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const worker of [true, false]) {
  const where = worker ? "in a worker" : "on the page's thread";

  test(`${where}: the relation nearest in meaning is asked for once the model is there, and not before`, async () => {
    const page = await t.bare();
    const seen = await use(page, async ({ PocketGraph }, { worker, question }) => {
      const graph = await PocketGraph.open("/films/", { worker });
      const before = await graph.plan(question);
      await graph.prepare();
      const after = await graph.plan(question);
      const cost = await graph.plan("What did Heat cost?");
      let done;
      for await (const event of graph.ask(question)) if (event.type === "done") done = event;
      await graph.close();
      return { before: before.by, after: after.by, text: after.text, cost: cost.by, carried: done.carried.by, answer: done.answer.text };
    }, { worker, question: UNNAMED });
    assert.ok(!seen.code, seen.message);
    assert.notEqual(seen.before, "meaning");
    assert.equal(seen.after, "meaning");
    assert.match(seen.text, /<directed_by>/);
    assert.notEqual(seen.cost, "meaning");
    assert.equal(seen.carried, "meaning");
    assert.match(seen.answer, /^Michael Mann \[\d\]/);
    await page.context().close();
  });
}
