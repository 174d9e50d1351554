// The engine's WebAssembly modules: one that searches and quotes, which the first hits wait for, and the full
// one, which also asks language models and carries out protocols and plans. Each is loaded at most once in a
// thread and serves every bundle opened there.

import { PocketGraphError } from "./error.js";
import { useRelaxed } from "./relaxed.js";

// Bundlers look for exactly this form of URL. The code is imported by its address too, and not by name: a
// bundler that makes a worker one file, as Vite up to version 7 does, refuses a worker with parts that are
// imported later.
const MODULES = {
  search: {
    code: () => new URL("./pocketgraph_wasm.js", import.meta.url),
    wasm: () => new URL("./pocketgraph_wasm_bg.wasm", import.meta.url),
  },
  full: {
    code: () => new URL("./pocketgraph_full.js", import.meta.url),
    wasm: () => new URL("./pocketgraph_full_bg.wasm", import.meta.url),
  },
};

// The shortest module with a vector instruction.
const WITH_SIMD = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
  11,
);

/** Returns true if WebAssembly has SIMD here: browsers have had it since 2021, Safari since March 2023. */
const HAS_SIMD = WebAssembly.validate(WITH_SIMD);

const loaded = new Map();
const provided = new Map();

/** Says that the JavaScript of the module `name` has been loaded already. */
export function provideCode(name, code) {
  provided.set(name, code);
}

/**
 * The module `name`, "search" or "full": its class `WasmEngine`, and `enableRelaxedSimd()`, after which
 * models are read to be multiplied by relaxed SIMD where the browser has it. `node`, the module
 * node-files.js, is there in Node: it reads files, and knows whether the engine has trapped. What has is left
 * behind, and another instance serves from then on.
 */
export async function loadModule(name, node) {
  if (!HAS_SIMD)
    throw new PocketGraphError(
      "unsupported-browser",
      "WebAssembly has no SIMD here. It comes with Chrome 91, Firefox 89, Safari 16.4 and newer.",
    );
  const traps = node?.traps() ?? 0;
  const key = `${name} ${traps}`;
  if (!loaded.has(key)) {
    const { code, wasm } = MODULES[name];
    const at = () => provided.get(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ code().href);
    // A failed load is forgotten, so that the next call tries again.
    const loading = start({ code: traps ? () => node.importAnew(wasm()) : at, wasm }, node?.readWasm).catch(
      (error) => {
        loaded.delete(key);
        throw error;
      },
    );
    loaded.set(key, loading);
  }
  return loaded.get(key);
}

async function start({ code, wasm }, readWasm = fetchWasm) {
  const url = wasm();
  const [module, source] = await Promise.all([importCode(code, url), readWasm(url)]);
  let exports;
  try {
    exports = await module.default({ module_or_path: source });
  } catch (cause) {
    throw new PocketGraphError(
      "internal",
      `The engine's WebAssembly could not be started: ${cause?.message ?? cause}`,
      { cause },
    );
  }
  // Not among what the first hits wait for, and nothing fails without it.
  let relaxed;
  const enableRelaxedSimd = () => (relaxed ??= useRelaxed(module, exports, readWasm).catch(() => {}));
  return { WasmEngine: module.WasmEngine, enableRelaxedSimd };
}

async function importCode(code, url) {
  try {
    return await code();
  } catch (cause) {
    throw new PocketGraphError(
      "network",
      `The engine's JavaScript beside ${url.pathname} could not be loaded: ${cause?.message ?? cause}`,
      { cause },
    );
  }
}

async function fetchWasm(url) {
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new PocketGraphError("network", `The engine (${url.pathname}) could not be fetched.`, {
      cause,
      url: url.href,
    });
  }
  if (!response.ok) {
    const message = `The engine (${url.pathname}) could not be fetched: HTTP ${response.status}.`;
    throw new PocketGraphError("http", message, { status: response.status, url: url.href });
  }
  return response;
}
