//! The knowledge graph, in three stages: its files, what documents and bundles state, what a language model
//! reads in the chunks.

use super::chunk::{Chunked, Origin};
use super::{Corpus, Stage};
use crate::outcome::BuildError;
use pocketgraph::keyword::KeywordGraph;
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph_knowledge::kg::{
    DocumentTriples, Gathering, ImportError, ImportOptions, ImportReport, KgFiles, read_triples,
};
use pocketgraph_llm_client::asker::BuildModel;
use pocketgraph_native::progress::Progress;

/// Reads the files of a typed knowledge graph.
pub struct ImportTables<'a> {
    /// The files, and how they are read; `None` where there are none.
    pub files: Option<&'a (KgFiles, ImportOptions)>,
}

impl Stage<()> for ImportTables<'_> {
    type Out = Gathering;
    const NAME: &'static str = "knowledge graph";

    fn run(&self, (): (), progress: &dyn Progress) -> Result<Gathering, BuildError> {
        let mut gathering = Gathering::default();
        if let Some((files, how)) = self.files {
            progress.stage("reading the knowledge graph", None);
            gathering.files(files, how)?;
        }
        Ok(gathering)
    }
}

/// Takes the triples that documents state by their structure, and the graphs of bundles.
pub struct TakeTriples {
    /// True if documents are read for them.
    pub from_documents: bool,
}

/// The graph as far as it is stated.
pub struct Stated {
    /// All triples so far.
    pub gathering: Gathering,
    /// Number of triples that documents stated.
    pub from_documents: DocumentTriples,
}

impl Stage<(Gathering, Origin, &Chunked)> for TakeTriples {
    type Out = Stated;
    const NAME: &'static str = "triples";

    fn run(
        &self,
        (mut gathering, origin, chunked): (Gathering, Origin, &Chunked),
        progress: &dyn Progress,
    ) -> Result<Stated, BuildError> {
        let mut from_documents = DocumentTriples::default();
        match origin {
            Origin::Documents(documents) if self.from_documents => {
                progress.stage("collecting triples", None);
                from_documents =
                    gathering.documents(&documents, &chunked.chunks).map_err(ImportError::from)?;
            }
            Origin::Graphs(graphs) => {
                for (graph, numbers) in &graphs {
                    gathering.graph(graph, numbers).map_err(ImportError::from)?;
                }
            }
            Origin::Documents(_) | Origin::Chunks => {}
        }
        Ok(Stated { gathering, from_documents })
    }
}

/// Has a language model read the chunks for triples, where one is named, and closes the graph.
pub struct Extract<'a> {
    /// The model.
    pub reader: Option<&'a BuildModel>,
    /// Keywords that ways between things may lead over.
    pub keywords: Option<&'a KeywordGraph>,
    /// Counts a text's tokens.
    pub count: &'a dyn Fn(&str) -> usize,
}

/// A finished graph.
pub struct Knowledge {
    /// The graph.
    pub graph: KnowledgeGraph,
    /// Its size, and what was wrong with its files.
    pub report: ImportReport,
}

impl Stage<(Gathering, Corpus<'_>)> for Extract<'_> {
    type Out = Option<Knowledge>;
    const NAME: &'static str = "triples by the model";

    fn run(
        &self,
        (mut gathering, corpus): (Gathering, Corpus<'_>),
        progress: &dyn Progress,
    ) -> Result<Option<Knowledge>, BuildError> {
        if let Some(reader) = self.reader {
            read_triples(reader, corpus.documents, corpus.chunks, &self.count, &mut gathering, progress)?;
        }
        if let Some(keywords) = self.keywords {
            gathering.keywords(keywords, corpus.chunks).map_err(ImportError::from)?;
        }
        let graph = gathering.finish().map_err(ImportError::from)?;
        Ok(graph.map(|(graph, report)| Knowledge { graph, report }))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::stages::chunk::Split;
    use crate::stages::testing::{RecordedWarnings, read_in, words};
    use std::path::Path;

    /// The graph of a document, with and without its structure.
    fn graph(from_documents: bool) -> Option<Knowledge> {
        let warnings = RecordedWarnings::default();
        let page = "---\nauthor: Ann Archer\n---\n# Boats\n\nSee [Harbours](b.md).";
        let source =
            Source::Documents(Path::new("."), read_in(&[("a.md", page), ("b.md", "# Harbours\n\nQuiet.")]));
        let cut = Split { max_tokens: 50, count: &words }.run(source, &warnings).unwrap();
        let gathering = ImportTables { files: None }.run((), &warnings).unwrap();
        let stated =
            TakeTriples { from_documents }.run((gathering, cut.origin, &cut.chunked), &warnings).unwrap();
        assert_eq!(stated.from_documents.triples > 0, from_documents);
        let corpus = Corpus { documents: &cut.chunked.documents, chunks: &cut.chunked.chunks, vectors: &[] };
        Extract { reader: None, keywords: None, count: &words }
            .run((stated.gathering, corpus), &warnings)
            .unwrap()
    }

    #[test]
    fn documents_state_triples_only_where_they_are_asked() {
        let made = graph(true).unwrap();
        let labels: Vec<&str> =
            (0..made.graph.entities() as u32).map(|i| made.graph.label(pocketgraph::kg::NodeId(i))).collect();
        assert!(labels.contains(&"Boats") && labels.contains(&"Harbours"), "{labels:?}");
        assert!(graph(false).is_none(), "nothing was asked for, so there is no graph");
    }

    #[test]
    fn a_table_of_triples_is_a_graph_of_its_own() {
        let warnings = RecordedWarnings::default();
        let films = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/films.tsv");
        let files = (KgFiles { triples: vec![films], ..KgFiles::default() }, ImportOptions::default());
        let gathering = ImportTables { files: Some(&files) }.run((), &warnings).unwrap();
        let corpus = Corpus { documents: &[], chunks: &[], vectors: &[] };
        let made = Extract { reader: None, keywords: None, count: &words }
            .run((gathering, corpus), &warnings)
            .unwrap()
            .unwrap();
        assert!(made.report.triples > 0 && made.report.malformed == 0);
    }
}
