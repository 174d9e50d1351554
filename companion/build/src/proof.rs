//! Proofs of answers: what each citation rests on, and whether a published bundle still bears it out.

use pocketgraph::agent::statement_words;
use pocketgraph::answer::{Answer, Citation, CitationTarget};
use pocketgraph::bundle::{BundleError, Chunk, Document, Manifest, content_hash, format_hex};
use pocketgraph::engine::Engine;
use pocketgraph::kg::{self, KnowledgeGraph, TripleId};
use pocketgraph::retrieve::Corpus;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::btree_map::{BTreeMap, Entry};

/// Member of a citation that holds its [`Proof`].
const PROOF: &str = "proof";
/// Member of an answer that holds the hash of all its others.
const SEAL: &str = "seal";
/// Text between two passages of a page.
const BETWEEN: &str = "\n\n";

/// Evidence of a citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Hash of the bundle, see [`bundle_hash`].
    pub bundle: String,
    /// SHA-256 of the page's text: its passages in reading order, with an empty line between two.
    pub page: String,
    /// Place of the quotation in that text, in bytes.
    pub start: usize,
    /// Its end (exclusive).
    pub end: usize,
}

/// An answer cannot be proved or given proofs.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The bundle cannot be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// It is no answer of `ask --json`.
    #[error("this is no answer as `ask --json` prints it: {0}")]
    NoAnswer(String),
}

/// Something in an answer that the bundle does not bear out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A member was changed, added or removed.
    #[error("the answer is not as it was printed: its seal differs")]
    Seal,
    /// It was made from another bundle.
    #[error("[{0}] was cited from another bundle than this")]
    OtherBundle(u32),
    /// The citation has no proof.
    #[error("[{0}] carries no proof")]
    NoProof(u32),
    /// The passage is not there, or has another title, address or headings.
    #[error("[{0}] names no passage of this bundle")]
    NoPassage(u32),
    /// The page says something else now.
    #[error("[{0}] cites a page that has changed: {1}")]
    PageChanged(u32, String),
    /// The quotation does not stand there.
    #[error("[{0}] quotes what its page does not say there")]
    Misquoted(u32),
    /// The statement is not in the graph.
    #[error("[{0}] names no statement of this bundle's knowledge graph")]
    NoStatement(u32),
}

/// Result of proving an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Number of citations that the bundle bears out.
    pub proved: usize,
    /// Numbers of citations that rest on nothing in a bundle: pages of the web, tools, and marks of no
    /// passage.
    pub elsewhere: Vec<u32>,
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
}

/// Returns the hash of a bundle: SHA-256 of the names and hashes of its sections, in the manifest's order.
pub fn bundle_hash(manifest: &Manifest) -> String {
    let sections = manifest.sections.iter().map(|s| format!("{} {}\n", s.name, format_hex(&s.sha256)));
    format_hex(&content_hash(sections.collect::<String>().as_bytes()))
}

/// The text of a page with the place of each passage in it.
struct Page {
    document: Document,
    text: String,
    /// SHA-256 of the text.
    hash: String,
    /// Number of each passage, the passage, and where it begins in the text.
    passages: Vec<(u32, Chunk, usize)>,
}

impl Page {
    async fn load(corpus: &Corpus, number: u32) -> Result<Option<Page>, BundleError> {
        let Some(document) = corpus.documents().await?.get(number as usize).cloned() else { return Ok(None) };
        let mut page = Page { document, text: String::new(), hash: String::new(), passages: Vec::new() };
        for (id, chunk) in corpus.chunks_of(number).await? {
            if !page.text.is_empty() {
                page.text.push_str(BETWEEN);
            }
            let begin = page.text.len();
            page.text.push_str(&chunk.text);
            page.passages.push((id, chunk, begin));
        }
        #[cfg(test)]
        tests::READ.set(tests::READ.get() + 1);
        page.hash = format_hex(&content_hash(page.text.as_bytes()));
        Ok(Some(page))
    }

    fn passage(&self, number: u32) -> Option<&(u32, Chunk, usize)> {
        self.passages.iter().find(|(id, ..)| *id == number)
    }

