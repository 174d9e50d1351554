// The ways of asking a retriever, which are the lines of data/retrievers.txt, and how a bundle is built for
// all of them.

import { readFileSync } from "node:fs";

export const WAYS = readFileSync(new URL("../data/retrievers.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

/** Arguments of `pocketgraph build`: what to read and where to write come before them. */
export const FOR_ALL = [
  "--no-runtime",
  "--no-cache",
  "--retrievers",
  WAYS.filter((way) => !way.includes(":")).join(","),
];
