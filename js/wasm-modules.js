// The engine's two WebAssembly modules: one that searches and quotes, which the first hits wait for, and the full one, which also asks
// language models and carries out protocols and plans. Each is loaded at most once in a thread and serves every bundle opened there.

import { PocketGraphError } from "./error.js";

// Bundlers look for exactly these forms of import and URL.
const MODULES = {
  search: { code: () => import("./pocketgraph_wasm.js"), wasm: () => new URL("./pocketgraph_wasm_bg.wasm", import.meta.url) },
  full: { code: () => import("./pocketgraph_full.js"), wasm: () => new URL("./pocketgraph_full_bg.wasm", import.meta.url) },
};

// The shortest module with a vector instruction.
const WITH_SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

const loaded = new Map();

/** The class WasmEngine of the module `name`. `readWasm(url)` stands in for fetching where there is no HTTP. */
export function loadModule(name, readWasm) {
  if (!loaded.has(name)) {
    // A failed load is forgotten, so that the next call tries again.
    const loading = start(MODULES[name], readWasm).catch((error) => {
      loaded.delete(name);
      throw error;
    });
    loaded.set(name, loading);
  }
  return loaded.get(name);
}

async function start({ code, wasm }, readWasm) {
  const url = wasm();
  const [module, source] = await Promise.all([importCode(code, url), (readWasm ?? fetchWasm)(url)]);
  try {
    await module.default({ module_or_path: source });
  } catch (cause) {
    const why = WebAssembly.validate(WITH_SIMD) ? (cause?.message ?? cause) : "this browser lacks WebAssembly SIMD, which Chrome has since 91, Firefox since 89, Safari since 16.4";
    throw new PocketGraphError("internal", `The engine's WebAssembly could not be started: ${why}`, { cause });
  }
  return module.WasmEngine;
}

async function importCode(code, url) {
  try {
    return await code();
  } catch (cause) {
    throw new PocketGraphError("network", `The engine's JavaScript beside ${url.pathname} could not be loaded: ${cause?.message ?? cause}`, { cause });
  }
}

async function fetchWasm(url) {
  let response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new PocketGraphError("network", `The engine (${url.pathname}) could not be fetched.`, { cause, url: url.href });
  }
  if (!response.ok) {
    const message = `The engine (${url.pathname}) could not be fetched: HTTP ${response.status}.`;
    throw new PocketGraphError("http", message, { status: response.status, url: url.href });
  }
  return response;
}
