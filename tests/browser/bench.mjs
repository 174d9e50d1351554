// What a reader's browser transfers, and how long the reader waits, before the first hits: a real Chromium
// with a fresh profile, a static host on loopback, a bare page. Medians over several runs, as Markdown.
//
//   node tests/browser/bench.mjs [--runs N] [--network] [--budgets FILE] NAME SITE [NAME SITE]...
//   node tests/browser/bench.mjs --rows first-hits|warm NAME SITE [NAME SITE]...
//
// --rows prints the rows of a table of results/ as JSON instead, a column a site. A SITE is a folder that holds
// pkg/ and bundle/. Chromium is found through CHROMIUM_PATH. With --budgets, figures of the sites named in
// BUDGETED are held against that file.
//
// Hosts differ in what they compress. All compress text; most, not all, compress wasm as well. The
// measurement runs on a host that compresses text only, and the other figure follows from the sizes of what
// was sent, so both are shown. Bytes are counted at the server's sockets, heads of answers included; requests
// and hits are counted whether or not they matter. On loopback the network costs nothing, so the times are
// those of the work: decoding, compiling, searching. With --network, cold starts are measured once more at a
// round trip of 50 ms and 10 Mbit/s.

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, resolve, sep } from "node:path";
import { pipeline } from "node:stream";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const QUESTIONS = {
  demo: [
    "what is the difference between a keyword graph and a knowledge graph?",
    "how does hybrid search work?",
    "where is the key of a language model kept?",
    "what is in a bundle?",
    "can it be used without a server?",
  ],
  book: [
    "how do I borrow a value mutably?",
    "what is the difference between String and str?",
    "how are errors propagated with the question mark operator?",
    "when is memory freed?",
    "how do threads share data safely?",
  ],
  hugo: [
    "how do I create a new content type?",
    "which configuration formats can be used?",
    "how are images resized?",
    "how do I list pages by tag?",
    "what does the where function do?",
  ],
  cpp: [
    "how do I throw an exception across a DLL boundary?",
    "what does the linker error LNK2019 mean?",
    "how is a vector resized?",
    "which compiler option treats warnings as errors?",
    "how do I draw text in an MFC window?",
  ],
};

/** The budget of a site's figure, by the names of tests/budget/budgets.txt. */
const BUDGETED = {
  demo: { embed: "embed_ms" },
  book: {
    first_lexical: "first_lexical_bytes",
    first_hybrid: "first_hybrid_bytes",
    first_table: "first_table_bytes",
  },
  cpp: {
    first_lexical: "cpp_first_lexical_bytes",
    first_hybrid: "cpp_first_hybrid_bytes",
    hybrid: "cpp_hybrid_ms",
    memory: "cpp_memory_bytes",
  },
};

/** Twelve tokens, with those that begin and end a text. */
const TWELVE = "how are words and meaning joined into one ranking?";

/** What Chromium's tools call a network: 50 ms from request to answer, 10 Mbit/s either way. */
const NETWORK = { offline: false, latency: 50, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};
const TEXT = new Set([".html", ".js", ".mjs", ".css", ".json", ".svg"]);

const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'";

