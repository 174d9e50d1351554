// A model behind OpenAI's Responses API as the model of `ask`: `kg.ask(question, { llm: responsesModel({
// baseUrl, model, apiKey }) })`. The engine itself speaks chat completions; what few want is no part of what
// everybody loads.

/** A model for the option `llm`. Nothing is stored at the endpoint. */
export function responsesModel({ baseUrl, model, apiKey, headers = {} }) {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/(responses)?\/*$/, "")}/responses`;
  const ask = async function* (messages, { signal, maxTokens, temperature } = {}) {
    const key = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const body = {
      model,
      input: messages.map(item),
      max_output_tokens: maxTokens,
      temperature,
      stream: true,
      store: false,
    };
    const sent = { "content-type": "application/json", ...key, ...headers };
    const response = await fetch(url, {
      method: "POST",
      headers: sent,
      body: JSON.stringify(body),
      signal,
      credentials: "omit",
      referrerPolicy: "no-referrer",
      redirect: "error",
    });
    if (!response.ok) throw new Error(await refusal(response));
    for await (const event of events(response.body)) {
      if (event.type === "response.output_text.delta" || event.type === "response.refusal.delta")
        yield event.delta;
      if (event.type === "response.completed" || event.type === "response.incomplete") return;
      if (event.type === "response.failed" || event.type === "error")
        throw new Error(event.response?.error?.message ?? event.message ?? "the endpoint failed");
    }
    throw new Error("the reply ended before the answer did");
  };
  Object.defineProperty(ask, "name", { value: model });
  return ask;
}

/** A message as an item of the conversation. What the model wrote some servers know by its parts alone. */
function item({ role, content }) {
  if (role !== "assistant") return { role, content };
  return { type: "message", role, content: [{ type: "output_text", text: content, annotations: [] }] };
}

/** Returns the message of an endpoint that refuses a request. */
async function refusal(response) {
  const body = await response.json().catch(() => null);
  return `HTTP ${response.status}${body?.error?.message ? `: ${body.error.message}` : ""}`;
}

/** The events of a stream, each as its data. */
async function* events(stream) {
  let text = "";
  for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop();
    for (const line of lines)
      if (line.startsWith("data:") && line.includes("{")) yield JSON.parse(line.slice(5));
  }
}