    /// Returns true if a passage of the page is presented so.
    fn presents(&self, number: u32, (title, headings, url): (&str, &[String], &str)) -> bool {
        self.passage(number).is_some_and(|(_, chunk, _)| {
            url == chunk.address_on(&self.document.url)
                && title == self.document.title
                && headings == chunk.heading_path
        })
    }

    fn proof(&self, bundle: &str, citation: &Citation, number: u32) -> Option<Proof> {
        let (.., begin) = self.passage(number)?;
        let (start, end) = (begin + citation.span.start as usize, begin + citation.span.end as usize);
        Some(Proof { bundle: bundle.to_owned(), page: self.hash.clone(), start, end })
    }
}

/// Pages of a bundle, each read and hashed once, however often it is cited.
struct Pages<'a> {
    corpus: &'a Corpus,
    read: BTreeMap<u32, Option<Page>>,
}

impl Pages<'_> {
    /// Returns the page of a passage.
    async fn find_page(&mut self, chunk: u32) -> Result<Option<&Page>, BundleError> {
        let (found, _) = self.corpus.chunks(&[chunk]).await?;
        let Some(number) = found.get(&chunk).map(|c| c.document) else { return Ok(None) };
        let page = match self.read.entry(number) {
            Entry::Occupied(read) => read.into_mut(),
            Entry::Vacant(place) => place.insert(Page::load(self.corpus, number).await?),
        };
        Ok(page.as_ref())
    }
}

/// The answer inside of what `ask --json` prints: by a protocol it is a member.
fn answer_in(printed: &mut Value) -> &mut Value {
    if printed.get("answer").is_some_and(Value::is_object) { &mut printed["answer"] } else { printed }
}

/// The answer and what is quoted beneath it.
fn all_in(answer: &Answer) -> Vec<&Answer> {
    std::iter::successors(Some(answer), |answer| answer.quotation.as_deref()).collect()
}

/// Puts into what `ask --json` prints a proof of each citation of a passage, and a seal.
///
/// # Errors
/// [`ProofError`] when it is no answer, or a cited page cannot be read.
pub async fn with_proofs(engine: &Engine, mut printed: Value) -> Result<Value, ProofError> {
    let hash = bundle_hash(engine.corpus().bundle().manifest());
    let mut pages = Pages { corpus: engine.corpus(), read: BTreeMap::new() };
    let answer = read_answer(answer_in(&mut printed))?;
    let mut place = answer_in(&mut printed);
    for part in all_in(&answer) {
        for (at, citation) in part.citations.iter().enumerate() {
            let Some(chunk) = citation.chunk() else { continue };
            let proof = pages.find_page(chunk).await?.and_then(|page| page.proof(&hash, citation, chunk));
            place["citations"][at][PROOF] = serde_json::to_value(proof).unwrap_or_default();
        }
        if part.quotation.is_some() {
            place = &mut place["quotation"];
        }
    }
    let seal = compute_seal(&printed);
    printed[SEAL] = seal.into();
    Ok(printed)
}

fn read_answer(answer: &Value) -> Result<Answer, ProofError> {
    Answer::deserialize(answer).map_err(|e| ProofError::NoAnswer(e.to_string()))
}

/// Returns the hash of everything in what was printed but its seal, however its JSON is laid out.
fn compute_seal(printed: &Value) -> String {
    let mut sealed = printed.clone();
    sealed.as_object_mut().and_then(|members| members.remove(SEAL));
    write_bits(&mut sealed);
    format_hex(&content_hash(sealed.to_string().as_bytes()))
}

/// Replaces the numbers in a value by their bits: languages print numbers differently.
fn write_bits(value: &mut Value) {
    match value {
        Value::Number(n) => *value = format!("#{:016x}", n.as_f64().unwrap_or_default().to_bits()).into(),
        Value::Array(items) => items.iter_mut().for_each(write_bits),
        Value::Object(members) => members.values_mut().for_each(write_bits),
        _ => {}
    }
}

