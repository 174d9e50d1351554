//! Clustering of unit vectors: which chunks are shown together to the keyword extractor, and how a bundle lays out its vectors.

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

pub use cells::cells;
pub use eigen::{Eigenpairs, largest_eigenpairs};
pub use kmeans::{Clustering, KMeansOptions, centre, kmeans};
pub use random::Random;
pub use similarity::{Lane, PANEL, Panels, Tile};
pub use spectral::{LaplacianKind, spectral_clusters, spectral_embedding};
