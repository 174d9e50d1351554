// A bundle of other documents than the demo's, for tests in which the one on the host is replaced.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A question that only the other bundle answers. */
export const TIDES = "when does a spring tide come?";

/** Builds it as `folder`/bundle, in the place of one that may be there. */
export async function buildOther(folder) {
  const program = process.env.POCKETGRAPH_PROGRAM;
  assert.ok(program, "Set POCKETGRAPH_PROGRAM to the built program; `./build.sh test` does.");
  const documents = join(folder, "other-documents");
  await mkdir(documents, { recursive: true });
  const text =
    "# Tides\n\nA spring tide comes at full moon and at new moon, because the Sun and the Moon then pull " +
    "together.\n\nA neap tide comes between them.\n";
  await writeFile(join(documents, "tides.md"), text);
  execFileSync(program, ["build", documents, "-o", join(folder, "bundle"), "--no-runtime"], {
    stdio: "ignore",
  });
}
