// The look of <pocketgraph-ask>. A constructed style sheet: a strict `style-src 'self'` allows it where it would refuse a <style>.

const CSS = `
:host {
  --_text: var(--pocketgraph-text, light-dark(#1c2230, #e6e9f0));
  --_soft: var(--pocketgraph-soft, light-dark(#566074, #a3adbf));
  --_surface: var(--pocketgraph-surface, light-dark(#ffffff, #171b24));
  --_raised: var(--pocketgraph-raised, light-dark(#f4f5f8, #1f2430));
  --_line: var(--pocketgraph-line, light-dark(#d6dae3, #343c4c));
  --_accent: var(--pocketgraph-accent, light-dark(#2447b8, #9db4ff));
  --_mark: var(--pocketgraph-mark, light-dark(#ffe9a8, #5a4a12));
  --_warn: var(--pocketgraph-warn, light-dark(#9a3412, #ffb38a));
  --_radius: var(--pocketgraph-radius, 10px);
  display: block;
  color-scheme: light dark;
  color: var(--_text);
  font: var(--pocketgraph-font, 1rem/1.55 system-ui, sans-serif);
}
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
form { display: flex; gap: 0.5rem; }
input, button {
  font: inherit;
  color: inherit;
  border: 1px solid var(--_line);
  border-radius: var(--_radius);
  padding: 0.55rem 0.8rem;
  background: var(--_surface);
}
input { flex: 1; min-width: 0; }
input::placeholder { color: var(--_soft); opacity: 1; }
button { cursor: pointer; background: var(--_raised); font-weight: 600; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
[part="status"] { min-height: 1.4em; margin: 0.4rem 0; color: var(--_soft); font-size: 0.875em; }
[part="status"][data-kind="error"] { color: var(--_warn); }
[part="answer"] { border-left: 3px solid var(--_accent); padding: 0.1rem 0 0.1rem 1rem; margin: 0.8rem 0; overflow-wrap: anywhere; }
[part="answer"]:empty { display: none; }
[part="answer"] p, [part="answer"] ul, [part="answer"] ol { margin: 0.4rem 0; }
[part="answer-note"] { color: var(--_soft); font-size: 0.85em; }
[part~="citation"] { font-size: 0.78em; vertical-align: 0.25em; text-decoration: none; margin-left: 0.1em; }
[part~="unverified"] { color: var(--_warn); }
[part="hits"] { list-style: none; padding: 0; margin: 0; }
[part="hit"] { padding: 0.7rem 0; border-top: 1px solid var(--_line); overflow-wrap: anywhere; }
[part="hit-title"] { font-weight: 600; }
[part="hit-path"] { color: var(--_soft); font-size: 0.85em; margin: 0; }
[part="hit-text"] { margin: 0.2rem 0 0; font-size: 0.94em; }
a { color: var(--_accent); }
mark { background: var(--_mark); color: inherit; border-radius: 2px; }
pre { overflow-x: auto; background: var(--_raised); padding: 0.6rem; border-radius: var(--_radius); }
@supports not (color: light-dark(#000, #fff)) {
  :host {
    --_text: var(--pocketgraph-text, #1c2230); --_soft: var(--pocketgraph-soft, #566074);
    --_surface: var(--pocketgraph-surface, #fff); --_raised: var(--pocketgraph-raised, #f4f5f8);
    --_line: var(--pocketgraph-line, #d6dae3); --_accent: var(--pocketgraph-accent, #2447b8);
    --_mark: var(--pocketgraph-mark, #ffe9a8); --_warn: var(--pocketgraph-warn, #9a3412);
    color-scheme: light;
  }
}
`;

let sheet;

/** The one style sheet that every instance shares. */
export function askStyle() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  return sheet;
}
