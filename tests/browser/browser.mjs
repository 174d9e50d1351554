// One Chromium for a test file, a fresh context for a test, and a record of everything that the console and
// the policy complained about.

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A Chromium of this machine: $CHROMIUM_PATH, or one in the usual places. `jsFlags` are V8's. */
export async function launch({ jsFlags } = {}) {
  const executablePath = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error("No Chromium was found. Set CHROMIUM_PATH to one.");
  const args = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  if (jsFlags) args.push(`--js-flags=${jsFlags}`);
  return chromium.launch({ executablePath, args });
}

/**
 * A page in a fresh context. `page.complaints` gathers console errors, uncaught exceptions and policy
 * violations.
 */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.complaints = [];
  page.on("console", (message) => {
    if (message.type() === "error" || /content security policy/i.test(message.text()))
      page.complaints.push(message.text());
  });
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return page;
}
