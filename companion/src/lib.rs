//! The companion's library: what builds, evaluates and serves bundles. The program `pocketgraph` is its command line.

pub mod assemble;
pub mod autokg;
pub mod caseless;
pub mod chat;
pub mod chunk;
pub mod cli;
pub mod cluster;
pub mod communities;
pub mod embed_bulk;
pub mod eval;
pub mod extract;
pub mod folder;
pub mod gmm;
pub mod ingest;
pub mod kg;
pub mod laplace;
pub mod leiden;
pub mod names;
pub mod pages;
pub mod pipeline;
pub mod prepare;
pub mod raptor;
pub mod record;
pub mod serve;
pub mod train;
pub mod verify;
