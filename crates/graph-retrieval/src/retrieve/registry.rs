//! Retrievers by name.

use super::graph_retriever::adapt_retriever;
use super::{AutoKg, GraphRag, Hippo, HyperGraph, Linear, Raptor, Retriever};

/// Returns the retriever `name` with its default parameters. `autokg` takes others after a colon:
/// `autokg:15/5/3/3/2/u`.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    pocketgraph_search::retrieve::by_name(name).or_else(|| other_by_name(name))
}

/// Returns a retriever that the module for searching lacks.
fn other_by_name(name: &str) -> Option<Box<dyn Retriever>> {
    match name {
        "autokg" => Some(Box::new(AutoKg::default())),
        "linear" => Some(adapt_retriever(Linear::default())),
        "hippo" => Some(adapt_retriever(Hippo::default())),
        "graphrag" => Some(adapt_retriever(GraphRag::default())),
        "raptor" => Some(adapt_retriever(Raptor::default())),
        "hypergraph" => Some(adapt_retriever(HyperGraph::default())),
        _ => Some(Box::new(AutoKg::of(name.strip_prefix("autokg:")?)?)),
    }
}

/// Names that [`by_name`] accepts: those of the module for searching first.
pub const NAMES: &[&str] =
    &["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];

/// Names of the retrievers that the module for searching lacks.
pub const OF_FULL: &[&str] = NAMES.split_at(pocketgraph_search::retrieve::NAMES.len()).1;

/// Names of the retrievers that a bundle must be prepared for (`--retrievers`): those but `autokg`.
pub const PREPARED: &[&str] = OF_FULL.split_at(1).1;
