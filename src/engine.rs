//! The engine's face: one open bundle, and what can be asked of it.

#[cfg(feature = "full")]
mod by_model;
#[cfg(feature = "full")]
pub(crate) mod knowledge;
#[cfg(feature = "full")]
mod times;

use crate::answer::{self, Answer, AskEvent, AskOptions};
use crate::bundle::{Bundle, BundleError, Source, SourceError, Stats};
use crate::compact::sort_by;
use crate::embed::{QuestionEncoder, TableEncoder};
use crate::lexical;
use crate::retrieve::{self, Corpus, Filter, Hit, Query, Retriever, SearchResult, Subgraph};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Default number of decoded bytes kept in memory: 120 MB.
pub const DEFAULT_MEMORY_LIMIT: u64 = 120_000_000;

/// A query with signs seeks this many times the hits that are wanted, to have some left.
const SEEK_MORE: usize = 5;

/// A question is read up to here, in bytes; a longer one is cut at a character, never refused.
const MAX_QUESTION: usize = 8 << 10;

/// Maximum number of blocks that are read for a quotation, at 10 ms each. More changed no answer of the
/// fitted sets.
const READ_BLOCKS: usize = 12;

/// Error of the engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The bundle, or a file of it.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The caller aborted.
    #[error("aborted")]
    Aborted,
    /// A plan that cannot be executed, or whose execution was stopped.
    #[cfg(feature = "full")]
    #[error(transparent)]
    Plan(#[from] crate::plan::execute::ExecuteError),
    /// The caller asked for something that does not exist.
    #[error("{0}")]
    BadArgument(String),
}

impl EngineError {
    /// A stable word for each kind of error, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::Bundle(e) => e.code(),
            EngineError::Aborted => "aborted",
            #[cfg(feature = "full")]
            EngineError::Plan(e) => knowledge::code(e),
            EngineError::BadArgument(_) => "bad-argument",
        }
    }
}

/// Options of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SearchOptions {
    /// Maximum number of hits; 10 by default, with `autokg` as many as its numbers give.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub k: Option<u32>,
    /// Retriever: `auto` (the default) or another that the bundle serves, with parameters after a colon.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub retriever: Option<String>,
    /// The question is still being typed: its last word may be unfinished.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub typing: bool,
    /// Maximum number of hits of a page before those of others, 0 for any number. Default: 3 with `auto`,
    /// otherwise 0.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub per_page: Option<u32>,
    /// Filter of the documents that are searched; all by default.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub filter: Arc<Filter>,
    /// Language of the reader, as `de`. A page in several languages is found in the question's language if it
    /// is recognised, otherwise in this one if it has a hit, otherwise in that of its best passage.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub reader_language: Option<String>,
}

/// Default maximum number of hits of one page before those of others.
const PER_PAGE: u32 = 3;

/// Description of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct BundleInfo {
    /// Its format version.
    pub version: u32,
    /// Program and version that built it.
    pub built_by: String,
    /// Number of documents.
    pub documents: u32,
    /// Number of chunks.
    pub chunks: u32,
    /// Number of keywords.
    pub keywords: u32,
    /// Model that made its vectors.
    pub embedder: String,
    /// Components a vector.
    pub dimension: u32,
    /// True if it carries the model that embeds questions.
    pub has_model: bool,
    /// Its sections.
    pub sections: Vec<SectionSize>,
}

/// A section and its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SectionSize {
    /// Its name.
    pub name: String,
    /// Its file, named by its content.
    pub file: String,
    /// Bytes of its files as stored, pages included.
    pub bytes: u64,
}

/// A keyword's surroundings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Neighbors {
    /// The keyword as the bundle writes it.
    pub keyword: String,
    /// Its neighbours in the keyword graph, strongest first.
    pub neighbors: Vec<Neighbor>,
    /// Its best chunks.
    pub chunks: Vec<Hit>,
}

/// A neighbour in the keyword graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Neighbor {
    /// The keyword.
    pub label: String,
    /// Number of chunks that the two share.
    pub weight: u32,
}

