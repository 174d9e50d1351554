//! The second pass: from the best passages to those that they mention, and to what a bridge query finds.

use super::super::names::{NameIndex, title_terms};
use super::super::scan::Scan;
use super::features::{Candidates, Named};
use super::{Corpus, Query};
use crate::bundle::BundleError;
use crate::compact::{Map, Set};
use crate::elementary::{exp_f32, ln_f32};
use crate::names::{ChunkMentions, NOT_HOPPED, find_inside};
use crate::retrieve::Reached;
use crate::text::{sentences, stem, terms};
use crate::vector::{QuantizedVector, Scored, top_k};
use futures::future::try_join;

/// Number of passages from which the search hops.
const SOURCES: usize = 5;
/// A passage that counts less than this share of the best is not hopped from.
const LEAST_SHARE: f32 = 0.01;
/// Weight of a passage that the question does not name, beside 1 for one that it names.
const UNNAMED: f32 = 0.5;
/// Minimum weight of the best passage of each name in the question that surely names one document: who names
/// two things asks about both, however much better the question's words agree with one of them. From 0.3 to 1
/// the figures hardly differ.
const NAMED_LEAST: f32 = 0.7;
/// Number of these passages with a bridge query: each costs an embedding.
const BRIDGES: usize = 2;
/// Number of passages that a bridge query proposes.
const BRIDGED: usize = 10;
/// Names in a bridge query.
const BRIDGE_NAMES: usize = 6;
/// Chunks of a mentioned document that are reached.
const OF_A_LINK: usize = 4;

mod weight {
    pub const D: f32 = 1.4;
    pub const B: f32 = 1.4;
    pub const NAMED: f32 = 4.6;
    pub const TITLE: f32 = 2.6;
    pub const D_REST: f32 = 1.9;
    pub const B_REST: f32 = 1.8;
    /// Mentioned by a source.
    pub const LINKED: f32 = 3.7;
    /// Mentioned in a sentence near the question.
    pub const SENTENCE: f32 = 0.9;
    /// Mentioned, and near the rest of the question.
    pub const LEAD: f32 = 1.5;
    /// Brought by a mention alone.
    pub const NEW: f32 = 1.3;
    /// Answers the bridge query.
    pub const BRIDGE: f32 = 4.6;
    /// Brought by the bridge query alone.
    pub const BRIDGE_ONLY: f32 = -0.3;
}

/// Result of the second pass.
pub struct Hopped {
    /// The new scores.
    pub scores: Vec<(u32, f32)>,
    /// The mention that led to each chunk, where one did.
    pub links: Map<u32, Reached>,
    /// Parts that could not be loaded.
    pub missing: Vec<String>,
}

/// A passage to hop from.
struct Source {
    chunk: u32,
    document: u32,
    title: String,
    text: String,
    /// Its weight, from 0 to 1.
    share: f32,
    mentions: ChunkMentions,
    /// Cosine of each sentence to the question.
    near: Vec<f32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    linked: f32,
    sentence: f32,
    bridge: f32,
    new: bool,
    bridge_only: bool,
}

/// Returns true if mentions lead from a document and to it.
fn is_hopped(links_in: &[u32], document: u32) -> bool {
    links_in.get(document as usize).is_some_and(|&n| n != NOT_HOPPED)
}

/// The same of a chunk's document.
fn may_hop(names: &NameIndex, links_in: &[u32], chunk: u32) -> bool {
    names.documents.of.get(chunk as usize).is_some_and(|&d| is_hopped(links_in, d))
}

/// Returns `true` if a question asks for more than the best passages have: it names a document, or they lack
/// a word of it. Where a site has an encyclopaedia beside documentation, the best passage shows which of them
/// is asked.
///
/// # Errors
/// [`BundleError`] when the lists of pages of chunks cannot be loaded.
pub async fn hop_pays(
    corpus: &Corpus,
    query: &Query,
    all: &Candidates<'_>,
    links_in: &[u32],
    scores: &[(u32, f32)],
) -> Result<bool, BundleError> {
    let best = top_k(scores.iter().map(|&(index, score)| Scored { index, score }), SOURCES);
    if !best.first().is_some_and(|h| may_hop(all.names, links_in, h.index)) {
        return Ok(false);
    }
    if !all.named.documents.is_empty() {
        return Ok(true);
    }
    let ids: Vec<u32> = best.iter().map(|h| h.index).collect();
    let mut held: Set<String> = Set::default();
    for (_, (chunk, document)) in corpus.passages(&ids).await?.0.iter() {
        let texts = chunk.heading_path.iter().chain([&document.title, &chunk.text]);
        held.extend(texts.flat_map(|text| terms(text)).map(|(term, _)| term));
    }
    Ok(query.lexical.terms.iter().any(|term| !held.contains(term)))
}

