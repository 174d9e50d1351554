// The questions of one element and their answers: asks them, shows what comes, and keeps what a follow-up may
// refer to.

/** Number of questions and answers that a follow-up may refer to. */
const TURNS_KEPT = 4;

/**
 * Returns true if an event of `ask` shows a step to the answer. The message that there is no plan is no
 * step.
 */
const isOnTheWay = ({ type, plan, step, tool, text }) =>
  ["call", "plan", "step"].includes(type) && Boolean(plan || step || tool || text);

/** A conversation of an element, which gives what it needs by the functions of `element`. */
export class Conversation {
  #element;
  #history = [];
  /** The answer that is shown, and what it answers. */
  #current = null;

  constructor(element) {
    this.#element = element;
  }

  /** No answer is shown any more. */
  leave() {
    this.#current = null;
  }

  /** Returns what `restore` needs, as JSON can have it. */
  state() {
    const { asking, answer } = this.#current ?? {};
    return { history: this.#history, answer, question: asking?.question, understood: asking?.understood };
  }

  /** Shows an answer of an earlier page again; follow-ups may refer to it. */
  restore({ history, answer, question, understood }) {
    const isTurn = (turn) => typeof turn?.question === "string" && typeof turn.answer === "string";
    this.#history = history.filter(isTurn);
    if (!answer) return;
    const answering = this.#element.answering();
    const askLiterally = () => this.#element.ask(question, { literally: true });
    if (understood !== question) answering.showUnderstood(understood, askLiterally);
    answering.showAnswer(answer);
    this.#current = { asking: { question, understood, stage: this.#element.stage() }, answer };
  }

  /**
   * Answers `question`, `literally` without the questions before it; `llm` is the language model that is
   * asked, if any.
   */
  async answer(question, { graph, signal, literally, remember, llm }) {
    const element = this.#element;
    const answering = element.answering();
    const asking = { question, understood: question, stage: null, remember };
    const history = literally ? [] : this.#history;
    const own = {
      ...element.searchOptions(),
      readerVersion: location.pathname,
      noAnswerText: element.say("noAnswer"),
    };
    const options = (more, signal) => ({ ...own, ...more, history, signal });
    // Of the documents alone; options beside a language model are the model's.
    asking.quote = (graph, signal) =>
      graph.ask(question, options(element.hasModel() ? null : element.askOptions(), signal));
    answering.clear();
    answering.busy(element.say("reading"));
    if (llm) {
      // What the documents say costs nothing, and stands there until the language model writes.
      const quoted = await this.#follow(asking.quote(graph, signal), asking, signal);
      if (quoted?.answered) answering.showQuoted(quoted);
    }
    if (signal.aborted) return null;
    const report = (event) => {
      if (event.type === "references" && llm) answering.busy(element.say("asking"));
      element.emit("pocketgraph-progress", event);
    };
    const events = llm
      ? graph.ask(question, options({ ...element.askOptions(), llm }, signal))
      : asking.quote(graph, signal);
    const answer = await this.#follow(events, asking, signal, report);
    if (answer) this.#answered(asking, answer, graph);
    return answer;
  }

  /**
   * Shows what the events of an answer tell, and resolves to the answer; to null once nobody waits for it.
   */
  async #follow(events, asking, signal, report) {
    const element = this.#element;
    const answering = element.answering();
    const reported = { events: [], carried: null };
    let written = "";
    for await (const event of events) {
      if (signal.aborted) return null;
      if (event.type === "understood") {
        asking.understood = event.question;
        answering.showUnderstood(event.question, () => element.ask(asking.question, { literally: true }));
      } else if (event.type === "hits") {
        asking.stage = event.result.stage;
        element.showResult(event.result);
      } else if (isOnTheWay(event)) {
        reported.events.push(event);
        this.#showWay(reported);
      } else if (event.type === "turn" || event.type === "anew") written = "";
      else if (event.type === "token") {
        if (!written) answering.busy(element.say("writing"));
        answering.showWriting((written += event.text));
      } else if (event.type === "done") {
        reported.carried = event.carried;
        if (reported.events.length > 0) this.#showWay(reported);
        report?.(event);
        return event.answer;
      }
      report?.(event);
    }
    return null;
  }

  #showWay(reported) {
    // An answer stands without its way, where that cannot be loaded.
    this.#element
      .answering()
      .showWay(reported)
      .catch(() => {});
  }

  #answered(asking, answer, graph) {
    const element = this.#element;
    element.answering().showAnswer(answer);
    this.#current = { asking, answer };
    this.#history = [...this.#history, { question: asking.understood, answer: answer.text }].slice(
      -TURNS_KEPT,
    );
    if (asking.remember) element.remember(asking.question.trim());
    element.emit("pocketgraph-answer", answer);
    this.quoteAnew(graph);
    // What the reader may do next is there then, also when the network is not.
    import("./follow-up.js").catch(() => {});
  }

  /**
   * What was quoted before the hits were refined is chosen anew: with the model there may be better. What a
   * language model wrote, or failed to, stays.
   */
  async quoteAnew(graph) {
    const element = this.#element;
    const { asking, answer } = this.#current ?? {};
    if (!asking || answer.by === "llm" || answer.failure || asking.stage === element.stage()) return;
    asking.stage = element.stage();
    const signal = element.begin();
    const reported = { events: [], carried: null };
    const answering = element.answering();
    answering.choosing(true);
    try {
      for await (const event of asking.quote(graph, signal)) {
        if (signal.aborted) return;
        if (isOnTheWay(event)) reported.events.push(event);
        if (event.type !== "done" || event.answer.text === answer.text) continue;
        this.#current = { asking, answer: event.answer };
        this.#history = [
          ...this.#history.slice(0, -1),
          { question: asking.understood, answer: event.answer.text },
        ];
        reported.carried = event.carried;
        answering.showAnswer(event.answer);
        this.#showWay(reported);
        element.emit("pocketgraph-answer", event.answer);
      }
    } catch {
      // The answer that is there stands.
    } finally {
      if (!signal.aborted) answering.choosing(false);
    }
  }
}