/** A static host for a site's folder that counts what leaves it. */
async function startHost(folder) {
  const root = resolve(folder);
  const sockets = new Set();
  let closed = 0;
  let requests = 0;
  let savedByWasm = 0;
  const wasmSavings = new Map();

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    if (path === "/bench.html") {
      // The page is the measurement's own: its bytes are none of the product's. So it is asked for before
      // counting starts.
      response.writeHead(200, { "content-type": TYPES[".html"], "content-security-policy": POLICY });
      response.end(
        '<!doctype html><meta charset="utf-8"><title>bench</title><link rel="icon" href="data:,">',
      );
      return;
    }
    requests += 1;
    const file = resolve(root, "." + path);
    if (!file.startsWith(root + sep) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const kind = extname(file);
    const headers = {
      "content-type": TYPES[kind] ?? "application/octet-stream",
      "cache-control": "no-cache",
      "content-security-policy": POLICY,
    };
    const size = statSync(file).size;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    if (range) {
      const start = Number(range[1]);
      const end = Math.min(range[2] === "" ? size - 1 : Number(range[2]), size - 1);
      if (start > end) {
        response.writeHead(416, { "content-range": `bytes */${size}` }).end();
        return;
      }
      response.writeHead(206, {
        ...headers,
        "content-length": end - start + 1,
        "content-range": `bytes ${start}-${end}/${size}`,
      });
      // A reader who goes away in the middle is no error of the host's.
      pipeline(createReadStream(file, { start, end }), response, () => {});
    } else if (TEXT.has(kind) && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) {
      const packed = gzipSync(readFileSync(file));
      response
        .writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": packed.length })
        .end(packed);
    } else {
      if (kind === ".wasm") {
        if (!wasmSavings.has(file)) wasmSavings.set(file, size - gzipSync(readFileSync(file)).length);
        savedByWasm += wasmSavings.get(file);
      }
      response.writeHead(200, { ...headers, "content-length": size });
      pipeline(createReadStream(file), response, () => {});
    }
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      closed += socket.bytesWritten;
    });
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const total = () => closed + [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  let from = 0;
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    /** Forgets what was counted so far. */
    reset() {
      from = total();
      requests = 0;
      savedByWasm = 0;
    },
    count: () => ({ requests, bytes: total() - from, bytesWithWasm: total() - from - savedByWasm }),
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

async function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH,
    // As root, in a container, Chromium's own sandbox cannot start; it visits nothing but the loopback here.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      "--disable-quic",
    ],
  });
}

/** Opens the bundle in a page of a fresh browser and runs `work(page, host)`. */
async function inFreshBrowser(site, work, network) {
  const host = await startHost(site);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const failures = [];
    page.on("pageerror", (error) => failures.push(error));
    await page.goto(`${host.origin}/bench.html`);
    if (network) {
      const tools = await page.context().newCDPSession(page);
      await tools.send("Network.enable");
      await tools.send("Network.emulateNetworkConditions", network);
    }
    host.reset();
    const measured = await work(page, host);
    if (failures.length > 0) throw failures[0];
    return measured;
  } finally {
    await browser.close();
    await host.close();
  }
}

/** From nothing to the first hits of one retriever. */
function firstHits(site, question, retriever, network) {
  return inFreshBrowser(
    site,
    async (page, host) => {
      const { ms, hits } = await page.evaluate(
        async ([question, retriever]) => {
          const started = performance.now();
          const { PocketGraph } = await import("/pkg/pocketgraph.js");
          const kg = await PocketGraph.open("/bundle/", { worker: false });
          const found = await kg.search(question, { k: 10, retriever });
          return { ms: performance.now() - started, hits: (found.hits ?? found).length };
        },
        [question, retriever],
      );
      if (!(hits > 0))
        throw new Error(`${retriever} search found nothing for "${question}": there is nothing to measure`);
      return { ...host.count(), ms };
    },
    network,
  );
}

/** From nothing to the first hits that the token table ranks, the feedback's before them included. */
function tableHits(site, question, network) {
  return inFreshBrowser(
    site,
    async (page, host) => {
      const figures = await page.evaluate(async (question) => {
        const started = performance.now();
        const { PocketGraph } = await import("/pkg/pocketgraph.js");
        const kg = await PocketGraph.open("/bundle/", { worker: false });
        await kg.search(question, { k: 10, retriever: "hybrid" });
        // Gone as soon as the table is there: the model is another row's.
        const leaving = new AbortController();
        await new Promise((resolve) => {
          const onStage = (stage) => stage === "table" && (leaving.abort(), resolve());
          kg.prepare({ signal: leaving.signal, onStage }).catch(resolve);
        });
        const { stage } = await kg.search(question, { k: 10, retriever: "hybrid" });
        return { stage, ms: performance.now() - started };
      }, question);
      if (figures.stage !== "table")
        throw new Error(`the token table did not speak for "${question}", but ${figures.stage}`);
      return { ...host.count(), ms: figures.ms };
    },
    network,
  );
}

