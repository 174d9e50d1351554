//! Sparse matrices in compressed rows, and graph algorithms over them.

mod csr;
#[cfg(feature = "full")]
mod graph;
#[cfg(feature = "full")]
mod lists;
#[cfg(feature = "full")]
mod pagerank;

pub use csr::{Csr, CsrError};
#[cfg(feature = "full")]
pub use graph::{Edges, Graph};
#[cfg(feature = "full")]
pub use lists::Lists;
#[cfg(feature = "full")]
pub use pagerank::{PageRank, page_rank, push_page_rank};
