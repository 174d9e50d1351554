// How long the page's thread is held up while a bundle opens, the query model loads, and searches and answers
// run: the longest task, what of it was work (time on the processor) and not waiting for one, the entries of
// the browser's own `longtask` observer, and the longest gap between frames.
//
//   node tests/browser/long-tasks.mjs [--runs N] SITE
//
// SITE is the built demo page ($POCKETGRAPH_SITE where absent). Tasks are read from the browser's trace of
// the renderer's main thread, where the budget of 16 ms a task is held against the time on the processor: on
// a busy machine wall time says how busy it was. The package is measured on a bare page, with the engine in
// its worker and, beside it, on the page's thread; then the demo page as a reader uses it.

import { launch, newPage } from "./browser.mjs";
import { ask, BOX, CITATION, HIT, modelReady, opened, openMap, part, watchedPage } from "./harness.mjs";
import { serveSite } from "./server.mjs";

const FRAME_MS = 16;
const QUESTION = "what is the difference between a keyword graph and a knowledge graph?";
const OTHERS = [
  "how does hybrid search work?",
  "what leaves my machine when I ask a question?",
  "where is the API key kept?",
  "what is in a bundle?",
];

/** Steps on a bare page: each is one thing that a reader waits for. */
const BARE = [
  [
    "open the bundle",
    async ({ PocketGraph }, { worker }) => {
      window.graph = await PocketGraph.open("/bundle/", { worker });
    },
  ],
  ["first search", async (_, { question }) => void (await window.graph.search(question))],
  [
    "searches by feedback",
    async (_, { others }) => {
      for (const other of others) await window.graph.search(other);
    },
  ],
  ["load the query model", async () => void (await window.graph.prepare())],
  [
    "searches by the model",
    async (_, { question, others }) => {
      for (const other of [question, ...others]) await window.graph.search(other);
    },
  ],
  [
    "answers (the full engine comes)",
    async (_, { question, others }) => {
      for (const other of [question, ...others])
        for await (const event of window.graph.ask(other)) void event;
    },
  ],
];

const options = process.argv.slice(2);
const at = options.indexOf("--runs");
const runs = at >= 0 ? Number(options.splice(at, 2)[1]) : 3;
const folder = options[0] ?? process.env.POCKETGRAPH_SITE;
if (!folder || !(runs > 0)) {
  console.error("Usage: node tests/browser/long-tasks.mjs [--runs N] SITE");
  process.exit(2);
}

