// What went wrong, for readers: which of the component's strings says it. Codes are the package's and do not
// change.

const BY_CODE = {
  network: "errorNetwork",
  http: "errorHost",
  io: "errorHost",
  truncated: "errorHost",
  corrupt: "errorHost",
  "hash-mismatch": "errorHost",
  manifest: "errorHost",
  "missing-section": "errorHost",
  "unsupported-version": "errorVersion",
  "unsupported-browser": "errorBrowser",
  replaced: "errorReplaced",
  closed: "errorEngine",
  internal: "errorEngine",
  "bad-argument": "errorSettings",
  "llm-endpoint": "errorSettings",
};

/** The name of the string that says what `error` means and what to do about it. */
export function stringFor({ code = "internal" }) {
  return BY_CODE[code] ?? (code.startsWith("llm-") ? "errorModel" : "errorEngine");
}

/** Returns the language model's failure as `{ code, message }`, or null if it did not fail. */
export function failureOf(answer) {
  return answer.failure ?? null;
}

/** The name of the string that says so. */
export function stringForFailure({ code }) {
  return { "llm-refused": "modelRefused", "llm-rate-limit": "modelBusy" }[code] ?? "modelFailed";
}
