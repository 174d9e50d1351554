// Importing the module defines the elements. Their slots stand in docs/embedding-in-a-page.md.

import type { PocketGraphAskAttributes, PocketGraphAskElement } from "./ask-element.js";

/** `<pocketgraph-box src="/kg/">`: the search box of `<pocketgraph-ask>`. What has no element of its own is shown below it. */
export type PocketGraphBoxElement = PocketGraphAskElement;

/** The attributes of the box, for JSX and templates. */
export type PocketGraphBoxAttributes = Omit<PocketGraphAskAttributes, "mode" | "shortcut">;

/** The attributes of the elements that show a part of a box. */
export interface PocketGraphPartAttributes extends Pick<PocketGraphAskAttributes, "id" | "class" | "className" | "lang" | "dir" | "style" | "slot" | "part" | "hidden" | "ref" | "key" | "children"> {
  /** The `id` of the box. Default: the page's first. */
  for?: string;
}

/** The elements by name, with their attributes. */
export interface PocketGraphPartElements {
  "pocketgraph-box": PocketGraphBoxAttributes;
  "pocketgraph-results": PocketGraphPartAttributes;
  "pocketgraph-answer": PocketGraphPartAttributes;
  "pocketgraph-filters": PocketGraphPartAttributes;
}

declare global {
  interface HTMLElementTagNameMap {
    "pocketgraph-box": PocketGraphBoxElement;
  }
  namespace JSX {
    interface IntrinsicElements extends PocketGraphPartElements {}
  }
}
