// What Node lacks and a browser has: fetching files, and hearing of errors that nobody caught without ending
// by them. Never loaded in a browser.

import { readFile, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";

/** The bytes of a module of the engine; its URL stands beside this module's. */
export function readWasm(url) {
  return readFile(url);
}

/**
 * A URL for what a caller in Node may name a bundle by: a URL, or a path relative to the working directory.
 */
export function toUrl(place) {
  return /^(https?|file):/i.test(place) ? new URL(place) : pathToFileURL(place);
}

/**
 * What fetches a bundle in Node: files below the folder `root` (a `file:` URL ending in a slash), which
 * Node's own fetch refuses, and everything else by that. Nothing outside the folder is read.
 */
export function fetchBelow(root) {
  return async (request) => {
    if (!/^file:/i.test(request.url)) return fetch(request);
    const url = new URL(request.url);
    // The URL is normalised by now: `..` cannot lead out of a root that is a prefix, and `%2f` is no
    // separator to us.
    if (!url.href.startsWith(root) || /%2f|%5c/i.test(url.pathname))
      throw new TypeError(`Not below ${root}: ${url.href}`);
    request.signal?.throwIfAborted();
    url.search = "";
    url.hash = "";
    return respond(url, request.headers.get("range"), request.signal);
  };
}

async function respond(url, range, signal) {
  try {
    if (!(await stat(url)).isFile()) return new Response(null, { status: 404 });
    const bytes = await readFile(url, { signal });
    const part = range && /^bytes=(\d+)-(\d*)$/.exec(range);
    if (!part) return new Response(bytes, { headers: { "content-length": String(bytes.length) } });
    const start = Number(part[1]);
    const end = part[2] ? Math.min(Number(part[2]), bytes.length - 1) : bytes.length - 1;
    if (start > end) return new Response(null, { status: 416 });
    const headers = {
      "content-range": `bytes ${start}-${end}/${bytes.length}`,
      "content-length": String(end - start + 1),
    };
    return new Response(bytes.subarray(start, end + 1), { status: 206, headers });
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return new Response(null, { status: 404 });
    if (error.name === "AbortError") throw error;
    throw new TypeError(`fetch failed: ${error.message}`, { cause: error });
  }
}

// A trap in the engine comes up in a task of its own, where no caller can catch it, and Node ends by such an
// error. While a bundle is open we hear of them first, and every caller is told.
const watchers = new Set();
let trapCount = 0;
/**
 * The engine's own JavaScript, whatever it is called. Bundlers that render on a server would take `new URL(…,
 * import.meta.url)` for a file of that name.
 */
const ENGINE = import.meta.url.replace(/[^/]*$/, "pocketgraph_");

/** Returns how often the engine has trapped in this process. */
export function traps() {
  return trapCount;
}

/**
 * The engine's JavaScript beside the module at `wasm`, loaded once more: with memory of its own, apart from
 * what trapped.
 */
export function importAnew(wasm) {
  return import(
    /* turbopackIgnore: true */ /* webpackIgnore: true */ /* @vite-ignore */ `${wasm.href.replace(/_bg\.wasm$/, ".js")}?${trapCount}`
  );
}

/** Tells `onTrap` of every trap of the engine. Returns the function that ends it. */
export function watchForTraps(onTrap) {
  if (watchers.size === 0 && trapCount === 0) process.on("uncaughtException", onUncaught);
  watchers.add(onTrap);
  return () => {
    // What was under way in an engine that trapped may trap again, when nobody waits for it any more.
    if (watchers.delete(onTrap) && watchers.size === 0 && trapCount === 0)
      process.off("uncaughtException", onUncaught);
  };
}

/** Tells whoever watches of a trap that a caller caught. */
export function reportTrap(thrown) {
  trapCount += 1;
  for (const onTrap of [...watchers]) onTrap(thrown);
}

function onUncaught(thrown) {
  if (isOfTheEngine(thrown)) reportTrap(thrown);
  else if (process.listenerCount("uncaughtException") === 1) {
    // Without us, Node would have ended here.
    process.off("uncaughtException", onUncaught);
    process.nextTick(() => {
      throw thrown;
    });
  }
}

/**
 * Returns true if this is a trap of the engine, not of other WebAssembly. Of a deep call only the innermost
 * frames are known, and they name no file.
 */
function isOfTheEngine(thrown) {
  const frames = String(thrown?.stack)
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const isTrap =
    thrown instanceof WebAssembly.RuntimeError ||
    (thrown instanceof RangeError && frames[0]?.includes("wasm://"));
  return (
    isTrap &&
    (frames.some((line) => line.includes(ENGINE)) || frames.every((line) => line.includes("wasm://")))
  );
}
