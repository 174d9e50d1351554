// Use without a network: what the service worker keeps, what it never touches, when it removes, and what
// becomes of a full storage.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  ask,
  askAndRead,
  assertClean,
  CITATION,
  FAILED_LOAD,
  harness,
  HIT,
  modelReady,
  opened,
  part,
  QUESTION,
  use,
  watchedPage,
} from "./harness.mjs";
import { newPage } from "./browser.mjs";
import { buildOther, TIDES } from "./other-bundle.mjs";
import { serveSite, strictPolicy } from "./server.mjs";

const t = harness();
const temporary = [];
after(async () => {
  for (const folder of temporary) await rm(folder, { recursive: true, force: true });
});

/** A site of its own for one test: its address, and so what a browser keeps of it, is new. */
async function ownSite(folder = t.folder) {
  const site = await serveSite(folder, { policy: strictPolicy(t.llm.origin), cacheControl: "no-cache" });
  return site;
}

/** A copy of the site whose bundle may be changed. */
async function copyOfSite() {
  const folder = await mkdtemp(join(tmpdir(), "pocketgraph-offline-"));
  temporary.push(folder);
  await cp(t.folder, folder, { recursive: true });
  return folder;
}

const start = async (site, { keep = "visited" } = {}) => {
  const page = await watchedPage(t.browser);
  await page.goto(`${site.url}icon.svg`);
  const begun = await use(
    page,
    async ({ PocketGraph }, keep) => {
      window.copy = await PocketGraph.offline({ bundle: "/bundle/", worker: "/offline-worker.js", keep });
      window.heard = [];
      for (const type of ["updated", "storage-full", "problem"])
        window.copy.addEventListener(type, (event) => window.heard.push(type));
      return window.copy.status();
    },
    keep,
  );
  assert.ok(!begun.code, begun.message);
  return page;
};

const search = async ({ PocketGraph }, question) => {
  const graph = await PocketGraph.open("/bundle/");
  const result = await graph.search(question);
  await graph.close();
  return { hits: result.hits.map(({ text }) => text), missing: result.missing };
};

const keptFiles = (page) =>
  page.evaluate(async () => {
    const addresses = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) addresses.push(new URL(url).pathname);
    return addresses;
  });

test(
  "what was visited works with the network cut and the server gone, and what was not is said " +
    "to be missing",
  async () => {
    const site = await ownSite();
    const page = await start(site);
    await page.goto(site.url);
    await askAndRead(page);
    await modelReady(page);
    await page.waitForTimeout(300);
    await page.context().setOffline(true);
    await site.close();
    const asked = site.requests.length;

    await page.reload();
    await opened(page);
    await askAndRead(page);
    assert.match(await page.locator(HIT).first().innerText(), /keyword graph/i);
    await modelReady(page);
    assert.equal(await page.locator(`${part("error")}:not([hidden])`).count(), 0);

    // A question whose parts were never fetched: hits or a clear word, never silence.
    await ask(page, "which licence does a contribution have, and who may sue?");
    await page.waitForFunction(() => !window.part("error").hidden || window.part("hit"));
    assert.equal(site.requests.length, asked);

    await page.context().setOffline(false);
    await site.reopen();
    await page.reload();
    await askAndRead(page);
    assert.ok(site.requests.length > asked, "the network is asked again once it is there");
    await assertClean(page, FAILED_LOAD);
    await page.context().close();
    await site.close();
  },
);

