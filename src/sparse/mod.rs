//! Sparse matrices in compressed rows, and graph algorithms over them.

mod csr;

pub use csr::{Csr, CsrError};
