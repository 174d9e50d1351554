// node scripts/types-only.mjs IN.d.ts OUT.d.ts: writes the types of the engine's results, without the class
// that wasm-bindgen adds. Only the package uses that class, and its types need a newer library of TypeScript
// than callers may have.

import { readFile, writeFile } from "node:fs/promises";

const [from, to] = process.argv.slice(2);
const written = await readFile(from, "utf8");
const types =
  written.match(/(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export (?:type [^]*?;\n|interface [^]*?\n\}\n)/g) ?? [];
const wanted = types.filter(
  (one) => !/export (?:type|interface) (?:InitInput|InitOutput|SyncInitInput)\b/.test(one),
);
if (wanted.length < 20) throw new Error(`${from} has ${wanted.length} types; it is not what it was.`);
await writeFile(to, `// Generated from the engine's own types.\n\n${wanted.join("\n")}`);
