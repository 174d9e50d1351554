// Writes a JSON Lines file of pages ({path, text}) out as files: node scripts/write-pages.mjs PAGES.jsonl
// FOLDER
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

const [pages, folder] = process.argv.slice(2);
if (!pages || !folder) {
  console.error("usage: node scripts/write-pages.mjs PAGES.jsonl FOLDER");
  process.exit(2);
}
const root = resolve(folder);
let count = 0;
for (const line of readFileSync(pages, "utf8").split("\n")) {
  if (line.trim() === "") continue;
  const { path, text } = JSON.parse(line);
  const file = resolve(join(root, path));
  if (!file.startsWith(root + sep)) throw new Error(`${path} would lie outside ${folder}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  count += 1;
}
console.log(`${count} pages written to ${folder}`);
