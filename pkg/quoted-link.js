// Links that lead to quoted words, and what is kept for the page that they lead to.

import { quotedUrl, SPOT_KEY, textDirective } from "./text-fragment.js";

/**
 * `url` at `span` of `text`, where the browser knows text directives: any other would look for an element of
 * that name.
 */
export function pointTo(url, text, span) {
  return "fragmentDirective" in document ? quotedUrl(url, text, span) : url;
}

/**
 * A click leads to `span` of `text` at `url`: the page that opens marks it, if it carries the element
 * (ask-spot.js); so does this one, if it stays.
 */
export function leaveFor(url, text, span, event) {
  const directive = textDirective(text, span);
  const elsewhere =
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.button > 0 ||
    new URL(url).origin !== location.origin;
  if (!directive || elsewhere) return;
  try {
    sessionStorage.setItem(SPOT_KEY, JSON.stringify({ page: url, directive }));
  } catch {
    // The browser may mark them nevertheless.
  }
  import("./ask-spot.js").then(
    ({ followSpot }) => followSpot(url, directive),
    () => {},
  );
}
