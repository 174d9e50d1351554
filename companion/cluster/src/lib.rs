#![doc = include_str!("../README.md")]

pub mod gmm;
pub mod laplace;
pub mod leiden;
pub mod sketch;
mod cells;
mod eigen;
mod kmeans;
pub(crate) mod lanes;
mod random;
mod similarity;
mod spectral;

pub use cells::divide_cells;
pub use eigen::{Eigenpairs, largest_eigenpairs};
pub use kmeans::{Clustering, KMeansOptions, compute_centre, kmeans};
pub use lanes::Lane;
pub use random::Random;
pub use similarity::{PANEL, Panels, Tile};
pub use spectral::{LaplacianKind, spectral_clusters, spectral_embedding};
