// The mock engine's side of an OpenAI-compatible stream: enough of it to meet every failure the page must show.

const fail = (code, message, extra = {}) => Object.assign(new Error(message), { code, ...extra });

export async function streamChat(llm, question, hits, onToken, signal) {
  const timeout = AbortSignal.timeout(llm.timeoutMs ?? 30000);
  const either = AbortSignal.any([signal, timeout].filter(Boolean));
  const endOf = (error) => (signal?.aborted ? fail("aborted", "aborted") : timeout.aborted ? fail("llm-timeout", "The endpoint did not answer in time.") : error);
  let response;
  for (let attempt = 0; ; attempt++) {
    try {
      const prompt = hits.map((hit, i) => `[${i + 1}] ${hit.text}`).join("\n");
      const headers = { "content-type": "application/json", ...llm.headers, ...(llm.apiKey && { authorization: `Bearer ${llm.apiKey}` }) };
      const body = JSON.stringify({ model: llm.model, stream: true, messages: [{ role: "user", content: `${prompt}\n\n${question}` }] });
      response = await fetch(`${llm.baseUrl}/chat/completions`, { method: "POST", headers, body, signal: either });
    } catch (error) {
      throw endOf(fail("llm-http", `the endpoint cannot be reached: ${error.message}`));
    }
    if (response.ok) break;
    const again = response.status === 429 || response.status >= 500;
    if (!again || attempt >= 2) throw fail({ 429: "llm-rate-limit", 401: "llm-refused", 403: "llm-refused" }[response.status] ?? "llm-http", `the endpoint answered ${response.status}`);
    await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let text = "";
  let finish;
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw endOf(fail("llm-stream", `The stream broke off: ${error.message}`));
    });
    if (done) break;
    rest += value;
    const lines = rest.split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ")) continue;
      if (line === "data: [DONE]") return { text, truncated: finish === "length" };
      let data;
      try {
        data = JSON.parse(line.slice(6));
      } catch {
        throw fail("llm-malformed", "The endpoint sent something that is not JSON.");
      }
      finish = data.choices[0].finish_reason ?? finish;
      const token = data.choices[0].delta?.content;
      if (token) onToken(token);
      text += token ?? "";
    }
  }
  if (!finish) throw fail("llm-stream", "The stream ended before the answer did.");
  return { text, truncated: finish === "length" };
}
