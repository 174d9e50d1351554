//! PocketGraph's inner loops: int8 vectors with their scans, and int8 transformer inference.
//!
//! A crate of its own so that it alone is compiled for speed where the rest of a page's code is compiled for size; the engine passes both modules
//! on under its own name.

pub mod vector;
pub mod nn;
