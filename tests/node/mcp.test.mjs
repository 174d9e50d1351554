// The bundle as an agent meets it: JSON-RPC over the program's standard input and output, and over HTTP.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

const program = process.env.POCKETGRAPH_PROGRAM;
const scratch = mkdtempSync(join(tmpdir(), "mcp-"));
const running = new Set();
after(() => {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true });
});

mkdirSync(join(scratch, "docs/guide"), { recursive: true });
writeFileSync(
  join(scratch, "docs/guide/kettle.md"),
  `# Kettle\n\nA kettle boils water. ${"Mind the steam. ".repeat(80)}\n\n## Descaling\n\nFill the kettle ` +
    `with vinegar and wait twenty minutes. ${"Rinse it well. ".repeat(80)}\n\n## Warranty\n\nThe warranty of ` +
    `the kettle ends after two years. ${"Keep the receipt. ".repeat(80)}\n`,
);
writeFileSync(join(scratch, "docs/a b#c.md"), "# Toaster\n\nPull out the tray below and empty it.\n");
writeFileSync(
  join(scratch, "films.tsv"),
  "Heat\tdirected by\tMichael Mann\nThief\tdirected by\tMichael Mann\n",
);
const bundle = join(scratch, "kg");
const built = spawnSync(
  program,
  ["build", join(scratch, "docs"), "-o", bundle, "--kg", join(scratch, "films.tsv"), "--no-runtime", "-q"],
  { encoding: "utf8" },
);
assert.equal(built.status, 0, built.stderr);

const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };

