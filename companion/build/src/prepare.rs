//! Data of retrievers other than the default, prepared at build time.

use crate::facts::collect_facts;
use crate::synonyms::find_synonyms;
use pocketgraph::bundle::Chunk;
use pocketgraph::entities::{Facts, Synonyms};
use pocketgraph::kg::KnowledgeGraph;
use pocketgraph::names::ChunkMentions;
use pocketgraph::vector::QuantizedMatrix;
use pocketgraph_knowledge::communities::{
    Reports, build_name_graph, build_reports, build_stated_graph, place_statements, quantise_vectors,
};
use pocketgraph_knowledge::names::{Embed, FoundNames};
use pocketgraph_knowledge::raptor::{RaptorOptions, Summaries, build_summaries};
use pocketgraph_knowledge::relations::{Entity, Related};
use pocketgraph_knowledge::summaries::Writer;
use pocketgraph_llm_client::asker::AskError;

/// Needs of the retrievers that a bundle is prepared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Entities: their vectors, and the mentions and vectors of all sentences.
    pub entities: bool,
    /// Hyperedges: the relations that a language model read, else what `entities` brings.
    pub hyperedges: bool,
    /// Near synonyms among the entities.
    pub synonyms: bool,
    /// Communities of entities with their reports, over the relations that a language model read, else over
    /// what `entities` brings.
    pub communities: bool,
    /// A tree of summaries.
    pub tree: bool,
    /// Triples that passages state, where a language model read them.
    pub facts: bool,
    /// The keyword graph. A bundle of documents has one whatever its retrievers.
    pub keywords: bool,
}

/// A name that [`Needs::of`] does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no retriever {name:?}; there are {}", pocketgraph::retrieve::NAMES.join(", "))]
pub struct UnknownRetriever {
    name: String,
}

impl UnknownRetriever {
    /// The error for `name`.
    pub fn new(name: &str) -> Self {
        UnknownRetriever { name: name.to_owned() }
    }
}

/// The sections that a retriever reads to rank.
pub fn sections_of(retriever: &str) -> &'static [&'static str] {
    match retriever.split(':').next().unwrap_or(retriever) {
        "lexical" => &["lexical"],
        "dense" => &["vectors"],
        "hybrid" => &["lexical", "vectors"],
        "autokg" => &["vectors", "keywords", "keyword-graph"],
        "auto" => &["lexical", "vectors", "names", "titles", "chunk-documents", "links", "mentions"],
        "linear" | "hypergraph" => &["vectors", "names", "chunk-documents", "mentions", "entities"],
        "graphrag" => &["vectors", "names", "chunk-documents", "entities", "communities"],
        "raptor" => &["vectors", "tree"],
        "hippo" => &["vectors", "names", "chunk-documents", "mentions", "entities", "synonyms"],
        _ => &[],
    }
}

impl Needs {
    /// Returns the needs of the named retrievers beyond what every bundle has.
    ///
    /// # Errors
    /// [`UnknownRetriever`] for a name that is none.
    pub fn of<S: AsRef<str>>(retrievers: &[S]) -> Result<Needs, UnknownRetriever> {
        let mut out = Needs::default();
        for name in retrievers.iter().map(AsRef::as_ref) {
            if pocketgraph::retrieve::by_name(name).is_none() {
                return Err(UnknownRetriever::new(name));
            }
            match name.split(':').next().unwrap_or(name) {
                "linear" => out.entities = true,
                "hypergraph" => out.hyperedges = true,
                "hippo" => (out.entities, out.synonyms) = (true, true),
                "graphrag" => out.communities = true,
                "raptor" => out.tree = true,
                "autokg" => out.keywords = true,
                _ => {}
            }
        }
        Ok(out)
    }

    /// Returns true if the sentences of the corpus are scanned and embedded, whatever its kind.
    pub fn sentences(&self) -> bool {
        self.entities || self.relations() || self.tree
    }

    /// Returns true if `section` will be prepared.
    pub fn prepares(&self, section: &str) -> bool {
        match section {
            "entities" => self.entities,
            "synonyms" => self.synonyms,
            "communities" => self.communities,
            "tree" => self.tree,
            "facts" => self.facts,
            _ => true,
        }
    }

    /// Returns true if relations that a language model reads would be of use.
    pub fn relations(&self) -> bool {
        self.hyperedges || self.communities
    }

    /// Returns true if triples that a language model reads would be of use.
    pub fn triples(&self) -> bool {
        self.synonyms
    }

    /// Returns true if a language model would have summaries or reports to write.
    pub fn summaries(&self) -> bool {
        self.tree || self.communities
    }
}

/// The prepared parts, chunks and entities numbered as in the names.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// One vector an entry of the table of names.
    pub entities: Option<QuantizedMatrix>,
    /// Near synonyms among the entries.
    pub synonyms: Option<Synonyms>,
    /// Communities of entities with their reports.
    pub communities: Option<Reports>,
    /// A tree of summaries.
    pub tree: Option<Summaries>,
    /// Triples that passages state.
    pub facts: Option<Facts>,
    /// Relations that a language model read.
    pub relations: Option<Relations>,
}

/// Relations that a language model read, with their vectors.
#[derive(Debug, Clone)]
pub struct Relations {
    /// Labels of the entities.
    pub labels: Vec<String>,
    /// One vector an entity: of its name and description.
    pub vectors: QuantizedMatrix,
    /// For each chunk its statements, each with the entities that it joins, and its vector.
    pub chunks: Vec<ChunkMentions>,
    /// For each chunk the scores of its statements.
    pub scores: Vec<Vec<u8>>,
}