test(
  "a page that asks for all of it works on what it never visited, says how much it keeps, and " +
    "gives it back",
  async () => {
    const site = await ownSite();
    const page = await start(site);
    const asked = site.requests.length;
    const seen = await use(page, async () => {
      const progress = [];
      const status = await window.copy.fetchAll({ onProgress: (told) => progress.push(told) });
      return { status, progress };
    });
    assert.ok(!seen.code, seen.message);
    const fetched = site.requests.slice(asked);
    assert.ok(fetched.length <= 60, `${fetched.length} requests: ${fetched.join(" ")}`);
    const [bundle] = seen.status.bundles;
    assert.equal(bundle.complete, true);
    assert.equal(bundle.bytes, bundle.totalBytes);
    assert.ok(seen.status.controlled && seen.status.bytes > bundle.bytes && seen.status.quota > 0);
    const last = seen.progress.at(-1);
    assert.ok(seen.progress.length > 3 && last.loaded === last.total && last.total > 1e6);
    const kept = await keptFiles(page);
    const files = (await readdir(join(t.folder, "bundle"), { recursive: true })).filter(
      (name) => name.endsWith(".pgs") && !name.startsWith("table/"),
    );
    assert.ok(files.length > 40 && files.every((name) => kept.includes(`/bundle/${name}`)));
    assert.ok(
      kept.includes("/pkg/pocketgraph_full_bg.wasm") && kept.includes("/pkg/pocketgraph_relaxed.wasm"),
    );
    assert.ok(
      kept.includes("/pkg/many-graphs.js") && kept.includes("/pkg/worker.js"),
      "what was packed is kept by its own addresses",
    );

    await page.context().setOffline(true);
    await site.close();
    const found = await use(page, async ({ PocketGraph }) => {
      const graph = await PocketGraph.open("/bundle/");
      const before = await graph.search("who can read a published bundle?");
      await graph.prepare();
      const after = await graph.search("which error codes come from a language model?");
      let answer;
      for await (const event of graph.ask("what is a chunk?"))
        if (event.type === "done") answer = event.answer;
      return {
        before: before.missing,
        stage: after.stage,
        missing: after.missing,
        hits: after.hits.length,
        answered: answer.answered,
      };
    });
    assert.deepEqual(found, { before: [], stage: "model", missing: [], hits: 10, answered: true });

    await use(page, async () => window.copy.remove());
    assert.deepEqual(await keptFiles(page), []);
    assert.equal(
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
      0,
    );
    await page.context().close();
  },
);

test(
  "nothing but the page, the package and the bundle is kept: no language model, no other origin, no " +
    "range, nothing marked no-store",
  async () => {
    const site = await ownSite();
    const page = await start(site);
    t.llm.behaviour = "stream";
    t.llm.text = "A keyword graph joins keywords [1].";
    const before = t.llm.requests.length;
    const seen = await use(
      page,
      async ({ PocketGraph }, { llm, question }) => {
        const graph = await PocketGraph.open("/bundle/");
        let by;
        for await (const event of graph.ask(question, { llm }))
          if (event.type === "done") by = event.answer.by;
        // What a page of this origin may ask for besides: an interface, a form, a part of a file.
        await fetch("/v1/models.json?key=secret").catch(() => {});
        await fetch("/index.html", { method: "POST", body: "question" });
        await fetch("/style.css", { headers: { range: "bytes=0-9" } });
        await fetch("/app.js", { headers: { authorization: "Bearer secret" } });
        return { by };
      },
      { question: QUESTION, llm: { baseUrl: t.llm.url, model: "m", apiKey: "secret" } },
    );
    assert.equal(seen.by, "llm", seen.message);
    assert.equal(t.llm.requests.length, before + 1);
    site.cacheControl = "no-store";
    await page.goto(`${site.url}?q=private`);
    site.cacheControl = "no-cache";
    await page.waitForTimeout(300);
    const kept = await page.evaluate(async () => {
      const found = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) found.push(url);
      return found;
    });
    assert.ok(kept.length > 10);
    for (const url of kept) {
      assert.ok(url.startsWith(site.url), url);
      assert.doesNotMatch(url, /models|secret|private|chat|index\.html|style\.css|\/app\.js/, url);
    }
    await page.context().close();
    await site.close();
  },
);

