//! From finished parts to a bundle's sections.

use super::model::{QueryModel, trained_planner, write_layers, write_words};
use super::packs::{PAGES_OF_A_SMALL_CORPUS, write_packs};
use super::table::token_table;
use super::terms::{index_titles, write_terms};
use super::unigram::write_unigram;
use super::vocabulary::write_vocabulary;
use super::writer::{GZIP, Layout, RAW_PAGES, SectionWriter, WriteError};
use crate::licences;
use crate::prepare::{Prepared, Relations};
use pocketgraph::bundle::{
    self, CHUNKS_PER_PAGE, Chunk, Counts, Document, EmbedderInfo, Encoding, FORMAT, Fields, Kind,
    LAYOUTS_PER_PAGE, MANIFEST, Manifest, PACKED_FORMAT, PAGES_PER_LIST, PagedIndex, SketchIndex,
    TITLED_FROM, Times, Translated, Translations, VectorIndex, WeightGroup, begin_section, encode_chunks,
    encode_document_order, encode_documents, encode_fields, encode_function_words, encode_layouts,
    encode_list, encode_sketches, encode_times, encode_titled_chunks, encode_vectors, encode_weights,
};
use pocketgraph::entities::{
    Community, Facts, SentencePlace, StatedFact, Summary, Tree, encode_communities, encode_entities,
    encode_facts, encode_relations, encode_synonyms, encode_texts, encode_tree,
};
use pocketgraph::keyword::{self, KeywordGraph};
use pocketgraph::kg::{self, KnowledgeGraph};
use pocketgraph::lexical::{LexicalBuilder, cut_into_ranges};
use pocketgraph::names::{
    ChunkDocuments, ChunkMentions, MENTION_CHUNKS_PER_PAGE, documents_by_chunks, encode_links,
    encode_mentions, numbered_by_chunks, order_by_chunks, term_of_name,
};
use pocketgraph::planner::{PHRASES, PhraseIndex, Phrases};
use pocketgraph::text::lexicon::LANGUAGES;
use pocketgraph::vector::{QuantizedMatrix, QuantizedVector};
use pocketgraph_ingest::namesakes::titles_with_places;
use pocketgraph_ingest::rank::Weighed;
use pocketgraph_knowledge::communities::quantise_vectors;
use pocketgraph_knowledge::names::FoundNames;
use pocketgraph_languages::{Forms, find_translations, function_words};
use pocketgraph_native::held_folder::HeldFolder;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The parts of a bundle, chunks in the order of their documents.
#[derive(Default)]
pub struct Contents<'a> {
    /// The documents.
    pub documents: &'a [Document],
    /// The chunks.
    pub chunks: &'a [Chunk],
    /// The documents' own fields.
    pub fields: Option<&'a Fields>,
    /// Layouts of their texts, one a chunk; empty if unknown.
    pub layouts: &'a [bundle::Layout],
    /// One unit vector a chunk.
    pub vectors: &'a [Vec<f32>],
    /// The vector cell of each chunk.
    pub cells: &'a [u32],
    /// Weights of chunks, numbered as in `chunks`.
    pub weights: &'a [Weighed],
    /// The keyword graph, its chunks numbered as in `chunks`.
    pub keywords: Option<&'a KeywordGraph>,
    /// The names, their chunks numbered as in `chunks`.
    pub names: Option<&'a FoundNames>,
    /// Statements of different values for one thing, their chunks numbered as in `chunks`.
    pub times: Option<&'a Times>,
    /// Data of other retrievers than the default, numbered as the names are.
    pub prepared: Option<&'a Prepared>,
    /// The typed knowledge graph, the chunks of its provenance numbered as in `chunks`.
    pub knowledge: Option<&'a KnowledgeGraph>,
    /// The vectors of the knowledge graph's labels, one row an entity.
    pub labels: Option<&'a QuantizedMatrix>,
    /// The vectors of its relations' labels, one row a relation.
    pub relation_labels: Option<&'a QuantizedMatrix>,
    /// Phrases that planning by meaning compares questions with: pages and what each is about, ascending.
    pub phrases: &'a [(String, Phrases)],
    /// The trained planner's bytes; written where there are a knowledge graph to plan over and the word
    /// vectors that it reads.
    pub planner: Option<&'a [u8]>,
    /// Model that embeds questions, unless the page has its own.
    pub model: Option<QueryModel<'a>>,
    /// Model that made the vectors.
    pub embedder: EmbedderInfo,
    /// The options of the build, for the manifest.
    pub options: Vec<(String, String)>,
    /// The browser runtime to write beside the bundle: (name, bytes).
    pub runtime: &'a [(&'a str, &'a [u8])],
}

