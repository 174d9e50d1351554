#!/usr/bin/env node
// The command `pocketgraph` of the package: runs the program of the package for this platform, which npm
// installs beside this one as an optional dependency.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The C library's part of the package's name: nothing for glibc, "-musl" where there is none. */
function library() {
  if (process.platform !== "linux") return "";
  return process.report?.getReport().header.glibcVersionRuntime ? "" : "-musl";
}

/** The program's path; POCKETGRAPH_BINARY names another one. */
function program() {
  const own = process.env.POCKETGRAPH_BINARY;
  if (own) return own;
  const name = `@pocketgraph/${process.platform}-${process.arch}${library()}`;
  let folder;
  try {
    folder = dirname(require.resolve(`${name}/package.json`));
  } catch {
    console.error(
      `pocketgraph: there is no program for this machine: the package ${name} is not installed.\n` +
        "Either npm was told to leave out optional dependencies (install again without --omit=optional or " +
        "--no-optional),\n" +
        "or there is none for this platform: then build it from source and name it in POCKETGRAPH_BINARY.",
    );
    process.exit(1);
  }
  return join(folder, "bin", process.platform === "win32" ? "pocketgraph.exe" : "pocketgraph");
}

const file = program();
if (!existsSync(file)) {
  console.error(`pocketgraph: there is no program at ${file}`);
  process.exit(1);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends Ctrl-C to both: the program cleans up, and this waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT") child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`pocketgraph: cannot run ${file}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
