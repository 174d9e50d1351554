//! Retrievers that read data which a build prepares on demand (`--retrievers`), and those of every page.

mod fact_filter;
mod facts;
mod graph_retriever;
mod graphrag;
mod hippo;
mod hippo_graph;
mod hypergraph;
mod linear;
mod prepared;
mod raptor;
mod registry;

pub use fact_filter::ByModel;
pub use graphrag::{CommunityReport, GraphRag, community_reports};
pub use hippo::Hippo;
pub use hypergraph::HyperGraph;
pub use linear::Linear;
pub use pocketgraph_search::retrieve::*;
pub use prepared::PreparedCorpus;
pub use raptor::Raptor;
pub use registry::{NAMES, OF_FULL, PREPARED, by_name};
