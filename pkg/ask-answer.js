// The answer that <pocketgraph-ask> shows: what it is waiting for, its text with citations, how it was found,
// and what the reader can do with it. Loaded after the first hits, or when a question is asked.

import { adoptAnswerStyle } from "./ask-answer-style.js";
import { ANSWER_WORDS, isForReaders } from "./ask-answer-words.js";
import { Conversation } from "./ask-conversation.js";
import { PassageDialog } from "./ask-passage.js";
import { failureOf, stringForFailure } from "./explain.js";
import { leaveFor, pointTo } from "./quoted-link.js";
import { answerBlocks, citationAt, drawn, GrowingAnswer, h, patch, quotedAnswer, safeUrl } from "./render.js";

/** A thumb that points up. */
/** Reasons for which an answer did not help: names of strings. */
const REASONS = ["wrong", "incomplete", "unrelated", "outdated"];

const THUMB =
  "M1.5 7h2.7v7H1.5zM4.2 7.2 7.4 1.4c1.2 0 1.8.8 1.6 2l-.5 2.4h4.3c1 0 1.7.9 1.5 1.8l-1.1 5.1c-.2.8-.8 " +
  "1.3-1.6 1.3H4.2z";

/**
 * Sentences of a model that no passage supports and that cite none: these have no citation that could be
 * marked.
 */
function unsupportedSentences({ sentences = [], citations }) {
  return sentences.filter(
    ({ at, support }) =>
      support !== "supported" &&
      !citations.some((citation) => citation.at.start >= at.start && citation.at.end <= at.end),
  );
}

/**
 * An answer's text with a mark like a citation's after each sentence that no passage supports. `original`
 * turns a place in it into one in the answer's text; it is asked in rising order.
 */
function markDoubts(answer) {
  const MARK = " [0]";
  const doubts = [];
  let text = "";
  let from = 0;
  for (const { at } of unsupportedSentences(answer)) {
    text += answer.text.slice(from, at.end);
    doubts.push(text.length + 1);
    text += MARK;
    from = at.end;
  }
  const marks = new Set(doubts);
  let passed = 0;
  const original = (place) => {
    while (doubts[passed] < place) passed += 1;
    return place - MARK.length * passed;
  };
  return { text: text + answer.text.slice(from), isDoubt: (place) => marks.has(place), original };
}

/** Draws into the `answer` and `understood` of a view. */
export class AnswerView {
  #view;
  #strings;
  #on;
  #links;
  #frame = 0;
  #written = null;
  #quoted = null;
  #below = [];
  #reported = null;
  #way = null;
  /** The drawer of the text that is being written, with its parent node. */
  #growing = null;
  #passage = null;

  /**
   * `on` is the view's; `links` are the hosts that links in a written answer may lead to, beside the page's
   * own.
   */
  constructor(view, strings, on, links) {
    this.#view = view;
    this.#strings = strings;
    this.#on = on;
    this.#links = links;
    strings.learn(ANSWER_WORDS);
    view.roots.forEach(adoptAnswerStyle);
  }

