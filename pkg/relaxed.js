// Relaxed SIMD: where the browser has it, a module of 2.5 kB multiplies the models' weights in half the time.
// It works in the memory of the module beside it, which calls it by its table of functions. The sums are the
// same integers, so that hits and answers are the same bits without it: where it cannot be had, nothing is
// said.

// The shortest module with the instruction that the loop is about.
const WITH_RELAXED = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 0, 253, 15, 65, 0,
  253, 15, 253, 146, 2, 11,
);

/**
 * Returns true if WebAssembly has relaxed SIMD here: Chromium since version 114, Firefox since 145, Node
 * since 21.
 */
export const HAS_RELAXED = WebAssembly.validate(WITH_RELAXED);

/**
 * Models do not wait longer for it: they are loaded for seconds, and a host that gives no answer must not
 * keep them.
 */
const PATIENCE_MS = 2000;

/**
 * Has `module`, one of the engine's, whose instance exports `exports`, multiply by relaxed SIMD whatever
 * models it reads from now on. Resolves when it does, when it cannot be had, or after two seconds;
 * `read(url)` gives the module's bytes, or a Response of them.
 */
export function useRelaxed(module, exports, read) {
  if (!HAS_RELAXED) return Promise.resolve();
  let timer;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  const loaded = load(module, exports, read).catch(() => {});
  return Promise.race([loaded, patience]).finally(() => clearTimeout(timer));
}

/** The module's bytes, which both of the engine's modules want. */
let reading = null;

async function bytesOf(read) {
  const source = await read(new URL("./pocketgraph_relaxed.wasm", import.meta.url));
  return source instanceof Response ? source.arrayBuffer() : source;
}

async function load(module, exports, read) {
  reading ??= bytesOf(read).catch((error) => {
    reading = null;
    throw error;
  });
  const bytes = await reading;
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory: exports.memory } });
  module.useRelaxed(instance.exports.arrange_panels, instance.exports.multiply);
}
