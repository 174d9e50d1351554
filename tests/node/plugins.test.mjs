// The plugins of integrations/ beside what belongs to others: they remove nothing, and run nothing that
// nobody installed.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const integrations = fileURLToPath(new URL("../../integrations/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "plugins-"));
after(() => rmSync(scratch, { recursive: true }));

/**
 * The same publication by the plugins of each language: of the folder `site` where it is run, by the program
 * that the environment names.
 */
const PUBLISHERS = {
  node: [
    process.execPath,
    "--input-type=module",
    "-e",
    `import { publish } from ${JSON.stringify(`${integrations}node/site.mjs`)}; await publish("site", { ` +
      `where: "nav" });`,
  ],
  python: ["python3", "-B", "-c", 'from pocketgraph_sites import publish; publish("site")'],
};

/** A folder with a site, and a checkout beside it with the name that a build once took. */
function project(name) {
  const folder = join(scratch, name);
  const files = {
    "site/index.html":
      "<title>Kettle</title><main><h1>Kettle</h1><p>Fill the kettle with vinegar and wait.</p></main>",
    "site-pocketgraph/thesis.txt": "years",
    "site-pocketgraph/.git/config": "[core]",
  };
  for (const [path, text] of Object.entries(files)) write(folder, path, text);
  return folder;
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** Every file below a folder, with its text. */
function files(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, "latin1")]));
}

function publish(language, folder, environment) {
  const [command, ...args] = PUBLISHERS[language];
  const { POCKETGRAPH_PROGRAM, ...inherited } = process.env;
  const env = {
    ...inherited,
    PYTHONPATH: `${integrations}python`,
    XDG_CACHE_HOME: join(scratch, "cache"),
    ...environment,
  };
  return spawnSync(command === "python3" ? python : command, args, { cwd: folder, encoding: "utf8", env });
}

const python = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
  encoding: "utf8",
}).stdout?.trim();
const real = { POCKETGRAPH_PROGRAM: process.env.POCKETGRAPH_PROGRAM };

for (const language of Object.keys(PUBLISHERS)) {
  const options = { skip: language === "python" && !python ? "there is no Python here" : false };

  test(
    `the plugin of ${language} leaves everything as it was where the program fails, is missing or refuses`,
    options,
    () => {
      const folder = project(`${language}-failing`);
      write(folder, "site/pocketgraph/index.html", "<h1>a page of the site</h1>");
      const before = files(folder);
      for (const program of ["false", join(folder, "none"), real.POCKETGRAPH_PROGRAM]) {
        const done = publish(language, folder, { POCKETGRAPH_PROGRAM: program });
        assert.notEqual(done.status, 0, program);
        assert.deepEqual(files(folder), before, program);
      }
    },
  );

  test(
    `the plugin of ${language} replaces the bundle of an earlier build and touches nothing beside the site`,
    options,
    () => {
      const folder = project(`${language}-twice`);
      const neighbours = files(join(folder, "site-pocketgraph"));
      for (const text of ["old", "new"]) {
        write(
          folder,
          "site/page.html",
          `<title>Page</title><main><h1>Page</h1><p>The ${text} page about descaling.</p></main>`,
        );
        const done = publish(language, folder, real);
        assert.equal(done.status, 0, done.stderr);
        const { pocketgraph } = JSON.parse(
          readFileSync(join(folder, "site/pocketgraph/manifest.json"), "utf8"),
        );
        assert.equal(pocketgraph.counts.documents, 2);
      }
      assert.deepEqual(files(join(folder, "site-pocketgraph")), neighbours);
      assert.deepEqual(readdirSync(folder).sort(), ["site", "site-pocketgraph"]);
    },
  );

  test(`the plugin of ${language} writes and removes through no link in the site`, options, () => {
    const folder = project(`${language}-links`);
    write(folder, "theirs/index.html", "precious");
    for (const name of ["pocketgraph.js", "pocketgraph.mjs"])
      symlinkSync("../theirs/index.html", join(folder, "site", name));
    assert.equal(publish(language, folder, real).status, 0);
    // A bundle with a link in it is not replaced.
    symlinkSync("../../theirs", join(folder, "site/pocketgraph/chunks-of-mine"));
    assert.notEqual(publish(language, folder, real).status, 0);
    assert.deepEqual(Object.values(files(join(folder, "theirs"))), ["precious"]);
  });

  test(`the plugin of ${language} runs the program of the PATH, and fetches none`, options, () => {
    const folder = project(`${language}-path`);
    const bin = join(folder, "bin");
    mkdirSync(bin);
    const missing = publish(language, folder, { PATH: bin });
    assert.notEqual(missing.status, 0);
    assert.match(missing.stderr, /POCKETGRAPH_PROGRAM/);
    for (const name of ["npx", "npm", "pip"])
      writeFileSync(join(bin, name), `#!/bin/sh\n: >fetched\n`, { mode: 0o755 });
    writeFileSync(join(bin, "pocketgraph"), `#!/bin/sh\necho "$@" >ran\n`, { mode: 0o755 });
    const done = publish(language, folder, { PATH: `${bin}:/usr/bin:/bin` });
    assert.equal(done.status, 0, done.stderr);
    assert.match(readFileSync(join(folder, "ran"), "utf8"), /^build .*site -o .*site.pocketgraph/);
    assert.ok(!existsSync(join(folder, "fetched")));
  });
}

test("the plugins write over no script but their own", () => {
  const folder = project("script");
  const commands = {
    "pocketgraph.js": () => publish("node", folder, real),
    "pocketgraph.mjs": () => {
      const code =
        'from pocketgraph_sites import *; write_script("site/pocketgraph.mjs", page_script(["nav"]))';
      return spawnSync("python3", ["-B", "-c", code], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, PYTHONPATH: `${integrations}python` },
      });
    },
  };
  for (const [script, run] of Object.entries(commands)) {
    write(folder, `site/${script}`, "theirs()");
    const before = files(folder);
    assert.match(run().stderr, /stays as it is/);
    assert.deepEqual(files(folder), before);
    rmSync(join(folder, "site", script));
    for (const _ of [1, 2]) assert.equal(run().status, 0);
    assert.match(readFileSync(join(folder, "site", script), "utf8"), /^import /);
  }
});

test("the plugin of node prefers the package among the project's own", () => {
  const folder = project("node-package");
  write(
    folder,
    "node_modules/pocketgraph/package.json",
    '{ "name": "pocketgraph", "exports": { "./package.json": "./package.json" } }',
  );
  write(
    folder,
    "node_modules/pocketgraph/bin/pocketgraph.mjs",
    'import { writeFileSync } from "node:fs"; writeFileSync("ran", process.argv[2]);',
  );
  const done = publish("node", folder, { PATH: "" });
  assert.equal(done.status, 0, done.stderr);
  assert.equal(readFileSync(join(folder, "ran"), "utf8"), "build");
});