impl Contents<'_> {
    /// Nothing, by this embedder.
    pub fn bare(embedder: EmbedderInfo) -> Self {
        Contents { embedder, ..Contents::default() }
    }
}

/// Writes the bundle into an empty folder and returns its manifest. Chunks are renumbered so that each cell
/// is a run.
pub fn assemble_bundle(contents: &Contents<'_>, folder: &HeldFolder) -> Result<Manifest, WriteError> {
    let mut w = SectionWriter::new(folder);
    let mut order: Vec<usize> = (0..contents.chunks.len()).collect();
    order.sort_by_key(|&i| (contents.cells.get(i).copied().unwrap_or(0), i));

    w.section("documents", &encode_documents(contents.documents)?, GZIP, &[])?;
    if let Some(fields) = contents.fields.filter(|fields| !fields.names.is_empty()) {
        w.section("fields", &encode_fields(fields), GZIP, &[])?;
    }
    write_chunks(&mut w, contents, &order)?;
    chunk_documents(&mut w, contents, &order)?;
    write_layouts(&mut w, contents, &order)?;
    write_lexical(&mut w, contents, &order)?;
    write_vectors(&mut w, contents, &order)?;
    let sketched = write_sketches(&mut w, contents, &order)?;
    write_weights(&mut w, contents.weights, &order)?;
    let tables = function_words(
        contents.documents,
        contents.model.as_ref().map_or(&[], |model| model.questions),
        &LANGUAGES,
    );
    if !tables.is_empty() {
        w.section("function-words", &encode_function_words(&tables), GZIP, &[])?;
    }
    if let Some(times) = contents.times.filter(|times| !times.labels.is_empty()) {
        let (number, mut times) = (number_chunks(&order), times.clone());
        times.statements.iter_mut().step_by(6).for_each(|chunk| *chunk = number[*chunk as usize]);
        w.section("times", &encode_times(&times), GZIP, &[])?;
    }
    if let Some(graph) = contents.keywords {
        let (labels, edges) = keyword::encode_keywords(&renumber_chunks(graph, &order));
        w.section("keywords", &labels, GZIP, &[])?;
        w.section("keyword-graph", &edges, GZIP, &[])?;
    }
    if let Some(found) = contents.names {
        write_names(&mut w, contents.documents, found, &order)?;
        if let Some(prepared) = contents.prepared {
            prepared_sections(&mut w, prepared, found, &order)?;
        }
    }
    if let Some(graph) = contents.knowledge {
        let graph = graph.clone().with_chunks_renumbered(&number_chunks(&order));
        for (name, bytes) in kg::SECTIONS.iter().zip(kg::encode_graph(&graph)) {
            w.section(name, &bytes, GZIP, &[])?;
        }
        let raw = Layout { root: Encoding::Raw, pages: Encoding::Raw };
        if let Some(labels) = contents.labels {
            w.section(kg::LABELS, &kg::encode_labels(labels), raw, &[])?;
        }
        if let Some(labels) = contents.relation_labels {
            w.section(kg::RELATION_LABELS, &kg::encode_relation_labels(labels), raw, &[])?;
        }
        if !contents.phrases.is_empty() {
            write_phrases(&mut w, contents.phrases)?;
        }
    }
    if let Some(model) = &contents.model {
        match model.unigram {
            Some(pieces) => write_unigram(
                &mut w,
                pieces,
                model.words,
                contents.documents,
                contents.chunks,
                model.questions,
            )?,
            None => {
                let order = write_vocabulary(&mut w, model.tokenizer, contents.chunks)?;
                write_words(&mut w, model, &order)?;
                if let (Some(table), Some(sketches)) = (model.table, &sketched) {
                    token_table(&mut w, table, sketches, &order)?;
                }
            }
        }
        write_layers(&mut w, model)?;
        // The planner reads the word vectors of the model that the program brings.
        if let (Some(planner), Some(_), None) = (contents.planner, contents.knowledge, model.unigram) {
            trained_planner(&mut w, planner)?;
        }
    }
    if let Some(model) = &contents.model {
        let of_weights =
            if model.unigram.is_some() { &licences::OF_MULTILINGUAL[..] } else { &licences::OF_WEIGHTS[..] };
        for (name, text) in of_weights {
            w.file(name, text.as_bytes())?;
        }
    }
    for (name, bytes) in contents.runtime {
        w.file(&format!("runtime/{name}"), bytes)?;
    }
    let (packs, ahead) = write_packs(&w)?;
    let format = if packs.is_empty() { FORMAT } else { PACKED_FORMAT };
    let manifest = Manifest {
        format: format.into(),
        oldest_reader: format.into(),
        built_by: format!("pocketgraph {}", env!("CARGO_PKG_VERSION")),
        counts: Counts {
            documents: contents.documents.len() as u64,
            chunks: contents.chunks.len() as u64,
            keywords: contents.keywords.map_or(0, |k| k.labels.len() as u64),
        },
        options: contents.options.clone(),
        embedder: contents.embedder.clone(),
        sections: w.take_sections(),
        packs,
    };
    w.file(MANIFEST, manifest.to_json_with(&ahead).as_bytes())?;
    Ok(manifest)
}

