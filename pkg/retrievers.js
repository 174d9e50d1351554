// Written by `pocketgraph-lab interface` from src/agent/options.tsv and
// crates/search/src/answer/notice.rs. Do not edit.

/** The retrievers that a bundle is prepared for on demand (`build --retrievers`); they run in the full module. */
export const GRAPH_RETRIEVERS = ["linear", "hippo", "hypergraph", "graphrag", "raptor"];
