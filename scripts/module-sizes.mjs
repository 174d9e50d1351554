// Lists the sources of a WebAssembly module's bytes: the size of each crate's functions, and the largest
// functions.
//
//     node scripts/module-sizes.mjs MODULE.wasm [LARGEST]
//
// MODULE is compiled, with its names, and not yet optimised, so that the figures exceed the shipped sizes. A
// generic function counts for the crate that defines it (`alloc` for Vec<T>), the only one in its name.

import { readFileSync } from "node:fs";
import process from "node:process";
import { readModule } from "./wasm-module.mjs";

const [path, largest = "40"] = process.argv.slice(2);
if (!path) throw new Error("usage: node scripts/module-sizes.mjs MODULE.wasm [LARGEST]");

const { bodies, imported, names } = readModule(readFileSync(path));
const functions = bodies.map((body, i) => ({
  bytes: body.length,
  name: plainName(names.get(imported + i) ?? "without a name"),
}));

const crates = new Map();
for (const { bytes, name } of functions) {
  const crate = /\w+(?=::)/.exec(name)?.[0] ?? name;
  const sum = crates.get(crate) ?? { bytes: 0, functions: 0 };
  crates.set(crate, { bytes: sum.bytes + bytes, functions: sum.functions + 1 });
}

console.log("   bytes  functions  crate");
for (const [crate, sum] of [...crates].sort(([, a], [, b]) => b.bytes - a.bytes)) {
  console.log(`${String(sum.bytes).padStart(8)}  ${String(sum.functions).padStart(9)}  ${crate}`);
}
console.log("\n   bytes  function");
for (const { bytes, name } of functions.sort((a, b) => b.bytes - a.bytes).slice(0, Number(largest))) {
  console.log(`${String(bytes).padStart(8)}  ${name}`);
}

/** Turns a mangled name into a readable path: `_ZN4text5words17h0123456789abcdefE` into `text::words`. */
function plainName(mangled) {
  const parts = [];
  // The newer mangling nests types; the crate and the names after it are enough.
  const crate = mangled.startsWith("_R") ? mangled.search(/Cs[0-9A-Za-z]+_\d/) : 0;
  const start = mangled.startsWith("_ZN") ? 3 : mangled.indexOf("_", crate) + 1;
  if (start === 3 || (mangled.startsWith("_R") && crate > 0)) {
    for (let rest = mangled.slice(start); /^\d/.test(rest);) {
      const length = Number.parseInt(rest, 10);
      const from = String(length).length;
      parts.push(rest.slice(from, from + length));
      rest = rest.slice(from + length);
    }
  }
  if (parts.length === 0) return mangled;
  if (/^h[0-9a-f]{16}$/.test(parts.at(-1))) parts.pop();
  const signs = {
    LT: "<",
    GT: ">",
    RF: "&",
    BP: "*",
    C: ",",
    u20: " ",
    u7b: "{",
    u7d: "}",
    u5b: "[",
    u5d: "]",
    u27: "'",
  };
  return parts
    .join("::")
    .replace(/\$(\w+?)\$/g, (whole, sign) => signs[sign] ?? whole)
    .replaceAll("..", "::")
    .replace(/^_</, "<");
}
