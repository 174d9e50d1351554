// The one error type of the package. Every rejection a caller sees is one of these, with a code that does not
// change between versions; messages may.

/**
 * Mark of errors of this class: several files of the package contain the class, and recognise each other's
 * errors by it.
 */
const MARK = Symbol.for("PocketGraphError");

/** An error with a stable `code`; `cause` is what was thrown below, where there was something. */
export class PocketGraphError extends Error {
  constructor(code, message, details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    // What the platform calls an abort, so that those who look for that find it.
    this.name = code === "aborted" ? "AbortError" : "PocketGraphError";
    this.code = code;
    if (typeof details.status === "number") this.status = details.status;
    if (typeof details.url === "string") this.url = details.url;
  }

  static [Symbol.hasInstance](thrown) {
    return Boolean(thrown?.[MARK]);
  }

  get [MARK]() {
    return true;
  }

  /** Whatever was thrown, as a PocketGraphError. The engine's errors carry their code already. */
  static from(thrown) {
    if (thrown instanceof PocketGraphError) return thrown;
    const message = messageOf(thrown);
    const details = { cause: thrown, status: thrown?.status, url: thrown?.url };
    if (typeof thrown?.code === "string") return new PocketGraphError(thrown.code, message, details);
    if (thrown?.name === "AbortError") return new PocketGraphError("aborted", message, details);
    return new PocketGraphError("internal", message, details);
  }
}

/** The error that an aborted signal stands for. */
export function abortError(signal) {
  return new PocketGraphError("aborted", "The operation was aborted.", { cause: signal?.reason });
}

/** The error of a call on a bundle that is no longer on its host. */
export function replacedError() {
  return new PocketGraphError(
    "replaced",
    "The bundle was replaced on its host after it had been opened. Call reopen(), and search again.",
  );
}

/** An error as plain data, for a message between threads: `cause` may not be cloneable and stays behind. */
export function packError(thrown) {
  const { code, message, status, url } = PocketGraphError.from(thrown);
  return { code, message, status, url };
}

/** Returns the error that `packError` packed. */
export function unpackError(packed) {
  return new PocketGraphError(packed.code, packed.message, packed);
}

function messageOf(thrown) {
  if (typeof thrown === "string" && thrown) return thrown;
  if (typeof thrown?.message === "string" && thrown.message) return thrown.message;
  return "The engine failed without saying why.";
}
