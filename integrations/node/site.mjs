// The common part of the plugins for Node: the bundle of a site that its generator has written, and the
// script that puts the search box in its place.

import { spawn } from "node:child_process";
import { lstat, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The script that pages load, at the site's root. */
export const SCRIPT = "pocketgraph.js";

/** How the script begins, by which it is known. */
const SCRIPT_HEAD = 'import "./pocketgraph/runtime/ask-element.js";';

/**
 * Builds the bundle of a site that was just written, as `pocketgraph/` in it. The program alone removes and
 * replaces what is there: only what an earlier build wrote.
 *
 * @param {string} site The folder of the site.
 * @param {object} options
 * @param {string} [options.base] What stands before paths in the site's addresses.
 * @param {string} options.where Selectors of the places where a theme has its search, the first that is there
 *   counts.
 * @param {string | string[]} [options.program] The program with its first arguments; else
 *   `POCKETGRAPH_PROGRAM`, else what is installed.
 * @param {string[]} [options.arguments] More arguments of `pocketgraph build`.
 */
export async function publish(site, { base = "/", where, program, arguments: more = [] }) {
  const folder = resolve(site);
  const place = join(folder, SCRIPT);
  if (await isForeign(place))
    throw new Error(`${place} is not of PocketGraph and stays as it is: give it another name`);
  const command = [program ?? process.env.POCKETGRAPH_PROGRAM ?? installed()].flat();
  await run([...command, "build", folder, "-o", join(folder, "pocketgraph"), "--base-url", base, ...more]);
  // Through no link that has the script's name: a new file takes its place.
  const aside = join(folder, `${SCRIPT}-${process.pid}`);
  await writeFile(aside, script(where), { flag: "wx" });
  await rename(aside, place);
}

/** Returns true if a file has the script's name and is none that an earlier build wrote. */
async function isForeign(path) {
  const found = await lstat(path).catch(() => null);
  return Boolean(found?.isFile()) && !(await readFile(path, "utf8")).startsWith(SCRIPT_HEAD);
}

/**
 * The command of the package `pocketgraph` among the project's packages or beside this one, else of the
 * PATH. Nothing is fetched to be run.
 */
function installed() {
  try {
    const paths = [process.cwd(), fileURLToPath(new URL(".", import.meta.url))];
    const found = createRequire(import.meta.url).resolve("pocketgraph/package.json", { paths });
    return [process.execPath, join(found, "../bin/pocketgraph.mjs")];
  } catch {
    return "pocketgraph";
  }
}

/** @param {string[]} command */
function run([program, ...parameters]) {
  return new Promise((done, failed) => {
    const child = spawn(program, parameters, { stdio: "inherit" });
    const advice = "install PocketGraph, or name its program in POCKETGRAPH_PROGRAM or the option `program`";
    child.on("error", (error) => failed(new Error(`cannot run ${program}: ${error.message}; ${advice}`)));
    child.on("close", (status) =>
      status === 0 ? done() : failed(new Error(`${program} build ended with status ${status}`)),
    );
  });
}

/**
 * The script of pages: where the theme has its search is the button of ours, also after the page's own
 * script drew it anew.
 */
function script(where) {
  return `${SCRIPT_HEAD}
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
