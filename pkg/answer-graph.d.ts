import type { AnswerGraph } from "./pocketgraph.js";

/** Names of a picture and of what can be opened in it, for screen readers. */
export interface GraphNames {
  about: string;
  passage: string;
  entity?: string;
}

/** Calls for what the reader opens. Entities can be opened if `onEntity` is there. */
export interface GraphActions {
  onPassage(chunk: number): void;
  onEntity?(entity: { node: number; label: string; types: string[] }): void;
}

/** Draws `carried.graph` of an answer, `width` pixels wide: the picture, and a line of how much it leaves out. */
export declare function drawGraph(graph: AnswerGraph, width: number, names: GraphNames, on: GraphActions): Element[];
