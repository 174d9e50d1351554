// Three browsers behind one small face: Chromium by playwright-core, Firefox by its own protocol Marionette,
// WebKitGTK by WebDriver. Each has
//   goto(url), run(script, ...args), type(element, text), size(width, height), screenshot(), close()
// where `script` is the body of an async function in the page (its arguments are `a`, `b`, …), and `element`
// a script that gives one.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const PATIENCE_MS = 60_000;
/** WebDriver's name for a reference to an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const ENTER = "\uE007";

/** The path of a program, or null where it is not installed. */
function installed(...names) {
  for (const name of names) {
    for (const folder of name.includes("/") ? [""] : process.env.PATH.split(delimiter)) {
      const path = folder ? join(folder, name) : name;
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        continue;
      }
    }
  }
  return null;
}

/**
 * The browsers by name: where each is, and how it is started; `path` is null for one that is not installed.
 */
export const BROWSERS = {
  Chromium: { path: installed(process.env.CHROMIUM_PATH ?? "chromium", "google-chrome"), start: chromium },
  Firefox: { path: installed(process.env.FIREFOX_PATH ?? "firefox-esr", "firefox"), start: firefox },
  WebKitGTK: { path: installed("WebKitWebDriver"), start: webkit },
};

/** What runs `body` and tells the driver's callback, its last argument, what came of it. */
function withCallback(body) {
  const names = "abcd".split("").join(", ");
  return `const [given, tell] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
    (async (${names}) => { ${body} })(...given).then((value) => tell({ value: value ?? null }), (error) => tell({ error: String(error?.stack ?? error) }));`;
}

const taken = (told) => {
  if (told?.error) throw new Error(told.error);
  return told?.value;
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A port that nobody listens at. */
async function freePort() {
  const { createServer } = await import("node:net");
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Tries until `attempt` succeeds. */
async function eventually(attempt) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      await sleep(100);
    }
  }
}

function started(path, args, options = {}) {
  const child = spawn(path, args, { stdio: "ignore", ...options });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.once("error", () => {});
  return async () => {
    child.kill();
    const late = setTimeout(() => child.kill("SIGKILL"), 5000);
    await ended;
    clearTimeout(late);
  };
}

