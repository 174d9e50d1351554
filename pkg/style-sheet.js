// Style sheets that all elements of a page share.

/**
 * A function that makes the sheet of `css` once, and returns it; null where there are no such sheets, as in a
 * test's DOM.
 */
export function sharedSheet(css) {
  let sheet = null;
  return () => {
    if (sheet || typeof globalThis.CSSStyleSheet?.prototype?.replaceSync !== "function") return sheet;
    sheet = new CSSStyleSheet();
    // A page whose root has a smaller font than a browser's own, as with `html { font-size: 62.5% }`, reckons
    // with rems of its own.
    const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
    sheet.replaceSync(root < 16 ? css.replace(/([\d.]+)rem/g, (_, n) => `${(n * 16) / root}rem`) : css);
    return sheet;
  };
}

/** Puts a sheet after those that a root has. */
export function adoptSheet(root, sheet) {
  if (sheet && !root.adoptedStyleSheets.includes(sheet))
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
