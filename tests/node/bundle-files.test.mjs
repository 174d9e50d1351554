// What a page fetches of a bundle before the engine asks: no more than it is told to, whatever the manifest
// says.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { BundleFiles } from "../../pkg/bundle-files.js";

const BASE = "https://host.invalid/bundle/";
const realFetch = globalThis.fetch;
let asked;

beforeEach(() => (asked = []));
afterEach(() => (globalThis.fetch = realFetch));

/** Serves `manifest`, a body of a response, and an empty file under every other address. */
function serve(manifest) {
  globalThis.fetch = async (request) => {
    const url = String(request.url ?? request);
    asked.push(url);
    return new Response(url.endsWith("manifest.json") ? manifest : "");
  };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test("of a manifest that names thousands of files a few are asked for ahead", async () => {
  const names = (sign) =>
    Array.from({ length: 3000 }, (_, i) => `${sign}-${i.toString(16).padStart(20, "0")}.pgs`);
  serve(JSON.stringify({ pocketgraph: { first: names("a"), next: names("b"), passages: names("c") } }));
  const files = new BundleFiles(BASE, { eager: true });
  await files.ahead("next");
  await pause(20);
  const ahead = asked.filter((url) => url.endsWith(".pgs"));
  assert.ok(ahead.length > 0 && ahead.length <= 32, `${ahead.length} files`);
});

test("names that lead out of the bundle, or are no sections, are not asked for", async () => {
  const section = `a-${"0".repeat(20)}.pgs`;
  serve(JSON.stringify({ pocketgraph: { first: [`../${section}`, "page.html", 7, null, section] } }));
  new BundleFiles(BASE, { eager: true });
  await pause(20);
  assert.deepEqual(asked, [`${BASE}manifest.json`, BASE + section]);
});

test("a manifest without end is read to its limit, by the page as by the engine", async () => {
  let sent = 0;
  let ended = false;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1 << 16;
      controller.enqueue(new Uint8Array(1 << 16).fill(32));
    },
    cancel() {
      ended = true;
    },
  });
  serve(endless);
  const files = new BundleFiles(BASE, {});
  const response = await files.fetcher()(new Request(`${BASE}manifest.json`));
  await pause(50);
  assert.ok(sent < 4 << 20, `${sent} bytes`);
  await response.body.cancel();
  await pause(20);
  assert.ok(ended, "the host is hung up on");
});
