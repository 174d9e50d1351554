// A static host on loopback that counts what it sends and keeps what the page hands it, and a fresh Chromium
// to ask it.

import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
// What a static host usually compresses; wasm is counted compressed for everyone, as most hosts do.
const COMPRESSED = new Set([".html", ".js", ".mjs", ".json", ".wasm", ".jsonl"]);

/**
 * Serves `mounts` (beginning of a path to a folder); PUT keeps a file. `bytes` counts bytes of answers as a
 * host that compresses would send them.
 */
export async function startHost(mounts) {
  const host = { bytes: 0, requests: 0 };
  const packed = new Map();
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://host").pathname));
    if (path === "/peer.html") {
      response
        .writeHead(200, { "content-type": "text/html" })
        .end('<!doctype html><link rel="icon" href="data:,">');
      return;
    }
    const mount = Object.keys(mounts).find((m) => path.startsWith(m));
    const file = mount && join(mounts[mount], path.slice(mount.length));
    if (request.method === "PUT" && file) {
      await pipeline(request, createWriteStream(file));
      response.writeHead(204).end();
      return;
    }
    if (path === "/nm/mark") {
      // The page says that its first result is there.
      host.onMark?.();
      response.writeHead(204).end();
      return;
    }
    host.requests += 1;
    if (!file || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const kind = extname(file);
    let body = readFileSync(file);
    const headers = { "content-type": TYPES[kind] ?? "application/octet-stream" };
    // Strings beyond half a gigabyte cannot be; larger files are sent as they are.
    if (COMPRESSED.has(kind) && body.length < 256 << 20) {
      if (!packed.has(file)) packed.set(file, gzipSync(body, { level: 6 }));
      body = packed.get(file);
      headers["content-encoding"] = "gzip";
    }
    host.bytes += body.length;
    response.writeHead(200, { ...headers, "content-length": body.length }).end(body);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  host.origin = `http://127.0.0.1:${server.address().port}`;
  host.reset = () => Object.assign(host, { bytes: 0, requests: 0 });
  host.close = () => new Promise((done) => (server.close(done), server.closeAllConnections()));
  return host;
}

/**
 * Runs `work` (a function that is sent to the page, with `argument`) in a page of a fresh browser; fails
 * after `limit` milliseconds.
 */
export async function inFreshPage(host, work, argument, limit) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-background-networking", "--no-first-run", "--js-flags=--max-old-space-size=4096"],
  });
  let timer;
  try {
    const page = await browser.newPage();
    await page.goto(`${host.origin}/peer.html`);
    host.reset();
    const late = new Promise(
      (_, fail) => (timer = setTimeout(() => fail(new Error(`gave up after ${limit / 1000} s`)), limit)),
    );
    return await Promise.race([page.evaluate(work, argument), late]);
  } finally {
    clearTimeout(timer);
    await browser.close();
  }
}
