// What docs/hosting.md says, done: its nginx settings in a real nginx, and the script of the GitHub Action.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const site = process.env.POCKETGRAPH_SITE;
const scratch = mkdtempSync(join(tmpdir(), "hosting-"));
const running = [];
after(() => {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true });
});

/** A port that nothing listens on. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Status and headers of a file as a browser asks for it. */
const headers = (url) =>
  new Promise((resolve, reject) => {
    get(url, { headers: { "accept-encoding": "gzip, br" } }, (answer) => {
      answer.resume().on("end", () => resolve({ status: answer.statusCode, ...answer.headers }));
    }).on("error", reject);
  });

const nginx = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].find((path) => existsSync(path));

test(
  "the nginx settings of the handbook cache, compress and type a site as it says",
  { skip: nginx ? false : "there is no nginx here" },
  async () => {
    const settings = /```nginx\n([^]*?)```/.exec(readFileSync(join(root, "docs/hosting.md"), "utf8"))[1];
    const port = await freePort();
    const server = settings.replace("listen 80;", `listen 127.0.0.1:${port};`).replace("/var/www/site", site);
    assert.notEqual(server, settings);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${scratch}/${name};`)
      .join("\n");
    const file = join(scratch, "nginx.conf");
    writeFileSync(
      file,
      `daemon off;\nmaster_process off;\npid ${scratch}/pid;\nerror_log stderr;\nevents {}\nhttp ` +
        `{\ninclude /etc/nginx/mime.types;\naccess_log off;\n${temporary}\n${server}}\n`,
    );
    running.push(spawn(nginx, ["-c", file, "-p", scratch], { stdio: ["ignore", "inherit", "inherit"] }));
    const at = `http://127.0.0.1:${port}`;
    for (let i = 0; ; i++) {
      if (
        await headers(`${at}/`).then(
          () => true,
          () => false,
        )
      )
        break;
      assert.ok(i < 100, "nginx does not answer");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const manifest = await headers(`${at}/bundle/manifest.json`);
    assert.deepEqual(
      [manifest.status, manifest["cache-control"], manifest["content-encoding"]],
      [200, "no-cache", "gzip"],
    );
    const section = readdirSync(join(site, "bundle")).find((name) => name.endsWith(".pgs"));
    const lasting = await headers(`${at}/bundle/${section}`);
    assert.deepEqual(
      [lasting.status, lasting["cache-control"], lasting["content-encoding"]],
      [200, "public, max-age=31536000, immutable", undefined],
    );
    const wasm = await headers(`${at}/pkg/pocketgraph_wasm_bg.wasm`);
    assert.deepEqual(
      [wasm.status, wasm["content-type"], wasm["content-encoding"], wasm["cache-control"]],
      [200, "application/wasm", "gzip", "no-cache"],
    );
    const script = await headers(`${at}/pkg/pocketgraph.js`);
    assert.match(script["content-type"], /javascript/);

    const { PocketGraph } = await import(join(site, "pkg/pocketgraph.js"));
    const kg = await PocketGraph.open(`${at}/bundle/`);
    const { hits } = await kg.search("how do I publish the site?", { k: 3 });
    assert.ok(hits.length > 0);
    kg.close();
  },
);

test(
  "the action builds with the program of its own source or the one that is named, and runs nothing that " +
    "its inputs hold",
  () => {
    const here = join(scratch, "action");
    cpSync(join(root, "docs/faq.md"), join(here, "my docs/faq.md"));
    const action = readFileSync(join(root, "action.yml"), "utf8");
    const script = /run: \|\n([^]*)$/.exec(action)[1].replace(/^ {8}/gm, "");
    // Its source, where what builds the program lays the one of this build.
    const source = join(scratch, "source");
    mkdirSync(source);
    const program = process.env.POCKETGRAPH_PROGRAM;
    writeFileSync(
      join(source, "build.sh"),
      `#!/bin/sh\ncd ${source}\nmkdir -p target/release\nln -s ${program} target/release/pocketgraph\n`,
      { mode: 0o755 },
    );
    const environment = {
      ...process.env,
      GITHUB_ACTION_PATH: source,
      POCKETGRAPH_DOCUMENTS: "my docs",
      POCKETGRAPH_OPTIONS: "--no-runtime -q",
    };
    for (const [named, output] of [
      ["", "out; touch hacked"],
      [program, "second"],
    ]) {
      const env = { ...environment, POCKETGRAPH_PROGRAM: named, POCKETGRAPH_OUTPUT: output };
      const done = spawnSync("bash", ["-e", "-c", script], { cwd: here, encoding: "utf8", env });
      assert.equal(done.status, 0, done.stderr);
      assert.ok(existsSync(join(here, output, "manifest.json")));
    }
    assert.ok(!existsSync(join(here, "hacked")));
  },
);
