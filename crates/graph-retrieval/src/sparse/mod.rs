//! Sparse matrices in compressed rows, and graph algorithms over them.

mod graph;
mod lists;
mod pagerank;

pub use graph::{Edges, Graph};
pub use lists::Lists;
pub use pagerank::{PageRank, page_rank, push_page_rank};
pub use pocketgraph_base::csr::{Csr, CsrError};
