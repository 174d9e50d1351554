// The question's subgraph, drawn as in the AutoKG paper's figures 2 and 3, and the same as a list. Nodes are
// buttons: a keyword shows its surroundings, a passage opens. The picture is one stop for the Tab key; arrows
// move within it.

import { h } from "./pkg/render.js";
import { layout } from "./graph-layout.js";

const KINDS = {
  question: { name: "Question", plural: "Question" },
  keyword: { name: "Direct keyword", plural: "Keywords near the question" },
  "adjacent-keyword": { name: "Adjacent keyword", plural: "Keywords next to those" },
  chunk: { name: "Passage", plural: "Passages" },
};
const ORDER = Object.keys(KINDS);
const NARROW = 440;
const MOST_PASSAGES = 24;

/** Lets the page do what waits, then goes on. */
const nextTask = () =>
  globalThis.scheduler?.yield ? scheduler.yield() : new Promise((resolve) => setTimeout(resolve));

/** Draws subgraphs into `node`. */
export class GraphView {
  #on;
  #shown = null;
  #stage = h("div", { class: "graph-stage" });
  #hint = h("p", { class: "graph-hint" });
  #list = h("div", { class: "graph-list" });
  #width = 0;
  #turn = null;
  #listed = false;
  #current = null;

  constructor(node, { onKeyword, onPassage }) {
    this.#on = { onKeyword, onPassage };
    const legend = h(
      "ul",
      { class: "legend", "aria-label": "Legend" },
      ORDER.map((kind) => h("li", { class: `legend-${kind}` }, KINDS[kind].name)),
    );
    node.append(
      this.#stage,
      legend,
      this.#hint,
      h("details", { class: "as-list" }, h("summary", {}, "The same as a list"), this.#list),
    );
    new ResizeObserver(([entry]) => {
      const width = Math.round(entry.contentRect.width);
      if (width > 0 && Math.abs(width - this.#width) > 8) this.#draw();
    }).observe(this.#stage);
  }

  /** Shows `subgraph`, which `result` touched; passages have their ranks among its hits. */
  show(subgraph, result) {
    const rank = new Map(result.hits.map((hit, at) => [hit.chunk, at + 1]));
    const nodes = worthDrawing(subgraph, rank).sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    const known = new Map(nodes.map((node) => [node.id, node]));
    // As in the paper, edges among the outer ring are left out: they would hide everything else.
    const edges = subgraph.edges.filter(({ from, to }) => {
      const kinds = [known.get(from)?.kind, known.get(to)?.kind];
      return !kinds.includes(undefined) && !kinds.every((kind) => kind === "adjacent-keyword");
    });
    this.#shown = { nodes, edges, rank };
    this.#hint.textContent =
      "Choose a keyword to see what it leads to, or a passage to read it; numbers are the ranks of hits.";
    this.#listed = false;
    return this.#draw();
  }

  /**
   * Draws in steps, so that none holds up a key that is pressed meanwhile. A newer drawing ends an older
   * one.
   */
  async #draw() {
    const turn = (this.#turn = {});
    const isOver = () => this.#turn !== turn;
    await nextTask();
    if (isOver()) return;
    const measured = this.#measure();
    await nextTask();
    if (isOver()) return;
    const arranged = measured && { ...measured, placed: layout(this.#shown, measured.sizes, measured) };
    await nextTask();
    if (isOver()) return;
    this.#paint(arranged);
    await nextTask();
    if (isOver() || this.#listed || !this.#shown) return;
    this.#listed = true;
    this.#drawList();
  }

  /** The room that there is and that everything needs, or null where there is nothing to see. */
  #measure() {
    const width = Math.round(this.#stage.clientWidth);
    if (!this.#shown || width === 0) return null;
    this.#width = width;
    const narrow = width < NARROW;
    const height = narrow ? Math.round(width * 1.25) : Math.round(Math.min(width * 0.86, 580));
    const texts = new Map(
      this.#shown.nodes.map((node) => [node.id, caption(node, this.#shown.rank, narrow)]),
    );
    const sizes = new Map(
      this.#shown.nodes.map((node) => [node.id, boxOf(node, texts.get(node.id), narrow)]),
    );
    return { width, height, narrow, texts, sizes };
  }

  #paint(arranged) {
    if (!arranged) return;
    const { width, height, narrow, texts, sizes, placed } = arranged;
    const hadFocus = this.#stage.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const svg = s("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "group",
      "aria-label": this.#summary(),
    });
    svg.append(
      s("ellipse", {
        class: "ring",
        cx: width / 2,
        cy: height / 2,
        rx: (width / 2 - 18) * (narrow ? 0.5 : 0.4),
        ry: (height / 2 - 18) * (narrow ? 0.5 : 0.4),
      }),
    );
    const lines = this.#edges(placed);
    const groups = new Map(
      this.#shown.nodes.map((node) => [
        node.id,
        this.#node(node, texts.get(node.id), placed.get(node.id), sizes.get(node.id), narrow),
      ]),
    );
    svg.append(...lines.map(({ line }) => line), ...groups.values());
    this.#listen(svg, groups, lines);
    this.#stage.replaceChildren(svg);
    this.#setCurrent(
      groups.get(hadFocus ?? this.#current) ??
        [...groups.values()].find((group) => group.dataset.kind !== "question"),
      groups,
    );
    if (hadFocus) groups.get(hadFocus)?.focus();
  }

  #edges(placed) {
    const heaviest = Math.max(
      1,
      ...this.#shown.edges.filter(({ kind }) => kind === "keyword-keyword").map(({ weight }) => weight),
    );
    return this.#shown.edges.map((edge) => {
      const a = placed.get(edge.from);
      const b = placed.get(edge.to);
      const share =
        edge.kind === "keyword-keyword" ? edge.weight / heaviest : Math.min(1, Math.max(0, edge.weight));
      const width =
        { "keyword-keyword": 0.8 + 2.4 * share, "question-keyword": 1 + 2 * share }[edge.kind] ?? 1;
      return {
        edge,
        line: s("line", {
          class: `edge ${edge.kind}`,
          x1: a.x,
          y1: a.y,
          x2: b.x,
          y2: b.y,
          "stroke-width": width.toFixed(2),
        }),
      };
    });
  }

