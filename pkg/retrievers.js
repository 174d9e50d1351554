// Written by `pocketgraph-lab interface` from src/agent/options.tsv and
// crates/search/src/answer/notice.rs. Do not edit.

/** The retrievers of the full module. */
export const GRAPH_RETRIEVERS = ["autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];
