// The Responses API in JavaScript, by a scripted server: what it is asked, and what is read of what it says.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { responsesModel } from "../../pkg/responses-model.js";

/** A server that says `says` in two pieces, and remembers what it was asked. */
async function serving(status, says, use) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    asked.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
    const half = Math.floor(says.length / 2);
    response.write(says.slice(0, half));
    response.end(says.slice(half));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return { said: await use(`http://127.0.0.1:${server.address().port}/v1`), asked };
  } finally {
    server.close();
  }
}

const events = (...all) =>
  all.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
const text = (delta) => ({ type: "response.output_text.delta", output_index: 0, delta });
const messages = [
  { role: "system", content: "Rules." },
  { role: "user", content: "hi" },
  { role: "assistant", content: "ho" },
];
const input = [
  ...messages.slice(0, 2),
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "ho", annotations: [] }] },
];

async function written(pieces) {
  let out = "";
  for await (const piece of pieces) out += piece;
  return out;
}

test("a request is said in the words of the API, and its text is read", async () => {
  const says = events({ type: "response.created", response: {} }, text("Hel"), text("lo é"), {
    type: "response.completed",
    response: {},
  });
  for (const end of ["", "/", "/responses", "/responses/"]) {
    const { said, asked } = await serving(200, says, (base) => {
      const model = responsesModel({
        baseUrl: base + end,
        model: "m",
        apiKey: "k",
        headers: { "x-title": "t" },
      });
      assert.equal(model.name, "m");
      return written(model(messages, { maxTokens: 9, temperature: 0 }));
    });
    assert.equal(said, "Hello é");
    assert.equal(asked[0].url, "/v1/responses");
    assert.equal(asked[0].headers.authorization, "Bearer k");
    assert.equal(asked[0].headers["x-title"], "t");
    assert.deepEqual(asked[0].body, {
      model: "m",
      input,
      max_output_tokens: 9,
      temperature: 0,
      stream: true,
      store: false,
    });
  }
});

test("what fails is told: a refusal, a failure on the way, and an end before the end", async () => {
  const failing = (status, says) =>
    serving(status, says, (base) => written(responsesModel({ baseUrl: base, model: "m" })(messages)));
  await assert.rejects(
    failing(401, JSON.stringify({ error: { message: "no such key" } })),
    /HTTP 401: no such key/,
  );
  await assert.rejects(
    failing(
      200,
      events(text("Hel"), { type: "response.failed", response: { error: { message: "out of memory" } } }),
    ),
    /out of memory/,
  );
  await assert.rejects(failing(200, events(text("Hel"))), /ended before/);
});
