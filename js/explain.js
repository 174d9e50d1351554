// What went wrong, for readers: which of the component's strings says it. Codes are the package's and do not change.

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

/**
 * Why a written answer was asked for and a quoted one came, as `{ code, message }`; null if the language model did not fail. The engine tells it in the
 * answer's first warning.
 */
export function failureOf(answer) {
  if (answer.by !== "extraction") return null;
  const [warning = ""] = answer.warnings ?? [];
  const match = /\((llm-[a-z-]+)\): ([^]*?)\.? This answer is quoted/.exec(warning);
  if (match) return { code: match[1], message: match[2] };
  return /language model (failed|answered nothing)/i.test(warning) ? { code: "", message: warning } : null;
}

/** The name of the string that says so. */
export function stringForFailure({ code }) {
  return { "llm-refused": "modelRefused", "llm-rate-limit": "modelBusy" }[code] ?? "modelFailed";
}
