// node scripts/join-modules.mjs ESBUILD FROM TO: writes one file to TO, imports included, for each module of
// FROM that the manifest exports, for the worker, and for each module that these load on demand. So a page
// waits for one file rather than a chain; small shared parts are in each file. ESBUILD is esbuild's folder.
// TO has wasm-bindgen's modules already.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

const [tool, from, to] = process.argv.slice(2);
const { build } = createRequire(import.meta.url)(resolve(tool));

/** Modules that are loaded on demand, by name: they stay separate, and are joined in turn. */
const waiting = [];

const apart = {
  name: "apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ path, kind }) => {
      if (kind === "dynamic-import") {
        waiting.push(basename(path));
        return { path, external: true };
      }
      return path.startsWith("./pocketgraph_") ? { path: resolve(to, path) } : undefined;
    });
  },
};

function joined(name) {
  return build({
    entryPoints: [join(from, name)],
    outfile: join(to, name),
    bundle: true,
    // The service worker is a classic script.
    format: name === "offline-worker.js" ? "iife" : "esm",
    target: "es2022",
    charset: "utf8",
    external: ["node:*"],
    plugins: [apart],
    logLevel: "warning",
  });
}

const { exports } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
const named = Object.values(exports)
  .map((one) => one.default)
  .filter((file) => file?.endsWith(".js"));
waiting.push(...named.map((file) => basename(file)), "worker.js");
const done = new Set();
while (waiting.length > 0) {
  const name = waiting.pop();
  if (!done.has(name)) await joined(name);
  done.add(name);
}
