// The pages of a published site and the ids in them: `node ids.mjs SITE`, a page a line, then its ids; those
// of headings have a star.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const site = process.argv[2];

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decoded = (text) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) =>
    hex || decimal
      ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10))
      : (ENTITIES[name] ?? all),
  );

function* pages(folder) {
  for (const entry of readdirSync(join(site, folder), { withFileTypes: true })) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) yield* pages(path);
    else if (entry.name.endsWith(".html")) yield path;
  }
}

function ids(html) {
  const found = new Map();
  const body = html.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, "");
  for (const [, name, attributes] of body.matchAll(
    /<([a-z][a-z0-9-]*)((?:\s+[^\s=>"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*\/?>/gi,
  )) {
    const id = attributes.match(/\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/i);
    if (!id || !/^(h[1-6]|section|dt|a|span|p|li|tr|td)$/i.test(name)) continue;
    const value = decoded(id[1] ?? id[2] ?? id[3]).trim();
    if (value && !/\s/.test(value)) found.set(value, found.get(value) || /^(h[1-6]|section)$/i.test(name));
  }
  return [...found].map(([id, heading]) => (heading ? "*" : "") + id);
}

const lines = [...pages("")]
  .sort()
  .map((page) => [page, ...ids(readFileSync(join(site, page), "utf8"))].join("\t"));
process.stdout.write(`${lines.join("\n")}\n`);