/// Corpus that is prepared.
pub struct Corpus<'a> {
    /// The chunks.
    pub chunks: &'a [Chunk],
    /// One unit vector a chunk.
    pub vectors: &'a [Vec<f32>],
    /// Their names and mentions.
    pub found: &'a FoundNames,
    /// Turns texts into unit vectors.
    pub embed: &'a Embed<'a>,
    /// Counts tokens.
    pub count: &'a dyn Fn(&str) -> usize,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Optional further input.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The knowledge graph, the chunks of its provenance numbered as given.
    pub knowledge: Option<&'a KnowledgeGraph>,
    /// A language model that writes summaries and reports; without it they are extracted.
    pub writer: Option<&'a Writer<'a>>,
    /// The entities and relations that a language model read in the chunks; without them names and sentences
    /// take their place.
    pub related: Option<&'a Related>,
}

/// Prepares what is needed from the corpus alone, without a language model and without triples.
pub fn prepare(needs: Needs, corpus: &Corpus<'_>) -> Prepared {
    // Only a model can fail.
    prepare_with(needs, corpus, &Beside::default()).unwrap_or_default()
}

/// Prepares what is needed.
///
/// # Errors
/// [`AskError`] when the language model refuses or falls silent; what it wrote before that is kept.
pub fn prepare_with(needs: Needs, corpus: &Corpus<'_>, beside: &Beside<'_>) -> Result<Prepared, AskError> {
    let mut out = Prepared::default();
    let &Corpus { chunks, vectors: of_chunks, found, embed, count, seed } = corpus;
    let related = beside.related.filter(|_| needs.relations());
    if needs.entities || (needs.relations() && related.is_none()) {
        let keys: Vec<String> = found.table.entries.iter().map(|e| e.key.clone()).collect();
        let vectors = embed(&keys);
        out.entities = Some(quantise_vectors(&vectors));
        if needs.synonyms {
            out.synonyms = Some(find_synonyms(&keys, &vectors, seed));
        }
    }
    let on = |source: &_| build_reports(source, chunks, found, embed, beside.writer, seed);
    if let Some(related) = related {
        let vectors = statement_vectors(related, embed);
        if needs.communities {
            out.communities =
                Some(on(&build_stated_graph(related, &place_statements(related, &vectors, found)))?);
        }
        out.relations = Some(build_relations(related, &vectors, embed));
    } else if needs.communities {
        out.communities = Some(on(&build_name_graph(found))?);
    }
    if needs.tree {
        let options =
            RaptorOptions { seed: RaptorOptions::default().seed ^ seed, ..RaptorOptions::default() };
        out.tree = Some(build_summaries(chunks, of_chunks, found, embed, count, beside.writer, &options)?);
    }
    if needs.facts {
        out.facts = beside.knowledge.and_then(|graph| collect_facts(graph, chunks.len(), embed, seed));
    }
    Ok(out)
}

fn statement_vectors(related: &Related, embed: &Embed<'_>) -> Vec<Vec<Vec<f32>>> {
    let texts: Vec<String> = related.chunks.iter().flatten().map(|s| s.text.clone()).collect();
    let mut all = embed(&texts).into_iter();
    related.chunks.iter().map(|statements| all.by_ref().take(statements.len()).collect()).collect()
}

/// Builds the relations that a model read, with their vectors; `statements` are the statements' vectors.
fn build_relations(related: &Related, statements: &[Vec<Vec<f32>>], embed: &Embed<'_>) -> Relations {
    let of_entities = embed(&related.entities.iter().map(Entity::text).collect::<Vec<_>>());
    let joined = related.chunks.iter().zip(statements).map(|(all, vectors)| ChunkMentions {
        sentences: all.iter().map(|s| s.entities.clone()).collect(),
        vectors: quantise_vectors(vectors),
    });
    Relations {
        labels: related.entities.iter().map(|e| e.label.clone()).collect(),
        vectors: quantise_vectors(&of_entities),
        chunks: joined.collect(),
        scores: related.chunks.iter().map(|all| all.iter().map(|s| s.score).collect()).collect(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn retrievers_say_what_they_need_and_unknown_ones_are_named() {
        assert_eq!(Needs::of(&["auto", "lexical"]).unwrap(), Needs::default());
        assert!(Needs::of(&["auto", "hippo"]).unwrap().synonyms);
        assert!(Needs::of(&["hippo:fast"]).is_err());
        let read = Needs::of(&["hypergraph", "graphrag"]).unwrap();
        assert!(
            read.relations() && read.sentences() && !read.entities,
            "names are the fallback, not the need"
        );
        assert!(!Needs::of(&["linear", "raptor"]).unwrap().relations());
        assert!(Needs::of(&["auto", "magic"]).unwrap_err().to_string().contains("\"magic\"; there are auto"));
        for name in pocketgraph::retrieve::NAMES {
            assert!(Needs::of(&[name]).is_ok(), "{name}");
        }
    }

    #[test]
    fn near_names_are_synonyms_and_short_ones_have_none() {
        let keys: Vec<String> = ["colour", "color", "of", "sky", "ox"].map(str::to_owned).into();
        let vectors =
            vec![vec![1.0, 0.0], vec![0.96, 0.28], vec![1.0, 0.0], vec![0.0, 1.0], vec![0.96, 0.28]];
        let s = find_synonyms(&keys, &vectors, 0);
        assert_eq!(s.row(0).0, [1]);
        assert!((s.row(0).1[0] - 0.96).abs() < 1e-5);
        assert_eq!((s.row(2).0.len(), s.row(3).0.len(), s.row(4).0.len()), (0, 0, 0));
        assert_eq!(find_synonyms(&[], &[], 0).rows(), 0);
    }
}