/** With everything loaded: what that took, and how long a search takes then. */
function warm(site, questions, retrievers) {
  return inFreshBrowser(site, async (page, host) => {
    const figures = await page.evaluate(
      async ([questions, retrievers, twelve]) => {
        const { PocketGraph } = await import("/pkg/pocketgraph.js");
        const kg = await PocketGraph.open("/bundle/", { worker: false });
        const started = performance.now();
        await kg.prepare();
        const prepareMs = performance.now() - started;
        const figures = { prepareMs };
        const middle = async (retriever, questions) => {
          // Once for what is fetched on demand; then ten times each, which is what is counted.
          for (const question of questions) await kg.search(question, { k: 10, retriever });
          const times = [];
          for (let round = 0; round < 10; round += 1) {
            for (const question of questions) {
              const before = performance.now();
              await kg.search(question, { k: 10, retriever });
              times.push(performance.now() - before);
            }
          }
          return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
        };
        for (const retriever of retrievers) figures[retriever] = await middle(retriever, questions);
        // Nothing but the vector of the question and, in a small bundle, few vectors to compare it with.
        figures.embed = await middle("dense", [twelve]);
        figures.memory = (await kg.stats()).memoryBytes;
        return figures;
      },
      [questions, retrievers, TWELVE],
    );
    return { ...host.count(), ...figures };
  });
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function medians(runs, measure) {
  const all = [];
  for (let run = 0; run < runs; run += 1) all.push(await measure());
  return Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((one) => one[key]))]));
}

/** Whether the bundle of a site has a section. */
function carries(site, section) {
  return JSON.parse(readFileSync(`${site}/bundle/manifest.json`, "utf8")).pocketgraph.sections.some(
    ({ name }) => name === section,
  );
}

/** The retrievers that are timed: that of the keyword graph too, where the bundle has one. */
function retrieversOf(site) {
  return ["lexical", "hybrid", "auto", ...(carries(site, "keyword-graph") ? ["autokg"] : [])];
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const milliseconds = (ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;

/** `cold`: from nothing to the first hits, too. */
async function measureSite(name, site, { runs, network, cold }) {
  for (const needed of ["pkg/pocketgraph.js", "bundle/manifest.json"]) {
    if (!existsSync(`${site}/${needed}`)) throw new Error(`${site} has no ${needed}`);
  }
  const questions = QUESTIONS[name] ?? QUESTIONS.demo;
  const retrievers = retrieversOf(site);
  const first = {};
  const far = {};
  for (const retriever of cold ? retrievers : []) {
    first[retriever] = await medians(runs, () => firstHits(site, questions[0], retriever));
    if (network)
      far[retriever] = (await medians(runs, () => firstHits(site, questions[0], retriever, network))).ms;
  }
  const hasTable = cold && carries(site, "table");
  const byTable = hasTable ? await medians(runs, () => tableHits(site, questions[0])) : undefined;
  const byTableFar =
    hasTable && network ? (await medians(runs, () => tableHits(site, questions[0], network))).ms : undefined;
  const ready = await medians(runs, () => warm(site, questions, retrievers));

  const rows = [
    ...Object.entries(first).map(([retriever, count]) => [
      `first \`${retriever}\` hits${retriever === "hybrid" ? ", from `feedback`" : ""}`,
      count,
      count.ms,
      far[retriever],
    ]),
    ...(hasTable
      ? [
          [
            "first `hybrid` hits from `table`, those from `feedback` before them included",
            byTable,
            byTable.ms,
            byTableFar,
          ],
        ]
      : []),
    ["everything prepared and searched", ready, ready.prepareMs],
  ];
  return { name, question: questions[0], runs, retrievers, rows, first, byTable, ready };
}

function printSite({ name, question, runs, retrievers, rows, ready }) {
  console.log(`\n### ${name}: "${question}", median of ${runs} cold starts\n`);
  console.log(
    "| until | requests | transferred, host compresses text | and wasm | time without network | at 50 ms " +
      "and 10 Mbit/s |",
  );
  console.log("|---|---:|---:|---:|---:|---:|");
  for (const [what, count, ms, away] of rows) {
    console.log(
      `| ${what} | ${count.requests} | ${kilobytes(count.bytes)} | ${kilobytes(count.bytesWithWasm)} | ` +
        `${milliseconds(ms)} | ${away === undefined ? "" : milliseconds(away)} |`,
    );
  }
  const warmed = retrievers.map((retriever) => `${retriever} ${milliseconds(ready[retriever])}`).join(", ");
  console.log(
    `\nWarm, everything prepared, p50: ${warmed}; \`dense\` with 12 tokens ${milliseconds(ready.embed)}; ` +
      `memory ${(ready.memory / 1e6).toFixed(1)} MB.`,
  );
}

/** Figures that have budgets. */
function figuresOf({ first, byTable, ready }) {
  return {
    ...ready,
    first_lexical: first.lexical.bytesWithWasm,
    first_hybrid: first.hybrid.bytesWithWasm,
    first_table: byTable?.bytesWithWasm,
  };
}

/** The rows of a table of results/: each site's cell of each row. */
const TABLES = {
  "first-hits": (sites) => {
    const size = (bytes) =>
      bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
    const seconds = (ms) => (ms === undefined ? "" : (ms / 1000).toFixed(2));
    const cells = (row, write) => sites.map((site) => write(site.rows[row]));
    const [{ rows }] = sites;
    return [
      ...rows.map(([what], row) => [
        what,
        ...cells(row, ([, count]) => `${count.requests}: ${size(count.bytesWithWasm)}`),
      ]),
      ...[
        ["seconds on loopback, in the same order", 2],
        ["seconds at 50 ms and 10 Mbit/s", 3],
      ].map(([what, at]) => [
        what,
        ...sites.map((site) =>
          site.rows
            .slice(0, -1)
            .map((row) => seconds(row[at]))
            .join(" / "),
        ),
      ]),
    ];
  },
  warm: (sites) => [
    [
      sites[0].retrievers.map((retriever) => `\`${retriever}\``).join(" / "),
      ...sites.map((site) => site.retrievers.map((r) => site.ready[r].toFixed(1)).join(" / ") + " ms"),
    ],
    [
      "a question of 12 tokens to its vector and nearest chunks",
      ...sites.map((s) => milliseconds(s.ready.embed)),
    ],
    ["memory held", ...sites.map((s) => `${(s.ready.memory / 1e6).toFixed(1)} MB`)],
  ],
};

/** name -> { limit, unit, beyond } from the budgets' file. */
function readBudgets(file) {
  const budgets = new Map();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("#") || line.trim() === "") continue;
    const [name, limit, unit, beyond] = line.trim().split(/\s+/);
    budgets.set(name, { limit: Number(limit), unit, beyond });
  }
  return budgets;
}