/// Candidates for a quotation: see [`Engine::quotable`].
#[derive(Debug)]
pub struct Quotable {
    /// The question, analysed.
    pub asked: answer::Question,
    /// Result of the search.
    pub result: SearchResult,
    /// The blocks of the first hits, best first by words.
    pub candidates: Vec<answer::Candidate>,
    /// Nearness of each to the question; `None` without a model.
    pub meaning: Option<answer::Meaning>,
}

/// An open bundle.
pub struct Engine {
    corpus: Corpus,
    encoder: RefCell<Option<Rc<QuestionEncoder>>>,
    table: RefCell<Option<Rc<TableEncoder>>>,
    #[cfg(feature = "full")]
    linker: RefCell<Option<Rc<crate::kg::Linker>>>,
}

impl Engine {
    /// Opens the bundle of `source`: reads its manifest, nothing else.
    ///
    /// # Errors
    /// [`EngineError::Bundle`] when there is no bundle or it is not one that this engine reads.
    pub async fn open(source: Rc<dyn Source>, memory_limit: u64) -> Result<Engine, EngineError> {
        let bundle = Bundle::open(source, memory_limit).await?;
        Ok(Engine {
            corpus: Corpus::new(bundle),
            encoder: RefCell::default(),
            table: RefCell::default(),
            #[cfg(feature = "full")]
            linker: RefCell::default(),
        })
    }

    /// The bundle's contents, for retrievers of one's own.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Describes the bundle.
    pub fn info(&self) -> BundleInfo {
        let m = self.corpus.bundle().manifest();
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        BundleInfo {
            version: small(m.format),
            built_by: m.built_by.clone(),
            documents: small(m.counts.documents),
            chunks: small(m.counts.chunks),
            keywords: small(m.counts.keywords),
            embedder: m.embedder.id.clone(),
            dimension: small(m.embedder.dimension),
            has_model: QuestionEncoder::is_in(self.corpus.bundle()),
            sections: m
                .sections
                .iter()
                .map(|s| SectionSize {
                    name: s.name.clone(),
                    file: s.file.clone(),
                    bytes: s.bytes.saturating_add(s.page_bytes),
                })
                .collect(),
        }
    }

    /// Returns what has been loaded so far.
    pub fn stats(&self) -> Stats {
        self.corpus.bundle().stats()
    }

    /// Loads the token table, a few kilobytes beside the vocabulary that the model needs too; until the model
    /// is there, searches use it. Does nothing when it is there, and in a bundle without one. Fails if it
    /// cannot be loaded.
    pub async fn prepare_table(&self) -> Result<(), EngineError> {
        let bundle = self.corpus.bundle();
        if self.table.borrow().is_none() && TableEncoder::is_in(bundle) {
            let table = TableEncoder::load(bundle, self.corpus.sketch_index().await?).await?;
            *self.table.borrow_mut() = Some(Rc::new(table));
        }
        Ok(())
    }

    /// Loads the model that embeds questions; from then on searches use it. Does nothing when it is there,
    /// and where the build found that none serves the documents' languages, so that words rank alone.
    ///
    /// # Errors
    /// [`EngineError`] when the bundle brings no model or it cannot be loaded.
    pub async fn prepare(&self) -> Result<(), EngineError> {
        if !self.model_ready() {
            let bundle = self.corpus.bundle();
            if bundle.manifest().embedder.weight == Some(0) {
                return Ok(());
            }
            if !QuestionEncoder::is_in(bundle) {
                let id = &bundle.manifest().embedder.id;
                return Err(EngineError::BadArgument(format!(
                    "the bundle's vectors are by {id}, and it brings no model to embed questions with"
                )));
            }
            let encoder = Rc::new(QuestionEncoder::load(bundle).await?);
            *self.encoder.borrow_mut() = Some(encoder);
        }
        Ok(())
    }

    /// Returns true if the model embeds questions.
    pub fn model_ready(&self) -> bool {
        self.encoder.borrow().is_some()
    }