/// Scores the candidates anew, and those that mentions and bridge queries add; `scores` are the first pass's,
/// `dense` holds the question's vector, `rest` is that of what the question says besides names, `links_in`
/// says how many documents mention each.
///
/// # Errors
/// [`BundleError`] when the lists of pages of mentions or chunks cannot be loaded.
pub async fn hop_candidates(
    corpus: &Corpus,
    query: &Query,
    all: &mut Candidates<'_>,
    scores: &[(u32, f32)],
    dense: &mut Scan,
    rest: &QuantizedVector,
    links_in: &[u32],
) -> Result<Hopped, BundleError> {
    let named = all.named;
    let from: Vec<(u32, f32)> =
        scores.iter().copied().filter(|(chunk, _)| may_hop(all.names, links_in, *chunk)).collect();
    let (sources, mut missing) = choose_sources(corpus, all.names, named, &from, dense.query()).await?;
    let mut names = all.names.clone();
    let mentioned: Vec<u32> =
        sources.iter().flat_map(|s| s.mentions.sentences.iter().flatten()).copied().collect();
    missing.extend(names.load(&mentioned).await);
    let linked = Linked { names: &names, links_in, documents: corpus.bundle().manifest().counts.documents };
    let mut reach: Map<u32, Reach> = Map::new();
    let mut links: Map<u32, Reached> = Map::new();
    for source in &sources {
        follow_links(source, &linked, all, &mut reach, &mut links);
    }
    let bridges = embed_bridges(query, &names, named, &sources).await;
    for (source, vector) in &bridges {
        for h in dense.best_for(vector, BRIDGED) {
            if h.index != source.chunk && may_hop(&names, links_in, h.index) && all.add(h.index) {
                reach.get_or_insert_with(h.index, Reach::default).bridge_only = true;
            }
        }
    }
    dense.also(corpus, &all.ids()).await;
    missing.append(&mut dense.missing);
    let question = dense.query().clone();
    all.cosines(dense, &question, rest, false);
    let strongest = sources.iter().map(|s| s.share).fold(f32::MIN_POSITIVE, f32::max);
    for (source, vector) in &bridges {
        let ease = 0.06 * ln_f32((source.share / strongest).max(0.05));
        for &chunk in all.rows.keys() {
            let cosine =
                if chunk == source.chunk { 0.0 } else { dense.cosine_to(chunk, vector).unwrap_or(0.0) };
            let r = reach.get_or_insert_with(chunk, Reach::default);
            r.bridge = r.bridge.max(cosine + ease);
        }
    }
    let scores = all
        .rows
        .iter()
        .map(|(&chunk, f)| {
            let r = reach.get(&chunk).copied().unwrap_or_default();
            let first = weight::D * f.d + weight::B * f.b + weight::NAMED * f.named + weight::TITLE * f.title;
            let rest = weight::D_REST * f.d_rest + weight::B_REST * f.b_rest;
            let linked = weight::LINKED * r.linked
                + weight::SENTENCE * r.sentence
                + weight::LEAD * r.linked * f.d_rest.max(0.0);
            let new =
                if r.new { weight::NEW } else { 0.0 } + if r.bridge_only { weight::BRIDGE_ONLY } else { 0.0 };
            (chunk, first + rest + linked + weight::BRIDGE * r.bridge + new)
        })
        .collect();
    Ok(Hopped { scores, links, missing })
}

/// The passages that count most: by a softmax of the first pass's scores at temperature 2, halved for what
/// the question does not name. Passages of one name in the question compete with each other, and only beyond
/// [`NAMED_LEAST`] with those of another.
async fn choose_sources(
    corpus: &Corpus,
    names: &NameIndex,
    named: &Named,
    scores: &[(u32, f32)],
    question: &QuantizedVector,
) -> Result<(Vec<Source>, Vec<String>), BundleError> {
    let asked = |chunk: u32| names.documents.of.get(chunk as usize).and_then(|d| named.documents.get(d));
    let mut top = f32::NEG_INFINITY;
    let mut top_of: Map<u32, f32> = Map::new();
    for &(chunk, score) in scores {
        top = top.max(score);
        if let Some(n) = asked(chunk) {
            let best = top_of.get_or_insert_with(n.entry, || score);
            *best = best.max(score);
        }
    }
    let share = |&(index, score): &(u32, f32)| {
        let beside = |best: f32| exp_f32(0.5 * (score - best));
        let share = match asked(index) {
            None => UNNAMED * beside(top),
            Some(n) => {
                let least = NAMED_LEAST * n.strength * n.share;
                beside(top).max(least * beside(top_of.get(&n.entry).copied().unwrap_or(top)))
            }
        };
        Scored { index, score: share }
    };
    let best = top_k(scores.iter().map(share), SOURCES);
    let ids: Vec<u32> = best.iter().map(|h| h.index).collect();
    let ((mut loaded, mut missing), (mut texts, lost)) =
        try_join(corpus.mentions(&ids, names.count()), corpus.passages(&ids)).await?;
    missing.extend(lost);
    let mut out = Vec::new();
    for Scored { index: chunk, score: share } in best {
        let (Some(mentions), Some(&document)) =
            (loaded.remove(&chunk), names.documents.of.get(chunk as usize))
        else {
            continue;
        };
        if share >= LEAST_SHARE {
            let near = mentions.vectors.scan(question);
            let (title, text) = texts.remove(&chunk).map(|(c, d)| (d.title, c.text)).unwrap_or_default();
            out.push(Source { chunk, document, title, text, share, mentions, near });
        }
    }
    let sum: f32 = out.iter().map(|s| s.share).sum();
    out.iter_mut().for_each(|s| s.share /= (sum / 2.0).max(1.0));
    Ok((out, missing))
}

