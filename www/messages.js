// What went wrong, in the reader's words. The codes are the package's and do not change.

import { whyUnreached } from "./pkg/unreached.js";

const BY_CODE = {
  network: "The network could not be reached. What has been loaded already can still be searched.",
  "unsupported-version": "This bundle was built by another version than this page can read. Publish the page and the bundle together.",
  "hash-mismatch": "A file of the bundle is not the one its manifest names. It may be half uploaded, or damaged.",
  truncated: "A file of the bundle arrived incomplete.",
  corrupt: "A file of the bundle is damaged.",
  manifest: "The bundle's manifest cannot be read.",
  "missing-section": "The bundle lacks a part that this needs.",
  http: "The host did not give a file.",
  closed: "The engine has stopped.",
  replaced: "The documents were replaced on their host after this page had opened them.",
  "storage-full": "There is no room left in this browser's storage.",
  "offline-unavailable": "This browser cannot keep the page.",
  "llm-endpoint": "The endpoint's address or a setting cannot be used. Check them in the settings.",
  "llm-http": "The endpoint failed, or cannot be reached.",
  "llm-refused": "The endpoint refused the key or the model. Check both in the settings.",
  "llm-rate-limit": "The endpoint is limiting requests (HTTP 429). Wait a moment and try again.",
  "llm-timeout": "The endpoint did not answer in time.",
  "llm-stream": "The endpoint's answer broke off before its end.",
  "llm-context": "The question and its passages do not fit the model's context window. Ask for fewer passages, or give the model a larger window.",
  "llm-malformed": "The endpoint sent something that is not a chat stream. Check its address.",
};

// Those whose own message would only say the same again.
const SAYS_ALL = new Set(["llm-context", "closed", "replaced", "llm-rate-limit", "llm-timeout", "llm-malformed", "llm-refused"]);

const UNREACHED = {
  policy: "This page's own policy does not let it ask the endpoint: the Content-Security-Policy must name its origin in connect-src.",
  insecure: "A page on https: cannot ask an endpoint on http:, unless it is on this machine. Give the endpoint a certificate, or a proxy on this page's host.",
  permission: "The browser does not let this page ask this machine or its network. Allow it in the settings of this site, beside the address.",
  origin: "The endpoint answers, but lets no page of this origin ask it (CORS). It must send Access-Control-Allow-Origin; for Ollama set OLLAMA_ORIGINS.",
  closed: "The endpoint could not be reached: nothing answers at its address. Is it started, and is the port right?",
};

/** As `explain`, of a failure of the language model at `baseUrl`: where no reply came at all, why that is. */
export async function explainModel(error, { baseUrl }) {
  return error.code === "llm-http" && error.status === null && baseUrl ? UNREACHED[await whyUnreached(baseUrl)] : explain(error);
}

/** A sentence or two for the reader. The engine's own message follows where it says more, such as which file. */
export function explain({ code, message }) {
  const known = BY_CODE[code];
  if (!known) return message;
  return SAYS_ALL.has(code) || !message ? known : `${known} ${sentence(message)}`;
}

/** Why a written answer was asked for and a quoted one came, as `{ code, message }`; null if the LLM did not fail. */
export function failureOf(answer) {
  return answer.failure ?? null;
}

function sentence(text) {
  const trimmed = text.trim();
  return `${trimmed[0].toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? "" : "."}`;
}
