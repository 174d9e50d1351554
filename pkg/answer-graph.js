// The entities, statements and passages that an answer rests on, as a picture that reads from what the
// question names to what was found.

import { h } from "./dom.js";

const MOST_NODES = 28;
/** Pictures that are narrower have a node a line. */
const NARROW = 460;
const ROW = 46;
const BOX = 30;

/**
 * Draws the graph of an answer, as wide as `width`: the picture, and a line of how much it leaves out, if it
 * does. `names` has the name of the whole (`about`) and of what can be opened (`passage`, `entity`);
 * `onPassage(chunk)` and, if entities can be opened, `onEntity({ node, label, types })` open it.
 */
export function drawGraph(graph, width, names, { onPassage, onEntity }) {
  const { nodes, edges, left } = worthDrawing(graph);
  const narrow = width < NARROW;
  const { placed, height } = narrow ? inRows(nodes, edges, width) : inColumns(nodes, edges, width);
  const svg = s("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": names.about,
  });
  for (const edge of edges) svg.append(...line(edge, placed, narrow));
  for (const node of nodes) svg.append(box(node, placed.get(node.id), names, { onPassage, onEntity }));
  return [svg, ...(left > 0 ? [h("p", { part: "way-remark" }, `+${left}`)] : [])];
}

function box(
  { id, kind, label, types, start, answer, chunk },
  { x, y, width },
  names,
  { onPassage, onEntity },
) {
  const classes = ["node", kind, start && "start", answer && "answer"].filter(Boolean).join(" ");
  const number = kind === "entity" && onEntity && /^node-(\d+)$/.exec(id)?.[1];
  const open = Number.isInteger(chunk)
    ? () => onPassage(chunk)
    : number && (() => onEntity({ node: Number(number), label, types }));
  const text = fitted(label, width - 18);
  // Who speaks what they see finds it: where a word is cut, its part is said too.
  const isCut = text.endsWith("…") && !label.startsWith(`${text.slice(0, -1)} `);
  const stated = [
    Number.isInteger(chunk) ? names.passage : names.entity,
    isCut ? `${text} ${label}` : label,
  ].join(": ");
  const group = s("g", { class: classes, ...(open && { role: "button", tabindex: 0, "aria-label": stated }) });
  const place = {
    x: x - width / 2,
    y: y - BOX / 2,
    width,
    height: BOX,
    rx: kind === "passage" ? 4 : BOX / 2,
  };
  group.append(
    s("rect", place),
    s("text", { x, y: y + 4 }, text),
    s("title", {}, [label, ...types].join(" · ")),
  );
  if (open) {
    group.addEventListener("click", open);
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      open();
    });
  }
  return group;
}

/** The nodes nearest to the start and to the answers, and the edges among them. */
function worthDrawing(graph) {
  const ranked = [...graph.nodes].sort((a, b) => Number(b.start || b.answer) - Number(a.start || a.answer));
  const nodes = ranked.slice(0, MOST_NODES);
  const known = new Set(nodes.map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to }) => known.has(from) && known.has(to));
  return { nodes, edges, left: graph.leftOut + graph.nodes.length - nodes.length };
}

/** Number of edges between each node and the nearest thing that the question names. */
function distances(nodes, edges) {
  const next = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) {
    next.get(from).push(to);
    next.get(to).push(from);
  }
  const distance = new Map();
  let front = nodes.filter(({ start }) => start).map(({ id }) => id);
  if (front.length === 0) front = nodes.slice(0, 1).map(({ id }) => id);
  for (let step = 0; front.length > 0; step++) {
    front.forEach((id) => distance.set(id, step));
    front = [...new Set(front.flatMap((id) => next.get(id)))].filter((id) => !distance.has(id));
  }
  const far = Math.max(0, ...distance.values());
  for (const { id } of nodes) if (!distance.has(id)) distance.set(id, far);
  return distance;
}

function layers(nodes, edges) {
  const distance = distances(nodes, edges);
  const all = [];
  for (const node of nodes) (all[distance.get(node.id)] ??= []).push(node);
  return all.filter(Boolean);
}

/** From left to right, a column a step. */
function inColumns(nodes, edges, width) {
  const columns = layers(nodes, edges);
  const tallest = Math.max(...columns.map((column) => column.length));
  const height = tallest * ROW + 16;
  const step = width / columns.length;
  const placed = new Map();
  columns.forEach((column, at) =>
    column.forEach((node, row) => {
      const y = (height * (row + 0.5)) / column.length;
      placed.set(node.id, { x: step * (at + 0.5), y, width: Math.min(step * 0.62, 190) });
    }),
  );
  return { placed, height };
}

/** From top to bottom where there is no room for columns: one node a line, those of a step indented alike. */
function inRows(nodes, edges, width) {
  const placed = new Map();
  let y = ROW / 2 + 4;
  layers(nodes, edges).forEach((layer, at) => {
    const indent = Math.min(at * 26, width / 3);
    for (const node of layer) {
      const room = width - indent - 8;
      const box = Math.min(room, 230);
      placed.set(node.id, { x: indent + box / 2 + 4, y, width: box });
      y += ROW;
    }
  });
  return { placed, height: y - ROW / 2 + 4 };
}

function line({ from, to, label }, placed, narrow) {
  const [a, b] = [placed.get(from), placed.get(to)];
  if (narrow) return [elbow(...(a.y <= b.y ? [a, b] : [b, a]))];
  const [left, right] = a.x <= b.x ? [a, b] : [b, a];
  const apart = Math.abs(a.x - b.x) > 4;
  const [x1, y1] = apart ? [left.x + left.width / 2, left.y] : [left.x, left.y];
  const [x2, y2] = apart ? [right.x - right.width / 2, right.y] : [right.x, right.y];
  const parts = [s("line", { class: "edge", x1, y1, x2, y2 })];
  if (label && apart) {
    // The arrow says which end the statement begins at.
    const words = fitted(label, Math.max(40, x2 - x1 + 14));
    const place = { class: "label", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4, direction: "ltr" };
    parts.push(s("text", place, left === a ? `${words} →` : `← ${words}`));
  }
  return parts;
}

/**
 * Down from the upper node and into the lower one's side, as in a tree of folders: a straight line would run
 * behind the nodes between.
 */
function elbow(upper, lower) {
  const down = upper.x - upper.width / 2 + 10;
  return s("polyline", {
    class: "edge",
    points: `${down},${upper.y + BOX / 2} ${down},${lower.y} ${lower.x - lower.width / 2},${lower.y}`,
  });
}

/** As much of a text as fits, at about seven pixels a letter: by whole words, as far as there are any. */
function fitted(text, room) {
  const most = Math.max(3, Math.floor(room / 7));
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 1);
  return `${cut.slice(0, cut.lastIndexOf(" ")).trimEnd() || cut}…`;
}

function s(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
