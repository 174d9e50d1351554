//! Chunks of a keyword: the chunk graph, and labels spread over it (Algorithm 2 of AutoKG).

mod approximate;
mod associate;
mod components;
mod neighbours;
mod solve;
mod weights;

pub use approximate::{approximate_neighbours, nearest_of_sample, nearest_rows};
pub use associate::{Association, AssociationOptions, Threshold, associate_chunks, shared_chunks};
pub use neighbours::{Neighbour, angle, nearest_neighbours};
pub use solve::{Labels, Learning, SolveOptions, solve};
pub use weights::{ChunkGraph, Kernel, chunk_graph};