test("a file that arrives damaged is not kept, and the sound one is, once it comes", async () => {
  const site = await ownSite();
  const page = await start(site);
  site.faults.set("/bundle/chunks/", { kind: "corrupt" });
  const damaged = await use(page, search, QUESTION);
  assert.ok(damaged.code || damaged.missing.length > 0, JSON.stringify(damaged));
  await page.waitForTimeout(200);
  assert.ok(!(await keptFiles(page)).some((path) => path.includes("/bundle/chunks/")));
  site.faults.clear();
  const sound = await use(page, search, QUESTION);
  assert.deepEqual(sound.missing, []);
  await page.waitForTimeout(200);
  assert.ok((await keptFiles(page)).some((path) => path.includes("/bundle/chunks/")));
  await page.context().close();
  await site.close();
});

test(
  "a replaced bundle is taken over, two tabs or one: the old files stay while a page uses them, and " +
    "go after it",
  async () => {
    const folder = await copyOfSite();
    const site = await ownSite(folder);
    const page = await start(site);
    await use(page, async () => window.copy.fetchAll().then(() => null));
    const oldFiles = (await keptFiles(page)).filter((path) => path.endsWith(".pgs"));
    await use(
      page,
      async ({ PocketGraph }, question) => {
        window.graph = await PocketGraph.open("/bundle/");
        return (await window.graph.search(question)).hits.length;
      },
      QUESTION,
    );

    await buildOther(folder);
    const second = await page.context().newPage();
    await second.goto(`${site.url}icon.svg`);
    const fresh = await use(second, search, TIDES);
    assert.ok(!fresh.code, fresh.message);
    assert.match(fresh.hits[0], /full moon/);
    await page.waitForFunction(() => window.heard.includes("updated"));

    // The first tab has the old bundle open: all of it is still there for it, from what is kept.
    const stillOld = await use(
      page,
      async (_, question) => {
        const result = await window.graph.search(question);
        return {
          missing: result.missing,
          passage: (await window.graph.passage(result.hits[9].chunk)).text.length,
        };
      },
      "which error codes come from a language model?",
    );
    assert.ok(!stillOld.code, stillOld.message);
    assert.deepEqual(stillOld.missing, []);
    assert.ok(stillOld.passage > 0);

    // Without the network, the second tab opens the new one.
    await page.evaluate(() => window.graph.close());
    await page.close();
    await use(second, search, TIDES);
    await second.waitForFunction(
      async (old) => {
        for (const name of await caches.keys()) {
          for (const { url } of await (await caches.open(name)).keys())
            if (old.includes(new URL(url).pathname)) return false;
        }
        return true;
      },
      oldFiles.filter((path) => !path.includes("/words/") && !path.includes("model")),
      { polling: 200 },
    );
    await second.context().setOffline(true);
    await site.close();
    const offline = await use(second, search, TIDES);
    assert.ok(!offline.code, offline.message);
    assert.match(offline.hits[0], /full moon/);
    await second.context().close();
  },
);

test("a bundle that is replaced while the network dies is not opened by halves: the old one is, whole", async () => {
  const folder = await copyOfSite();
  const site = await ownSite(folder);
  const page = await start(site);
  await use(page, async () => window.copy.fetchAll().then(() => null));
  await buildOther(folder);
  // Its manifest arrives, nothing else does.
  site.faults.set(".pgs", { kind: "cut" });
  const half = await use(page, search, TIDES);
  assert.ok(half.hits.length === 0 && half.missing.length > 0, JSON.stringify(half));
  site.faults.set("/", { kind: "cut" });
  const whole = await use(page, search, QUESTION);
  assert.ok(!whole.code, whole.message);
  assert.deepEqual(whole.missing, []);
  assert.match(whole.hits[0], /keyword graph/i);
  await page.context().close();
  await site.close();
});

