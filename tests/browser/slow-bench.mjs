// How long a reader on a slow line waits for the first hits after focusing the box: the component, and
// Pagefind over the same pages beside it, in the same run. Medians over several runs, as Markdown.
//
//   node tests/browser/slow-bench.mjs [--runs N] [--rows] SITE [PAGEFIND]
//
// --rows prints the rows of results/slow-line.json as JSON instead. SITE is the demo's folder (pkg/, bundle/,
// documents/), PAGEFIND the folder that `pagefind --site SITE
// --glob 'documents/**/*.html'` wrote. Both are served by the same host, which compresses text and
// WebAssembly, answers each request after a round trip, and sends all that is under way at one rate. The
// page's processor is four times slower; a worker's is not, which Chromium cannot do, and both have one.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import { launch } from "./browser.mjs";

const LATENCY_MS = 562;
const BYTES_A_SECOND = 180_000;
const SLOWER = 4;
const TICK_MS = 20;
const QUESTION = "hybrid search";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const head = (more) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" ` +
  `href="data:,">${more}</head><body><h1>A page</h1>`;

/** What is measured: its page, where a reader types, and what a hit is. */
const SEARCHES = {
  "`<pocketgraph-ask>`, words first, then meaning": {
    page:
      `${head('<script type="module" src="/pkg/ask-element.js"></script>')}<pocketgraph-ask ` +
      `src="/bundle/" recent="off"></pocketgraph-ask>`,
    box: "pocketgraph-ask input",
    hit: "pocketgraph-ask [part=hit]",
  },
  "Pagefind 1.6.0's default UI, words": {
    page: `${head('<link href="/pagefind/pagefind-ui.css" rel="stylesheet"><script src="/pagefind/pagefind-ui.js"></script>')}<div id="search"></div><script>addEventListener("DOMContentLoaded", () => new PagefindUI({ element: "#search", showImages: false }));</script>`,
    box: ".pagefind-ui__search-input",
    hit: ".pagefind-ui__result-title",
  },
};

/** One host on a slow line. */
async function startHost(folders) {
  let pages = "";
  let counted = { requests: 0, bytes: 0 };
  const queue = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    counted.requests += 1;
    setTimeout(() => answer(path, response), LATENCY_MS);
  });
  const answer = (path, response) => {
    const [, first, ...rest] = normalize(path).split("/");
    const file = folders[first] && join(folders[first], ...rest);
    const found =
      path === "/page.html" ? Buffer.from(pages) : file && existsSync(file) ? readFileSync(file) : null;
    if (!found) return void response.writeHead(404).end();
    const type = TYPES[extname(path)];
    const body = type ? gzipSync(found) : found;
    response.writeHead(200, {
      "content-type": type ?? "application/octet-stream",
      "content-length": body.length,
      "cache-control": "max-age=600",
      ...(type ? { "content-encoding": "gzip" } : {}),
    });
    queue.push({ response, body, at: 0 });
  };
  // What is under way shares the line.
  const ticking = setInterval(() => {
    let room = (BYTES_A_SECOND * TICK_MS) / 1000;
    while (room > 0 && queue.length > 0) {
      const share = Math.max(1, Math.floor(room / queue.length));
      for (const sending of [...queue]) {
        const part = sending.body.subarray(sending.at, sending.at + Math.min(share, room));
        sending.at += part.length;
        room -= part.length;
        counted.bytes += part.length;
        sending.response.write(part);
        if (sending.at < sending.body.length) continue;
        sending.response.end();
        queue.splice(queue.indexOf(sending), 1);
      }
    }
  }, TICK_MS);
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    show: (text) => (pages = text),
    reset: () => (counted = { requests: 0, bytes: 0 }),
    count: () => ({ ...counted }),
    /** What a browser that is gone had still under way is sent to nobody, and counted for nobody. */
    forget: () => queue.splice(0).forEach(({ response }) => response.destroy()),
    close: () => (clearInterval(ticking), server.closeAllConnections(), server.close()),
  };
}

/** From focus to the first hit, in a fresh profile, once the page is quiet. */
async function measure(host, { page: text, box, hit }) {
  const browser = await launch();
  try {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(120_000);
    host.show(text);
    host.forget();
    host.reset();
    const started = performance.now();
    await page.goto(`${host.origin}/page.html`);
    await page.locator(box).waitFor();
    const readyMs = performance.now() - started;
    await page.waitForLoadState("networkidle");
    const before = host.count();
    const tools = await page.context().newCDPSession(page);
    await tools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    host.reset();
    const focused = performance.now();
    await page.locator(box).focus();
    await page.locator(box).fill(QUESTION);
    await page.locator(hit).first().waitFor();
    return { readyMs, before: before.bytes, hitsMs: performance.now() - focused, ...host.count() };
  } finally {
    await browser.close();
  }
}

const args = process.argv.slice(2);
const runs = args[0] === "--runs" ? Number(args.splice(0, 2)[1]) : 5;
const asRows = args[0] === "--rows" && Boolean(args.shift());
const [site, pagefind] = args;
const host = await startHost({
  pkg: join(site, "pkg"),
  bundle: join(site, "bundle"),
  documents: join(site, "documents"),
  pagefind,
});
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
try {
  const rows = [];
  for (const [name, search] of Object.entries(SEARCHES).slice(0, pagefind ? 2 : 1)) {
    const all = [];
    for (let run = 0; run < runs; run += 1) all.push(await measure(host, search));
    const middle = (key) => median(all.map((one) => one[key]));
    rows.push([
      name,
      kilobytes(middle("before")),
      seconds(middle("readyMs")),
      seconds(middle("hitsMs")),
      String(middle("requests")),
      kilobytes(middle("bytes")),
    ]);
  }
  if (asRows) console.log(JSON.stringify({ rows }));
  else {
    console.log(
      `\n### focus to first hits, ${LATENCY_MS} ms, ${BYTES_A_SECOND / 1000} kB/s, page's processor ` +
        `${SLOWER} times slower, median of ${runs}\n`,
    );
    console.log(
      "| search | before focus | ready to type | first hits after focus | requests from focus to hits | " +
        "bytes from focus to hits |",
    );
    console.log("|---|---:|---:|---:|---:|---:|");
    for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  }
} finally {
  host.close();
}
