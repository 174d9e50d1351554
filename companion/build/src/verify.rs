//! Checking a whole bundle: every file's hash, every decoder.

use pocketgraph::bundle::{
    Bundle, BundleError, Document, Kind, PagedIndex, TermIndex, decode_run, decode_times, decode_vectors,
    open_section,
};
use pocketgraph::embed::{QuestionEncoder, TableEncoder, Vocabulary, decode_pieces};
use pocketgraph::kg::{self, KnowledgeGraph, Provenance, TripleId};
use pocketgraph::planner::{PHRASES, Phrases, load_phrases};
use pocketgraph::retrieve::{Corpus, PreparedCorpus};
use pocketgraph::text::piece_key;

/// Result of a verification.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Files that were read and decoded.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Faults, each naming its file.
    pub faults: Vec<String>,
}

impl Verdict {
    fn note<T>(&mut self, result: Result<T, BundleError>) -> Option<T> {
        result.map_err(|e| self.faults.push(e.to_string())).ok()
    }
}

/// Reads and decodes everything in a bundle.
pub async fn verify_bundle(bundle: &Bundle) -> Verdict {
    let mut v = Verdict::default();
    let corpus = Corpus::new(bundle.clone());
    let prepared = PreparedCorpus(&corpus);
    let counts = bundle.manifest().counts;
    let documents = v.note(corpus.documents().await);
    if let Some(documents) = &documents
        && documents.len() as u64 != counts.documents
    {
        v.faults.push(format!(
            "documents: {} where the manifest counts {}",
            documents.len(),
            counts.documents
        ));
    }
    v.note(corpus.fields().await);
    if bundle.has("times") {
        v.note(bundle.section("times", decode_times).await);
    }
    if let Some(index) = v.note(corpus.chunk_index("chunks").await) {
        passages_of(&corpus, &index, documents.as_deref().map(Vec::as_slice), &mut v).await;
    }
    if bundle.has("vectors")
        && let Some(index) = v.note(corpus.vectors().await)
    {
        for cell in 0..index.cells.pages.len() {
            v.faults.extend(corpus.cells(&index, &[cell]).await.1);
        }
    }
    if corpus.has_sketches()
        && let Some(index) = v.note(corpus.sketch_index().await)
    {
        for page in 0..index.pages.pages.len() {
            v.faults.extend(corpus.sketches(&index, &[page]).await.1);
        }
    }
    if TableEncoder::is_in(bundle)
        && let Some(sketches) = v.note(corpus.sketch_index().await)
        && let Some(table) = v.note(TableEncoder::load(bundle, sketches).await)
    {
        for page in 0..table.page_count() {
            v.faults.extend(table.pages(&[page]).await.missing());
        }
    }
    check_terms(bundle, "lexical", counts.chunks, &mut v).await;
    if bundle.has("names") {
        check_terms(bundle, "names", counts.documents, &mut v).await;
        check_terms(bundle, "titles", counts.documents, &mut v).await;
    }
    if bundle.has("keywords") {
        v.note(corpus.keywords().await);
    }
    if bundle.has("names")
        && let Some(names) = v.note(prepared.names().await)
        && bundle.has("mentions")
    {
        let entries = names.table.entries.len() as u32;
        if let Some(index) = v.note(corpus.mention_index().await) {
            for run in index.first.windows(2) {
                // The first of a page brings the page.
                if let Some((_, missing)) = v.note(corpus.mentions(&[run[0]], entries).await) {
                    v.faults.extend(missing);
                }
            }
        }
    }
    if bundle.has("entities")
        && let Some((_, index)) = v.note(prepared.entities("").await)
        && bundle.has("synonyms")
    {
        v.note(prepared.synonyms("", index.entities()).await);
    }
    let joined = match v.note(prepared.relations().await).flatten() {
        Some(relations) => {
            v.note(prepared.statements(relations.scores.len()).await);
            Some(relations.labels.len())
        }
        None if bundle.has("entities") => {
            v.note(prepared.names().await).map(|names| names.table.entries.len())
        }
        None => None,
    };
    if bundle.has("communities")
        && let Some(entities) = joined
        && let Some(communities) = v.note(prepared.communities("", entities).await)
    {
        v.note(prepared.written("reports", communities.all.len()).await);
    }
    if bundle.has("tree")
        && let Some(tree) = v.note(prepared.tree("").await)
    {
        v.note(prepared.written("summaries", tree.nodes.len()).await);
    }
    if bundle.has("facts") {
        v.note(prepared.facts("").await);
    }
    if kg::is_in(bundle)
        && let Some(graph) = v.note(kg::load_graph(bundle).await)
    {
        check_passages(&graph, counts.chunks, &mut v);
        v.note(kg::load_labels(bundle, graph.entities()).await);
        v.note(kg::load_relation_labels(bundle, graph.vocabulary().relations().len()).await);
        check_phrases(bundle, &mut v).await;
        check_spans(&corpus, &graph, &mut v).await;
    }
    if QuestionEncoder::is_in(bundle) {
        v.note(QuestionEncoder::load(bundle).await);
        // That of the unigram model is one section, which has just been loaded.
        if bundle.manifest().embedder.id != pocketgraph_models::e5::ID {
            check_vocabulary(bundle, &mut v).await;
        }
        check_words(bundle, &mut v).await;
    }
    let stats = bundle.stats();
    (v.files, v.bytes) = (stats.requests, stats.bytes);
    v
}