test("a full storage is said once, stops nothing, and what was wanted whole is refused with its size", async () => {
  const site = await ownSite();
  const page = await start(site);
  const session = await page.context().newCDPSession(page);
  const { usage } = await session.send("Storage.getUsageAndQuota", { origin: new URL(site.url).origin });
  await session.send("Storage.overrideQuotaForOrigin", {
    origin: new URL(site.url).origin,
    quotaSize: Math.round(usage + 50_000),
  });
  const found = await use(
    page,
    async ({ PocketGraph }, question) => {
      const graph = await PocketGraph.open("/bundle/");
      await graph.search(question);
      await graph.prepare();
      const result = await graph.search(question);
      const again = await graph.search("how does hybrid search work?");
      return { stage: result.stage, missing: [...result.missing, ...again.missing], hits: again.hits.length };
    },
    QUESTION,
  );
  assert.deepEqual(found, { stage: "model", missing: [], hits: 10 });
  await page.waitForFunction(() => window.heard.includes("storage-full"));
  assert.equal((await page.evaluate(() => window.heard)).filter((type) => type === "storage-full").length, 1);
  const refused = await use(page, async () => window.copy.fetchAll());
  assert.equal(refused.code, "storage-full");
  assert.match(refused.message, /\d MB are wanted and \d/);
  const status = await use(page, async () => window.copy.status());
  assert.equal(status.full, true);

  // Once there is room, keeping goes on.
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(site.url).origin });
  const whole = await use(page, async () => window.copy.fetchAll());
  assert.deepEqual([whole.full, whole.bundles?.[0].complete], [false, true], whole.message);
  await page.context().close();
  await site.close();
});

test("fetching all of it can be stopped, and goes on where it was", async () => {
  const site = await ownSite();
  const page = await start(site);
  const seen = await use(page, async () => {
    const controller = new AbortController();
    const stopped = await window.copy
      .fetchAll({ signal: controller.signal, onProgress: ({ loaded }) => loaded > 0 && controller.abort() })
      .catch(({ code }) => code);
    const first = [];
    const status = await window.copy.fetchAll({ onProgress: ({ total }) => first.push(total) });
    return {
      stopped,
      left: first[0],
      whole: status.bundles[0].totalBytes,
      complete: status.bundles[0].complete,
    };
  });
  assert.ok(!seen.code, seen.message);
  assert.equal(seen.stopped, "aborted");
  assert.ok(seen.left < seen.whole, "what was kept is not fetched again");
  assert.equal(seen.complete, true);
  await page.context().close();
  await site.close();
});

test("a bundle that was open before keeping began is kept with what it had fetched", async () => {
  const site = await ownSite();
  const page = await newPage(t.browser);
  await page.goto(`${site.url}icon.svg`);
  const before = await use(
    page,
    async ({ PocketGraph }, question) => {
      window.graph = await PocketGraph.open("/bundle/");
      const result = await window.graph.search(question);
      await PocketGraph.offline({ bundle: "/bundle/", worker: "/offline-worker.js" });
      return { hits: result.hits.length };
    },
    QUESTION,
  );
  assert.equal(before.hits, 10, before.message);
  await page.context().setOffline(true);
  await site.close();
  const found = await use(page, search, QUESTION);
  assert.ok(!found.code, found.message);
  assert.equal(found.hits.length, 10);
  assert.deepEqual(found.missing, []);
  await page.context().close();
});

test("pages that are one reader's are not kept, and a kept one goes when it becomes such", async () => {
  const folder = await copyOfSite();
  const pages = ["private", "stored", "varied", "plain", "later"];
  for (const name of pages)
    await writeFile(join(folder, `${name}.html`), `<!doctype html><link rel="icon" href="data:,"><p>${name}`);
  const site = await ownSite(folder);
  const page = await start(site);
  site.faults.set("/private.html", { kind: "headers", headers: { "cache-control": "private, no-cache" } });
  site.faults.set("/stored.html", { kind: "headers", headers: { "cache-control": "no-store" } });
  site.faults.set("/varied.html", { kind: "headers", headers: { vary: "Accept-Encoding, Cookie" } });
  const kept = async () =>
    (await keptFiles(page)).filter((path) => pages.some((name) => path === `/${name}.html`)).sort();
  for (const name of pages) await page.goto(`${site.url}${name}.html`);
  await page.waitForTimeout(500);
  assert.deepEqual(await kept(), ["/later.html", "/plain.html"]);
  site.faults.set("/later.html", { kind: "headers", headers: { "cache-control": "private" } });
  await page.goto(`${site.url}later.html`);
  await page.waitForTimeout(500);
  assert.deepEqual(await kept(), ["/plain.html"]);
  await page.context().close();
  await site.close();
});