fn write_phrases(w: &mut SectionWriter, all: &[(String, Phrases)]) -> Result<(), WriteError> {
    let mut index = PhraseIndex { pages: PagedIndex::empty(), about: Vec::new() };
    for (about, page) in all {
        index.pages.push(w.page(PHRASES, &page.encode(), Encoding::Raw)?, page.texts.len() as u32);
        index.about.push(about.clone());
    }
    let pages = index.pages.pages.clone();
    w.section(PHRASES, &index.encode(), RAW_PAGES, &pages)
}

/// Up to so many chunks a corpus has few files, each with a good part of it: what one question loads, the
/// next finds at hand.
const SMALL_CORPUS: usize = 1024;
/// A page of chunks in a small corpus: some 45 kB.
const CHUNKS_PER_SMALL_PAGE: usize = SMALL_CORPUS / PAGES_OF_A_SMALL_CORPUS;

/// The bytes of a page of these chunks.
type PageOf<'a> = dyn Fn(&[usize]) -> Result<Vec<u8>, WriteError> + Sync + 'a;

/// Writes pages of `per_page` chunks each on all cores, and lists them in their order.
fn pages_of(
    w: &SectionWriter,
    section: &str,
    encoding: Encoding,
    order: &[usize],
    per_page: usize,
    of: &PageOf<'_>,
) -> Result<PagedIndex, WriteError> {
    let written =
        order.par_chunks(per_page).map(|run| Ok((w.page(section, &of(run)?, encoding)?, run.len() as u32)));
    let mut index = PagedIndex::empty();
    written
        .collect::<Result<Vec<_>, WriteError>>()?
        .into_iter()
        .for_each(|(page, chunks)| index.push(page, chunks));
    Ok(index)
}

fn write_chunks(w: &mut SectionWriter, contents: &Contents<'_>, order: &[usize]) -> Result<(), WriteError> {
    let per_page = if order.len() <= SMALL_CORPUS { CHUNKS_PER_SMALL_PAGE } else { CHUNKS_PER_PAGE };
    let index = pages_of(w, "chunks", Encoding::Gzip, order, per_page, &|run| {
        let page: Vec<Chunk> = run.iter().map(|&i| contents.chunks[i].clone()).collect();
        if contents.documents.len() < TITLED_FROM {
            return Ok(encode_chunks(&page)?);
        }
        let numbers: BTreeSet<u32> = page.iter().map(|c| c.document).collect();
        let of = |n: u32| contents.documents.get(n as usize).map(|d| (n, d));
        Ok(encode_titled_chunks(&page, &numbers.into_iter().filter_map(of).collect::<Vec<_>>())?)
    })?;
    let mut root = begin_section(Kind::ChunkIndex);
    index.put(&mut root);
    w.section("chunks", &root, GZIP, &index.pages)?;
    if index.pages.len() > LISTED_FROM {
        write_page_list(w, "chunks-lists", Kind::ChunkIndex, &index)
    } else {
        Ok(())
    }
}

