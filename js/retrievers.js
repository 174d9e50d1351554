// Which retrievers the module that searches does not have.

/** Those that a bundle is prepared for on demand (`build --retrievers`); they run in the full module. */
export const GRAPH_RETRIEVERS = ["linear", "hippo", "hypergraph", "graphrag", "raptor"];
