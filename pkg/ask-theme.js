// Whether the page around an element is dark. Sites switch by a class or an attribute, and not all of them
// tell the browser by `color-scheme`: so what counts is the colour that stands behind the element.

const watched = new Set();
let observer;

/**
 * Calls `apply("dark" | "light" | null)` now and whenever the page's look may have changed; null leaves it to
 * the page's `color-scheme`. Returns the end of it.
 */
export function followPage(element, apply) {
  const look = () => apply(schemeBehind(element));
  look();
  watched.add(look);
  if (!observer && typeof MutationObserver === "function") {
    const all = () => requestAnimationFrame(() => watched.forEach((one) => one()));
    observer = new MutationObserver(all);
    const options = {
      attributes: true,
      attributeFilter: [
        "class",
        "style",
        "data-theme",
        "data-mode",
        "data-color-mode",
        "data-bs-theme",
        "data-md-color-scheme",
      ],
    };
    for (const node of [document.documentElement, document.body]) if (node) observer.observe(node, options);
    globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener?.("change", all);
  }
  return () => watched.delete(look);
}

function schemeBehind(element) {
  for (let node = element; node; node = node.parentElement ?? node.getRootNode?.().host) {
    const light = lightness(getComputedStyle(node).backgroundColor);
    if (light !== null) return light < 0.4 ? "dark" : "light";
  }
  // Nothing is painted: the canvas has the colour of the page's own scheme.
  return null;
}

/** From 0 (black) to 1 (white); null where the colour is not (nearly) opaque, or in a notation of its own. */
function lightness(colour) {
  const parts = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(colour);
  if (!parts || (parts[4] !== undefined && Number(parts[4]) < 0.5)) return null;
  const [red, green, blue] = parts.slice(1, 4).map((part) => Number(part) / 255);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