/// The document of each chunk, and which documents say the same in other languages. Chunks number documents
/// by their own order, which takes fewer bytes.
fn chunk_documents(
    w: &mut SectionWriter,
    contents: &Contents<'_>,
    order: &[usize],
) -> Result<(), WriteError> {
    let document_of: Vec<u32> = order.iter().map(|&i| contents.chunks[i].document).collect();
    let documents = order_by_chunks(&document_of, contents.documents.len());
    let of = ChunkDocuments::new(documents_by_chunks(&document_of, &documents));
    w.section("chunk-documents", &of.encode(), GZIP, &[])?;
    w.section("document-order", &encode_document_order(&documents), GZIP, &[])?;
    let by_place = find_translations(contents.documents);
    if by_place.documents.is_empty() {
        return Ok(());
    }
    let numbered = (0..)
        .zip(&documents)
        .filter_map(|(at, d)| Some(Translated { document: at, ..*by_place.of(*d)? }))
        .collect();
    w.section("translations", &Translations { documents: numbered, ..by_place }.encode(), GZIP, &[])
}

fn write_layouts(w: &mut SectionWriter, contents: &Contents<'_>, order: &[usize]) -> Result<(), WriteError> {
    if contents.layouts.len() != contents.chunks.len() {
        return Ok(());
    }
    let index = pages_of(w, "layout", Encoding::Gzip, order, LAYOUTS_PER_PAGE, &|run| {
        let page: Vec<bundle::Layout> =
            run.iter().filter_map(|&i| contents.layouts.get(i).cloned()).collect();
        Ok(encode_layouts(&page))
    })?;
    let mut root = begin_section(Kind::ChunkIndex);
    index.put(&mut root);
    w.section("layout", &root, GZIP, &index.pages)
}

/// From this many pages on their list is also written in pages: 11 kB.
const LISTED_FROM: usize = 512;

/// Writes the list of pages `index` once more, cut into pages.
fn write_page_list(
    w: &mut SectionWriter,
    section: &str,
    kind: Kind,
    index: &PagedIndex,
) -> Result<(), WriteError> {
    let mut top = PagedIndex::empty();
    for (pages, first) in index.pages.chunks(PAGES_PER_LIST).zip(index.first.chunks(PAGES_PER_LIST)) {
        let start = first.first().copied().unwrap_or(0);
        let end = index.first.get(top.pages.len() * PAGES_PER_LIST + pages.len()).copied().unwrap_or(start);
        let first = first.iter().copied().chain([end]).take(pages.len() + 1).map(|f| f - start).collect();
        let list = PagedIndex { pages: pages.to_vec(), first };
        top.push(w.page(section, &encode_list(&list), Encoding::Raw)?, list.items());
    }
    let mut root = begin_section(kind);
    top.put(&mut root);
    w.section(section, &root, RAW_PAGES, &top.pages)
}

fn write_lexical(w: &mut SectionWriter, contents: &Contents<'_>, order: &[usize]) -> Result<(), WriteError> {
    let mut builder = LexicalBuilder::default();
    let forms = Forms::of(contents.documents, contents.chunks, &LANGUAGES);
    let titles = titles_with_places(contents.documents);
    for &i in order {
        let chunk = &contents.chunks[i];
        let title = titles.get(chunk.document as usize).map_or("", String::as_str);
        let language = contents.documents.get(chunk.document as usize).map_or("", |d| &d.language);
        builder.push_with(title, &chunk.heading_path, &chunk.text, &|term| forms.also(language, term));
    }
    write_terms(w, "lexical", builder.finish())
}

fn write_vectors(w: &mut SectionWriter, contents: &Contents<'_>, order: &[usize]) -> Result<(), WriteError> {
    let dim = usize::try_from(contents.embedder.dimension).unwrap_or(0);
    // A graph alone has no chunks whose vectors could be missing: searching it finds nothing, and is no
    // error.
    if contents.vectors.is_empty() && (dim == 0 || !contents.chunks.is_empty()) {
        return Ok(());
    }
    let mut index = PagedIndex::empty();
    let mut centroids = QuantizedMatrix::empty(dim);
    let cell = |i: usize| contents.cells.get(i).copied().unwrap_or(0);
    for run in order.chunk_by(|&a, &b| cell(a) == cell(b)) {
        let m = QuantizedMatrix::from_rows(dim, run.iter().map(|&i| contents.vectors[i].as_slice()));
        index.push(w.page("vectors", &encode_vectors(Kind::Vectors, &m), Encoding::Raw)?, run.len() as u32);
        let mut mean = vec![0f32; dim];
        for &i in run {
            mean.iter_mut().zip(&contents.vectors[i]).for_each(|(m, x)| *m += x);
        }
        let length = mean.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            mean.iter_mut().for_each(|x| *x /= length);
        }
        centroids.push(&QuantizedVector::from_f32(&mean));
    }
    let pages = index.pages.clone();
    w.section("vectors", &VectorIndex { cells: index, centroids }.encode(), RAW_PAGES, &pages)
}

