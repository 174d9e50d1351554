//! Retrievers by name.

use super::graph_retriever::adapt_retriever;
use super::{AutoKg, GraphRag, Hippo, HyperGraph, Linear, Raptor, Retriever};

/// Returns the retriever `name` with its default parameters. `autokg` takes others after a colon:
/// `autokg:15/5/3/3/2/u`.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    pocketgraph_search::retrieve::by_name(name).or_else(|| with_parameters(name))
}

/// Returns a retriever that reads data which a build prepares on demand (`--retrievers`), or one with
/// parameters after its name.
fn with_parameters(name: &str) -> Option<Box<dyn Retriever>> {
    match name {
        "linear" => Some(adapt_retriever(Linear::default())),
        "hippo" => Some(adapt_retriever(Hippo::default())),
        "graphrag" => Some(adapt_retriever(GraphRag::default())),
        "raptor" => Some(adapt_retriever(Raptor::default())),
        "hypergraph" => Some(adapt_retriever(HyperGraph::default())),
        _ => Some(Box::new(AutoKg::of(name.strip_prefix("autokg:")?)?)),
    }
}

/// Names of the retrievers that a bundle must be prepared for.
pub const PREPARED: &[&str] = &["linear", "hippo", "hypergraph", "graphrag", "raptor"];

/// Names that [`by_name`] accepts.
pub const NAMES: &[&str] =
    &["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];
