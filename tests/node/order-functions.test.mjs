// The order that scripts/order-functions.mjs gives to a module's functions.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "order-functions-"));
after(() => rmSync(scratch, { recursive: true }));

/** What the script makes of a module: its exit status, what it says, and the bytes. */
function ordered(bytes) {
  const [from, to] = [join(scratch, "in.wasm"), join(scratch, "out.wasm")];
  writeFileSync(from, bytes);
  const { status, stderr } = spawnSync("node", ["scripts/order-functions.mjs", from, to], {
    cwd: root,
    encoding: "utf8",
  });
  return { status, stderr, bytes: status === 0 ? readFileSync(to) : null };
}

const section = (id, ...items) => {
  const body = items.flat();
  return [id, ...leb(body.length), ...body];
};

function leb(value) {
  return value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];
}

/** A module of functions that each push and drop the given numbers, 0 to 63. */
function moduleOf(functions) {
  const bodies = functions
    .map((numbers) => [0, ...numbers.flatMap((n) => [0x41, n, 0x1a]), 0x0b])
    .map((body) => [...leb(body.length), ...body]);
  const magic = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const types = section(1, [1, 0x60, 0, 0]);
  const declared = section(
    3,
    leb(functions.length),
    functions.map(() => 0),
  );
  return Buffer.from([...magic, ...types, ...declared, ...section(10, leb(functions.length), ...bodies)]);
}

/** The functions of a module in the order of the names that it gives them. */
function order(bytes) {
  const [names] = WebAssembly.Module.customSections(new WebAssembly.Module(bytes), "name");
  const text = Buffer.from(names).toString("latin1");
  const found = [...text.matchAll(/\d{6}/g)].map(([name]) => Number(name));
  return found.map((_, place) => found.indexOf(place));
}

test("functions that have much in common come to stand side by side", () => {
  const rise = Array.from({ length: 60 }, (_, i) => i);
  const jump = Array.from({ length: 60 }, (_, i) => (i * 37 + 11) % 64);
  const [a, b, likeA, likeB] = [[...rise, 1, 2], jump, [...rise, 5], [7, ...jump.slice(1)]];
  const { bytes, stderr } = ordered(moduleOf([a, b, likeA, likeB]));
  assert.ok(bytes, stderr);
  const placed = order(bytes);
  assert.deepEqual(
    [placed.slice(0, 2).sort(), placed.slice(2).sort()],
    [
      [0, 2],
      [1, 3],
    ],
  );
});

test(
  "the package's module keeps all but its names, each function has one place, and the same module " +
    "the same order",
  () => {
    const bytes = readFileSync(join(root, "pkg/dist/pocketgraph_wasm_bg.wasm"));
    const first = ordered(bytes).bytes;
    assert.ok(first.subarray(0, bytes.length).equals(bytes), "what the module holds stands before its names");
    const places = order(first);
    assert.ok(
      places.length > 1000 && places.every((at) => at >= 0) && new Set(places).size === places.length,
    );
    assert.ok(ordered(bytes).bytes.equals(first));
  },
);

test("the sizes of a module are those of its functions, by crate and by name", () => {
  const mangled = [
    "_ZN4text5words17h0123456789abcdefE",
    "_RNvCs5cOc02OMXlo_4text4join",
    "_ZN4base4json17h0123456789abcdefE",
  ];
  const entries = mangled.flatMap((name, i) => [i, ...leb(name.length), ...Buffer.from(name)]);
  const named = section(0, [4, ...Buffer.from("name")], section(1, [mangled.length], entries));
  const path = join(scratch, "named.wasm");
  writeFileSync(path, Buffer.concat([moduleOf([[1, 2], [3], [4, 5, 6]]), Buffer.from(named)]));
  const { status, stdout, stderr } = spawnSync("node", ["scripts/module-sizes.mjs", path, "2"], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const rows = stdout.split("\n").map((line) => line.trim().split(/ +/));
  const [crates, functions] = [
    rows.slice(
      1,
      rows.findIndex(([first]) => !first),
    ),
    rows.slice(-3, -1),
  ];
  assert.deepEqual(crates, [
    ["13", "2", "text"],
    ["11", "1", "base"],
  ]);
  assert.deepEqual(functions, [
    ["11", "base::json"],
    ["8", "text::words"],
  ]);
});

test("what is no module, or ends early, is refused and not written", () => {
  const whole = moduleOf([[1, 2], [3]]);
  for (const bad of [
    Buffer.alloc(0),
    Buffer.from("no module at all"),
    whole.subarray(0, 8),
    whole.subarray(0, 16),
  ]) {
    assert.notEqual(ordered(bad).status, 0);
  }
});
