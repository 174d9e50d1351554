// Answers that were tampered with. POCKETGRAPH_SITE is the folder that holds pkg/.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { seal } from "../../pkg/prove.js";

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-prove-"));
const KETTLE =
  "# Kettle\n\nDas Gerät – „Kessel“ – kocht.\n\n## Warranty\n\nÀ propos: the warranty of the kettle ends " +
  "after two years.\n";
let PocketGraph;
let kg;
let printed;

async function built(name, kettle) {
  const docs = join(scratch, name);
  mkdirSync(docs);
  writeFileSync(join(docs, "kettle.md"), kettle);
  writeFileSync(join(docs, "oven.md"), "# Oven\n\nThe oven reaches 250 degrees. Bread wants 230.\n");
  const build = ["build", docs, "-o", `${docs}-kg`, "--no-runtime", "--no-cache", "-q"];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, build, { stdio: "pipe" });
  return PocketGraph.open(`${docs}-kg`);
}

async function answered(graph) {
  for await (const event of graph.ask("When does the warranty of the kettle end?"))
    if (event.type === "done") return event.answer;
}

before(async () => {
  ({ PocketGraph } = await import(pathToFileURL(join(process.env.POCKETGRAPH_SITE, "pkg/pocketgraph.js"))));
  kg = await built("docs", KETTLE);
  printed = await kg.certify(await answered(kg));
});
after(async () => {
  await kg?.close();
  rmSync(scratch, { recursive: true, force: true });
});

const codesOf = async (answer, graph = kg) => (await graph.prove(answer)).faults.map(({ code }) => code);

test("an answer holds in its bundle, as an object or as JSON, and quotes the bytes of its page", async () => {
  assert.match(printed.text, /two years/);
  for (const one of [
    printed,
    JSON.stringify(printed),
    JSON.stringify(Object.fromEntries(Object.entries(printed).reverse()), null, 2),
  ]) {
    const verdict = await kg.prove(one);
    assert.deepEqual([verdict.faults, verdict.unchecked], [[], []]);
    assert.ok(verdict.proved > 0);
  }
  const [{ proof, quote }] = printed.citations;
  assert.equal(proof.end - proof.start, Buffer.byteLength(quote));
  for (const wrong of [{}, [1], "text", { answer: {} }, null, undefined])
    await assert.rejects(kg.prove(wrong), { code: "bad-argument" });
});

test("an answer without proofs, and one of another bundle, do not hold", async () => {
  const plain = await answered(kg);
  assert.deepEqual(await codesOf(plain), ["seal", "no-proof"]);
  const other = await built("other", KETTLE.replace("two", "ten"));
  assert.deepEqual(await codesOf(printed, other), ["other-bundle"]);
  await other.close();
});

test("a seal is that of the program", async () => {
  // companion/build/src/proof_tests.rs has the same.
  const given = { b: [1, 1.0, -0.25, 1e21, 1e-7, null, true], a: 'é\n"\u0001\u007f😀', seal: "x" };
  assert.equal(await seal(given), "2fbaaf43cc5178d47475e87a05f7e743c52fd89f8ada37178719852e9b8491e1");
});

/** Numbers that look drawn, the same in each run. */
function draws(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** All places inside of a value, as lists of names. */
function placesIn(value, path = []) {
  const inside =
    value && typeof value === "object"
      ? Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))
      : [];
  return [path, ...inside].filter((place) => place.length > 0);
}

/** Another value than this. */
function changed(draw, value) {
  if (typeof value === "string") {
    const at = draw(value.length + 1);
    const insert = `${value.slice(0, at)}7${value.slice(at)}`;
    return draw(2) && at < value.length
      ? value.slice(0, at) + (value[at] === "x" ? "y" : "x") + value.slice(at + 1)
      : insert;
  }
  if (typeof value === "number") return value + 1 + draw(9);
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value))
    return value.length > 0 && draw(2) ? value.slice(0, -1) : [...value, { number: 1 }];
  return value === null ? "more" : { ...value, [`more${draw(99)}`]: 1 };
}

async function holds(answer) {
  return kg.prove(answer).then(
    ({ faults }) => faults.length === 0,
    () => false,
  );
}

function tampered(draw, places) {
  const copy = structuredClone(printed);
  const place = places[draw(places.length)];
  const parent = place.slice(0, -1).reduce((value, name) => value[name], copy);
  parent[place.at(-1)] = changed(draw, parent[place.at(-1)]);
  return [copy, place.join("/")];
}

test("a thousand tampered answers are found out", async () => {
  const draw = draws(1);
  const places = placesIn(printed);
  for (let round = 0; round < 1000; round++) {
    const [copy, place] = tampered(draw, places);
    assert.ok(!(await holds(copy)), `${place} of ${JSON.stringify(copy)}`);
  }
});

test("a thousand citations that were tampered with and sealed anew are found out", async () => {
  const draw = draws(2);
  const checked = ["target/chunk", "title", "headingPath", "url", "quote", "span/", "proof"].map(
    (name) => `citations/0/${name}`,
  );
  const places = placesIn(printed).filter((place) =>
    checked.some((name) => place.join("/").startsWith(name)),
  );
  for (let round = 0; round < 1000; round++) {
    const [copy, place] = tampered(draw, places);
    copy.seal = await seal(copy);
    assert.ok(!(await holds(copy)), `${place} of ${JSON.stringify(copy)}`);
  }
});
