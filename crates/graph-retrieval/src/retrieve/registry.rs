//! The retrievers by name.

use super::graph_retriever::over;
use super::{AutoKg, GraphRag, Hippo, HyperGraph, Linear, Raptor, Retriever};

/// The retriever named `name` with its default parameters. `autokg` takes others after a colon: `autokg:15/5/3/3/2/u`.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    pocketgraph_search::retrieve::by_name(name).or_else(|| with_parameters(name))
}

/// The retrievers that read what a build prepares on demand (`--retrievers`), and the one whose parameters may follow its name.
fn with_parameters(name: &str) -> Option<Box<dyn Retriever>> {
    match name {
        "linear" => Some(over(Linear::default())),
        "hippo" => Some(over(Hippo::default())),
        "graphrag" => Some(over(GraphRag::default())),
        "raptor" => Some(over(Raptor::default())),
        "hypergraph" => Some(over(HyperGraph::default())),
        _ => Some(Box::new(AutoKg::of(name.strip_prefix("autokg:")?)?)),
    }
}

/// Those of them that a bundle must be prepared for.
pub const PREPARED: &[&str] = &["linear", "hippo", "hypergraph", "graphrag", "raptor"];

/// The names that [`by_name`] knows.
pub const NAMES: &[&str] = &["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];
