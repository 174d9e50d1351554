//! The retrievers by name.

use super::graph_retriever::over;
use super::{AutoKg, GraphRag, Hippo, HyperGraph, Linear, Raptor, Retriever};

/// The retriever named `name` with its default parameters. Some take others after a colon: `autokg:15/5/3/3/2/u`, `linear:TIERS/SENTENCES/RATIO/THRESHOLD`,
/// `hippo:canonical`, `hippo:triples`, `hippo:sentences`, `hypergraph:degree`, `graphrag:global`, `raptor:traversal`.
pub fn by_name(name: &str) -> Option<Box<dyn Retriever>> {
    pocketgraph_search::retrieve::by_name(name).or_else(|| with_parameters(name))
}

/// The retrievers that read what a build prepares on demand (`--retrievers`), and those whose parameters follow their name.
fn with_parameters(name: &str) -> Option<Box<dyn Retriever>> {
    let (name, how) = name.split_once(':').map_or((name, None), |(name, how)| (name, Some(how)));
    match (name, how) {
        ("autokg", Some(how)) => Some(Box::new(AutoKg::of(how)?)),
        ("linear", None) => Some(over(Linear::default())),
        ("linear", Some(how)) => Some(over(Linear::of(how)?)),
        ("hippo", None) => Some(over(Hippo::default())),
        ("hippo", Some(how)) => Some(over(Hippo::of(how)?)),
        ("graphrag", None) => Some(over(GraphRag::default())),
        ("graphrag", Some("global")) => Some(over(GraphRag { global: true, ..GraphRag::default() })),
        ("raptor", None) => Some(over(Raptor::default())),
        ("raptor", Some("traversal")) => Some(over(Raptor { traversal: true, ..Raptor::default() })),
        ("hypergraph", None) => Some(over(HyperGraph::default())),
        ("hypergraph", Some("degree")) => Some(over(HyperGraph { by_degree: true, ..HyperGraph::default() })),
        _ => None,
    }
}

/// Those of them that a bundle must be prepared for.
pub const PREPARED: &[&str] = &["linear", "hippo", "hypergraph", "graphrag", "raptor"];

/// The names that [`by_name`] knows.
pub const NAMES: &[&str] = &["auto", "hybrid", "lexical", "dense", "autokg", "linear", "hippo", "hypergraph", "graphrag", "raptor"];
