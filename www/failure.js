// Why the language model of the settings gave no answer, for the reader who chose it. The codes are the
// package's and do not change.

import { whyUnreached } from "./pkg/unreached.js";

const BY_CODE = {
  "llm-endpoint": "The endpoint's address or a setting cannot be used. Check them in the settings.",
  "llm-http": "The endpoint failed, or cannot be reached.",
  "llm-refused": "The endpoint refused the key or the model. Check both in the settings.",
  "llm-rate-limit": "The endpoint is limiting requests (HTTP 429). Wait a moment and try again.",
  "llm-timeout": "The endpoint did not answer in time.",
  "llm-stream": "The endpoint's answer broke off before its end.",
  "llm-context":
    "The question and its passages do not fit the model's context window. Ask for fewer passages, or give " +
    "the model a larger window.",
  "llm-malformed": "The endpoint sent something that is not a chat stream. Check its address.",
};

// Those that the engine's own message says more of.
const SAYS_MORE = new Set(["llm-endpoint", "llm-http", "llm-stream"]);

const UNREACHED = {
  policy:
    "This page's own policy does not let it ask the endpoint: the Content-Security-Policy must name its " +
    "origin in connect-src.",
  insecure:
    "A page on https: cannot ask an endpoint on http:, unless it is on this machine. Give the endpoint a " +
    "certificate, or a proxy on this page's host.",
  permission:
    "The browser does not let this page ask this machine or its network. Allow it in the settings of this " +
    "site, beside the address.",
  origin:
    "The endpoint answers, but lets no page of this origin ask it (CORS). It must send " +
    "Access-Control-Allow-Origin; for Ollama set OLLAMA_ORIGINS.",
  closed:
    "The endpoint could not be reached: nothing answers at its address. Is it started, and is the " +
    "port right?",
};

/**
 * A sentence or two: what an answer's `failure` means for the reader's `llm`, and, where no reply came at
 * all, why that is.
 */
export async function explainFailure({ code, message, status }, llm) {
  if (code === "llm-http" && (status ?? null) === null && llm)
    return UNREACHED[await whyUnreached(llm.baseUrl)];
  const known = BY_CODE[code];
  if (!known) return message;
  return SAYS_MORE.has(code) && message
    ? `${known} ${message[0].toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`
    : known;
}
