// Turns callbacks into something to iterate over: the engine pushes, `for await` pulls.

/** An unbounded first-in-first-out queue that ends once, by `close` or by `fail`. */
export class EventQueue {
  #events = [];
  #end = null;
  #wake = null;

  /** Adds an event. Ignored after the end. */
  push(event) {
    if (this.#end) return;
    this.#events.push(event);
    this.#wake?.();
  }

  /** Ends the sequence once what is queued has been read. */
  close() {
    this.#end ??= {};
    this.#wake?.();
  }

  /** Ends the sequence with an error once what is queued has been read. */
  fail(error) {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#events.length > 0) yield this.#events.shift();
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return;
      await new Promise((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }
}