/// Compares what `ask --json` printed with a bundle. Fails if it is no answer, or the bundle cannot be read.
pub async fn prove_answer(engine: &Engine, mut printed: Value) -> Result<Verdict, ProofError> {
    let mut verdict = Verdict::default();
    if printed.get(SEAL).and_then(Value::as_str) != Some(compute_seal(&printed).as_str()) {
        verdict.faults.push(Fault::Seal);
    }
    let mut place = &*answer_in(&mut printed);
    let answer = read_answer(place)?;
    let hash = bundle_hash(engine.corpus().bundle().manifest());
    let graph = graph_of(engine, &answer).await?;
    let mut pages = Pages { corpus: engine.corpus(), read: BTreeMap::new() };
    for part in all_in(&answer) {
        for (at, citation) in part.citations.iter().enumerate() {
            match citation.target {
                Some(CitationTarget::Chunk { chunk }) => {
                    let proof = Proof::deserialize(&place["citations"][at][PROOF]).ok();
                    match passage_fault((&mut pages, &hash), citation, chunk, proof).await? {
                        Some(fault) => verdict.faults.push(fault),
                        None => verdict.proved += 1,
                    }
                }
                Some(CitationTarget::Statement { triple: Some(triple) }) => {
                    match is_stated(graph.as_ref(), triple, &citation.quote) {
                        true => verdict.proved += 1,
                        false => verdict.faults.push(Fault::NoStatement(citation.number)),
                    }
                }
                _ => verdict.elsewhere.push(citation.number),
            }
        }
        for reference in &part.references {
            let page = pages.find_page(reference.chunk).await?;
            let shown = (reference.title.as_str(), &reference.heading_path[..], reference.url.as_str());
            if !page.is_some_and(|page| page.presents(reference.chunk, shown)) {
                verdict.faults.push(Fault::NoPassage(reference.number));
            }
        }
        place = &place["quotation"];
    }
    Ok(verdict)
}

/// The first thing that is wrong with a citation, if anything is.
type Checked = Result<Option<Fault>, BundleError>;

/// Returns the first thing that is wrong with the citation of a passage.
async fn passage_fault(
    (pages, hash): (&mut Pages<'_>, &str),
    citation: &Citation,
    chunk: u32,
    proof: Option<Proof>,
) -> Checked {
    let number = citation.number;
    let Some(proof) = proof else { return Ok(Some(Fault::NoProof(number))) };
    if proof.bundle != hash {
        return Ok(Some(Fault::OtherBundle(number)));
    }
    let Some(page) = pages.find_page(chunk).await? else { return Ok(Some(Fault::NoPassage(number))) };
    if !page.presents(chunk, (&citation.title, &citation.heading_path, &citation.url)) {
        return Ok(Some(Fault::NoPassage(number)));
    }
    if proof.page != page.hash {
        return Ok(Some(Fault::PageChanged(number, citation.url.clone())));
    }
    let quoted = page.text.get(proof.start..proof.end);
    let as_cited = page.proof(&proof.bundle, citation, chunk);
    let holds = quoted == Some(citation.quote.as_str()) && as_cited.as_ref() == Some(&proof);
    Ok((!holds).then_some(Fault::Misquoted(number)))
}

/// Returns the bundle's graph, if it has one and the answer cites statements.
async fn graph_of(engine: &Engine, answer: &Answer) -> Result<Option<KnowledgeGraph>, BundleError> {
    let bundle = engine.corpus().bundle();
    let is_statement = |c: &Citation| matches!(c.target, Some(CitationTarget::Statement { .. }));
    let is_needed =
        kg::is_in(bundle) && all_in(answer).iter().any(|part| part.citations.iter().any(is_statement));
    if is_needed { Ok(Some(kg::load_graph(bundle).await?)) } else { Ok(None) }
}

fn is_stated(graph: Option<&KnowledgeGraph>, triple: u32, words: &str) -> bool {
    let stated = graph.and_then(|graph| statement_words(graph, TripleId(triple)));
    stated.is_some_and(|stated| !words.is_empty() && stated.contains(words))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
#[path = "proof_tests.rs"]
mod tests;
