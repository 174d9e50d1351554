// Makes the npm packages: `pocketgraph` (the browser and Node runtime, and a launcher), and the program's
// package for one platform.
//
//   node packaging/npm/pack.mjs --platform linux-x64 --program target/release/pocketgraph --package pkg --out
//   target/package/npm

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Each package of the program: what npm must find before it installs it. */
const PLATFORMS = {
  "linux-x64": { os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
  "linux-x64-musl": { os: ["linux"], cpu: ["x64"], libc: ["musl"] },
  "linux-arm64": { os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
  "linux-arm64-musl": { os: ["linux"], cpu: ["arm64"], libc: ["musl"] },
  "darwin-x64": { os: ["darwin"], cpu: ["x64"] },
  "darwin-arm64": { os: ["darwin"], cpu: ["arm64"] },
  "win32-x64": { os: ["win32"], cpu: ["x64"] },
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const here = dirname(fileURLToPath(import.meta.url));
const { values: given } = parseArgs({
  options: {
    platform: { type: "string" },
    program: { type: "string" },
    package: { type: "string" },
    out: { type: "string" },
  },
});
const fail = (message) => {
  console.error(`pack: ${message}`);
  process.exit(1);
};
if (!given.program || !given.package || !given.out) fail("--program, --package and --out are needed");
if (!(given.platform in PLATFORMS)) fail(`--platform is one of ${Object.keys(PLATFORMS).join(", ")}`);

const runtime = JSON.parse(readFileSync(join(given.package, "package.json"), "utf8"));
const { version } = runtime;
const cargo = /\[workspace\.package\]\s+version = "(.*)"/.exec(
  readFileSync(join(root, "Cargo.toml"), "utf8"),
)?.[1];
if (version !== cargo) fail(`pkg/package.json says version ${version}, Cargo.toml ${cargo}`);

/**
 * The licences and notices that travel with every package. The runtime brings the list of its own crates,
 * which are others than the program's.
 */
function notices(folder) {
  for (const name of ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"]) {
    if (!existsSync(join(folder, name))) cpSync(join(root, name), join(folder, name));
  }
  cpSync(join(root, "models/NOTICE"), join(folder, "NOTICE"));
}

/** Packs a folder into `out`. */
function pack(folder) {
  const done = spawnSync("npm", ["pack", "--silent", "--pack-destination", given.out], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status !== 0) fail(`npm pack in ${folder}: ${done.stderr}`);
  console.log(join(given.out, done.stdout.trim()));
}

const staging = join(given.out, "staging");
rmSync(given.out, { recursive: true, force: true });
mkdirSync(staging, { recursive: true });

const main = join(staging, "pocketgraph");
cpSync(given.package, main, { recursive: true });
mkdirSync(join(main, "bin"));
cpSync(join(here, "bin/pocketgraph.mjs"), join(main, "bin/pocketgraph.mjs"));
notices(main);
const optional = Object.fromEntries(Object.keys(PLATFORMS).map((p) => [`@pocketgraph/${p}`, version]));
writeFileSync(
  join(main, "package.json"),
  JSON.stringify(
    {
      ...runtime,
      bin: { pocketgraph: "bin/pocketgraph.mjs" },
      files: [...new Set([...runtime.files, "bin", "LICENSE*", "NOTICE", "THIRD-PARTY.txt", "README.md"])],
      optionalDependencies: optional,
    },
    null,
    2,
  ) + "\n",
);
pack(main);

const own = join(staging, given.platform);
mkdirSync(join(own, "bin"), { recursive: true });
const file = given.platform.startsWith("win32") ? "pocketgraph.exe" : "pocketgraph";
cpSync(given.program, join(own, "bin", file));
chmodSync(join(own, "bin", file), 0o755);
notices(own);
writeFileSync(
  join(own, "package.json"),
  JSON.stringify(
    {
      name: `@pocketgraph/${given.platform}`,
      version,
      description: `The program of pocketgraph for ${given.platform}`,
      license: runtime.license,
      ...PLATFORMS[given.platform],
      files: ["bin", "LICENSE*", "NOTICE", "THIRD-PARTY.txt"],
      preferUnplugged: true,
    },
    null,
    2,
  ) + "\n",
);
pack(own);
