// The way to an answer: what was planned and done, and the entities and statements that it rests on, as a
// picture that reads from what the question names to what was found. Behind a fold; loaded with the first
// answer that has one.

import { drawGraph } from "./answer-graph.js";
import { h } from "./render.js";

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
    const remarks = [
      fallback && fallback !== "none" && this.#say("from-passages"),
      ...notes,
      ...missing,
    ].filter((remark) => typeof remark === "string");
    return [
      h("code", {}, name),
      ` ${size === 0 ? this.#say("noResults") : shown.join(", ")}`,
      ...remarks.map((remark) => h("span", { part: "way-remark" }, ` (${remark})`)),
    ];
  }

  #draw() {
    const width = Math.round(this.#picture.clientWidth);
    if (!this.#graph || width === 0) return;
    this.#width = width;
    const found = this.#graph.nodes.filter(({ answer }) => answer).map(({ label }) => label);
    const names = { passage: this.#say("passage"), about: `${this.#say("way")}: ${found.join(", ")}` };
    this.#picture.replaceChildren(...drawGraph(this.#graph, width, names, { onPassage: this.#onPassage }));
  }
}