async function chromium() {
  const { launch, newPage } = await import("../browser/browser.mjs");
  const browser = await launch();
  const page = await newPage(browser);
  page.setDefaultTimeout(PATIENCE_MS);
  return {
    goto: (url) => page.goto(url),
    run: (body, ...given) =>
      page.evaluate(`(async (a, b, c, d) => { ${body} })(...${JSON.stringify(given)})`),
    async type(element, text) {
      const handle = (await page.evaluateHandle(`(() => { ${element} })()`)).asElement();
      await handle.focus();
      for (const part of text.split(/(\n)/))
        await (part === "\n" ? page.keyboard.press("Enter") : page.keyboard.type(part));
    },
    size: (width, height) => page.setViewportSize({ width, height }),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}

/** The commands of WebDriver, sent by `send(name, parameters)`, which both other browsers understand. */
function driven(commands, stop) {
  return {
    goto: commands.goto,
    run: async (body, ...given) => taken(await commands.script(withCallback(body), given)),
    async type(element, text) {
      const found = taken(await commands.script(withCallback(element), []));
      await commands.keys(found[ELEMENT], text.replaceAll("\n", ENTER));
    },
    size: commands.size,
    screenshot: async () => Buffer.from(await commands.screenshot(), "base64"),
    async close() {
      await commands.quit().catch(() => {});
      await stop();
    },
  };
}

async function firefox(path) {
  const profile = mkdtempSync(join(tmpdir(), "pocketgraph-firefox-"));
  const port = await freePort();
  writeFileSync(
    join(profile, "user.js"),
    [
      ["marionette.port", port],
      ["browser.shell.checkDefaultBrowser", false],
      ["datareporting.policy.dataSubmissionEnabled", false],
      ["app.update.enabled", false],
      ["browser.aboutwelcome.enabled", false],
      ["toolkit.telemetry.enabled", false],
    ]
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(""),
  );
  const end = started(
    path,
    ["--marionette", "--headless", "--no-remote", "--profile", profile, "about:blank"],
    { env: { ...process.env, HOME: profile, MOZ_HEADLESS_WIDTH: "1280", MOZ_HEADLESS_HEIGHT: "900" } },
  );
  const stop = async () => {
    await end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const send = await eventually(() => marionette(port));
    await send("WebDriver:NewSession", {
      capabilities: { alwaysMatch: { timeouts: { script: PATIENCE_MS * 2, pageLoad: PATIENCE_MS } } },
    });
    return driven(
      {
        goto: (url) => send("WebDriver:Navigate", { url }),
        script: async (script, args) =>
          (await send("WebDriver:ExecuteAsyncScript", { script, args, sandbox: null })).value,
        keys: (id, text) => send("WebDriver:ElementSendKeys", { id, text }),
        size: (width, height) => send("WebDriver:SetWindowRect", { width, height }),
        screenshot: async () => (await send("WebDriver:TakeScreenshot", { full: false })).value,
        quit: () => send("Marionette:Quit", { flags: ["eForceQuit"] }),
      },
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Speaks Marionette: messages are their length, a colon, and JSON: [0, number, command, parameters] there and
 * [1, number, error, result] back.
 */
async function marionette(port) {
  const socket = connect(port, "127.0.0.1");
  const waiting = new Map();
  let bytes = Buffer.alloc(0);
  let next = 1;
  const greeted = new Promise((resolve, reject) => {
    waiting.set("greeting", { resolve });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("Marionette hung up")));
  });
  socket.on("data", (data) => {
    bytes = Buffer.concat([bytes, data]);
    for (;;) {
      const colon = bytes.indexOf(":");
      const length = Number(bytes.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || bytes.length < colon + 1 + length) return;
      const message = JSON.parse(bytes.subarray(colon + 1, colon + 1 + length).toString());
      bytes = bytes.subarray(colon + 1 + length);
      if (!Array.isArray(message)) waiting.get("greeting").resolve();
      else {
        const [, id, error, result] = message;
        const call = waiting.get(id);
        waiting.delete(id);
        if (error) call?.reject(new Error(`${error.error}: ${error.message}`));
        else call?.resolve(result);
      }
    }
  });
  socket.on("close", () => waiting.forEach(({ reject }) => reject?.(new Error("Firefox has gone"))));
  await greeted;
  return (command, parameters) =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      const text = JSON.stringify([0, id, command, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

async function webkit(path) {
  const port = await freePort();
  const display = process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? null : await virtualDisplay();
  const env = {
    ...process.env,
    ...display?.env,
    WEBKIT_DISABLE_COMPOSITING_MODE: "1",
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    LIBGL_ALWAYS_SOFTWARE: "1",
  };
  const end = started(path, [`--port=${port}`, "--host=127.0.0.1"], { env });
  const stop = async () => {
    await end();
    await display?.stop();
  };
  try {
    const request = async (method, command, body) => {
      const reply = await fetch(`http://127.0.0.1:${port}${command}`, {
        method,
        body: body && JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
      const { value } = await reply.json();
      if (!reply.ok) throw new Error(`${value.error}: ${value.message}`);
      return value;
    };
    const browser = [
      installed(
        "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
        "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "MiniBrowser",
      ),
    ].filter(Boolean);
    const options =
      browser.length > 0
        ? { "webkitgtk:browserOptions": { binary: browser[0], args: ["--automation"] } }
        : {};
    await eventually(() => request("GET", "/status"));
    const { sessionId } = await request("POST", "/session", { capabilities: { alwaysMatch: options } });
    const session = (method, command, body) => request(method, `/session/${sessionId}${command}`, body);
    await session("POST", "/timeouts", { script: PATIENCE_MS * 2, pageLoad: PATIENCE_MS });
    return driven(
      {
        goto: (url) => session("POST", "/url", { url }),
        script: (script, args) => session("POST", "/execute/async", { script, args }),
        keys: (id, text) => session("POST", `/element/${id}/value`, { text }),
        size: (width, height) => session("POST", "/window/rect", { width, height, x: 0, y: 0 }),
        screenshot: () => session("GET", "/screenshot"),
        quit: () => session("DELETE", ""),
      },
      stop,
    );
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A screen that nobody sees, for a browser that needs one. */
async function virtualDisplay() {
  const path = installed("Xvfb");
  if (!path) return null;
  const number = 90 + (process.pid % 900);
  const stop = started(path, [`:${number}`, "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
  await sleep(700);
  return { env: { DISPLAY: `:${number}`, GDK_BACKEND: "x11" }, stop };
}
