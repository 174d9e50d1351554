// What every plugin for Node does when its generator is done: a bundle of the site, beside the pages, and the script that puts the search box in its place.

import { spawn } from "node:child_process";
import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The script that pages load, at the site's root. */
export const SCRIPT = "pocketgraph.js";

/**
 * Builds the bundle of a site that was just written, as `pocketgraph/` in it.
 *
 * @param {string} site The folder of the site.
 * @param {object} options
 * @param {string} [options.base] What stands before paths in the site's addresses.
 * @param {string} options.where Selectors of the places where a theme has its search, the first that is there counts.
 * @param {string | string[]} [options.program] The program with its first arguments; `POCKETGRAPH_PROGRAM`, else what `npx` brings.
 * @param {string[]} [options.arguments] More arguments of `pocketgraph build`.
 */
export async function publish(site, { base = "/", where, program, arguments: more = [] }) {
  const folder = resolve(site);
  const inside = join(folder, "pocketgraph");
  // A bundle does not lie in the documents that it is built of, so it is moved there when it is done.
  const beside = `${folder}-pocketgraph`;
  await rm(inside, { recursive: true, force: true });
  const command = [program ?? process.env.POCKETGRAPH_PROGRAM ?? ["npx", "--yes", "pocketgraph"]].flat();
  try {
    await run([...command, "build", folder, "-o", beside, "--base-url", base, ...more]);
    await rename(beside, inside);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  await writeFile(join(folder, SCRIPT), script(where));
}

/** @param {string[]} command */
function run([program, ...parameters]) {
  return new Promise((done, failed) => {
    const child = spawn(program, parameters, { stdio: "inherit", shell: process.platform === "win32" });
    child.on("error", (error) => failed(new Error(`cannot run ${program}: ${error.message}`)));
    child.on("close", (status) => (status === 0 ? done() : failed(new Error(`${program} build ended with status ${status}`))));
  });
}

/** The script of pages: where the theme has its search is the button of ours, also after the page's own script drew it anew. */
function script(where) {
  return `import "./pocketgraph/runtime/ask-element.js";
const src = new URL("./pocketgraph/", import.meta.url).href;
const place = () => {
  // Docusaurus says when its own script has taken the page over; before that nothing may be changed.
  if (document.documentElement.dataset.hasHydrated === "false") return;
  const theirs = [${JSON.stringify(where)}].flat().map((s) => document.querySelector(s)).find(Boolean);
  if (theirs) theirs.style.display = "none";
  if (document.querySelector("pocketgraph-ask")) return;
  const ours = document.createElement("pocketgraph-ask");
  ours.setAttribute("src", src);
  ours.setAttribute("mode", "dialog");
  if (theirs) theirs.before(ours);
  else document.body.prepend(ours);
};
const begin = () => {
  place();
  const seen = new MutationObserver(place);
  seen.observe(document.body, { childList: true, subtree: true });
  seen.observe(document.documentElement, { attributeFilter: ["data-has-hydrated"] });
};
// Not before the page's own script took the page over.
const later = () => setTimeout(begin, 0);
if (document.readyState === "complete") later();
else addEventListener("load", later);
`;
}
