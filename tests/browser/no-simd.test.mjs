// A Chromium whose WebAssembly has no SIMD, as on a processor that lacks the instructions: the reader is told
// so in one sentence.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, newPage } from "./browser.mjs";
import { BOX, harness, part, use } from "./harness.mjs";

const t = harness();

let plain;
before(async () => {
  // V8 gives WebAssembly no SIMD where it may not use these instructions.
  plain = await launch({ jsFlags: "--no-enable-sse4-1" });
});
after(() => plain?.close());

for (const worker of [true, false]) {
  test(
    `without SIMD a bundle is refused ${worker ? "in a worker" : "on the page's thread"}, and no ` +
      `module is fetched`,
    async (context) => {
      const page = await newPage(plain);
      await page.goto(`${t.site.url}icon.svg`);
      const before = t.site.requests.length;
      const refused = await use(
        page,
        async ({ PocketGraph }, worker) => void (await PocketGraph.open("/bundle/", { worker })),
        worker,
      );
      if (!refused) return context.skip("this processor's SIMD cannot be switched off");
      assert.equal(refused.code, "unsupported-browser");
      assert.deepEqual(
        t.site.requests.slice(before).filter((path) => path.endsWith(".wasm")),
        [],
      );
      await page.context().close();
    },
  );
}

test("without SIMD the component says that the browser is too old", async (context) => {
  const page = await newPage(plain);
  await page.goto(t.site.url);
  await page.locator(BOX).fill("how does hybrid search work?");
  const said = page
    .locator(part("error"))
    .or(page.locator(part("hit")))
    .first();
  await said.waitFor();
  if ((await said.getAttribute("part")) === "hit")
    return context.skip("this processor's SIMD cannot be switched off");
  assert.match(await said.textContent(), /This browser is too old for the search/);
  await page.context().close();
});
