// Whether the bundle on the host is still the one that was opened. Passages are known by their numbers, and
// another bundle numbers others, so nothing found in the one may be looked up in the other. Loaded once
// something is missing.

import { replacedError } from "./error.js";

/**
 * Returns the identity of a bundle: the names of its sections' files, which contain hashes of their content.
 */
export function identityOf({ sections }) {
  return sections.map(({ name, file }) => `${name} ${file}`).join("\n");
}

/**
 * Throws where the host now has another bundle at `baseUrl` than the one of this `info`; not where that
 * cannot be found out. `own` takes the place of the page's `fetch`.
 */
export async function refuseIfReplaced(baseUrl, info, own = fetch) {
  let now = null;
  try {
    const response = await own(new Request(`${baseUrl}manifest.json`, { cache: "no-cache" }));
    if (response.ok) now = identityOf((await response.json()).pocketgraph);
  } catch {
    // Without the network, or with something else in its place, nothing is known.
  }
  if (now !== null && now !== identityOf(info)) throw replacedError();
}
