// The way to an answer: what was planned and done, and the entities and statements that it rests on, as a
// picture that reads from what the question names to what was found. Behind a fold; loaded with the first
// answer that has one.

import { h } from "./render.js";

const MOST_NODES = 28;
const NARROW = 460;
const ROW = 46;
const BOX = 30;
const SHOWN_MEMBERS = 6;
/** The strings that say who planned. */
const PLANNERS = { rules: "planRules", trained: "planTrained", meaning: "planMeaning" };

/** The folded panel below an answer. It stays open, once it was opened. */
export class AskWay {
  #strings;
  #onPassage;
  #steps = h("ol", { part: "way-steps" });
  #picture = h("div", { part: "way-picture" });
  #summary = h("summary", {});
  #graph = null;
  #width = 0;
  node = h("details", { part: "way" }, this.#summary, this.#steps, this.#picture);

  /** `onPassage(chunk)` opens a passage. */
  constructor(strings, onPassage) {
    this.#strings = strings;
    this.#onPassage = onPassage;
    new ResizeObserver(([entry]) => {
      const width = Math.round(entry.contentRect.width);
      if (width > 0 && Math.abs(width - this.#width) > 8) this.#draw();
    }).observe(this.#picture);
  }

  /** Shows what was done so far, as `ask` tells it, and what it came to (`carried`) once that is known. */
  show({ events, carried }) {
    this.#summary.textContent = this.#say("way");
    this.#steps.replaceChildren(...events.map((event) => h("li", {}, this.#did(event))));
    this.#graph = carried?.graph.edges.length > 0 ? carried.graph : null;
    this.#picture.replaceChildren();
    this.#draw();
  }

  #say(name, values) {
    return this.#strings.say(name, values);
  }

  #did(event) {
    if (event.type === "plan" && event.plan) return this.#plan(event);
    if (event.type === "step" && event.step) return this.#step(event.step);
    return event.text ?? (event.query ? `${event.tool}: ${event.query}` : event.tool);
  }

  #plan({ text, by, confidence }) {
    const lines = text.split("\n").filter((line) => !line.startsWith("#"));
    // A hundred is for certainty alone.
    const sure = this.#say("sure", { n: Math.min(Math.round(confidence * 100), confidence < 1 ? 99 : 100) });
    const who = PLANNERS[by] ? `${this.#say(PLANNERS[by])}, ${sure}` : this.#say("plan");
    return [who, h("pre", { dir: "ltr", tabindex: "0" }, lines.join("\n"))];
  }

  #step({ name, members, size, fallback, notes, missing }) {
    const shown = members.slice(0, SHOWN_MEMBERS).map(({ label }) => label);
    if (size > shown.length) shown.push(`+${size - shown.length}`);
    const remarks = [fallback && fallback !== "none" && this.#say("from-passages"), ...notes, ...missing].filter((remark) => typeof remark === "string");
    return [h("code", {}, name), ` ${size === 0 ? this.#say("noResults") : shown.join(", ")}`, ...remarks.map((remark) => h("span", { part: "way-remark" }, ` (${remark})`))];
  }

  #draw() {
    const width = Math.round(this.#picture.clientWidth);
    if (!this.#graph || width === 0) return;
    this.#width = width;
    const { nodes, edges, left } = worthDrawing(this.#graph);
    const narrow = width < NARROW;
    const { placed, height } = narrow ? inRows(nodes, edges, width) : inColumns(nodes, edges, width);
    const about = `${this.#say("way")}: ${nodes.filter(({ answer }) => answer).map(({ label }) => label).join(", ")}`;
    const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": about });
    for (const edge of edges) svg.append(...line(edge, placed, narrow));
    for (const node of nodes) svg.append(this.#box(node, placed.get(node.id)));
    this.#picture.replaceChildren(svg, ...(left > 0 ? [h("p", { part: "way-remark" }, `+${left}`)] : []));
  }

  #box(node, { x, y, width }) {
    const classes = ["node", node.kind, node.start && "start", node.answer && "answer"].filter(Boolean).join(" ");
    const opens = Number.isInteger(node.chunk);
    const group = s("g", { class: classes, ...(opens && { role: "button", tabindex: 0, "aria-label": `${this.#say("passage")}: ${node.label}` }) });
    group.append(s("rect", { x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: node.kind === "passage" ? 4 : BOX / 2 }));
    group.append(s("text", { x, y: y + 4 }, fitted(node.label, width - 18)), s("title", {}, [node.label, ...node.types].join(" · ")));
    if (opens) {
      const open = () => this.#onPassage(node.chunk);
      group.addEventListener("click", open);
      group.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), open()));
    }
    return group;
  }
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
  if (label && apart) parts.push(s("text", { class: "label", x: (x1 + x2) / 2, y: (y1 + y2) / 2 - 4 }, fitted(label, Math.max(40, x2 - x1 + 30))));
  return parts;
}

/**
 * Down from the upper node and into the lower one's side, as in a tree of folders: a straight line would run
 * behind the nodes between.
 */
function elbow(upper, lower) {
  const down = upper.x - upper.width / 2 + 10;
  return s("polyline", { class: "edge", points: `${down},${upper.y + BOX / 2} ${down},${lower.y} ${lower.x - lower.width / 2},${lower.y}` });
}

/** As much of a text as fits, at about seven pixels a letter. */
function fitted(text, room) {
  const most = Math.max(3, Math.floor(room / 7));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function s(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}
