// multilingual-e5-small in the browser's engine as in the program's: the same hits with the same scores, in
// several languages, and across them. The model is not in the repository: without it on this machine
// (`pocketgraph models get multilingual-e5-small`) the test says so and is skipped.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const run = (args) =>
  execFileSync(process.env.POCKETGRAPH_PROGRAM, args, {
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1 << 26,
    encoding: "utf8",
  });
const model = run(["models", "path", "multilingual-e5-small"]).trim();
const skip = existsSync(model)
  ? false
  : `${model} is not there: pocketgraph models get multilingual-e5-small`;

const PAGES = {
  bees: "Her grandmother kept bees behind the old mill, and sold the honey at the market in town.",
  brücke: "Niemand hatte erwartet, dass die Brücke so lange hält; im Herbst wurde sie erneuert.",
  港口: "港口因维修一直关闭到春天，渡轮改从北码头出发。",
  الخادم: "ثبّت الحزمة ثم أعد تشغيل الخادم لتظهر الإعدادات الجديدة.",
  मौसम: "रात में तापमान शून्य से बारह डिग्री नीचे चला गया और नदी जम गई।",
};
const QUESTIONS = [
  "Wer verkaufte Honig?",
  "why was the harbour closed?",
  "服务器如何重新启动？",
  "كم كانت درجة الحرارة في الليل؟",
  "यह पुल कब नया किया गया?",
  "e\u0301te\u0301 ﬁn ⅷ 🐝🐝",
];

test("the page ranks as the program does, in its languages and across them", { skip }, async () => {
  const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-e5-"));
  try {
    const docs = join(scratch, "docs");
    mkdirSync(docs);
    for (const [name, text] of Object.entries(PAGES))
      writeFileSync(join(docs, `${name}.md`), `# ${name}\n\n${text}\n`);
    const bundle = join(scratch, "bundle");
    run(["build", docs, "-o", bundle, "--embedder", "multilingual-e5-small", "--no-cache", "--no-runtime"]);
    const { PocketGraph } = await import(
      pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))
    );
    const graph = await PocketGraph.open(bundle);
    assert.equal((await graph.info()).embedder, "multilingual-e5-small");
    const layers = (await graph.info()).sections.find((s) => s.name === "layers");
    assert.ok(statSync(join(bundle, layers.file)).size <= 11_500_000, "the layers take at most 11.5 MB");
    await graph.prepare();
    for (const question of QUESTIONS) {
      const native = JSON.parse(run(["search", bundle, question, "--retriever", "dense", "--json"]));
      const here = await graph.search(question, { retriever: "dense" });
      const ranking = ({ hits }) => hits.map(({ chunk, score }) => ({ chunk, score: Math.fround(score) }));
      assert.deepEqual(ranking(here), ranking(native), question);
    }
    const german = await graph.search(QUESTIONS[0], { retriever: "dense" });
    assert.equal(german.hits[0].title, "bees", "a question in German finds the passage in English");
    await graph.close();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
