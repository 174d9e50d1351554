// A language model that is a function of the page: `(messages, { signal, maxTokens, temperature, stop }) =>
// AsyncIterable<string>`. To the engine it looks like an endpoint, so that protocols, budgets and citations
// are the same.

const ENCODER = new TextEncoder();

/**
 * An address that nothing is ever sent to: the engine names a function's model by one, and the function is
 * asked in its place.
 */
export const NOWHERE = "https://model.invalid/v1";

/**
 * The arguments of a call whose options name a model that is a function, or tools: `write` is both. Given
 * messages it is the model; given `{ tool, arguments }` it calls a tool.
 */
export function withModel([first, options, ...others], write) {
  const { llm, tools } = options;
  const own = { ...options };
  if (llm?.baseUrl === NOWHERE) own.llm = { ...llm, send: (request) => respond(request, write) };
  if (tools) own.callTool = (tool, given) => called(write({ tool, arguments: JSON.parse(given) }, {}));
  return [first, own, ...others];
}

/** Returns the output of a tool as one text. */
async function called(saying) {
  const output = await saying;
  if (typeof output === "string") return output;
  let text = "";
  for await (const piece of output) text += piece;
  return text;
}

/** Calls a tool of the caller and returns its output: a text as it is, everything else as JSON. */
export async function toolOf(tools, { tool: name, arguments: given }, more) {
  const output = await tools.find((tool) => tool.name === name).run(given, more);
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

/**
 * Asks `write` what the request asks, and gives its text as the stream of an endpoint. What it throws before
 * its first piece is a failed request.
 */
async function respond(request, write) {
  const { messages, max_tokens: maxTokens, temperature, stop = [] } = JSON.parse(await request.text());
  const controller = new AbortController();
  request.signal?.addEventListener("abort", () => controller.abort(request.signal.reason), { once: true });
  let pieces;
  let first;
  try {
    const written = await write(messages, {
      signal: controller.signal,
      maxTokens,
      temperature,
      stop: [stop].flat(),
    });
    pieces = upTo([stop].flat(), typeof written === "string" ? [written] : written);
    first = await pieces.next();
  } catch (error) {
    if (controller.signal.aborted) throw error;
    return new Response(JSON.stringify({ error: { message: String(error?.message ?? error) } }), {
      status: 500,
    });
  }
  return new Response(stream(first, pieces, controller), {
    headers: { "content-type": "text/event-stream" },
  });
}

function stream(first, pieces, controller) {
  const line = (data) => ENCODER.encode(`data: ${data}\n\n`);
  let next = first;
  return new ReadableStream({
    async pull(out) {
      const { done, value } = next ?? (await pieces.next());
      next = null;
      if (!done)
        return out.enqueue(
          line(
            JSON.stringify({
              choices: [{ index: 0, delta: { content: String(value) }, finish_reason: null }],
            }),
          ),
        );
      out.enqueue(line(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })));
      out.enqueue(line("[DONE]"));
      out.close();
    },
    cancel(reason) {
      controller.abort(reason);
      return pieces.return?.();
    },
  });
}

/** The pieces up to the first of the texts at which a model is to stop. A function need not know of them. */
async function* upTo(stops, pieces) {
  const wanted = stops.filter(Boolean);
  const longest = Math.max(0, ...wanted.map((stop) => stop.length));
  let kept = "";
  for await (const piece of pieces) {
    kept += piece;
    const at = Math.min(...wanted.map((stop) => kept.indexOf(stop)).filter((found) => found >= 0));
    if (Number.isFinite(at)) {
      if (at > 0) yield kept.slice(0, at);
      return;
    }
    // What may be the beginning of a stop is held back.
    const ready = kept.length - Math.max(0, longest - 1);
    if (ready > 0) {
      yield kept.slice(0, ready);
      kept = kept.slice(ready);
    }
  }
  if (kept) yield kept;
}

// ---- between threads: the function is the page's, the engine is a worker's --------------------------------

/**
 * The worker's side: a model that asks the page by messages. `post` sends one; what comes back is given to
 * `hear`.
 */
export class RemoteModel {
  #post;
  #asked = new Map();
  #next = 1;

  constructor(post) {
    this.#post = post;
  }

  /** The function in whose name this asks. */
  write = (messages, { signal, ...more }) => {
    const number = this.#next++;
    const pieces = [];
    let wake = () => {};
    const entry = { hear: (message) => (pieces.push(message), wake()) };
    this.#asked.set(number, entry);
    const leave = () => {
      if (this.#asked.delete(number)) this.#post({ write: number, stop: true });
    };
    signal?.addEventListener("abort", leave, { once: true });
    this.#post({ write: number, messages, more });
    return (async function* () {
      try {
        for (;;) {
          while (pieces.length === 0)
            await new Promise((resolve) => {
              wake = resolve;
            });
          const { piece, failed, ended } = pieces.shift();
          if (failed !== undefined) throw new Error(failed);
          if (ended) return;
          yield piece;
        }
      } finally {
        leave();
      }
    })();
  };

  /** A message of the page: a piece, the end, or why it failed. */
  hear(message) {
    const entry = this.#asked.get(message.wrote);
    if (message.ended || message.failed !== undefined) this.#asked.delete(message.wrote);
    entry?.hear(message);
  }
}

/**
 * The page's side: runs `write` for what a worker asked, and posts what it writes. Returns the function that
 * ends it.
 */
export function writeFor({ write: number, messages, more }, write, post) {
  const controller = new AbortController();
  const work = async () => {
    try {
      const written = await write(messages, { ...more, signal: controller.signal });
      for await (const piece of typeof written === "string" ? [written] : written) {
        if (controller.signal.aborted) return;
        post({ wrote: number, piece: String(piece) });
      }
      post({ wrote: number, ended: true });
    } catch (error) {
      if (!controller.signal.aborted) post({ wrote: number, failed: String(error?.message ?? error) });
    }
  };
  work();
  return () => controller.abort();
}
