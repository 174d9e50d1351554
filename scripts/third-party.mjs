// Writes the notices of the crates that are linked: THIRD-PARTY.txt for the program, pkg/THIRD-PARTY.txt for
// the package, packaging/python/THIRD-PARTY.txt for the compiled half of the Python module.
//
//   node scripts/third-party.mjs            writes both
//   node scripts/third-party.mjs --check    fails where one of them is not what it would write
//
// `cargo metadata` lists the linked crates: normal dependencies with the default features, on the platforms
// below; procedural macros run during compilation and are not linked. If a crate gives a choice of licences,
// the first in TAKEN applies. The files are committed: writing them needs other platforms' crates.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const WASM = "wasm32-unknown-unknown";
const OUTPUTS = [
  {
    file: "THIRD-PARTY.txt",
    root: "pocketgraph-cli",
    what: "the program `pocketgraph`, whose browser runtime has a list of its own",
    platforms: [
      "x86_64-unknown-linux-gnu",
      "aarch64-unknown-linux-gnu",
      "x86_64-pc-windows-msvc",
      "aarch64-apple-darwin",
    ],
  },
  {
    file: "packaging/python/THIRD-PARTY.txt",
    root: "pocketgraph-python",
    what: "the compiled half of the Python module `pocketgraph`",
    platforms: [
      "x86_64-unknown-linux-gnu",
      "aarch64-unknown-linux-gnu",
      "x86_64-pc-windows-msvc",
      "aarch64-apple-darwin",
    ],
  },
  {
    file: "pkg/THIRD-PARTY.txt",
    root: "pocketgraph",
    what: "the WebAssembly modules of the package `pocketgraph`",
    platforms: [WASM],
  },
];

/** Licences by preference, for crates that give a choice, and the names of their files. */
const TAKEN = [
  ["MIT", /mit/i],
  ["ISC", /isc/i],
  ["BSD-2-Clause", /bsd/i],
  ["BSD-3-Clause", /bsd/i],
  ["Zlib", /zlib/i],
  ["0BSD", /0bsd/i],
  ["Apache-2.0", /apache/i],
  ["Apache-2.0 WITH LLVM-exception", /apache|llvm/i],
  ["BSL-1.0", /bsl|boost/i],
  ["CC0-1.0", /cc0/i],
  ["Unlicense", /unlicense/i],
  ["Unicode-3.0", /unicode/i],
  ["CDLA-Permissive-2.0", /cdla/i],
];

const FILES_OF_TERMS = /^(licen[cs]es?|copying|copyright|unlicense|notice)([-_.].*)?$/i;

/** Files with the terms of foreign parts in crates, by crate. */
const BROUGHT = { "hayro-font": [["BSD-3-Clause", "assets/LICENSE_FOXIT"]] };

const metadata = new Map();
function metadataOf(platform) {
  if (!metadata.has(platform)) {
    const args = ["metadata", "--format-version", "1", "--locked", "--filter-platform", platform];
    metadata.set(
      platform,
      JSON.parse(execFileSync("cargo", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28 })),
    );
  }
  return metadata.get(platform);
}

/** Returns the foreign packages that are linked into `root` on this platform. */
function linked(root, platform) {
  const { packages, resolve } = metadataOf(platform);
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const seen = new Set();
  const waiting = [packages.find(({ name, source }) => name === root && source === null).id];
  while (waiting.length > 0) {
    const id = waiting.pop();
    if (seen.has(id) || byId.get(id).targets.some(({ kind }) => kind.includes("proc-macro"))) continue;
    seen.add(id);
    for (const { pkg, dep_kinds } of nodes.get(id).deps)
      if (dep_kinds.some(({ kind }) => kind === null)) waiting.push(pkg);
  }
  return [...seen].map((id) => byId.get(id)).filter(({ source }) => source !== null);
}