/// Data by which mentions are followed.
struct Linked<'a> {
    /// The names that the sources mention, and what stands in them.
    names: &'a NameIndex,
    /// Number of documents that mention each document.
    links_in: &'a [u32],
    documents: u64,
}

fn follow_links(
    source: &Source,
    linked: &Linked<'_>,
    all: &mut Candidates<'_>,
    reach: &mut Map<u32, Reach>,
    links: &mut Map<u32, Reached>,
) {
    let names = linked.names;
    let corpus = ln_f32(linked.documents.max(2) as f32);
    for (mentions, &near) in source.mentions.sentences.iter().zip(&source.near) {
        let inside =
            |m: &u32| names.at(*m).map(|e| find_inside(&e, &|key| names.lookup(key))).unwrap_or_default();
        let inside: Vec<u32> = mentions.iter().flat_map(inside).collect();
        for &m in mentions.iter().chain(&inside) {
            let Some(entry) = names.at(m) else { continue };
            // A name of the source's own document leads nowhere new.
            if entry.of.iter().any(|&(d, _)| d == source.document) {
                continue;
            }
            for &(document, strength) in entry.of.iter().filter(|(d, _)| is_hopped(linked.links_in, *d)) {
                let links_in = linked.links_in.get(document as usize).copied().unwrap_or(0).max(1) as f32;
                let hub = (1.0 - ln_f32(links_in) / corpus).max(0.1);
                let z = source.share * f32::from(strength) / 100.0 / (entry.of.len() as f32).sqrt() * hub;
                for &chunk in names.documents.chunks_of(document).iter().take(OF_A_LINK) {
                    let new = all.add(chunk);
                    let r = reach.get_or_insert_with(chunk, Reach::default);
                    r.new |= new;
                    r.sentence = r.sentence.max(z * near.max(0.0));
                    if z > r.linked {
                        r.linked = z;
                        links.insert(
                            chunk,
                            Reached::Link { name: entry.key.clone(), from: source.title.clone() },
                        );
                    }
                }
            }
        }
    }
}

/// The bridge query of each of the best sources: the question's words that neither the source's best sentence
/// nor its title covers, and the names that the sentence brings.
async fn embed_bridges<'s>(
    query: &Query,
    names: &NameIndex,
    named: &Named,
    sources: &'s [Source],
) -> Vec<(&'s Source, QuantizedVector)> {
    let mut out = Vec::new();
    let Some(encoder) = &query.encoder else { return out };
    // A passage whose page could not be loaded has no text.
    for source in sources.iter().take(BRIDGES).filter(|s| !s.text.is_empty()) {
        let text = source.text.as_str();
        let nearest = source
            .near
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))
            .map_or(0, |x| x.0);
        let sentence = sentences(text).into_iter().nth(nearest).map_or("", |range| &text[range]);
        let bridge = bridge_query(query, names, named, source, sentence, nearest);
        if let Ok(v) = encoder.encode(&bridge).await {
            out.push((source, QuantizedVector::from_f32(&v)));
        }
    }
    out
}

fn bridge_query(
    query: &Query,
    names: &NameIndex,
    named: &Named,
    source: &Source,
    sentence: &str,
    nearest: usize,
) -> String {
    let title = source.title.as_str();
    let mut covered: Set<String> = crate::names::name_words(sentence).iter().map(|w| stem(&w.key)).collect();
    covered.extend(crate::names::name_words(title).iter().map(|w| stem(&w.key)));
    covered.extend(title_terms(title));
    let asked = crate::names::name_words(&query.read);
    let in_name = |start: usize| named.mentions.iter().any(|m| m.span.contains(&start));
    let mut out: Vec<&str> = asked
        .iter()
        .filter(|w| {
            let known = covered.contains(&stem(&w.key));
            !(known && (in_name(w.span.start) || !crate::text::is_stop_word(&w.key)))
        })
        .filter_map(|w| query.read.get(w.span.clone()))
        .collect();
    let asked_for: Set<u32> = named.mentions.iter().map(|m| m.entry).collect();
    let mut brought: Vec<String> = Vec::new();
    for m in source.mentions.sentences.get(nearest).into_iter().flatten() {
        let Some(entry) = names.at(*m) else { continue };
        let own = entry.of.iter().any(|&(d, _)| d == source.document);
        if !own && !asked_for.contains(m) && !brought.contains(&entry.key) && brought.len() < BRIDGE_NAMES {
            brought.push(entry.key);
        }
    }
    out.extend(brought.iter().map(String::as_str));
    if out.is_empty() { query.read.clone() } else { out.join(" ") }
}
