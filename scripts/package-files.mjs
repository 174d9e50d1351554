// node scripts/package-files.mjs FOLDER: the package's scripts in one file, package-files.json, by their
// names. A page that keeps all of the package for use without a network asks for this one file and not for
// each of them.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const names = (await readdir(folder)).filter((name) => name.endsWith(".js")).sort();
const files = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])));
await writeFile(join(folder, "package-files.json"), JSON.stringify(files));