/// Every page of chunks. A list is believed page by page: what it says of a page that cannot be loaded asks
/// for neither memory nor time.
async fn passages_of(corpus: &Corpus, index: &PagedIndex, documents: Option<&[Document]>, v: &mut Verdict) {
    for run in index.first.windows(2) {
        let (from, to) = (run[0], run[1]);
        let Some((first, missing)) = v.note(corpus.passages(&[from]).await) else { break };
        v.faults.extend(missing);
        if from == to || first.is_empty() {
            continue;
        }
        let ids: Vec<u32> = (from..to).collect();
        let Some((chunks, missing)) = v.note(corpus.passages(&ids).await) else { break };
        v.faults.extend(missing);
        if let Some(documents) = documents
            && chunks
                .iter()
                .any(|(_, (chunk, document))| documents.get(chunk.document as usize) != Some(document))
        {
            v.faults.push(format!(
                "chunks {from} to {}: a page brings other documents than the bundle's",
                to - 1
            ));
        }
        if chunks.len() != ids.len() && v.faults.is_empty() {
            v.faults.push(format!("chunks {from} to {}: some are on no page", to - 1));
        }
    }
}

/// Returns true if every passage that a triple cites is a chunk of the bundle.
fn check_passages(graph: &KnowledgeGraph, chunks: u64, v: &mut Verdict) {
    let beyond =
        |p: Provenance<'_>| matches!(p, Provenance::Passage { chunk, .. } if u64::from(chunk) >= chunks);
    let wrong = (0..graph.triples() as u32).filter(|&t| graph.provenance(TripleId(t)).any(beyond)).count();
    if wrong > 0 {
        v.faults.push(format!("kg-sources: {wrong} triples cite chunks that the bundle does not have"));
    }
}

/// Returns true if every passage that a triple cites lies in its chunk's text, at the bounds of characters.
async fn check_spans(corpus: &Corpus, graph: &KnowledgeGraph, v: &mut Verdict) {
    let mut cited: Vec<(u32, u32, u32)> = Vec::new();
    for t in 0..graph.triples() as u32 {
        cited.extend(graph.provenance(TripleId(t)).filter_map(|p| match p {
            Provenance::Passage { chunk, start, end } => Some((chunk, start, end)),
            _ => None,
        }));
    }
    cited.sort_unstable();
    cited.dedup();
    let mut wrong = 0;
    for run in cited.chunks(4000) {
        let mut ids: Vec<u32> = run.iter().map(|c| c.0).collect();
        ids.dedup();
        // Chunks that cannot be loaded were told already.
        let Ok((chunks, _)) = corpus.chunks(&ids).await else { return };
        let outside = |&&(chunk, start, end): &&(u32, u32, u32)| {
            chunks.get(&chunk).is_some_and(|c| c.text.get(start as usize..end as usize).is_none())
        };
        wrong += run.iter().filter(outside).count();
    }
    if wrong > 0 {
        v.faults.push(format!("kg-sources: {wrong} cited passages lie outside their chunk's text"));
    }
}

async fn check_phrases(bundle: &Bundle, v: &mut Verdict) {
    let Some(index) = v.note(load_phrases(bundle).await).flatten() else { return };
    let dim = bundle.manifest().embedder.dimension;
    for (page, run) in index.pages.pages.iter().zip(index.pages.first.windows(2)) {
        let count = run[1] - run[0];
        v.note(bundle.page(PHRASES, page, count, move |f, b| Phrases::decode(f, b, count, dim)).await);
    }
}

/// A section of terms whose numbers are below `limit`.
async fn check_terms(bundle: &Bundle, section: &str, limit: u64, v: &mut Verdict) {
    let Some(index) = v.note(bundle.section(section, TermIndex::decode).await) else { return };
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    for ((page, first), run) in
        index.ranges.pages.iter().zip(&index.first_terms).zip(index.ranges.first.windows(2))
    {
        let items = run[1] - run[0];
        let Some(terms) =
            v.note(bundle.page(section, page, items, move |f, b| decode_run(items, f, b, limit)).await)
        else {
            continue;
        };
        if terms.first().map(|t| &t.term) != Some(first) {
            v.faults.push(format!("{section}: the range of {first:?} holds other terms than are listed"));
        }
    }
}

/// Returns true if every piece of the vocabulary stands where a question looks for it.
async fn check_vocabulary(bundle: &Bundle, v: &mut Verdict) {
    let Some(vocabulary) = v.note(Vocabulary::load(bundle).await) else { return };
    let index = vocabulary.index();
    let total = index.total;
    for (i, page) in index.pages.pages.iter().enumerate() {
        let count = index.pages.first[i + 1] - index.pages.first[i];
        let pieces =
            bundle.page("vocabulary", page, count, move |f, b| decode_pieces(f, b, count, total)).await;
        let Some(pieces) = v.note(pieces) else { continue };
        let (from, to) = (index.first[i], index.first.get(i + 1).copied().unwrap_or(u32::MAX));
        if pieces.iter().any(|(_, text)| piece_key(text).is_none_or(|key| !(from..to).contains(&key))) {
            v.faults.push(format!("vocabulary: range {i} holds pieces of another"));
        }
    }
}

async fn check_words(bundle: &Bundle, v: &mut Verdict) {
    let dim = bundle.manifest().embedder.dimension;
    let index = bundle.section("words", |f, b| {
        let mut b = open_section(f, b, Kind::WordIndex)?;
        PagedIndex::take(&mut b)
    });
    let Some(index) = v.note(index.await) else { return };
    for (i, page) in index.pages.iter().enumerate() {
        let rows = index.first[i + 1] - index.first[i];
        v.note(
            bundle.page("words", page, rows, move |f, b| decode_vectors(f, b, Kind::Words, rows, dim)).await,
        );
    }
}