/** Says how each figure stands to its budget; true when one that must be kept is broken. */
function breaksABudget(figures, named, budgets) {
  let broken = false;
  console.log("\n| budget | measured | limit | |\n|---|---:|---:|---|");
  for (const [figure, name] of Object.entries(named)) {
    const budget = budgets.get(name);
    if (!budget) throw new Error(`there is no budget ${name}`);
    const shown = budget.unit === "ms" ? milliseconds : kilobytes;
    const over = figures[figure] > budget.limit;
    console.log(
      `| ${name} | ${shown(figures[figure])} | ${shown(budget.limit)} | ${over ? "OVER" : "within"} |`,
    );
    if (over && budget.beyond === "fail") broken = true;
  }
  return broken;
}

async function main(args) {
  let runs = 5;
  let budgets;
  let network;
  let table;
  const sites = [];
  while (args.length > 0) {
    const arg = args.shift();
    if (arg === "--runs") runs = Number(args.shift());
    else if (arg === "--network") network = NETWORK;
    else if (arg === "--rows") [table, network] = [args.shift(), NETWORK];
    else if (arg === "--budgets") budgets = readBudgets(args.shift());
    else sites.push([arg, args.shift()]);
  }
  const known = table === undefined || table in TABLES;
  if (
    !(Number.isInteger(runs) && runs > 0) ||
    !known ||
    sites.length === 0 ||
    sites.some(([, site]) => !site)
  ) {
    console.error(
      "usage: node tests/browser/bench.mjs [--runs N] [--network] [--budgets FILE | --rows TABLE] NAME SITE...",
    );
    process.exit(2);
  }
  if (!process.env.CHROMIUM_PATH)
    throw new Error("CHROMIUM_PATH must name a Chromium; ./build.sh bench sets it");
  let broken = false;
  const measured = [];
  for (const [name, site] of sites) {
    const figures = await measureSite(name, site, { runs, network, cold: table !== "warm" });
    measured.push(figures);
    if (table) continue;
    printSite(figures);
    if (budgets && BUDGETED[name])
      broken = breaksABudget(figuresOf(figures), BUDGETED[name], budgets) || broken;
  }
  if (table) console.log(JSON.stringify({ rows: TABLES[table](measured) }));
  process.exitCode = broken ? 1 : 0;
}

await main(process.argv.slice(2));
