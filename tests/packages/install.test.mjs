// The packed files as people meet them: installed into empty folders by npm and pip, and the README's lines
// run there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../target/package", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "packages-"));
after(() => rmSync(scratch, { recursive: true }));

/** Runs a command in a folder; its output, or the test fails with what it said. */
function run(folder, command, ...args) {
  const done = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, XDG_CACHE_HOME: join(scratch, "cache") },
  });
  assert.equal(done.status, 0, `${command} ${args.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** An empty folder with a page to read in it. */
function folder(name) {
  const path = join(scratch, name);
  mkdirSync(join(path, "docs"), { recursive: true });
  writeFileSync(
    join(path, "docs/kettle.md"),
    "# Kettle\n\n## Descaling\n\nFill the kettle with vinegar and wait twenty minutes.\n",
  );
  writeFileSync(
    join(path, "docs/toaster.md"),
    "# Toaster\n\n## Crumbs\n\nPull out the tray below and empty it.\n",
  );
  return path;
}

const packed = (kind) =>
  readdirSync(join(packages, kind))
    .filter((f) => /\.(tgz|whl)$/.test(f))
    .map((f) => join(packages, kind, f));

test("npm installs a program that builds, and a module that searches what was built", () => {
  const here = folder("npm");
  writeFileSync(join(here, "package.json"), '{ "private": true, "type": "module" }');
  const tarballs = packed("npm");
  assert.equal(tarballs.length, 2, tarballs.join(" "));
  // The other platforms' packages are optional: where they cannot be had, npm goes on.
  run(here, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...tarballs);
  run(here, "npx", "--no-install", "pocketgraph", "build", "docs", "-o", "site/kg", "-q");
  assert.ok(existsSync(join(here, "site/kg/runtime/ask-element.js")));
  writeFileSync(
    join(here, "ask.js"),
    `import { PocketGraph } from "pocketgraph";
const kg = await PocketGraph.open("site/kg/");
await kg.prepare();
const { hits } = await kg.search("how long must vinegar stay in the kettle?", { k: 1 });
console.log(hits[0].title);
kg.close?.();
process.exit(0);`,
  );
  assert.match(run(here, "node", "ask.js"), /Kettle/);
  const refused = spawnSync("npx", ["--no-install", "pocketgraph", "search", "nowhere", "x"], {
    cwd: here,
    encoding: "utf8",
  });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /is not a bundle/);
});

test("pip installs the program and a module that runs it", () => {
  const here = folder("pip");
  const [wheel] = packed("python");
  run(here, "python3", "-m", "venv", "venv");
  run(here, "venv/bin/pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", wheel);
  assert.match(run(here, "venv/bin/pocketgraph", "--version"), /^pocketgraph \d/);
  writeFileSync(
    join(here, "ask.py"),
    `import pocketgraph
pocketgraph.build("docs", "kg", no_runtime=True)
print(pocketgraph.search("kg", "--how long must vinegar stay in the kettle?", k=1)["hits"][0]["title"])
try:
    pocketgraph.search("nowhere", "x")
except pocketgraph.PocketGraphError as error:
    print("refused", "is not a bundle" in str(error))
`,
  );
  assert.deepEqual(run(here, "venv/bin/python", "ask.py").trim().split("\n"), ["Kettle", "refused True"]);
});

test("the official client of the Model Context Protocol talks to the program", (t) => {
  const here = folder("mcp");
  const [wheel] = packed("python");
  run(here, "python3", "-m", "venv", "venv");
  run(here, "venv/bin/pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", wheel);
  const client = spawnSync(
    "venv/bin/pip",
    ["install", "--quiet", "--disable-pip-version-check", "mcp>=2.3,<3"],
    { cwd: here, encoding: "utf8" },
  );
  if (client.status !== 0)
    return t.skip(`the client cannot be had from PyPI here: ${client.stderr.trim().split("\n").at(-1)}`);
  run(here, "venv/bin/pocketgraph", "build", "docs", "-o", "kg", "--no-runtime", "-q");
  assert.equal(
    run(
      here,
      "venv/bin/python",
      fileURLToPath(new URL("mcp_client.py", import.meta.url)),
      "venv/bin/pocketgraph",
      "kg",
    ),
    "ok\n",
  );
});

test("every package carries its licences and the weights' notice, and the program is at most 80.5 MB", () => {
  const here = folder("listing");
  for (const tarball of packed("npm")) {
    const listed = run(here, "tar", "-tzf", tarball);
    for (const name of ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE", "THIRD-PARTY.txt"])
      assert.match(listed, new RegExp(`package/${name}\n`), tarball);
  }
  const [wheel] = packed("python");
  const listed = run(here, "python3", "-m", "zipfile", "-l", wheel);
  for (const name of [
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "models/NOTICE",
    "THIRD-PARTY.txt",
    "packaging/python/THIRD-PARTY.txt",
  ]) {
    assert.match(listed, new RegExp(`dist-info/licenses/${name} `), wheel);
  }
  assert.doesNotMatch(listed, /sbom/, "it would name the folder that the wheel was made in");
  const program = readdirSync(join(packages, "npm/staging")).find((f) => f !== "pocketgraph");
  const bytes = statSync(join(packages, "npm/staging", program, "bin/pocketgraph")).size;
  assert.ok(bytes <= 80.5e6, `${bytes} bytes`);
});
