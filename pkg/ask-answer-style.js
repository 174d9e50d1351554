// The look of answers, of how they were found, and of passages: the second half of the sheet in
// ask-element-style.js.

import { adoptSheet, sharedSheet } from "./style-sheet.js";

const CSS = `
[part="understood"] { margin: 0.8rem 0 0; color: var(--_soft); font-size: 0.9em; }
[part="understood"] button, [part="actions"] button, [part="progress"] button, [part="copy-code"] {
  min-height: 1.9rem; padding: 0.15rem 0.6rem; font-size: 0.85rem; font-weight: 500;
  background: var(--_surface); border-radius: calc(var(--_radius) * 0.6);
}
[part="understood"] button { min-height: 1.5rem; padding: 0 0.4rem; }
[part="answer"] {
  margin: 0.9rem 0; padding: 0.8rem 1rem; background: var(--_raised); border-radius: var(--_radius);
  border-inline-start: 3px solid var(--_accent); overflow-wrap: anywhere;
}
[part="answer-text"] > :first-child { margin-block-start: 0; }
[part="answer"] p, [part="answer"] ul, [part="answer"] ol, [part="answer"] blockquote { margin: 0.5rem 0; }
[part="answer"] ul, [part="answer"] ol { padding-inline-start: 1.4rem; }
[part="answer"] .quoted { white-space: pre-line; }
[part="answer"] blockquote {
  margin-inline: 0; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--_line);
  color: var(--_soft);
}
[part="answer"] hr { border: 0; border-top: 1px solid var(--_line); }
[data-heading="1"], [data-heading="2"] { font-size: 1.08em; }
.table { overflow-x: auto; margin: 0.6rem 0; }
table { border-collapse: collapse; font-size: 0.94em; }
th, td {
  border: 1px solid var(--_line); padding: 0.3rem 0.6rem; text-align: start; vertical-align: top;
  overflow-wrap: break-word;
}
th { background: var(--_surface); }
[data-align="right"] { text-align: end; }
[data-align="center"] { text-align: center; }
[part="quotation"] {
  margin-block-start: 0.7rem; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--_line);
}
[part="quotation-title"] { color: var(--_soft); font-size: 0.85em; }
[part="answer-note"] { color: var(--_soft); font-size: 0.85em; }
[part="sources"] { font-size: 0.85em; color: var(--_soft); }
[part="statement"] { color: var(--_text); }
[part="way"] { margin-block-start: 0.7rem; font-size: 0.85em; color: var(--_soft); }
summary { cursor: pointer; }
[part="way-steps"] pre {
  margin-block: 0.2rem; border-radius: calc(var(--_radius) * 0.6); background: var(--_surface);
  color: var(--_text);
}
[part="way-remark"] { color: var(--_warn); }
[part="way-picture"] svg { display: block; max-width: 100%; height: auto; margin-block-start: 0.6rem; }
.edge { stroke: var(--_soft); fill: none; opacity: 0.7; }
.node rect { fill: var(--_surface); stroke: var(--_soft); }
svg text { font: 13px system-ui, sans-serif; text-anchor: middle; fill: var(--_text); pointer-events: none; }
svg .label {
  font-size: 11px; fill: var(--_soft); paint-order: stroke; stroke: var(--_raised); stroke-width: 4px;
}
.node.start rect { stroke: var(--_accent); }
.node.answer rect { fill: var(--_mark); stroke: var(--_accent); stroke-width: 1.8; }
.node.answer text { font-weight: 600; }
.node[role="button"] { cursor: pointer; outline: none; }
.node[role="button"]:focus-visible rect { stroke: var(--_accent); stroke-width: 3; }
[part="answer-unlinked"] { overflow-wrap: anywhere; }
[part="progress"] { display: flex; align-items: center; gap: 0.6rem; color: var(--_soft); font-size: 0.9em; }
[part="progress"] + [part="answer-text"] { margin-block-start: 0.5rem; }
[part="stop"] { margin-inline-start: auto; }
.spinner {
  width: 0.9em; height: 0.9em; border: 2px solid var(--_line); border-block-start-color: var(--_accent);
  border-radius: 50%;
}
[part="actions"] { display: flex; flex-wrap: wrap; gap: 0.4rem; margin-block-start: 0.6rem; }
[part="reasons"] { display: flex; flex-wrap: wrap; gap: 0.4rem; flex-basis: 100%; }
[part="reason"] { font-weight: 400; }
[part="reason"][aria-pressed="true"],
[part="feedback"][aria-pressed="true"] { border-color: var(--_accent); background: var(--_mark); }
[part~="citation"] {
  display: inline-block; min-width: 1.45rem; min-height: 1.45rem; margin-inline: 0.15em; padding: 0 0.3em;
  font-size: 0.78em; line-height: 1.45rem; font-weight: 600; text-align: center; text-decoration: none;
  color: var(--_accent); background: var(--_surface); border: 1px solid var(--_line); border-radius: 0.4rem;
  vertical-align: 0.1em;
}
[part~="unverified"] { color: var(--_warn); border-style: dashed; }
[part="code"] {
  margin: 0.6rem 0; border: 1px solid var(--_line); border-radius: calc(var(--_radius) * 0.7);
  overflow: hidden; background: var(--_surface);
}
[part="code-head"] {
  display: flex; justify-content: space-between; align-items: center; padding: 0.2rem 0.3rem 0.2rem 0.7rem;
  color: var(--_soft); font-size: 0.8em; border-block-end: 1px solid var(--_line);
}
pre { margin: 0; padding: 0.6rem 0.7rem; overflow-x: auto; }
code { font: 0.92em ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre code { overflow-wrap: normal; }
[part="answer-language"] { margin: 0.2rem 0 0; color: var(--_soft); font-size: 0.8em; }
[part="passage"] {
  width: min(42rem, calc(100vw - 2rem)); max-width: none; max-height: 80dvh; margin: auto;
  border-radius: calc(var(--_radius) * 1.4); overflow: hidden;
}
[part="passage"][open] { display: flex; flex-direction: column; }
[part="passage-head"] {
  display: flex; justify-content: space-between; gap: 1rem; align-items: start; padding: 0.9rem 1rem 0.6rem;
  border-block-end: 1px solid var(--_line);
}
[part="passage-head"] [part="close"] { font-size: 1.2rem; border: 0; min-width: 2rem; }
[part="passage-title"] { margin: 0; font-size: 1.05rem; outline: none; }
[part="passage-path"] { margin: 0; color: var(--_soft); font-size: 0.85em; }
[part="passage-text"] {
  overflow-y: auto; padding: 0.4rem 1rem; white-space: pre-line; overflow-wrap: anywhere;
}
[part="passage-around"] { color: var(--_soft); font-size: 0.94em; }
[part="passage-foot"] { padding: 0.7rem 1rem; border-block-start: 1px solid var(--_line); }
@media (max-width: 40em) {
  [part="passage"] { width: 100vw; height: 100dvh; max-height: none; margin: 0; border: 0; border-radius: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .spinner { animation: turn 0.8s linear infinite; }
  @keyframes turn { to { rotate: 1turn; } }
}
@media (forced-colors: active) {
  [part="answer"] { border: 1px solid CanvasText; }
  [part="reason"][aria-pressed="true"], [part="feedback"][aria-pressed="true"] {
    outline: 2px solid Highlight;
  }
}
`;

const answerStyle = sharedSheet(CSS);

/** Gives the shadow root of an element these rules too. */
export function adoptAnswerStyle(root) {
  adoptSheet(root, answerStyle());
}
