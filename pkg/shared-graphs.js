// Bundles that are open for elements of a page. Elements of one bundle share it: one worker, one engine, one
// model.

import { PocketGraph } from "./pocketgraph.js";

const shared = new Map();

/**
 * Opens the bundle at `src`, or several with spaces between as one, or joins those who have it open.
 * `release` gives it back; the last one closes it.
 */
export function borrowGraph(src, { worker, onProgress }) {
  const places = src.trim().split(/\s+/);
  const key = [worker, ...places.map((place) => new URL(place, document.baseURI).href)].join(" ");
  let entry = shared.get(key);
  if (!entry) {
    entry = { users: 0, opening: PocketGraph.open(places, { worker, onProgress, eager: true }) };
    shared.set(key, entry);
    // What could not be opened is tried again by whoever comes next.
    entry.opening.catch(() => shared.get(key) === entry && shared.delete(key));
  }
  entry.users += 1;
  let released = false;
  const release = ({ broken = false } = {}) => {
    if (released) return;
    released = true;
    entry.users -= 1;
    if (entry.users > 0 && !broken) return;
    if (shared.get(key) === entry) shared.delete(key);
    if (entry.users === 0)
      entry.opening.then(
        (graph) => graph.close(),
        () => {},
      );
  };
  return { opening: entry.opening, release };
}
