// A trap of the engine in Node: the callers are told, and the process lives. Each case is a process of its
// own, in which a call is made to end in a real WebAssembly trap where the engine's do: in a task that nobody
// waits for.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

let folder;
before(() => {
  folder = process.env.POCKETGRAPH_SITE;
  assert.ok(folder, "Set POCKETGRAPH_SITE to the built page; `./build.sh test` does.");
});

/** A module whose export calls itself so many times and then traps. */
const DEEP =
  "0,97,115,109,1,0,0,0,1,5,1,96,1,127,0,3,2,1,0,7,8,1,4,116,114,97,112,0,0,10,18,1,16,0,32,0,69,4,64,0,11,32,0,65,1,107,16,0,11";

/** Runs `body` in a process with the package, a bundle, `trapsIn(method, depth)` and `codeOf(promise)`. */
function run(body) {
  const url = (name) => JSON.stringify(pathToFileURL(join(folder, name)).href);
  const script = `
    import vm from "node:vm";
    const { PocketGraph, PocketGraphError } = await import(${url("pkg/pocketgraph.js")});
    const { WasmEngine } = await import(${url("pkg/pocketgraph_wasm.js")});
    const place = ${JSON.stringify(join(folder, "bundle"))};
    const { trap } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(${DEEP}))).exports;
    // What calls the engine is its own JavaScript.
    const fromEngine = vm.runInThisContext("(call) => () => { call(); }", { filename: ${url("pkg/pocketgraph_wasm.js")} });
    const trapsIn = (owner, method, depth = 0) => {
      owner[method] = () => {
        queueMicrotask(fromEngine(() => trap(depth)));
        return new Promise(() => {});
      };
    };
    const codeOf = (promise) => promise.then(() => "fulfilled", (error) => (error instanceof PocketGraphError ? error.code : String(error)));
    const say = (value) => console.log(JSON.stringify(value));
    ${body}
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 120_000,
  });
  return { status, said: stdout.trim() ? JSON.parse(stdout) : null, stderr };
}

for (const [name, depth] of [
  ["", 0],
  [" deep in its calls", 100],
]) {
  test(`a trap of the engine${name} rejects the calls under way and all later ones, and the process lives`, () => {
    const { status, said, stderr } = run(`
      const graph = await PocketGraph.open(place);
      const other = await PocketGraph.open(place);
      trapsIn(WasmEngine.prototype, "search", ${depth});
      const search = graph.search("keyword");
      const more = [codeOf(graph.neighbors("graph")), codeOf(graph.search("another"))];
      const first = await search.catch((error) => ({ code: error.code, typed: error instanceof PocketGraphError, cause: error.cause?.name }));
      say({ first, more: await Promise.all(more), later: await codeOf(graph.search("keyword")), other: await codeOf(other.passage(0)) });
    `);
    assert.equal(status, 0, stderr);
    assert.deepEqual(said.first, { code: "internal", typed: true, cause: "RuntimeError" });
    assert.ok(
      said.more.every((code) => code === "internal" || code === "fulfilled"),
      JSON.stringify(said),
    );
    assert.equal(said.later, "internal");
    assert.equal(said.other, "internal", "a bundle that was open in the same memory");
  });
}

test("after a trap a bundle is opened anew, in memory of its own", () => {
  const { status, said, stderr } = run(`
    const graph = await PocketGraph.open(place);
    trapsIn(WasmEngine.prototype, "search");
    const trapped = await codeOf(graph.search("keyword"));
    await graph.reopen();
    const { hits } = await graph.search("what is a keyword graph?");
    await graph.close();
    // What was under way in the engine that trapped may trap again when nobody waits.
    queueMicrotask(fromEngine(() => trap(0)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    say({ trapped, hits: hits.length > 0 });
  `);
  assert.equal(status, 0, stderr);
  assert.deepEqual(said, { trapped: "internal", hits: true });
});

test("a trap while a bundle is being opened rejects the opening", () => {
  const { status, said, stderr } = run(`
    trapsIn(WasmEngine, "open");
    say(await codeOf(PocketGraph.open(place)));
  `);
  assert.equal(status, 0, stderr);
  assert.equal(said, "internal");
});

test(
  "errors of others end the process as they would without the package, and a trap of other " +
    "WebAssembly is such",
  () => {
    for (const body of [
      'setTimeout(() => { throw new Error("theirs"); });',
      'Promise.reject(new Error("theirs"));',
      "setTimeout(() => trap(0));",
    ]) {
      const { status, stderr } = run(
        `await PocketGraph.open(place); ${body} setTimeout(() => say("still here"), 500);`,
      );
      assert.equal(status, 1, `${body} ${stderr}`);
      assert.match(stderr, /theirs|unreachable/);
    }
  },
);

test(
  "who listens for uncaught errors hears of others' alone, and nothing is listened to after the last " +
    "bundle is closed",
  () => {
    const { status, said, stderr } = run(`
    const heard = [];
    const graph = await PocketGraph.open(place);
    const whileOpen = process.listenerCount("uncaughtException");
    await graph.close();
    const closed = process.listenerCount("uncaughtException");
    const again = await PocketGraph.open(place);
    process.on("uncaughtException", (error) => heard.push(error.message));
    setTimeout(() => { throw new Error("theirs"); });
    await new Promise((resolve) => setTimeout(resolve, 20));
    say({ whileOpen, closed, heard, works: await codeOf(again.passage(0)) });
  `);
    assert.equal(status, 0, stderr);
    assert.deepEqual(said, { whileOpen: 1, closed: 0, heard: ["theirs"], works: "fulfilled" });
  },
);