/** Returns the licences of an SPDX expression, all of which apply. `A OR B` is a choice, `A AND B` is not. */
function chosen(expression) {
  const both = expression.replace(/\//g, " OR ").split(/\s+AND\s+/);
  return both.map((part) => {
    const choices = part
      .replace(/[()]/g, "")
      .split(/\s+OR\s+/)
      .map((one) => one.trim());
    const taken = TAKEN.find(([name]) => choices.includes(name));
    if (!taken) throw new Error(`no licence of "${expression}" is known to scripts/third-party.mjs`);
    return taken;
  });
}

/** Returns the texts of a crate that its licence requires: those of the chosen licences, and its notices. */
function termsOf({ license, license_file, manifest_path, name, authors }) {
  const folder = dirname(manifest_path);
  const licences = chosen(license ?? "");
  const all = readdirSync(folder).filter(
    (file) => FILES_OF_TERMS.test(file) && statSync(join(folder, file)).isFile(),
  );
  if (license_file && !all.includes(license_file)) all.push(license_file);
  const notices = all.filter((file) => /^(notice|copyright)/i.test(file));
  const named = licences.flatMap(([, pattern]) => all.filter((file) => pattern.test(file)));
  const plain = all.filter(
    (file) => !notices.includes(file) && !TAKEN.some(([, pattern]) => pattern.test(file)),
  );
  const files = [...new Set([...(named.length > 0 ? named : plain), ...notices])].sort();
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8"));
  const spdx = [...new Set(licences.map(([taken]) => taken))];
  if (texts.length === 0) texts.push(standardText(spdx, authors, name));
  for (const [licence, file] of BROUGHT[name] ?? []) {
    if (!spdx.includes(licence)) spdx.push(licence);
    texts.push(readFileSync(join(folder, file), "utf8").replace(/^\/\/ ?/gm, ""));
  }
  return { licences: spdx, texts };
}

/** Returns the standard text for a crate without one, with its authors as holders. */
function standardText(spdx, authors, name) {
  if (spdx.join() !== "MIT") throw new Error(`${name} brings no text of ${spdx.join()}`);
  const ours = readFileSync(join(ROOT, "LICENSE-MIT"), "utf8");
  return ours.replace(
    /^Copyright.*$/m,
    `Copyright (c) ${authors.join(", ") || `the contributors of ${name}`}`,
  );
}

const tidy = (text) =>
  text
    .replace(/^\uFEFF/, "")
    .replace(/\r/g, "")
    .replace(/[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

/** Splits a text into the lines without and with its holders. */
function parted(text) {
  const [holders, rest] = [[], []];
  for (const line of tidy(text).split("\n"))
    (/^\s*(copyright\b|\(c\)|©)/i.test(line) && line.length < 200 ? holders : rest).push(line.trim());
  return { holders, body: tidy(rest.join("\n")) };
}

/** Normalises a text for comparison: spaces, line breaks and capitals do not count. */
const key = (body) =>
  body
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

function written({ root, what, platforms }) {
  const crates = new Map();
  for (const platform of platforms)
    for (const one of linked(root, platform)) crates.set(`${one.name} ${one.version}`, one);
  const names = [...crates.keys()].sort((a, b) => (a < b ? -1 : 1));
  const bodies = new Map();
  const head = [];
  for (const name of names) {
    const { licences, texts } = termsOf(crates.get(name));
    const numbers = [];
    for (const text of texts) {
      const { holders, body } = parted(text);
      if (!bodies.has(key(body))) bodies.set(key(body), { number: bodies.size + 1, body, crates: new Map() });
      const found = bodies.get(key(body));
      found.crates.set(name, holders);
      numbers.push(found.number);
    }
    head.push(`${name}: ${licences.join(" AND ")} (text ${[...new Set(numbers)].join(", ")})`);
  }
  let out =
    `Crates of others that are linked into ${what}, and the terms under which they are.\nMade by ` +
    `scripts/third-party.mjs. Rust's standard library, which is linked too, is under MIT or Apache-2.0: ` +
    `Copyright (c) The Rust Project Contributors.\n\n${head.join("\n")}\n`;
  for (const { number, body, crates: users } of bodies.values()) {
    out += `\n${"=".repeat(80)}\nText ${number}\n\n`;
    const byHolders = new Map();
    for (const [name, holders] of users) {
      const said = holders.join("\n    ");
      byHolders.set(said, [...(byHolders.get(said) ?? []), name]);
    }
    for (const [holders, of] of byHolders) out += `${of.join(", ")}${holders ? `\n    ${holders}` : ""}\n`;
    out += `\n${body}\n`;
  }
  return out;
}

let stale = false;
for (const output of OUTPUTS) {
  const path = join(ROOT, output.file);
  const text = written(output);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
    console.error(`${output.file} is not up to date: node scripts/third-party.mjs`);
    stale = true;
  }
}
process.exitCode = stale ? 1 : 0;
