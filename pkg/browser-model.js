// The browser's built-in language model (the Prompt API, `LanguageModel`) as the model of `ask`:
// `kg.ask(question, { llm: browserModel })`.

/**
 * Returns "available" if the browser's built-in model can be used now, "downloadable" or "downloading" if
 * after a download.
 */
export async function browserModelAvailability() {
  return (await globalThis.LanguageModel?.availability?.()) ?? "unavailable";
}

/** A model for the option `llm`. Throws where the browser has none. */
export async function* browserModel(messages, { signal } = {}) {
  if (!globalThis.LanguageModel) throw new Error("This browser has no built-in language model.");
  const last = messages.at(-1);
  const session = await globalThis.LanguageModel.create({
    initialPrompts: messages.slice(0, -1).map(plain),
    signal,
  });
  try {
    yield* session.promptStreaming(last.content, { signal });
  } finally {
    session.destroy?.();
  }
}

function plain({ role, content }) {
  return { role, content };
}