/** Watches from inside: the entries of `longtask`, and the gaps between frames. */
function watch() {
  window.seen = { longTasks: [], gap: 0 };
  new PerformanceObserver((list) =>
    window.seen.longTasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: "longtask" });
  let last = performance.now();
  const frame = (now) => {
    window.seen.gap = Math.max(window.seen.gap, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/**
 * Runs `work` under a trace; resolves to the main thread's tasks in it, as { wall, work } in milliseconds,
 * and what was seen from inside.
 */
async function traced(browser, page, work) {
  await page.evaluate(() => (window.seen = { longTasks: [], gap: 0 }));
  await browser.startTracing(page, {
    categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"],
  });
  await work();
  await page.waitForTimeout(100);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const main = mainThreadOf(traceEvents);
  const onMain = traceEvents.filter(({ ph, pid, tid }) => ph === "X" && `${pid} ${tid}` === main);
  // What the measurement itself asks of the page by the debugger's protocol is none of the page's work.
  const ours = onMain.filter(({ args }) =>
    /DevTools/.test(args?.chrome_mojo_event_info?.mojo_interface_tag ?? ""),
  );
  const isOurs = (task) => ours.some(({ ts, dur = 0 }) => ts >= task.ts && ts + dur <= task.ts + task.dur);
  const tasks = onMain
    .filter((event) => /^(RunTask|ThreadControllerImpl::RunTask)$/.test(event.name) && !isOurs(event))
    .map(({ dur = 0, tdur = 0 }) => ({ wall: dur / 1000, work: tdur / 1000 }));
  return { tasks, ...(await page.evaluate(() => window.seen)) };
}

/** The thread on which the page's own marks were made: several renderers may be in one trace. */
function mainThreadOf(events) {
  const busy = new Map();
  const mains = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  for (const { name, dur = 0, pid, tid } of events) {
    const thread = `${pid} ${tid}`;
    if (mains.has(thread) && /RunTask$/.test(name)) busy.set(thread, (busy.get(thread) ?? 0) + dur);
  }
  return [...busy].sort((a, b) => b[1] - a[1])[0]?.[0];
}

const longest = (values) => values.reduce((most, value) => Math.max(most, value), 0);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** One row a step: medians over the runs, but the count of tasks over budget is the worst run's. */
function row(name, measured) {
  const of = (what) => median(measured.map(what)).toFixed(1);
  const over = longest(measured.map(({ tasks }) => tasks.filter(({ work }) => work > FRAME_MS).length));
  const long = longest(measured.map(({ longTasks }) => longTasks.length));
  return (
    `| ${name} | ${of(({ tasks }) => longest(tasks.map(({ work }) => work)))} | ` +
    `${of(({ tasks }) => longest(tasks.map(({ wall }) => wall)))} | ${over} | ${long} | ` +
    `${of(({ gap }) => gap)} |`
  );
}

function heading(title) {
  console.log(`\n${title}\n`);
  console.log(
    `| step | longest task, work (ms) | longest task, wall (ms) | tasks of more than ${FRAME_MS} ms work | ` +
      `\`longtask\` entries | longest gap between frames (ms) |`,
  );
  console.log("|---|---:|---:|---:|---:|---:|");
}

async function bare(browser, site, worker) {
  const results = new Map();
  for (let run = 0; run < runs; run++) {
    const page = await newPage(browser);
    await page.addInitScript(watch);
    await page.goto(`${site.url}icon.svg`);
    // The package's own scripts are loaded before: what they cost is not the engine's.
    await page.evaluate('import("/pkg/pocketgraph.js")');
    const argument = JSON.stringify({ worker, question: QUESTION, others: OTHERS });
    for (const [name, step] of BARE) {
      const measured = await traced(browser, page, () =>
        page.evaluate(`import("/pkg/pocketgraph.js").then((pkg) => (${step})(pkg, ${argument}))`),
      );
      results.set(name, [...(results.get(name) ?? []), measured]);
    }
    await page.context().close();
  }
  heading(
    worker
      ? "The package, the engine in its worker"
      : "The package, the engine on the page's thread (`worker: false`)",
  );
  for (const [name, measured] of results) console.log(row(name, measured));
}

async function demo(browser, site) {
  const results = new Map();
  for (let run = 0; run < runs; run++) {
    const page = await watchedPage(browser);
    await page.addInitScript(watch);
    await page.goto("about:blank");
    const step = async (name, work) =>
      results.set(name, [...(results.get(name) ?? []), await traced(browser, page, work)]);
    await page.goto(`${site.url}icon.svg`);
    await step("load the page and open the bundle", async () => {
      await page.goto(site.url);
      await opened(page);
    });
    await step("type a question, first hits, answer, map", async () => {
      await page.locator(BOX).pressSequentially(QUESTION, { delay: 30 });
      await page.locator(HIT).first().waitFor();
      await page.press(BOX, "Enter");
      await page.locator(CITATION).first().waitFor();
      await openMap(page);
    });
    await step("the query model loads, hits and map are drawn again", async () => {
      await modelReady(page);
      await page.waitForTimeout(500);
    });
    await step("four more questions", async () => {
      for (const other of OTHERS) {
        await ask(page, other);
        await page.waitForFunction(
          (other) => new URLSearchParams(location.hash.slice(1)).get("ask") === other,
          other,
        );
        await page.locator(part("actions")).waitFor();
        await page.waitForTimeout(300);
      }
    });
    await page.context().close();
  }
  heading("The demo page");
  for (const [name, measured] of results) console.log(row(name, measured));
}

const site = await serveSite(folder, { cacheControl: "no-cache" });
const browser = await launch();
console.log(
  `Chromium ${browser.version()}, ${runs} ${runs === 1 ? "run" : "runs"}: medians, of the longest in each ` +
    `run; counts are of the worst run.`,
);
await bare(browser, site, true);
await bare(browser, site, false);
await demo(browser, site);
await browser.close();
await site.close();