    /// Number of tokens of a text: the model's own where it is loaded, else an estimate of a token every four
    /// bytes.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.encoder.borrow().as_ref().map_or(text.len() / 4 + 1, |e| e.count_tokens(text))
    }

    /// Lets others have the thread, where the engine shares one with a page.
    pub(crate) async fn pause(&self) {
        self.corpus.bundle().pause().await;
    }

    /// Returns the encoder of questions, if it is loaded.
    pub fn encoder(&self) -> Option<Rc<QuestionEncoder>> {
        self.encoder.borrow().clone()
    }

    /// Analyses a question and embeds it by the model, or by the token table, if either is loaded.
    ///
    /// # Errors
    /// [`EngineError`] when the word embeddings cannot be loaded.
    pub async fn query(&self, question: &str, typing: bool) -> Result<Query, EngineError> {
        let mut query = words_of(question, typing);
        query.encoder = self.encoder();
        query.states = match &query.encoder {
            // If its words cannot be loaded, the question has no vector: feedback ranks, as before the model
            // is loaded.
            Some(encoder) if !query.read.is_empty() => encoder.read(&query.read).await.ok().map(Rc::new),
            _ => None,
        };
        query.vector = query.states.as_ref().map(|states| states.vector.clone());
        let table = self.table.borrow().clone().filter(|_| query.vector.is_none() && !typing);
        if let Some(table) = table {
            // Rows that cannot be loaded leave the question to feedback, too.
            query.by_table = table.encode(&query.read).await.unwrap_or_default();
        }
        Ok(query)
    }

    /// The evidence for a question, best first. An empty question finds nothing.
    ///
    /// # Errors
    /// [`EngineError`] for a retriever that does not exist, and when what it needs first cannot be loaded.
    /// Pages that fail later are named in the result's `missing`.
    pub async fn search(&self, question: &str, options: &SearchOptions) -> Result<SearchResult, EngineError> {
        let retriever = make_retriever(options)?;
        let query = if retriever.uses_vector() {
            self.query(question, options.typing).await?
        } else {
            words_of(question, options.typing)
        };
        let per_page = options
            .per_page
            .or_else(|| (retriever.name() == retrieve::NAMES[0]).then_some(PER_PAGE))
            .filter(|&n| n > 0);
        self.ranked_by(retriever.as_ref(), query, options, per_page).await
    }

    /// Checks the fields that a filter names. Fails with those that there are, or if they cannot be loaded.
    pub async fn check_filter(&self, filter: &Filter) -> Result<(), EngineError> {
        if filter.fields.is_empty() && !filter.reorders() {
            return Ok(());
        }
        let fields = self.corpus.fields().await?;
        filter.unknown_field(&fields).map_or(Ok(()), |what| Err(EngineError::BadArgument(what)))
    }

    /// Searches as [`Engine::search`] for a question that is already analysed.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub async fn search_query(
        &self,
        query: &Query,
        options: &SearchOptions,
    ) -> Result<SearchResult, EngineError> {
        self.ranked_by(
            make_retriever(options)?.as_ref(),
            query.clone(),
            options,
            options.per_page.filter(|&n| n > 0),
        )
        .await
    }

    async fn ranked_by(
        &self,
        retriever: &dyn Retriever,
        mut query: Query,
        options: &SearchOptions,
        per_page: Option<u32>,
    ) -> Result<SearchResult, EngineError> {
        query.kept = options.filter.chunks(&self.corpus).await?.or(query.kept);
        let (signs, _) = retrieve::Signs::read(&query.text);
        let k = options.k.map(|k| k as usize);
        let sought = if signs.is_empty() && !options.filter.reorders() {
            k
        } else {
            Some(k.unwrap_or(retrieve::DEFAULT_K).saturating_mul(SEEK_MORE))
        };
        let ranked = retrieve::arrange_chunks(
            retriever,
            &self.corpus,
            &query,
            sought,
            per_page.map(|n| n as usize),
            options.reader_language.as_deref(),
        )
        .await?;
        self.pause().await;
        self.leave_telling_words(&mut query).await;
        let mut found = retrieve::present_hits(&self.corpus, &query, retriever.name(), ranked).await?;
        retrieve::leave_once(&mut found.hits);
        retrieve::put_titled_first(&mut found.hits, &query.read);
        let most = k.unwrap_or(retrieve::DEFAULT_K);
        if !signs.is_empty() {
            signs.filter(&mut found.hits);
        }
        if options.filter.reorders() {
            options.filter.reorder(&self.corpus, &mut found.hits, most).await?;
        } else if !signs.is_empty() {
            found.hits.truncate(most);
        }
        Ok(found)
    }

    /// Keeps only the content words of a question, for highlighting, because function words are in nearly all
    /// passages. Keeps all words if there are no content words.
    async fn leave_telling_words(&self, query: &mut Query) {
        let mut asked = answer::Question::new(&query.text, &|_| 1.0);
        asked.read_in(&query.text, &self.corpus.function_words().await, f32::INFINITY);
        let informs = |term: &String| asked.terms.iter().any(|kept| kept.term == *term);
        if query.lexical.terms.iter().any(informs) {
            query.lexical.terms.retain(informs);
        }
    }

    /// A keyword's neighbours and best chunks, at most `limit` of each. The keyword is found without regard
    /// to case.
    ///
    /// # Errors
    /// [`EngineError`] when there is no such keyword, or the graph cannot be loaded.
    pub async fn neighbors(&self, keyword: &str, limit: usize) -> Result<Neighbors, EngineError> {
        let graph = self.corpus.keywords().await?;
        let wanted = crate::text::fold(keyword);
        let id = graph
            .labels
            .iter()
            .position(|l| crate::text::fold(l) == wanted)
            .ok_or_else(|| EngineError::BadArgument(format!("there is no keyword {keyword:?}")))?;
        let (columns, weights) = graph.weights.row(id);
        let mut all: Vec<(u32, u32)> = columns.iter().copied().zip(weights.iter().copied()).collect();
        sort_by(&mut all, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let neighbors = all
            .into_iter()
            .take(limit)
            .filter_map(|(c, weight)| Some(Neighbor { label: graph.labels.get(c as usize)?.clone(), weight }))
            .collect();
        let chunks: Vec<u32> = graph.chunks_by_angle[id].iter().copied().take(limit).collect();
        let chunks = self.hits(&chunks, keyword).await?;
        Ok(Neighbors { keyword: graph.labels[id].clone(), neighbors, chunks })
    }

    /// A chunk by its number. Fails if there is no such chunk or its page cannot be loaded.
    pub async fn passage(&self, chunk: u32) -> Result<Hit, EngineError> {
        if chunk as usize >= self.corpus.len() {
            return Err(EngineError::BadArgument(format!(
                "there is no chunk {chunk}; the bundle has {}",
                self.corpus.len()
            )));
        }
        let mut found = retrieve::present_hits(
            &self.corpus,
            &Query::of_words("", "", false),
            "",
            retrieve::Ranked::listed(&[chunk]),
        )
        .await?;
        let lost = |why: Vec<String>| BundleError::Source {
            file: format!("chunk {chunk}"),
            reason: SourceError::Other(why.join("; ")),
        };
        found.hits.pop().ok_or_else(|| lost(found.missing).into())
    }

    /// Number and text of each passage of the page that has a chunk, in reading order; empty without such a
    /// chunk.
    ///
    /// # Errors
    /// [`EngineError`] when the page cannot be loaded.
    pub async fn read_page(&self, chunk: u32) -> Result<Vec<(u32, String)>, EngineError> {
        let (found, _) = self.corpus.chunks(&[chunk]).await?;
        let Some(document) = found.get(&chunk).map(|c| c.document) else { return Ok(Vec::new()) };
        Ok(self.corpus.chunks_of(document).await?.into_iter().map(|(number, c)| (number, c.text)).collect())
    }

    /// Chunks as hits, in the given order, with the words of `question` marked.
    async fn hits(&self, chunks: &[u32], question: &str) -> Result<Vec<Hit>, EngineError> {
        let query = Query::of_words(question, question, false);
        let ranked = retrieve::Ranked::listed(chunks);
        Ok(retrieve::present_hits(&self.corpus, &query, "", ranked).await?.hits)
    }

    /// Answers a question without a language model: the block that answers best, quoted with its citation,
    /// the closest passage shown as such, or the statement that the documents do not say. `events` hears, in
    /// order: the hits, the references, and the answer, which is also returned.
    ///
    /// # Errors
    /// [`EngineError`] as for [`Engine::search`].
    pub async fn quote(
        &self,
        question: &str,
        options: &AskOptions,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<Answer, EngineError> {
        let (_, answer) = self.quoted(question, options, events).await?;
        events(AskEvent::References { references: answer.references.clone() });
        events(AskEvent::Done { answer: answer.clone() });
        Ok(answer)
    }

    /// Searches for a question and chooses the answer to quote. `settle` may change what is chosen.
    async fn quoted_by(
        &self,
        question: &str,
        options: &AskOptions,
        settle: impl Fn(&answer::Question, &[Hit], &[answer::Candidate], &mut answer::Choice),
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<(SearchResult, Answer), EngineError> {
        let Quotable { asked, result, candidates, meaning } =
            self.quotable(question, options, events).await?;
        let mut choice = answer::choose_blocks(&asked, &result.hits, &candidates, meaning.as_ref());
        settle(&asked, &result.hits, &candidates, &mut choice);
        let answer = answer::quote_answer(&result, options, &candidates, &choice);
        Ok((result, answer))
    }

    /// Chooses without regard to time, yes or no, which take the full module.
    #[cfg(not(feature = "full"))]
    fn quoted(
        &self,
        question: &str,
        options: &AskOptions,
        events: &mut dyn FnMut(AskEvent),
    ) -> impl Future<Output = Result<(SearchResult, Answer), EngineError>> {
        self.quoted_by(question, options, |_, _, _, _| (), events)
    }

    /// Parses a question with its words weighed by the bundle, and returns it also as the documents spell it.
    async fn parse_question(&self, query: &Query) -> Result<(answer::Question, String), EngineError> {
        let found = lexical::search(self.corpus.bundle(), &query.lexical, 1, None).await?;
        let idf = |chunks: u32| lexical::idf(chunks, self.corpus.len());
        let mut asked = answer::Question::new(&query.text, &|term| {
            idf(found.document_frequency.get(term).copied().unwrap_or(0))
        });
        let mut spelt = query.read.clone();
        for m in &found.meant {
            if let Some(term) = asked.terms.iter().find(|t| t.term == m.term) {
                spelt = spelt.replace(&term.word, &m.known);
            }
            asked.read_as(&m.term, &m.known, idf(m.chunks));
        }
        if asked.read_in(&query.text, &self.corpus.function_words().await, idf(0)) {
            // English words are stemmed here. Of other languages only the build knows the forms that the
            // documents have.
            for s in &found.instead {
                let known: Vec<(String, f32)> =
                    s.known.iter().map(|(term, chunks)| (term.clone(), idf(*chunks))).collect();
                if s.parts {
                    asked.read_as_parts(&s.term, &known)
                } else {
                    asked.read_as_forms(&s.term, &known)
                }
            }
        }
        Ok((asked, spelt))
    }

    /// Searches for a question and returns the blocks that [`Engine::quote`] chooses from. `events` hears of the
    /// hits.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub async fn quotable(
        &self,
        question: &str,
        options: &AskOptions,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<Quotable, EngineError> {
        let query = self.query(question, false).await?;
        let result = self.search_query(&query, &to_search_options(options)).await?;
        events(AskEvent::Hits { result: result.clone() });
        self.pause().await;
        let (asked, spelt) = self.parse_question(&query).await?;
        let (candidates, meaning) = self.read_for(&query, &asked, &spelt, &result).await;
        self.pause().await;
        Ok(Quotable { asked, result, candidates, meaning })
    }

    /// Returns the blocks that could be quoted for a question, with the nearness of the first of them to it
    /// as `spelt`.
    async fn read_for(
        &self,
        query: &Query,
        asked: &answer::Question,
        spelt: &str,
        result: &SearchResult,
    ) -> (Vec<answer::Candidate>, Option<answer::Meaning>) {
        let ids: Vec<u32> = result.hits.iter().map(|h| h.chunk).collect();
        let layouts = self.corpus.layouts(&ids).await;
        let candidates = answer::candidates(asked, &result.hits, &layouts);
        let Some(encoder) = self.encoder().filter(|_| query.vector.is_some()) else {
            return (candidates, None);
        };
        self.pause().await;
        let asked = match &query.states {
            Some(known) if spelt == query.read => Some(Rc::clone(known)),
            _ => encoder.read(spelt).await.ok().map(Rc::new),
        };
        let Some(asked) = asked else { return (candidates, None) };
        let mut headings = vec![None; result.hits.len()];
        let mut near = Vec::with_capacity(candidates.len());
        for c in candidates.iter().take(READ_BLOCKS) {
            // As above: a block whose words cannot be loaded is not read.
            let (Ok(block), Some(known)) = (encoder.read(&c.text).await, headings.get_mut(c.hit)) else {
                near.push(None);
                continue;
            };
            if known.is_none() {
                *known = encoder
                    .read(result.hits[c.hit].heading())
                    .await
                    .ok()
                    .map(|heading| asked.cosine(&heading));
            }
            near.push(known.map(|heading| answer::Nearness {
                late: asked.late_interaction(&block),
                cosine: asked.cosine(&block),
                heading,
            }));
        }
        let embedder = &self.corpus.bundle().manifest().embedder.id;
        let meaning = answer::Meaning::new(embedder, near, &candidates);
        (candidates, Some(meaning))
    }

    /// Returns a line for each document: its language, its version and its address after the host, separated
    /// by tabs.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn filtered_by(&self) -> Result<String, EngineError> {
        let mut lines = String::new();
        for document in &*self.corpus.documents().await? {
            let path = retrieve::path_of(&document.url);
            for part in [document.language.as_str(), "\t", retrieve::version_of(path), "\t", path, "\n"] {
                lines.push_str(part);
            }
        }
        Ok(lines)
    }

    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn list_fields(&self) -> Result<String, EngineError> {
        let fields = self.corpus.fields().await?;
        let mut lines = String::new();
        for (_, name, kind, value) in fields.cells() {
            for part in [name, "\t", kind, "\t", value, "\n"] {
                lines.push_str(part);
            }
        }
        Ok(lines)
    }

    /// The picture of a result. Fails if the keyword graph is needed and cannot be loaded.
    pub async fn subgraph(&self, result: &SearchResult) -> Result<Subgraph, EngineError> {
        Ok(retrieve::subgraph(&self.corpus, result).await?)
    }
}

pub(crate) fn to_search_options(options: &AskOptions) -> SearchOptions {
    SearchOptions {
        k: options.k,
        retriever: options.retriever.clone(),
        filter: options.filter.clone(),
        reader_language: options.reader_language.clone(),
        ..SearchOptions::default()
    }
}

/// The retriever that the options name; the first there is where they name none.
fn make_retriever(options: &SearchOptions) -> Result<Box<dyn Retriever>, EngineError> {
    let name = options.retriever.as_deref().unwrap_or(retrieve::NAMES[0]);
    retrieve::by_name(name).ok_or_else(|| {
        EngineError::BadArgument(format!(
            "there is no retriever {name:?}; there are {}",
            retrieve::NAMES.join(", ")
        ))
    })
}

/// A question of which only the words are known.
fn words_of(question: &str, typing: bool) -> Query {
    // While a question is being typed, a space at its end says that the last word is finished.
    let (_, read) = retrieve::Signs::read(if typing { question.trim_start() } else { question.trim() });
    Query::of_words(question, &read[..read.floor_char_boundary(MAX_QUESTION)], typing)
}
