// Writes the first COUNT passages of a gzipped JSON Lines file ({page, title, heading, text}) as chunks for
// `pocketgraph build --chunks`: node scripts/write-chunks.mjs PASSAGES.jsonl.gz CHUNKS.jsonl COUNT
import { createReadStream, createWriteStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";

const [passages, chunks, count] = process.argv.slice(2);
if (!passages || !chunks || !(Number(count) > 0)) {
  console.error("usage: node scripts/write-chunks.mjs PASSAGES.jsonl.gz CHUNKS.jsonl COUNT");
  process.exit(2);
}
const out = createWriteStream(chunks);
let written = 0;
for await (const line of createInterface({ input: createReadStream(passages).pipe(createGunzip()) })) {
  if (written === Number(count)) break;
  const { page, title, heading, text } = JSON.parse(line);
  if (text.trim() === "") continue;
  const place = heading && heading !== title ? `${title} > ${heading}` : title;
  out.write(`${JSON.stringify({ id: String(written), text, title: place, url: page })}\n`);
  written += 1;
}
out.end(() => console.log(`${written} chunks written to ${chunks}`));
