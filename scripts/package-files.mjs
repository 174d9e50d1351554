// node scripts/package-files.mjs FOLDER: writes the package's scripts by name into one file,
// package-files.json, for pages that store the whole package for use without a network.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => name.endsWith(".js")).sort();
const files = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])),
);
await writeFile(join(folder, "package-files.json"), JSON.stringify(files));
