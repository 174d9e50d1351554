import type { ModelFunction } from "./pocketgraph.js";

/** Resolves to whether the browser's built-in model can be used now, after a download, or not. */
export declare function browserModelAvailability(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
/** The browser's built-in model (`LanguageModel`), for the option `llm`. Throws if there is none. */
export declare const browserModel: ModelFunction;
