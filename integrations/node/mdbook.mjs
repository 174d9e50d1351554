#!/usr/bin/env node
// mdBook: `[output.pocketgraph]` with `command = "mdbook-pocketgraph"` in `book.toml`, beside
// `[output.html]`.
//
// mdBook runs it after its own backend, with the book as JSON on standard input, and lays what several
// backends make in folders of their names.

import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { SCRIPT, publish } from "./site.mjs";

async function* pages(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* pages(path);
    // No link: what it leads to may be another's.
    else if (entry.isFile() && entry.name.endsWith(".html")) yield path;
  }
}

let input = "";
for await (const part of process.stdin) input += part;
const { destination, config } = JSON.parse(input);
const site = join(dirname(destination), "html");
const { command, optional, ...options } = config.output?.pocketgraph ?? {};
await publish(site, {
  base: config.output?.html?.["site-url"] ?? "/",
  where: ["#mdbook-search-toggle", "#search-toggle", ".left-buttons"],
  ...options,
});
for await (const page of pages(site)) {
  const up = relative(dirname(page), site)
    .split(sep)
    .filter(Boolean)
    .map((part) => `${part}/`)
    .join("");
  const html = await readFile(page, "utf8");
  await writeFile(
    page,
    html.replace("</body>", `<script type="module" src="${up}${SCRIPT}"></script></body>`),
  );
}
