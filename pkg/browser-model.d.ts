import type { ModelFunction } from "./pocketgraph.js";

/** Whether this browser has a built-in model that can be used now, or after a download. */
export declare function browserModelAvailability(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
/** The browser's built-in model (`LanguageModel`), for the option `llm`. Throws where there is none. */
export declare const browserModel: ModelFunction;
