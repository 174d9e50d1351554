// Elements, made one by one: there is no path from a string to markup, and no inline style.

/**
 * A new element. Attributes whose name starts with `on` are listeners; `undefined`, `null` and `false` are
 * left out.
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  // One by one: an answer may have more children than a call may have arguments.
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

/** A table of a row of headings and other rows. One that is wider than the page is scrolled, by keys too. */
export function table(head, rows) {
  return h(
    "div",
    { class: "table", tabindex: "0", role: "group" },
    h("table", {}, h("thead", {}, head), rows.length > 0 && h("tbody", {}, rows)),
  );
}

/** A picture of 16 by 16 units, one line of `path`; what it means is said elsewhere. */
export function drawn(name, path, transform) {
  const [svg, line] = ["svg", "path"].map((tag) =>
    document.createElementNS("http://www.w3.org/2000/svg", tag),
  );
  for (const [attribute, value] of Object.entries({
    class: `drawn ${name}`,
    viewBox: "0 0 16 16",
    "aria-hidden": "true",
  }))
    svg.setAttribute(attribute, value);
  line.setAttribute("d", path);
  if (transform) line.setAttribute("transform", transform);
  svg.append(line);
  return svg;
}

/** `url` made absolute if it is one a reader may be sent to (http or https), else null. */
export function safeUrl(url, base = document.baseURI) {
  try {
    // An exception costs more than all else of a link, and a reply may have thousands of addresses that are
    // none.
    if (URL.canParse?.(url, base) === false) return null;
    const absolute = new URL(url, base);
    return /^https?:$/.test(absolute.protocol) ? absolute.href : null;
  } catch {
    return null;
  }
}

/** Recognises keys of an input method; Safari says so by the code alone. */
export function isComposed({ isComposing, keyCode }) {
  return isComposing || keyCode === 229;
}
