import type { ModelFunction } from "./pocketgraph.js";

/** Returns a model of OpenAI's Responses API, for the option `llm`. `baseUrl` is the address up to the version, with or without `/responses`. */
export declare function responsesModel(endpoint: { baseUrl: string; model: string; apiKey?: string; headers?: Record<string, string> }): ModelFunction;