test("documents are kept apart by queries that make a difference, and no query is stored as it was typed", async () => {
  const folder = await copyOfSite();
  for (const name of ["same", "apart"]) {
    await writeFile(join(folder, `${name}.html`), `<!doctype html><link rel="icon" href="data:,"><p>${name}`);
  }
  const site = await ownSite(folder);
  const page = await start(site);
  site.faults.set("/apart.html", { kind: "query" });
  for (const query of ["?id=1", "?id=2", "?id=3", ""]) await page.goto(`${site.url}apart.html${query}`);
  for (const query of ["?q=secret", ""]) await page.goto(`${site.url}same.html${query}`);
  await page.waitForTimeout(500);
  const addresses = await page.evaluate(async () => {
    const found = [];
    for (const name of await caches.keys())
      found.push(...(await (await caches.open(name)).keys()).map(({ url }) => url));
    return found;
  });
  assert.ok(!addresses.some((url) => /secret|id=/.test(url)), addresses.join("\n"));
  site.faults.clear();
  site.faults.set("/", { kind: "cut" });
  const shown = async (path) => {
    const answer = await page.goto(site.url + path).catch(() => null);
    return answer && page.evaluate(() => document.querySelector("p").textContent);
  };
  for (const query of ["?id=2", "", "?id=1", "?id=3"])
    assert.equal(await shown(`apart.html${query}`), `apart${query}`);
  assert.equal(await shown("same.html?q=other"), "same");
  assert.equal(await shown("apart.html?id=4"), null);
  await page.context().close();
  await site.close();
});

test("of queries of a document no more than forty are kept", async () => {
  const folder = await copyOfSite();
  await writeFile(join(folder, "many.html"), `<!doctype html><link rel="icon" href="data:,"><p>many`);
  const site = await ownSite(folder);
  const page = await start(site);
  site.faults.set("/many.html", { kind: "query" });
  for (let id = 0; id < 50; id++) await page.goto(`${site.url}many.html?id=${id}`);
  await page.waitForTimeout(500);
  const kept = (await keptFiles(page)).filter((path) => path === "/many.html");
  assert.equal(kept.length, 40);
  await page.context().close();
  await site.close();
});

test("a response without end is read to its limit and not kept", async () => {
  const folder = await copyOfSite();
  await writeFile(join(folder, "endless.wasm"), "");
  const site = await ownSite(folder);
  const page = await start(site);
  const manifest = { kind: "endless", sent: 0 };
  const file = { kind: "endless", sent: 0 };
  site.faults.set("/endless.wasm", file);
  await page.evaluate(async () => (await fetch("/endless.wasm")).body.cancel());
  site.faults.set("/manifest.json", manifest);
  await page.evaluate(() =>
    fetch("/bundle/manifest.json")
      .then((response) => response.text())
      .catch(() => ""),
  );
  for (const [fault, most] of [
    [manifest, 32],
    [file, 192],
  ]) {
    let before = -1;
    for (let turn = 0; turn < 60 && before !== fault.sent; turn++) {
      before = fault.sent;
      await page.waitForTimeout(500);
    }
    assert.ok(fault.sent > 0 && fault.sent < most << 20, `${fault.sent} bytes were sent`);
  }
  assert.ok(!(await keptFiles(page)).includes("/endless.wasm"));
  await page.context().close();
  await site.close();
});

