// The hosts that the tests talk to, on loopback: a static site whose files can be cut, delayed, lost,
// truncated or corrupted, and an LLM endpoint that streams or fails in the ways such endpoints do.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
};

/** The strict policy, with the LLM endpoints that the page may speak to. */
export function strictPolicy(...llmOrigins) {
  return (
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self' ` +
    `${llmOrigins.join(" ")}; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'`
  );
}

async function listen(handler, port = 0) {
  const sockets = new Set();
  const server = createServer(handler);
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}

/**
 * Serves `folder`. `faults` maps a part of a path to what happens to files that have it in theirs: {kind:
 * "cut" | "hang" | "stall" (after half the body) | "status" | "delay" | "truncate" | "corrupt" | "headers" |
 * "query" (which the body ends with) | "endless" (its bytes are added to `fault.sent` until nobody takes
 * more), status?, headers?, ms?, times?}, `times` being how often, always where absent. `mounts` maps the
 * beginning of a path to another folder. `requests` lists the paths asked for; each is answered once
 * `hold(path)` is over, where there is such a function. `cacheControl` is what files are sent with. A site
 * that was closed is opened at the same address by `reopen`.
 */
export async function serveSite(folder, { policy, cacheControl = "no-store" } = {}) {
  const site = {
    faults: new Map(),
    mounts: new Map(),
    requests: [],
    policy: policy ?? strictPolicy(),
    cacheControl,
  };
  const answer = async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://site").pathname));
    // Chromium asks for this by itself on a page that names no icon.
    if (path === "/favicon.ico") return response.writeHead(204).end();
    site.requests.push(path);
    await site.hold?.(path);
    const fault = [...site.faults].find(([part, { times }]) => path.includes(part) && times !== 0)?.[1] ?? {};
    if (fault.times) fault.times -= 1;
    if (fault.kind === "cut") return request.socket.destroy();
    if (fault.kind === "hang") return;
    if (fault.kind === "delay") await new Promise((resolve) => setTimeout(resolve, fault.ms));
    if (fault.kind === "status") return response.writeHead(fault.status).end();
    const [prefix, root] = [...site.mounts].find(([prefix]) => path.startsWith(prefix)) ?? ["", folder];
    const file = join(root, path.endsWith(sep) ? `${path}index.html` : path.slice(prefix.length));
    let body = await readFile(file).catch(() => null);
    if (!body) return response.writeHead(404).end();
    if (fault.kind === "truncate") body = body.subarray(0, Math.floor(body.length / 2));
    if (fault.kind === "query")
      body = Buffer.concat([body, Buffer.from(new URL(request.url, "http://site").search)]);
    if (fault.kind === "corrupt") {
      body = Buffer.from(body);
      body[Math.floor(body.length / 2)] ^= 0x5a;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      ...(fault.kind === "endless" ? {} : { "content-length": body.length }),
      "content-security-policy": site.policy,
      "cache-control": site.cacheControl,
      ...fault.headers,
    });
    if (fault.kind === "endless") {
      const chunk = Buffer.alloc(1 << 20, " ");
      const chunks = function* () {
        for (fault.sent = 0; ; fault.sent += chunk.length) yield chunk;
      };
      return pipeline(Readable.from(chunks(), { highWaterMark: 1 }), response).catch(() => {});
    }
    if (fault.kind === "stall") return response.write(body.subarray(0, Math.floor(body.length / 2)));
    response.end(body);
  };
  const { url, close } = await listen(answer);
  const reopen = async () => Object.assign(site, await listen(answer, Number(new URL(url).port)));
  return Object.assign(site, { url, close, reopen });
}

const event = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const token = (content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) + event("[DONE]");

/**
 * An OpenAI-compatible endpoint. `behaviour` can be changed between requests: "stream", "slow" (until the
 * client goes away), "stall" (headers, one token, then nothing), "silent" (no reply at all),
 * "429-then-stream", "429", "401", "500", "truncated" (the stream ends early), "malformed" (not JSON), "html"
 * (a page instead of a stream). `text` is what it says, or, while there are any, the next of `script`; where
 * `bears`, words of the first passage follow with its number, because what no passage bears out is no answer.
 * `requests` holds what it was sent; `gone` counts the clients that left before the end.
 */
export async function serveLlm() {
  const llm = { behaviour: "stream", text: "", requests: [], gone: 0, script: [], bears: false };
  const { url, close } = await listen(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    let body = "";
    for await (const part of request) body += part;
    llm.requests.push({ path: request.url, authorization: request.headers.authorization, body: parse(body) });
    response.on("close", () => {
      if (!response.writableFinished) llm.gone += 1;
    });
    await reply(llm, response, body);
  });
  return Object.assign(llm, { url: `${url}v1`, origin: url.slice(0, -1), close });
}

/** Words of the first passage that a prompt shows, with its number. */
function borne(body) {
  const said =
    parse(body)
      .messages?.map(({ content }) => content ?? "")
      .join("\n") ?? "";
  const passage =
    /<passage number="1"[^\n]*>\n([^]*?)<\/passage>|\[1\] [^\n]*\n([^]*?)(?:\n\n|$)|Doc 1\(Title: [^)]*\) ([^\n]*)/.exec(
      said,
    );
  const words = /[A-Za-z]+(?: [A-Za-z]+){3,8}/.exec(passage?.slice(1).find(Boolean) ?? "");
  return words ? `\n\n${words[0]} [1].` : "";
}

async function reply(llm, response, body) {
  const behaviour = llm.behaviour;
  const refusal = (status) =>
    response
      .writeHead(status, { "content-type": "application/json", "retry-after": "0" })
      .end(JSON.stringify({ error: { message: "no", code: status } }));
  if (behaviour === "silent") return;
  if (behaviour === "429-then-stream") {
    llm.behaviour = "stream";
    return refusal(429);
  }
  if (["429", "401", "500"].includes(behaviour)) return refusal(Number(behaviour));
  if (behaviour === "html")
    return response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Sign in</title>");
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (behaviour === "malformed") return response.end(token("Well") + "data: {this is not JSON\n\n");
  const pieces = ((llm.script.shift() ?? llm.text) + (llm.bears ? borne(body) : "")).match(/.{1,7}/gs) ?? [];
  if (behaviour === "slow") {
    for (let i = 0; !response.destroyed; i++) {
      response.write(token(pieces[i] ?? ` word${i}`));
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    return;
  }
  for (const [i, piece] of pieces.entries()) {
    response.write(token(piece));
    if (behaviour === "stall") return;
    if (behaviour === "truncated" && i >= pieces.length / 2) return response.destroy();
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  response.end(finish);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
