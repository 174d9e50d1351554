// node scripts/flatten-imports.mjs MODULE...: has each module import, before all else, every module that it needs through others. A page then asks for all of them at
// once, when it has the first, and not for each when it has the one that names it: on a line of half a second a chain of six took four seconds. What is loaded and in
// which order it runs stays as it was.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** `import … from "./x.js"`, `export … from "./x.js"` and `import "./x.js"` at the beginning of a statement; `import("./x.js")` is none of these. */
const STATIC = /(?:^|[;}\n])\s*(?:import|export)\s*(?:[\w$*{},\s]*?\bfrom\s*|(?=["']))["'](\.\/[^"']+)["']/g;

const importsOf = (text) => [...text.matchAll(STATIC)].map(([, name]) => name);

/** The modules that `file` needs, each after those that it needs itself. Where two need each other that cannot be, and the order would be another than before. */
async function needed(file, within = [], seen = new Set()) {
  const all = [];
  for (const name of importsOf(await readFile(file, "utf8"))) {
    if (within.includes(name)) throw new Error(`a circle of modules: ${[...within, name].join(" imports ")}`);
    if (seen.has(name)) continue;
    seen.add(name);
    all.push(...(await needed(join(dirname(file), name), [...within, name], seen)), name);
  }
  return all;
}

for (const file of process.argv.slice(2)) {
  const all = await needed(file);
  if (all.length === 0) throw new Error(`${file} imports nothing`);
  await writeFile(file, all.map((name) => `import"${name}";`).join("") + (await readFile(file, "utf8")));
}
