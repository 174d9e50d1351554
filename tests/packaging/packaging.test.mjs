// The packed package in the projects that people have: each is installed from the registry, built without a
// setting of its own, and asked a question in a browser. POCKETGRAPH_HOSTS names which (all where it is not
// set). A host that cannot be installed, for want of a network, is left out, and that is said.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, newPage } from "../browser/browser.mjs";
import { serveSite } from "../browser/server.mjs";

const ELEMENT = '<pocketgraph-ask src="/bundle/" recent="off"></pocketgraph-ask>';
const page = (script) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" ` +
  `href="data:,">${script}</head><body>${ELEMENT}</body></html>`;
const IMPORT = 'import "pocketgraph/ask-element.js";\n';
const VITE = {
  build: ["npx", "vite", "build"],
  out: "dist",
  files: { "index.html": page('<script type="module" src="/main.js"></script>'), "main.js": IMPORT },
};

// A page's own part of these frameworks, each as its documentation says to add a custom element: the package
// is imported where the framework also renders on a server, and the element stands in the page.
const NEXT = {
  files: {
    "app/layout.jsx":
      'export default function Layout({ children }) {\n  return <html lang="en"><head><link rel="icon" ' +
      'href="data:," /></head><body>{children}</body></html>;\n}\n',
    "app/ask.jsx":
      `"use client";\n${IMPORT}export default function Ask() {\n  return <pocketgraph-ask ` +
      `src="/bundle/" recent="off" />;\n}\n`,
    "app/page.jsx": 'import Ask from "./ask.jsx";\nexport default function Page() {\n  return <Ask />;\n}\n',
    "next.config.mjs": 'export default { output: "export" };\n',
  },
  build: ["npx", "next", "build"],
  out: "out",
};

/** What each host needs from the registry, its files, how it is built, and where the pages are then. */
const HOSTS = {
  plain: {
    packages: [],
    files: {
      "index.html": page(
        '<script type="module" src="/node_modules/pocketgraph/dist/ask-element.js"></script>',
      ),
    },
    out: ".",
  },
  "vite 5": { packages: ["vite@5"], ...VITE },
  "vite 6": { packages: ["vite@6"], ...VITE },
  "vite 7": { packages: ["vite@7"], ...VITE },
  "vite 8": { packages: ["vite@8"], ...VITE },
  "webpack 5": {
    packages: ["webpack@5", "webpack-cli@6"],
    files: { "src/index.js": IMPORT, "dist/index.html": page('<script defer src="/main.js"></script>') },
    build: ["npx", "webpack", "--mode", "production"],
    out: "dist",
  },
  esbuild: {
    packages: ["esbuild@0.28.2"],
    files: { "main.js": IMPORT, "dist/index.html": page('<script type="module" src="/main.js"></script>') },
    // What esbuild does not follow (addresses of files beside a module) is copied, as its documentation says.
    build: ["npx", "esbuild", "main.js", "--bundle", "--format=esm", "--outdir=dist"],
    beside: true,
    out: "dist",
  },
  astro: {
    packages: ["astro@5"],
    files: {
      "src/pages/index.astro": `---\n---\n${page('<script>import "pocketgraph/ask-element.js";</script>')}\n`,
    },
    build: ["npx", "astro", "build"],
    out: "dist",
    // Its worker's files have names of another pattern than its page's, and so stand there twice; a reader
    // fetches one of them.
    twice: true,
  },
  "next 15": { packages: ["next@15", "react@19", "react-dom@19"], ...NEXT },
  "next 16": { packages: ["next@16", "react@19", "react-dom@19"], ...NEXT },
  vitepress: {
    packages: ["vitepress@1"],
    files: {
      ".vitepress/config.mjs":
        'export default { title: "A site", head: [["link", { rel: "icon", href: "data:," }]], vue: { ' +
        'template: { compilerOptions: { isCustomElement: (tag) => tag === "pocketgraph-ask" } } } };\n',
      ".vitepress/theme/index.js": `import DefaultTheme from "vitepress/theme-without-fonts";\n${IMPORT}export default DefaultTheme;\n`,
      "index.md": `# A page\n\n${ELEMENT}\n`,
    },
    build: ["npx", "vitepress", "build"],
    out: ".vitepress/dist",
    twice: true,
  },
  docusaurus: {
    packages: ["@docusaurus/core@3", "@docusaurus/preset-classic@3", "react@19", "react-dom@19"],
    files: {
      "package.json": '{ "private": true }',
      "docusaurus.config.js":
        `module.exports = { title: "A site", url: "https://example.org", baseUrl: ` +
        `"/", presets: [["classic", { docs: false, blog: false, theme: {} }]], clientModules: ` +
        `[require.resolve("./ask.js")], headTags: [{ tagName: "link", attributes: { rel: "icon", href: ` +
        `"data:," } }] };\n`,
      "ask.js": IMPORT,
      "src/pages/index.js":
        'import BrowserOnly from "@docusaurus/BrowserOnly";\n\nexport default function Page() {\n  return ' +
        '<BrowserOnly>{() => <pocketgraph-ask src="/bundle/" recent="off" />}</BrowserOnly>;\n}\n',
    },
    build: ["npx", "docusaurus", "build"],
    out: "build",
  },
  sveltekit: {
    packages: [
      "@sveltejs/kit@2",
      "@sveltejs/adapter-static@3",
      "@sveltejs/vite-plugin-svelte@6",
      "svelte@5",
      "vite@7",
    ],
    files: {
      "svelte.config.js":
        'import adapter from "@sveltejs/adapter-static";\nexport default { kit: { adapter: adapter() } };\n',
      "vite.config.js":
        'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
      "src/app.html":
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" ' +
        'href="data:,">%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>\n',
      "src/routes/+layout.js": "export const prerender = true;\n",
      // Its crawler follows every address in a page, and a folder is no file: the bundle is named by its
      // manifest.
      "src/routes/+page.svelte": `<script>\n  ${IMPORT}</script>\n\n${ELEMENT.replace("/bundle/", "/bundle/manifest.json")}\n`,
    },
    bundle: "static/bundle",
    build: ["npx", "vite", "build"],
    out: "build",
    twice: true,
  },
};

