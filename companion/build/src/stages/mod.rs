//! The stages of a build, one file each: a type that holds how it works, with what goes in and what comes
//! out. `pipeline` runs them in their order; a test runs one alone.

mod arrange;
mod assemble;
mod chunk;
mod embed;
mod keywords;
mod knowledge;
mod labels;
mod models;
mod names;
mod prepare;
mod publish;
mod read;
mod relations;
mod times;
#[cfg(test)]
mod testing;

pub use arrange::{Arrange, Arrangement};
pub use assemble::Assemble;
pub use chunk::{Chunked, Cut, Split};
pub use embed::{Embed, Embedded};
pub use keywords::DrawKeywords;
pub use knowledge::{Extract, ImportTables, Stated, TakeTriples};
pub use labels::{EmbedLabels, Labels};
pub use models::{LoadModels, Models};
pub use names::FindNames;
pub use prepare::{Gathered, Prepare};
pub use publish::Publish;
pub use read::Read;
pub use relations::ReadRelations;
pub use times::DateStatements;

use crate::outcome::BuildError;
use pocketgraph::bundle::{Chunk, Document};
use pocketgraph_native::progress::Progress;

/// A stage of a build.
pub trait Stage<In> {
    /// Output of the stage.
    type Out;
    /// Name of the stage among a build's times.
    const NAME: &'static str;

    /// Does the stage's work.
    fn run(&self, input: In, progress: &dyn Progress) -> Result<Self::Out, BuildError>;
}

/// The documents and chunks with their vectors, as all stages behind [`Embed`] read them.
#[derive(Clone, Copy)]
pub struct Corpus<'a> {
    /// The documents.
    pub documents: &'a [Document],
    /// The chunks, in the order of their documents.
    pub chunks: &'a [Chunk],
    /// One unit vector a chunk; none where nothing is embedded.
    pub vectors: &'a [Vec<f32>],
}