test("a slow host is not waited for where there is a kept copy", async () => {
  const site = await ownSite();
  const page = await start(site);
  await page.goto(site.url);
  await askAndRead(page);
  await modelReady(page);
  await askAndRead(page);
  await page.waitForTimeout(500);
  site.faults.set("/", { kind: "hang" });
  await page.goto(`${site.url}#ask=${encodeURIComponent(QUESTION)}`);
  await page.reload({ timeout: 20_000 });
  await page.locator(CITATION).first().waitFor({ timeout: 20_000 });
  assert.match(await page.locator(HIT).first().innerText(), /keyword graph/i);
  await page.context().close();
  await site.close();
});

test("offline is refused by name: for another origin, without a bundle, and without the worker", async () => {
  const site = await ownSite();
  const page = await newPage(t.browser);
  await page.goto(`${site.url}icon.svg`);
  const codes = await use(page, async ({ PocketGraph }) => {
    const codeOf = (options) =>
      PocketGraph.offline(options).then(
        () => "done",
        (error) => error.code,
      );
    return [
      await codeOf({ bundle: "https://elsewhere.example/bundle/" }),
      await codeOf({}),
      await codeOf({ bundle: "/bundle/", keep: "some" }),
      await codeOf({ bundle: "/bundle/", worker: "/nowhere.js" }),
    ];
  });
  assert.deepEqual(codes, ["bad-argument", "bad-argument", "bad-argument", "offline-unavailable"]);
  await page.context().close();
  await site.close();
});

test("the reader chooses in the settings what is kept, sees how much, and removes it", async () => {
  const site = await ownSite();
  const page = await watchedPage(t.browser);
  await page.goto(site.url);
  await opened(page);
  assert.deepEqual(await keptFiles(page), [], "nothing is kept unasked");
  await page.click("#settings-button");
  await page.selectOption("#offline", "all");
  await page.waitForFunction(
    () =>
      /The whole of these documents is kept: [\d.]+ MB/.test(
        document.querySelector("#offline-state").textContent,
      ),
    null,
    { timeout: 60_000 },
  );
  await page.context().setOffline(true);
  await site.close();
  await page.reload();
  await askAndRead(page, "who can read a published bundle?");
  await page.click("#settings-button");
  await page.waitForFunction(() => document.querySelector("#offline").value === "all");
  await page.selectOption("#offline", "");
  await page.waitForFunction(async () => (await caches.keys()).length === 0);
  await assertClean(page, FAILED_LOAD);
  await page.context().close();
});

test("the component keeps what was visited where its attribute says so", async () => {
  const site = await ownSite();
  const page = await newPage(t.browser);
  await page.goto(site.url);
  await page.evaluate(async (question) => {
    await import("/pkg/ask-element.js");
    const element = document.createElement("pocketgraph-ask");
    for (const [name, value] of [
      ["src", "/bundle/"],
      ["offline", "visited"],
      ["model", "off"],
    ])
      element.setAttribute(name, value);
    window.kept = new Promise((resolve) =>
      element.addEventListener("pocketgraph-offline", ({ detail }) => resolve(detail)),
    );
    document.body.prepend(element);
    await element.ask(question);
  }, QUESTION);
  // What an answer needed is kept behind its back.
  const kept = await page.waitForFunction(async () => {
    const [bundle] = (await (await window.kept).status()).bundles;
    return bundle?.files > 3 && bundle.bytes > 10_000 && bundle;
  });
  assert.equal((await kept.jsonValue()).complete, false);
  await page.context().close();
  await site.close();
});

test("the list of a bundle's files is true", async () => {
  const [head, ...lines] = (await readFile(join(t.folder, "bundle/files.txt"), "utf8")).trimEnd().split("\n");
  const manifest = await readFile(join(t.folder, "bundle/manifest.json"));
  assert.equal(head, `pocketgraph-files 1 ${createHash("sha256").update(manifest).digest("hex")}`);
  const there = (await readdir(join(t.folder, "bundle"), { recursive: true }))
    .filter((name) => name.endsWith(".pgs"))
    .sort();
  assert.deepEqual(lines.map((line) => line.split(" ")[1]).sort(), there);
});