/// Below this many chunks a question's words find what there is to be found, and a token table would be more
/// than all the rest.
const SKETCHED_FROM: usize = 32;
/// A page of sketches in a corpus that is searched whole: one request brings them all, 98 kB at most.
const SKETCHES_PER_PAGE: usize = 2048;
/// And in a larger one, of which a question touches a few: 3 kB.
const SCATTERED_PER_PAGE: usize = 64;

fn write_sketches(
    w: &mut SectionWriter,
    contents: &Contents<'_>,
    order: &[usize],
) -> Result<Option<SketchIndex>, WriteError> {
    let dim = usize::try_from(contents.embedder.dimension).unwrap_or(0);
    if order.len() < SKETCHED_FROM || dim == 0 {
        return Ok(None);
    }
    let mut index = pocketgraph_cluster::sketch::fit_sketches(contents.vectors, dim);
    let per_page = if order.len() <= 2 * SKETCHES_PER_PAGE { SKETCHES_PER_PAGE } else { SCATTERED_PER_PAGE };
    index.pages = pages_of(w, "sketches", Encoding::Raw, order, per_page, &|run| {
        let page: Vec<u8> = run.iter().flat_map(|&i| index.sketch(&contents.vectors[i])).collect();
        Ok(encode_sketches(&page))
    })?;
    let pages = index.pages.pages.clone();
    w.section("sketches", &index.encode(), RAW_PAGES, &pages)?;
    Ok(Some(index))
}

fn write_weights(w: &mut SectionWriter, weighed: &[Weighed], order: &[usize]) -> Result<(), WriteError> {
    if weighed.is_empty() {
        return Ok(());
    }
    let numbers = number_chunks(order);
    let group = |of: &Weighed| {
        let mut chunks: Vec<u32> = of.chunks.iter().filter_map(|&i| numbers.get(i).copied()).collect();
        chunks.sort_unstable();
        WeightGroup::new(of.percent, of.unless.clone(), &chunks)
    };
    w.section("weights", &encode_weights(&weighed.iter().map(group).collect::<Vec<_>>()), GZIP, &[])
}

/// Number of bytes of names or titles' words that a range holds before compression: a question touches one
/// for most of its words, and all are listed in 28 bytes.
const NAME_RANGE_BYTES: usize = 4 << 10;
/// And in a small corpus, where one range has them all as a rule.
const SMALL_NAME_RANGE_BYTES: usize = 48 << 10;

fn write_names(
    w: &mut SectionWriter,
    documents: &[Document],
    found: &FoundNames,
    order: &[usize],
) -> Result<(), WriteError> {
    let document_of: Vec<u32> =
        order.iter().filter_map(|&i| found.table.document_of.get(i).copied()).collect();
    let table = numbered_by_chunks(&found.table, &document_of);
    let range = if order.len() <= SMALL_CORPUS { SMALL_NAME_RANGE_BYTES } else { NAME_RANGE_BYTES };
    write_terms(w, "names", cut_into_ranges(table.entries.iter().map(term_of_name), range))?;
    write_terms(
        w,
        "titles",
        cut_into_ranges(index_titles(documents, &table, &document_of).into_iter(), range),
    )?;
    if table.hop {
        w.section("links", &encode_links(&table.links_in), GZIP, &[])?;
    }
    if found.mentions.is_empty() {
        return Ok(());
    }
    let mut index = PagedIndex::empty();
    for run in order.chunks(MENTION_CHUNKS_PER_PAGE) {
        let page: Vec<ChunkMentions> = run.iter().filter_map(|&i| found.mentions.get(i).cloned()).collect();
        index.push(w.page("mentions", &encode_mentions(&page), Encoding::Raw)?, page.len() as u32);
    }
    let mut root = begin_section(Kind::MentionIndex);
    index.put(&mut root);
    w.section("mentions", &root, RAW_PAGES, &index.pages)
}

