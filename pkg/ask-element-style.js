// The look of <pocketgraph-ask> until something is asked. A constructed style sheet: a strict `style-src
// 'self'` allows it where it would refuse a <style>. Sides are logical, so that it is right in writing from
// right to left; colours follow the page's `color-scheme`.

import { sharedSheet } from "./style-sheet.js";

const CSS = `
:host { display: block; }
:host(:is([mode="dialog"], [mode="panel"])) { display: inline-block; align-self: center; }
:host([hidden]) { display: none; }
.root {
  --_text: var(--pocketgraph-text, light-dark(#1c2230, #e6e9f0));
  --_soft: var(--pocketgraph-soft, light-dark(#566074, #a3adbf));
  --_surface: var(--pocketgraph-surface, light-dark(#ffffff, #171b24));
  --_raised: var(--pocketgraph-raised, light-dark(#f4f5f8, #222835));
  --_line: var(--pocketgraph-line, light-dark(#d6dae3, #343c4c));
  --_accent: var(--pocketgraph-accent, light-dark(#2447b8, #9db4ff));
  --_mark: var(--pocketgraph-mark, light-dark(#ffe9a8, #5a4a12));
  --_warn: var(--pocketgraph-warn, light-dark(#9a3412, #ffb38a));
  --_radius: var(--pocketgraph-radius, 10px);
  color: var(--_text);
  font: var(--pocketgraph-font, 1rem/1.55 system-ui, sans-serif);
  text-align: start;
}
.root[data-scheme="dark"] { color-scheme: dark; }
.root[data-scheme="light"] { color-scheme: light; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
[part="form"] { display: flex; gap: 0.5rem; align-items: center; }
[part="field"] {
  display: flex; align-items: center; flex: 1; min-width: 0; border: 1px solid var(--_line);
  border-radius: var(--_radius); background: var(--_surface);
}
[part="field"]:focus-within { outline: 2px solid var(--_accent); outline-offset: 1px; }
input, button {
  font: inherit;
  color: inherit;
  border: 1px solid var(--_line);
  border-radius: var(--_radius);
  padding: 0.5rem 0.8rem;
  background: var(--_surface);
  min-height: 2.5rem;
}
input { flex: 1; min-width: 0; text-overflow: ellipsis; border: 0; background: none; }
input::placeholder { color: var(--_soft); opacity: 1; }
input::-webkit-search-cancel-button { display: none; }
button { cursor: pointer; background: var(--_raised); font-weight: 600; }
[part="button"] { background: var(--_accent); border-color: transparent; color: var(--_surface); }
[part="button"]:hover { background: color-mix(in srgb, var(--_accent) 88%, var(--_text)); }
[part="clear"] {
  flex: none; width: 2.2rem; min-height: 2rem; padding: 0; border: 0; background: none; color: var(--_soft);
  font-weight: 400; font-size: 1.2em; line-height: 1;
}
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
[part="input"]:focus-visible { outline: none; }
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
[part="filters"] { display: flex; flex-wrap: wrap; gap: 0.4rem; margin-block: 0.6rem 0; }
select {
  font: inherit; font-size: 0.85rem; color: inherit; max-width: 100%; min-height: 1.9rem;
  padding: 0.1rem 0.5rem; border: 1px solid var(--_line); border-radius: 1rem; background: var(--_surface);
}
select[data-chosen="true"] { border-color: var(--_accent); color: var(--_accent); font-weight: 600; }
[part="own-field"] { font-size: 0.85rem; }
[part="own-field"] summary {
  box-sizing: border-box; min-height: 1.9rem; padding: 0.3rem 0.7rem; cursor: pointer;
}
[part="own-field"] summary { width: fit-content; border: 1px solid var(--_line); border-radius: 1rem; }
[part="own-field"][data-chosen="true"] summary {
  border-color: var(--_accent); color: var(--_accent); font-weight: 600;
}
[part="own-field"][open] { flex-basis: 100%; }
[part="own-field"] div { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; padding: 0.5rem 0.7rem; }
[part="own-field"] label { display: inline-flex; align-items: center; gap: 0.3rem; }
[part="own-field"] input { flex: none; min-height: 1.5rem; font: inherit; accent-color: var(--_accent); }
[part="own-field"] input:not([type="checkbox"]) { width: 9rem; padding: 0.1rem 0.4rem; }
[part="own-field"] input:not([type="checkbox"]) { border: 1px solid var(--_line); border-radius: 0.4rem; }
[part="status"] { margin: 0.6rem 0 0; color: var(--_soft); font-size: 0.85em; }
[part="error"] {
  margin: 0.8rem 0; padding: 0.7rem 1rem; border: 1px solid var(--_warn); border-radius: var(--_radius);
}
[part="error"] p { margin: 0 0 0.5rem; }
[part="retry"] {
  min-height: 1.9rem; padding: 0.15rem 0.6rem; font-size: 0.85rem; font-weight: 500;
  background: var(--_surface); border-radius: calc(var(--_radius) * 0.6);
}
[part="error-detail"] { font: 0.8em ui-monospace, monospace; color: var(--_soft); overflow-wrap: anywhere; }
[part="hits"] { margin-block-start: 0.4rem; }
[part="page"] { margin-block: 0 1rem; }
[part="page-title"] {
  margin: 0.8rem 0 0.2rem; font-size: 0.85rem; font-weight: 600; color: var(--_soft);
  overflow-wrap: anywhere;
}
[part="sections"] { list-style: none; margin: 0; padding: 0; }
[part="hit"] {
  position: relative; display: block; padding: 0.5rem 0.7rem; border-radius: calc(var(--_radius) * 0.7);
  color: inherit; text-decoration: none; overflow-wrap: anywhere;
}
li[part="hit"] {
  border: 1px solid var(--_line); border-radius: 0; margin-block-end: -1px; background: var(--_surface);
}
li[part="hit"]:first-child {
  border-start-start-radius: var(--_radius); border-start-end-radius: var(--_radius);
}
li[part="hit"]:last-child { border-end-start-radius: var(--_radius); border-end-end-radius: var(--_radius); }
[part="answer"]:not([hidden]) ~ [part="hits"] [part="empty"] { display: none; }
[part="hit-title"] {
  display: block; padding-block: 0.15rem; font-weight: 600; color: var(--_accent); text-decoration: none;
}
li > [part="hit-title"]::after { content: ""; position: absolute; inset: 0; }
li[part="hit"]:hover { background: var(--_raised); }
li[part="hit"]:hover [part="hit-title"] { text-decoration: underline; }
[part="hit-path"] { margin: 0; color: var(--_soft); font-size: 0.82em; }
[part="hit-text"] {
  margin: 0.15rem 0 0; font-size: 0.9em; display: -webkit-box; -webkit-box-orient: vertical;
  -webkit-line-clamp: 3; overflow: hidden;
}
[part="hit-languages"], [part="hit-elsewhere"] {
  display: flex; flex-wrap: wrap; gap: 0.2rem 0.6rem; margin: 0.2rem 0 0; color: var(--_soft);
  font-size: 0.8em;
}
button[part="hit-translation"] {
  position: relative; border: 0; background: none; padding: 0 0.2rem; min-block-size: 24px;
  color: var(--_accent); font-size: 1em; font-weight: 400;
}
[part="hit-reached"] {
  margin: 0.2rem 0 0; color: var(--_soft); font: 0.75em ui-monospace, monospace; overflow-wrap: anywhere;
}
[part="hit"]:not(:first-of-type) [part="hit-text"] { -webkit-line-clamp: 2; }
[part="empty"] { padding: 0.8rem 0.2rem; color: var(--_soft); }
[part="empty"] p { margin: 0.2rem 0; }
[part="suggestion"] { display: flex; align-items: center; gap: 0.2rem; }
button[part="question"] {
  flex: 1; text-align: start; font-weight: 400; border: 0; background: none; padding: 0.4rem 0.5rem;
  overflow-wrap: anywhere; color: var(--_accent);
}
button[part="question"]:hover { background: var(--_raised); }
[part="star"], [part="forget"] {
  width: 2rem; min-height: 2rem; padding: 0; border: 0; background: none; color: var(--_soft);
  font-weight: 400;
}
[part="trigger"] {
  display: inline-flex; align-items: center; gap: 0.8rem; font-weight: 400; color: var(--_soft);
}
.drawn {
  width: 1em; height: 1em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.6;
  stroke-linejoin: round; vertical-align: -0.1em;
}
kbd {
  white-space: nowrap; font: 0.75rem system-ui, sans-serif; padding: 0.1rem 0.35rem;
  border: 1px solid var(--_line); border-radius: 0.3rem; background: var(--_surface); color: var(--_soft);
}
dialog { color: inherit; background: var(--_surface); border: 1px solid var(--_line); padding: 0; }
dialog::backdrop { background: rgb(10 14 22 / 55%); }
[part="close"] {
  padding: 0.2rem 0.5rem; min-height: 2rem; font-size: 0.8rem; font-weight: 500; color: var(--_soft);
  background: none;
}
a { color: var(--_accent); }
mark { background: var(--_mark); color: inherit; border-radius: 2px; }
@media (hover: none), (max-width: 40em) { [part="keys"] { display: none; } }
@media (forced-colors: active) { mark { background: Mark; color: MarkText; } }
@supports not (color: light-dark(#000, #fff)) {
  .root {
    --_text: var(--pocketgraph-text, #1c2230); --_soft: var(--pocketgraph-soft, #566074);
    --_surface: var(--pocketgraph-surface, #fff); --_raised: var(--pocketgraph-raised, #f4f5f8);
    --_line: var(--pocketgraph-line, #d6dae3); --_accent: var(--pocketgraph-accent, #2447b8);
    --_mark: var(--pocketgraph-mark, #ffe9a8); --_warn: var(--pocketgraph-warn, #9a3412);
  }
  .root[data-scheme="dark"] {
    --_text: var(--pocketgraph-text, #e6e9f0); --_soft: var(--pocketgraph-soft, #a3adbf);
    --_surface: var(--pocketgraph-surface, #171b24); --_raised: var(--pocketgraph-raised, #222835);
    --_line: var(--pocketgraph-line, #343c4c); --_accent: var(--pocketgraph-accent, #9db4ff);
    --_mark: var(--pocketgraph-mark, #5a4a12); --_warn: var(--pocketgraph-warn, #ffb38a);
  }
}
`;

/** The style sheet that every instance shares; null where there are none such, as in a test's DOM. */
export const askStyle = sharedSheet(CSS);