/** A session over standard input and output. */
async function session(place = bundle) {
  const child = spawn(program, ["mcp", place], { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (method, params) => {
    const id = ++last;
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  };
  const hello = await call("initialize", HELLO);
  send({ method: "notifications/initialized" });
  const use = async (name, args) => (await call("tools/call", { name, arguments: args })).result;
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return { child, hello, call, use, end: () => (child.stdin.end(), ended) };
}

test("an agent searches, reads on, asks and looks up entities", async () => {
  const { hello, call, use, end } = await session();
  assert.equal(hello.result.serverInfo.name, "pocketgraph");
  const { tools } = (await call("tools/list", {})).result;
  assert.deepEqual(
    tools.map((t) => t.name),
    ["search", "read_section", "ask", "plan", "entity"],
  );
  assert.ok(tools.every((t) => t.annotations.readOnlyHint && t.inputSchema.additionalProperties === false));

  const found = (await use("search", { question: "how long must vinegar stay in the kettle?", k: 2 }))
    .structuredContent;
  assert.equal(found.hits[0].url, "guide/kettle.html#descaling");
  assert.ok(found.hits.length <= 2);
  const section = (await use("read_section", { url: found.hits[0].url })).structuredContent;
  assert.match(section.text, /^## Descaling\n\nFill the kettle/);
  assert.doesNotMatch(section.text, /warranty/i);
  // A fragment that no passage begins at brings the whole document rather than nothing.
  assert.match(
    (await use("read_section", { url: "guide/kettle.html#none" })).structuredContent.text,
    /boils water[^]*two years/,
  );
  const whole = (await use("read_section", { url: "guide/kettle.md" })).structuredContent;
  assert.match(whole.text, /boils water[^]*vinegar[^]*two years/);

  const answer = (await use("ask", { question: "Who directed Heat?" })).structuredContent;
  assert.match(answer.text, /Michael Mann/);
  assert.ok(answer.citations.length > 0);
  const plan = (await use("plan", { question: "Who directed Heat?" })).structuredContent;
  assert.match(plan.plan, /SearchKG/);
  const { entities } = (await use("entity", { name: "Michael Mann" })).structuredContent;
  assert.deepEqual(entities[0].statements.sort(), [
    ["Heat", "directed by", "Michael Mann"],
    ["Thief", "directed by", "Michael Mann"],
  ]);
  assert.equal(await end(), 0);
});

test("the documents are resources, whatever their names are", async () => {
  const { call, end } = await session();
  const { resources, nextCursor } = (await call("resources/list", {})).result;
  assert.equal(nextCursor, undefined);
  assert.deepEqual(resources.map((r) => r.title).sort(), ["Kettle", "Toaster"]);
  const toaster = resources.find((r) => r.title === "Toaster");
  assert.match(toaster.uri, /a%20b%23c\.md$/);
  const read = (await call("resources/read", { uri: toaster.uri })).result;
  assert.match(read.contents[0].text, /Pull out the tray/);
  for (const uri of ["pocketgraph:///../secret.md", "file:///etc/passwd", "pocketgraph:///none.md", ""]) {
    assert.ok((await call("resources/read", { uri })).error, uri);
  }
  assert.ok((await call("resources/list", { cursor: "-1" })).error);
  await end();
});

test("what is asked wrongly is refused in words, and the session goes on", async () => {
  const { call, use, end } = await session();
  for (const [name, args] of [
    ["search", {}],
    ["search", { question: ["x"] }],
    ["search", { question: "x", k: "several" }],
    ["search", { question: "x", more: 1 }],
    ["search", { question: "x", retriever: "nonesuch" }],
    ["read_section", { url: "nowhere.html" }],
    ["read_section", { url: "nowhere.html#none" }],
  ]) {
    const got = await call("tools/call", { name, arguments: args });
    assert.ok(got.error ?? got.result.isError, `${name} ${JSON.stringify(args)}`);
  }
  assert.ok((await call("tools/call", { name: "remove", arguments: {} })).error);
  const huge = await use("search", { question: "kettle ".repeat(100_000) });
  assert.ok(huge.structuredContent.hits.length > 0);
  assert.equal((await use("search", { question: "" })).structuredContent.hits.length, 0);
  await end();
});

/**
 * A host of the bundle, honest until `lie` is set: it takes a file's bytes and the response. `paths` are
 * those asked for.
 */
async function host() {
  const made = { lie: null, paths: [] };
  const server = createServer((asked, response) => {
    made.paths.push(asked.url);
    const file = join(bundle, asked.url.replace("/site/kg/", "/"));
    if (!asked.url.startsWith("/site/kg/") || !existsSync(file)) return response.writeHead(404).end();
    const bytes = readFileSync(file);
    if (made.lie) made.lie(bytes, response);
    else response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  made.url = `http://127.0.0.1:${server.address().port}/site/kg/`;
  made.close = () => (server.closeAllConnections(), server.close());
  return made;
}

test("whatever an agent passes, nothing but the bundle's files is asked of its host", async () => {
  const site = await host();
  const { call, use, end } = await session(site.url);
  const odd = [
    "",
    "\u0000\u001b[2J",
    "../../secret",
    "file:///etc/passwd",
    `${new URL(site.url).origin}/secret`,
    "%2e%2e/secret",
    "a".repeat(100_000),
  ];
  for (const text of odd) {
    for (const [name, args] of [
      ["search", { question: text }],
      ["search", { question: "kettle", retriever: text }],
      ["ask", { question: text }],
      ["read_section", { url: text }],
      ["read_section", { url: `${text}#warranty` }],
      ["lookup_entity", { name: text }],
      ["plan", { question: text }],
      ["search", { question: { text } }],
      ["search", { question: "kettle", k: text }],
      [text, {}],
    ]) {
      const got = await call("tools/call", { name, arguments: args });
      assert.ok(got.error ?? got.result, `${name} ${JSON.stringify(args).slice(0, 80)}`);
      assert.ok(!JSON.stringify(got).includes("root:"), name);
    }
    const read = await call("resources/read", { uri: text });
    assert.ok(read.error ?? read.result);
  }
  assert.ok((await use("search", { question: "warranty" })).structuredContent.hits.length > 0);
  assert.ok(
    site.paths.every((path) => /^\/site\/kg\/[a-z0-9-]+(\/[a-z0-9-]+)?\.(pgs|json)$/.test(path)),
    site.paths.join("\n"),
  );
  await end();
  site.close();
});

test("a host that lies brings an agent errors in words, and its truth is believed again", async () => {
  const endless = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 16)));
    };
    response.on("drain", more).on("error", () => {});
    more();
  };
  const lies = {
    changed: (bytes, response) => response.end(Buffer.from(bytes).fill(0x5a, bytes.length >> 1)),
    cut: (bytes, response) => response.end(bytes.subarray(0, bytes.length >> 1)),
    endless,
    failing: (_, response) => response.writeHead(500).end("<script>"),
    elsewhere: (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    circular: (_, response) => response.writeHead(302, { location: "" }).end(),
  };
  for (const [name, lie] of Object.entries(lies)) {
    const site = await host();
    const { call, use, end } = await session(site.url);
    site.lie = lie;
    for (const [tool, args] of [
      ["search", { question: "warranty" }],
      ["ask", { question: "How long is the warranty?" }],
    ]) {
      const got = await call("tools/call", { name: tool, arguments: args });
      assert.ok(got.error ?? got.result, `${name} ${tool}`);
      assert.ok(!JSON.stringify(got).includes("two years"), `${name} ${tool} is answered`);
    }
    site.lie = null;
    const hits = (await use("search", { question: "warranty" })).structuredContent?.hits ?? [];
    assert.ok(
      hits.some(({ text }) => text.includes("two years")),
      name,
    );
    await end();
    site.close();
  }
});

test("over HTTP it answers this machine, and no page of another site", async () => {
  const child = spawn(program, ["mcp", bundle, "--http", "0"], { stdio: ["ignore", "inherit", "pipe"] });
  running.add(child);
  const url = await new Promise((resolve) =>
    createInterface({ input: child.stderr }).on("line", (l) => resolve(/http:\S+/.exec(l)[0])),
  );
  const post = (headers, body = { method: "initialize", params: HELLO }) =>
    new Promise((resolve, reject) => {
      const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
      const sent = request(url, { method: "POST", headers: { ...accept, ...headers } }, (answer) => {
        let text = "";
        answer
          .on("data", (d) => (text += d))
          .on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
      });
      sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }));
    });
  const own = await post({});
  assert.equal(own.status, 200, own.text);
  assert.match(own.text, /"pocketgraph"/);
  assert.equal(own.headers["mcp-session-id"], undefined, "nothing is kept for a client that goes away");
  const ask = (question) =>
    post({}, { method: "tools/call", params: { name: "search", arguments: { question } } });
  assert.match((await ask("how is a kettle descaled?")).text, /vinegar/);
  assert.equal((await ask("kettle ".repeat(10_000))).status, 413);
  assert.equal((await post({ host: "rebound.example" })).status, 403);
  assert.equal((await post({ origin: "https://elsewhere.example" })).status, 403);
  child.kill();
});

test("a folder that is no bundle is named", () => {
  const done = spawnSync(program, ["mcp", join(scratch, "docs")], { encoding: "utf8", input: "" });
  assert.equal(done.status, 1);
  assert.match(done.stderr, /is not a bundle/);
});