fn prepared_sections(
    w: &mut SectionWriter,
    prepared: &Prepared,
    found: &FoundNames,
    order: &[usize],
) -> Result<(), WriteError> {
    if let Some(vectors) = &prepared.entities {
        let chunks: Vec<&[Vec<u32>]> = order
            .iter()
            .map(|&i| found.mentions.get(i).map_or(&[][..], |m| m.sentences.as_slice()))
            .collect();
        w.section("entities", &encode_entities(vectors, &chunks), GZIP, &[])?;
    }
    if let Some(synonyms) = &prepared.synonyms {
        w.section("synonyms", &encode_synonyms(synonyms), GZIP, &[])?;
    }
    if let Some(r) = &prepared.relations {
        write_relations(w, r, order)?;
    }
    let number = number_chunks(order);
    let places = |all: &[SentencePlace]| {
        all.iter().map(|&(c, s)| (number.get(c as usize).copied().unwrap_or(c), s)).collect()
    };
    if let Some(r) = &prepared.communities {
        let all: Vec<Community> = r
            .communities
            .iter()
            .map(|c| Community { sentences: places(&c.sentences), ..c.clone() })
            .collect();
        let entities = prepared.relations.as_ref().map_or(found.table.entries.len(), |r| r.labels.len());
        let bytes = encode_communities(entities, &r.relations, &all, &quantise_vectors(&r.vectors));
        w.section("communities", &bytes, GZIP, &[])?;
        write_texts(w, "reports", &r.texts)?;
    }
    if let Some(t) = &prepared.tree {
        let child = |&c: &u32| number.get(c as usize).copied().unwrap_or(c);
        let node = |n: &Summary| {
            let mut children: Vec<u32> = n.children.iter().map(child).collect();
            children.sort_unstable();
            Summary { layer: n.layer, children, sentences: places(&n.sentences) }
        };
        let tree = Tree { nodes: t.nodes.iter().map(node).collect(), vectors: quantise_vectors(&t.vectors) };
        w.section("tree", &encode_tree(&tree), GZIP, &[])?;
        write_texts(w, "summaries", &t.texts)?;
    }
    if let Some(f) = &prepared.facts {
        let fact = |f: &StatedFact| {
            let mut chunks: Vec<u32> =
                f.chunks.iter().map(|&c| number.get(c as usize).copied().unwrap_or(c)).collect();
            chunks.sort_unstable();
            StatedFact { chunks, ..f.clone() }
        };
        let all = f.all.iter().map(fact).collect();
        let facts =
            Facts::new(f.phrases.clone(), f.relations.clone(), all, f.synonyms.clone(), f.vectors.clone());
        w.section("facts", &encode_facts(&facts), GZIP, &[])?;
    }
    Ok(())
}

/// Writes the relations that a model read in the chunks, and the statements' vectors.
fn write_relations(w: &mut SectionWriter, r: &Relations, order: &[usize]) -> Result<(), WriteError> {
    let chunks: Vec<&[Vec<u32>]> =
        order.iter().map(|&i| r.chunks.get(i).map_or(&[][..], |c| c.sentences.as_slice())).collect();
    let scores: Vec<u8> = order.iter().filter_map(|&i| r.scores.get(i)).flatten().copied().collect();
    w.section("relations", &encode_relations(&r.labels, &r.vectors, &chunks, &scores), GZIP, &[])?;
    let mut vectors = QuantizedMatrix::empty(r.vectors.dim());
    for c in order.iter().filter_map(|&i| r.chunks.get(i)) {
        for i in 0..c.vectors.rows() {
            let (data, scale) = c.vectors.row(i);
            vectors.push(&QuantizedVector { data: data.to_vec(), scale });
        }
    }
    w.section("statements", &encode_vectors(Kind::Statements, &vectors), GZIP, &[])
}

/// The texts that a model wrote, where one did.
fn write_texts(w: &mut SectionWriter, section: &'static str, texts: &[String]) -> Result<(), WriteError> {
    if texts.is_empty() { Ok(()) } else { w.section(section, &encode_texts(texts), GZIP, &[]) }
}

/// The bundle's number of each chunk.
fn number_chunks(order: &[usize]) -> Vec<u32> {
    let mut number = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(n) = number.get_mut(old) {
            *n = new as u32;
        }
    }
    number
}

/// The graph with its chunks renumbered as the bundle numbers them.
fn renumber_chunks(graph: &KeywordGraph, order: &[usize]) -> KeywordGraph {
    let number = number_chunks(order);
    let lists = |all: &[Vec<u32>]| {
        all.iter().map(|l| l.iter().filter_map(|&c| number.get(c as usize).copied()).collect()).collect()
    };
    KeywordGraph {
        chunks_by_u: lists(&graph.chunks_by_u),
        chunks_by_angle: lists(&graph.chunks_by_angle),
        ..graph.clone()
    }
}
