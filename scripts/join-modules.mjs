// node scripts/join-modules.mjs ESBUILD FROM TO: makes each module of FROM that the manifest exports, the
// worker, and each module that one of these loads when it needs it, one file in TO, with all that it imports
// inside. So a page waits for one file and not for a chain of them; what several files need is small and is
// in each of them. ESBUILD is esbuild's folder. The modules that wasm-bindgen wrote are in TO already.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

const [tool, from, to] = process.argv.slice(2);
const { build } = createRequire(import.meta.url)(resolve(tool));

/** Modules that are loaded when they are used, by name: they stay apart, and are joined in turn. */
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
const named = Object.values(exports).map((one) => one.default).filter((file) => file?.endsWith(".js"));
waiting.push(...named.map((file) => basename(file)), "worker.js");
const done = new Set();
while (waiting.length > 0) {
  const name = waiting.pop();
  if (!done.has(name)) await joined(name);
  done.add(name);
}