const scratch = mkdtempSync(join(tmpdir(), "pocketgraph-packaging-"));
const wanted = (process.env.POCKETGRAPH_HOSTS || Object.keys(HOSTS).join(",")).split(",");
let tarball;
let browser;

before(async () => {
  const folder = fileURLToPath(new URL("../../pkg", import.meta.url));
  const done = spawnSync("npm", ["pack", "--silent", "--pack-destination", scratch], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(done.status, 0, done.stderr);
  tarball = join(scratch, done.stdout.trim());
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

function run(folder, [command, ...args]) {
  const done = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1", NEXT_TELEMETRY_DISABLED: "1", CI: "1" },
  });
  return { ok: done.status === 0, said: `${done.stdout}\n${done.stderr}` };
}

/** All files below a folder. */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());

for (const name of wanted) {
  test(`${name}: the packed package builds as it is and answers`, async (t) => {
    const { packages, files, build, out, beside, twice, bundle } = HOSTS[name];
    const folder = join(scratch, name.replaceAll(" ", "-"));
    for (const [file, text] of Object.entries({
      "package.json": '{ "private": true, "type": "module" }',
      ...files,
    })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    if (bundle)
      cpSync(join(process.env.POCKETGRAPH_SITE, "bundle"), join(folder, bundle), { recursive: true });
    const installed = run(folder, [
      "npm",
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--loglevel=error",
      tarball,
      ...packages,
    ]);
    if (!installed.ok && /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(installed.said)) {
      console.log(`==> ${name}: left out, for the registry cannot be reached`);
      return t.skip("the registry cannot be reached");
    }
    assert.ok(installed.ok, installed.said);
    if (build) {
      const built = run(folder, build);
      assert.ok(built.ok, built.said);
    }
    const root = join(folder, out);
    if (beside)
      cpSync(join(folder, "node_modules/pocketgraph/dist"), root, { recursive: true, force: false });
    const site = await serveSite(root, {
      policy: "script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; worker-src 'self'",
    });
    site.mounts.set("/bundle/", join(process.env.POCKETGRAPH_SITE, "bundle"));
    const tab = await newPage(browser);
    try {
      await tab.goto(`${site.url}index.html`);
      const element = tab.locator("pocketgraph-ask");
      await element.locator("[part=input]").fill("how does hybrid search work?");
      await element.locator("[part=hit]").first().waitFor({ timeout: 30_000 });
      await element.locator("[part=input]").press("Enter");
      await element.locator('[part~="actions"]').waitFor({ timeout: 60_000 });
      assert.equal(tab.workers().length, 1, "the engine is in a worker");
      assert.deepEqual(tab.complaints, []);
    } finally {
      await tab.context().close();
      await site.close();
    }
    // No module of WebAssembly is written twice.
    const wasm =
      build && !beside && !twice
        ? filesBelow(root)
            .filter((file) => file.endsWith(".wasm"))
            .map((file) => statSync(join(root, file)).size)
        : [];
    assert.equal(new Set(wasm).size, wasm.length, `${wasm.length} modules, some twice`);
  });
}