  #node(node, text, at, size, narrow) {
    const group = s("g", {
      class: `node ${node.kind}`,
      transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`,
      "data-id": node.id,
      "data-kind": node.kind,
    });
    group.append(s("title", {}, node.label));
    if (node.kind === "question") {
      group.setAttribute("role", "img");
      group.setAttribute("aria-label", `Question: ${node.label}`);
      group.append(s("circle", { r: 21 }), s("text", { class: "glyph", dy: "0.36em" }, "?"));
      return group;
    }
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "-1");
    // Who speaks what they see finds it: where a word is cut, its part is said too.
    const cut = text.endsWith("…") && !node.label.startsWith(`${text.slice(0, -1)} `);
    const stated = node.kind === "chunk" ? (text ? ` ${text}: ` : ": ") : cut ? `: ${text} ` : ": ";
    group.setAttribute("aria-label", `${KINDS[node.kind].name}${stated}${node.label}`);
    if (node.kind === "chunk" && text === "")
      group.append(
        s("rect", { class: "reach", x: -12, y: -12, width: 24, height: 24 }),
        s("rect", { x: -6, y: -6, width: 12, height: 12, rx: 3 }),
      );
    else if (node.kind === "chunk")
      group.append(
        s("rect", { x: -12, y: -12, width: 24, height: 24, rx: 6 }),
        s("text", { dy: "0.36em" }, text),
      );
    else if (node.kind === "keyword")
      group.append(
        s("rect", { x: -size.w / 2, y: -14, width: size.w, height: 28, rx: 14 }),
        s("text", { dy: "0.35em" }, text),
      );
    else if (narrow) group.append(s("circle", { class: "reach", r: 14 }), s("circle", { r: 7 }));
    else
      group.append(
        s("rect", { class: "reach", x: -size.w / 2, y: 8, width: size.w, height: 17, rx: 6 }),
        s("circle", { class: "reach", r: 10 }),
        s("circle", { r: 5.5 }),
        s("text", { y: 21 }, text),
      );
    return group;
  }

  #listen(svg, groups, lines) {
    const nodeOf = (event) => event.target.closest?.(".node");
    svg.addEventListener("click", (event) => this.#activate(nodeOf(event), groups));
    svg.addEventListener("keydown", (event) => this.#keydown(event, groups));
    for (const [on, off] of [
      ["pointerover", "pointerout"],
      ["focusin", "focusout"],
    ]) {
      svg.addEventListener(on, (event) => light(svg, nodeOf(event), groups, lines));
      svg.addEventListener(off, () => light(svg, null, groups, lines));
    }
  }

  #activate(group, groups) {
    const node = group && this.#shown.nodes.find(({ id }) => id === group.dataset.id);
    if (!node || node.kind === "question") return;
    this.#setCurrent(group, groups);
    group.focus();
    if (node.kind === "chunk") this.#on.onPassage(node.chunk);
    else {
      for (const other of groups.values()) other.classList.toggle("chosen", other === group);
      this.#on.onKeyword(node.label);
    }
  }

  #keydown(event, groups) {
    const group = event.target.closest(".node");
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.#activate(group, groups);
      return;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const stops = [...groups.values()].filter((other) => other.hasAttribute("tabindex"));
    const next =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? stops.length - 1
          : step && (stops.indexOf(group) + step + stops.length) % stops.length;
    if (next === undefined) return;
    event.preventDefault();
    this.#setCurrent(stops[next], groups);
    stops[next].focus();
  }

  #setCurrent(group, groups) {
    for (const other of groups.values())
      if (other.hasAttribute("tabindex")) other.setAttribute("tabindex", other === group ? "0" : "-1");
    this.#current = group?.dataset.id ?? null;
  }

  #summary() {
    const count = (kind) => this.#shown.nodes.filter((node) => node.kind === kind).length;
    return (
      `Map of the question: ${count("keyword")} direct keywords, ${count("adjacent-keyword")} ` +
      `adjacent keywords, ${count("chunk")} passages. Arrow keys move between them.`
    );
  }

  #drawList() {
    const { nodes, edges, rank } = this.#shown;
    const label = new Map(
      nodes.map((node) => [
        node.id,
        node.kind === "chunk" ? `passage ${rank.get(node.chunk) ?? ""}` : node.label,
      ]),
    );
    const joined = ({ id }) =>
      edges
        .filter(({ from, to }) => from === id || to === id)
        .map(({ from, to }) => label.get(from === id ? to : from));
    const line = (node) => {
      const text = node.kind === "chunk" ? `${rank.get(node.chunk) ?? ""} ${node.label}`.trim() : node.label;
      const open = () =>
        node.kind === "chunk" ? this.#on.onPassage(node.chunk) : this.#on.onKeyword(node.label);
      const others = joined(node).filter((other) => other !== nodes[0]?.label);
      return h(
        "li",
        {},
        h("button", { type: "button", class: "link", onclick: open }, text),
        others.length > 0 && h("span", { class: "joined" }, ` joined to ${others.join(", ")}`),
      );
    };
    const groups = ORDER.slice(1)
      .map((kind) => [kind, nodes.filter((node) => node.kind === kind)])
      .filter(([, some]) => some.length > 0);
    this.#list.replaceChildren(
      ...groups.flatMap(([kind, some]) => [h("h4", {}, KINDS[kind].plural), h("ul", {}, some.map(line))]),
    );
  }
}

/**
 * All but those passages that neither a keyword led to nor the list of hits shows, and of the others as many
 * as can be told apart.
 */
function worthDrawing({ nodes, edges }, rank) {
  const led = new Set(
    edges.filter(({ kind }) => kind === "keyword-chunk").flatMap(({ from, to }) => [from, to]),
  );
  const chunks = nodes.filter((node) => node.kind === "chunk" && (rank.has(node.chunk) || led.has(node.id)));
  chunks.sort(
    (a, b) => (rank.get(a.chunk) ?? Infinity) - (rank.get(b.chunk) ?? Infinity) || a.chunk - b.chunk,
  );
  const drawn = new Set(chunks.slice(0, MOST_PASSAGES));
  return nodes.filter((node) => node.kind !== "chunk" || drawn.has(node));
}

/** Shows what `group` is joined to and dims the rest. */
function light(svg, group, groups, lines) {
  svg.classList.toggle("lit", Boolean(group));
  const near = new Set(group ? [group.dataset.id] : []);
  for (const { edge, line } of lines) {
    const mine = Boolean(group) && (edge.from === group.dataset.id || edge.to === group.dataset.id);
    line.classList.toggle("near", mine);
    if (mine) near.add(edge.from).add(edge.to);
  }
  for (const [id, other] of groups) other.classList.toggle("near", near.has(id));
}

function caption(node, rank, narrow) {
  if (node.kind === "chunk") return String(rank.get(node.chunk) ?? "");
  const most = narrow ? 13 : node.kind === "keyword" ? 24 : 20;
  if (node.label.length <= most) return node.label;
  // By whole words, as far as there are any: what is read aloud begins with what is seen.
  const cut = node.label.slice(0, most);
  const words = cut.slice(0, cut.lastIndexOf(" ")).trimEnd();
  return `${words || [...node.label].slice(0, most - 1).join("")}…`;
}

const pen = document.createElement("canvas").getContext("2d");

function boxOf(node, text, narrow) {
  if (node.kind === "question") return { w: 48, h: 48 };
  if (node.kind === "chunk") return { w: 24, h: 24 };
  if (node.kind === "adjacent-keyword" && narrow) return { w: 22, h: 22 };
  const keyword = node.kind === "keyword";
  pen.font = `${keyword ? "600 13px" : "12px"} ${getComputedStyle(document.body).fontFamily}`;
  return { w: Math.ceil(pen.measureText(text).width) + (keyword ? 24 : 8), h: keyword ? 28 : 46 };
}

function s(tag, attributes = {}, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}