  #say(name, values) {
    return this.#strings.say(name, values);
  }

  /** A conversation whose answers are shown here; `element` is as for `Conversation`. */
  converse(element) {
    return new Conversation(element);
  }

  /** The address of a page at `span` of its passage `text`. */
  pointTo(url, text, span) {
    return pointTo(url, text, span);
  }

  /** A click leads to `span` of `text`, at `url`. */
  leave(url, text, span, event) {
    leaveFor(url, text, span, event);
  }

  /** The dialog that shows a passage. */
  get passage() {
    return (this.#passage ??= new PassageDialog(this.#strings));
  }

  /** The question was understood as another one; `undo` asks it as it was written. */
  showUnderstood(text, undo) {
    this.#view.understood.replaceChildren(
      this.#say("understood", { text }),
      " ",
      h("button", { type: "button", part: "as-written", onclick: undo }, this.#say("asWritten")),
    );
    this.#view.understood.hidden = false;
  }

  /** An answer is on its way (`text` says how far), with a button that stops it; or none is (`null`). */
  busy(text) {
    this.#view.answer.setAttribute("aria-busy", String(text !== null));
    if (text === null) {
      this.#progress?.remove();
      this.#progress = null;
      return;
    }
    this.#view.answer.hidden = false;
    if (!this.#progress) {
      const stop = h(
        "button",
        { type: "button", part: "stop", onclick: () => this.#on.stop() },
        this.#say("stop"),
      );
      this.#progress = h(
        "div",
        { part: "progress" },
        h("span", { class: "spinner", "aria-hidden": "true" }),
        h("span", {}, text),
        stop,
      );
    } else this.#progress.children[1].textContent = text;
    this.#view.answer.prepend(this.#progress);
  }
  #progress = null;
  #prose = null;

  #proseNode() {
    if (!this.#prose?.isConnected) {
      this.#prose = h("div", { part: "answer-text", dir: "auto" });
      this.#view.answer.replaceChildren(
        ...[this.#progress, this.#prose, this.#reported && this.#way?.node].filter(Boolean),
      );
    }
    this.#view.answer.hidden = false;
    return this.#prose;
  }

  /** Replaces the nodes below the answer's text. */
  #put(nodes) {
    for (const old of this.#below) old.remove();
    this.#below = nodes.filter(Boolean);
    this.#prose.after(...this.#below);
  }

  /** Shows the steps to the answer, `{ events, carried }`; called again when there are more. */
  async showWay(reported) {
    this.#reported = reported;
    const { AskWay } = await import("./ask-way.js");
    if (reported !== this.#reported) return;
    this.#way ??= new AskWay(this.#strings, (chunk) => this.#on.passage(chunk));
    this.#way.show(reported);
    if (!this.#way.node.isConnected) this.#view.answer.append(this.#way.node);
  }

  /** Shows the quoted answer while a language model writes. */
  showQuoted(answer) {
    this.#quoted = answer;
    patch(this.#proseNode(), this.#proseOf(answer));
    this.#put(this.#notes(answer));
  }

  /** Marks the shown text as busy while another is being chosen. */
  choosing(on) {
    this.#prose?.setAttribute("aria-busy", String(on));
  }

  /** Shows more of an answer that is being written. Draws once a frame, however fast the text comes. */
  showWriting(text) {
    this.#written = text;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.#written === null) return;
      const prose = this.#proseNode();
      if (this.#growing?.parent !== prose)
        this.#growing = {
          parent: prose,
          answer: new GrowingAnswer(prose, this.#markdownOptions({ citations: [] })),
        };
      this.#growing.answer.draw(this.#written);
      this.#put([]);
    });
  }

  /** The answer. */
  showAnswer(answer) {
    this.#endWriting();
    this.busy(null);
    patch(this.#proseNode(), this.#proseOf(answer));
    const quotation = answer.quotation && this.#quotation(answer.quotation);
    this.#put([quotation, this.#statements(answer), ...this.#notes(answer), this.#actions(answer)]);
    this.#view.announce(
      [this.#prose, quotation]
        .map((node) => node?.textContent ?? "")
        .join(" ")
        .trim()
        .slice(0, 600),
      100,
    );
  }

  #notes(answer) {
    const failure = failureOf(answer);
    const any = (status) => answer.citations.some((citation) => citation.status === status);
    const notes = [
      failure && this.#say(stringForFailure(failure)),
      (any("unsupported") || any("contradicted") || unsupportedSentences(answer).length > 0) &&
        this.#say("unsupported"),
      any("dangling") && this.#say("dangling"),
    ];
    for (const notice of answer.warnings ?? [])
      if (isForReaders(notice)) notes.push(this.#say(notice.code, notice));
    if (answer.answered) notes.push(this.#say({ llm: "byModel", graph: "byGraph" }[answer.by] ?? "byQuote"));
    return notes.filter(Boolean).map((note) => h("p", { part: "answer-note", dir: "auto" }, note));
  }

  /** Lists sources that cannot be opened in full: statements of a knowledge graph and results of tools. */
  #statements({ citations, quotation }) {
    const reported = new Map(
      [...citations, ...(quotation?.citations ?? [])]
        .filter(({ target, quote }) => quote && target && !opens(target))
        .map((citation) => [citation.number, citation]),
    );
    if (reported.size === 0) return null;
    const items = [...reported.values()]
      .sort((a, b) => a.number - b.number)
      .map(({ number, quote, title }) =>
        h(
          "li",
          { value: number, dir: "auto" },
          h("span", { part: "statement" }, quote),
          title && ` · ${title}`,
        ),
      );
    return h("ol", { part: "sources", "aria-label": this.#say("sources") }, items);
  }

  /** Keeps the unfinished text and marks it as such; if nothing was written yet, keeps the quoted answer. */
  showStopped() {
    const any = this.#written;
    const quoted = this.#quoted;
    this.#endWriting();
    this.busy(null);
    if (any) {
      patch(this.#proseNode(), this.#proseOf({ by: "llm", text: any, citations: [] }));
      this.#put([
        h("p", { part: "answer-note" }, this.#say("stopped")),
        h("div", { part: "actions" }, this.#againButton()),
      ]);
    } else if (quoted) this.showAnswer(quoted);
    else this.clear();
  }

  /** Nothing of an answer is there any more. */
  clear() {
    this.#endWriting();
    this.busy(null);
    this.#reported = null;
    this.#below = [];
    this.#view.answer.hidden = true;
    this.#view.answer.replaceChildren();
    this.#view.understood.hidden = true;
  }

  #endWriting() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#written = null;
    this.#quoted = null;
    this.#growing = null;
  }

  /**
   * The answer's text as nodes. The one place where it becomes any: a new form of answers is rendered here,
   * by render.js.
   */
  #proseOf(answer) {
    const { marker, link, code } = this.#markdownOptions(answer);
    if (answer.by !== "llm")
      return quotedAnswer(answer, marker, {
        code,
        languageMark: (tag) => this.#view.languageMark(tag),
        words: {
          closest: this.#say("closest"),
          readOn: this.#say("readOn"),
          quotation: this.#say("quotation"),
        },
      });
    const { text, isDoubt, original } = markDoubts(answer);
    const doubtOr = (number, start, end) =>
      isDoubt(start)
        ? h("span", { part: "citation unverified", title: this.#say("unsupported") }, "?")
        : marker(number, original(start), original(end));
    return answerBlocks(text, doubtOr, { link, code });
  }

  #markdownOptions(answer) {
    return {
      marker: (number, start, end) =>
        this.#citation(number, citationAt(answer.citations, number, start, end), answer),
      link: (url) => this.#mayFollow(url),
      code: (node, text, language) => this.#code(node, text, language),
    };
  }

  /** Draws the quoted answer beneath a model's text that says something else, folded if it is merely close. */
  #quotation(quotation) {
    const whose = this.#say(quotation.by === "graph" ? "graphSays" : "documentsSay");
    const [box, title] = quotation.outcome === "closest" ? ["details", "summary"] : ["div", "p"];
    return h(
      box,
      { part: "quotation", dir: "auto" },
      h(title, { part: "quotation-title" }, whose),
      this.#proseOf(quotation),
    );
  }

  #mayFollow(url) {
    const { host } = new URL(url);
    return host === location.host || this.#links.has(host);
  }

  #code(node, text, language) {
    const copy = h(
      "button",
      { type: "button", part: "copy-code", onclick: (event) => this.#copy(event.currentTarget, text) },
      this.#say("copy"),
    );
    return h(
      "div",
      { part: "code", role: "group", "aria-label": language || this.#say("code") },
      h("div", { part: "code-head" }, h("span", {}, language ?? ""), copy),
      node,
    );
  }

  #citation(number, citation, answer) {
    const flag = { unsupported: "?", contradicted: "?", dangling: "!" }[citation?.status] ?? "";
    const part = flag ? "citation unverified" : "citation";
    const where = citation
      ? [citation.title, ...(citation.headingPath ?? [])].filter(Boolean).join(" › ")
      : "";
    const label = `${number}${flag}`;
    const name = this.#say("citation", { n: number, text: where || citation?.quote || "" });
    if (!opens(citation?.target))
      return h("span", { part, title: flag === "!" ? this.#say("dangling") : citation?.quote }, label);
    const url = citation.url && safeUrl(citation.url);
    const href = url && pointTo(url, citation.quote);
    return h(
      href ? "a" : "button",
      {
        part,
        href,
        type: href ? undefined : "button",
        title: citation.quote,
        "aria-label": name,
        onclick: (event) => this.#on.cite(citation, event, answer),
      },
      label,
    );
  }

  /** The citation in the answer that looks like `label`, or else its first. */
  citation(label) {
    const all = [...this.#view.answer.querySelectorAll("a[part~=citation], button[part~=citation]")];
    return all.find((one) => one.textContent === label) ?? all[0];
  }

  #actions(answer) {
    const asText = this.#asText(answer);
    const feedback = (helpful, name) =>
      h(
        "button",
        {
          type: "button",
          part: "feedback",
          "aria-pressed": "false",
          "aria-label": this.#say(name),
          title: this.#say(name),
          onclick: (event) => this.#feedback(event.currentTarget, answer, helpful),
        },
        drawn("thumb", THUMB, helpful ? "" : "rotate(180 8 8)"),
      );
    return h(
      "div",
      { part: "actions" },
      h(
        "button",
        { type: "button", part: "copy", onclick: (event) => this.#copy(event.currentTarget, asText) },
        this.#say("copy"),
      ),
      this.#on.shareUrl &&
        h(
          "button",
          {
            type: "button",
            part: "share",
            onclick: (event) => this.#copy(event.currentTarget, this.#on.shareUrl()),
          },
          this.#say("share"),
        ),
      (answer.by === "llm" || failureOf(answer) || this.#on.hasModel()) && this.#againButton(),
      feedback(true, "helpful"),
      feedback(false, "unhelpful"),
      this.#on.reportGap && this.#gapButton(answer.outcome === "answer"),
      this.#reasons(answer),
    );
  }

  /**
   * The answer as it is copied. What is said of the closest passage is the engine's, in English: the page's
   * own words take its place.
   */
  #asText(answer) {
    if (answer.quotation) return [answer.text, this.#asText(answer.quotation)].join("\n\n");
    if (answer.by === "llm" || answer.outcome !== "closest" || !answer.text.includes("\n"))
      return answer.text;
    return [this.#say("closest"), ...answer.text.split("\n").slice(1)].join("\n");
  }

  #againButton() {
    return h(
      "button",
      { type: "button", part: "again", onclick: () => this.#on.again() },
      this.#say("again"),
    );
  }

  #feedback(button, answer, helpful) {
    for (const one of button.parentElement.querySelectorAll("[part=feedback]"))
      one.setAttribute("aria-pressed", String(one === button));
    for (const one of button.parentElement.querySelectorAll("[part=gap], [part=reasons]"))
      one.hidden = helpful;
    this.#view.announce(this.#say("thanks"), 100);
    this.#on.feedback(answer, helpful);
  }

  /** Buttons for the reasons, shown once a reader said that the answer did not help. */
  #reasons(answer) {
    const buttons = REASONS.map((reason) => {
      const onclick = () => {
        for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
        this.#view.announce(this.#say("thanks"), 100);
        this.#on.feedback(answer, false, reason);
      };
      const attributes = { type: "button", part: "reason", "aria-pressed": "false", value: reason, onclick };
      const button = h("button", attributes, this.#say(reason));
      return button;
    });
    return h(
      "div",
      { part: "reasons", role: "group", "aria-label": this.#say("why"), hidden: true },
      buttons,
    );
  }

  #gapButton(hidden) {
    const onclick = ({ currentTarget }) => {
      currentTarget.disabled = true;
      this.#view.announce(this.#say("thanks"), 100);
      this.#on.reportGap(
        currentTarget.parentElement.querySelector("[part=reason][aria-pressed=true]")?.value,
      );
    };
    return h(
      "button",
      { type: "button", part: "gap", hidden, title: this.#say("gapNote"), onclick },
      this.#say("reportGap"),
    );
  }

  async #copy(button, text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without a secure context, or against the browser's wish, there is no clipboard.
      return;
    }
    const before = button.textContent;
    button.textContent = this.#say("copied");
    this.#view.announce(this.#say("copied"), 100);
    setTimeout(() => {
      button.textContent = before;
    }, 1500);
  }
}

/** Returns true if the citation's target can be opened, which statements and results of tools cannot. */
function opens(target) {
  return ["chunk", "web"].includes(target?.type);
}
