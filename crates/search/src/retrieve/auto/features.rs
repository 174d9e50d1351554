//! The candidates and what is known of each.

use super::super::names::NameIndex;
use super::super::scan::Scan;
use crate::compact::{Map, sort_by};
use crate::lexical::idf;
use crate::names::{Mention, in_question};
use crate::vector::QuantizedVector;

/// A document that the question names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedDocument {
    /// The name as the question writes it.
    pub written: String,
    /// Certainty that it is the document's name, from 0 to 1.
    pub strength: f32,
    /// 1 over the square root of the number of documents with that name.
    pub share: f32,
    /// The name's place in the table.
    pub entry: u32,
}

/// Names in the question.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// The mentions.
    pub mentions: Vec<Mention>,
    /// The documents named, by number.
    pub documents: Map<u32, NamedDocument>,
    /// The question without the names; none where it names nothing or nothing else.
    pub rest: Option<String>,
}

impl Named {
    /// Finds the names in a question.
    pub fn find(names: &NameIndex, question: &str) -> Named {
        let mentions = in_question(question, &|key| names.lookup(key));
        let mut documents: Map<u32, NamedDocument> = Map::new();
        for m in &mentions {
            let Some(entry) = names.at(m.entry) else { continue };
            let share = 1.0 / (entry.of.len().max(1) as f32).sqrt();
            for &(document, strength) in &entry.of {
                let strength = f32::from(strength) / 100.0;
                if documents.get(&document).is_none_or(|d| (strength, share) > (d.strength, d.share)) {
                    let written = question.get(m.span.clone()).unwrap_or_default().to_owned();
                    documents.insert(document, NamedDocument { written, strength, share, entry: m.entry });
                }
            }
        }
        let mut rest = String::new();
        let mut at = 0;
        for m in &mentions {
            rest.push_str(question.get(at..m.span.start).unwrap_or_default());
            rest.push(' ');
            at = m.span.end;
        }
        rest.push_str(question.get(at..).unwrap_or_default());
        let rest = (!mentions.is_empty() && rest.chars().any(char::is_alphanumeric)).then_some(rest);
        Named { mentions, documents, rest }
    }
}

/// Features of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Features {
    /// BM25 of the question over its maximum, less where words say little of it.
    pub b: f32,
    /// BM25 of the rest over its maximum.
    pub b_rest: f32,
    /// Cosine to the question; stretched to 0..1 over the candidates where feedback stands in for the
    /// question.
    pub d: f32,
    /// Cosine to the rest.
    pub d_rest: f32,
    /// Named in the question: 1 over the root of how many documents have the name.
    pub named: f32,
    /// Share of the title that the question covers.
    pub title: f32,
    /// The cosine as it was, where it is known.
    pub cosine: Option<f32>,
    /// True if words or meaning proposed it.
    pub proposed: bool,
}

/// The candidates, by chunk.
pub struct Candidates<'a> {
    /// Features of each candidate.
    pub rows: Map<u32, Features>,
    /// The names of the corpus.
    pub names: &'a NameIndex,
    /// Names in the question.
    pub named: &'a Named,
    /// Share of each document's title that the question covers; documents without a share are absent.
    covered: Map<u32, f32>,
    words: Map<u32, f32>,
    rest_words: Map<u32, f32>,
}

fn over_maximum(scores: &Map<u32, f32>, share: f32) -> Map<u32, f32> {
    let max = scores.values().fold(0f32, |m, &s| m.max(s));
    scores.iter().filter(|_| max > 0.0).map(|(&c, &s)| (c, share * s / max)).collect()
}

impl<'a> Candidates<'a> {
    /// No candidates yet; `frequency` says in how many of `chunks` chunks each of the question's terms
    /// stands.
    pub fn new(names: &'a NameIndex, named: &'a Named, frequency: &Map<String, u32>, chunks: usize) -> Self {
        let rarity = |n: u32| idf(n, chunks);
        let asked: f32 = frequency.values().map(|&n| rarity(n)).sum();
        let mut sums = vec![(0f32, 0f32); names.documents.documents()];
        for (term, &n) in frequency.iter() {
            for &(document, weight) in names.titled(term) {
                if let Some((sum, title)) = sums.get_mut(document as usize) {
                    *sum += rarity(n);
                    *title = weight as f32 / 256.0;
                }
            }
        }
        let share = |(document, (sum, title)): (usize, (f32, f32))| {
            let share = (sum / title).min(1.0) * (2.0 * sum / asked).min(1.0);
            (sum > 0.0 && title > 0.0 && asked > 0.0).then_some((document as u32, share))
        };
        let covered = sums.into_iter().enumerate().filter_map(share).collect();
        Candidates { rows: Map::new(), names, named, covered, words: Map::new(), rest_words: Map::new() }
    }

    /// BM25 of the question and of its rest, by chunk, which count for `share` of what they do as a rule.
    pub fn words(&mut self, question: &Map<u32, f32>, rest: &Map<u32, f32>, share: f32) {
        self.words = over_maximum(question, share);
        self.rest_words = over_maximum(rest, share);
    }

    fn row(&self, chunk: u32) -> Features {
        let document = self.names.documents.of.get(chunk as usize);
        Features {
            b: self.words.get(&chunk).copied().unwrap_or(0.0),
            b_rest: self.rest_words.get(&chunk).copied().unwrap_or(0.0),
            named: document.and_then(|d| self.named.documents.get(d)).map_or(0.0, |d| d.share),
            title: document.and_then(|d| self.covered.get(d)).copied().unwrap_or(0.0),
            ..Features::default()
        }
    }

    /// Adds candidates that words or meaning found.
    pub fn propose(&mut self, chunks: impl Iterator<Item = u32>) {
        for chunk in chunks {
            let row = self.row(chunk);
            self.rows.get_or_insert_with(chunk, || row).proposed = true;
        }
    }

    /// Adds a candidate that something else found; whether it is new.
    pub fn add(&mut self, chunk: u32) -> bool {
        let new = self.rows.get(&chunk).is_none() && (chunk as usize) < self.names.documents.of.len();
        if new {
            let row = self.row(chunk);
            self.rows.insert(chunk, row);
        }
        new
    }

    fn add_documents(&mut self, documents: Vec<u32>, of_each: usize) {
        for d in documents {
            for &c in self.names.documents.chunks_of(d).iter().take(of_each) {
                self.add(c);
            }
        }
    }

    /// Adds the documents that the question names, at most fifty of a name, each with its first `of_each`
    /// chunks.
    pub fn propose_named(&mut self, of_each: usize) {
        self.add_documents(self.named.documents.keys().copied().take(50).collect(), of_each);
    }

    /// Adds the `n` documents whose titles the question covers best, each with its first chunk.
    pub fn propose_covered(&mut self, n: usize) {
        let mut best: Vec<(u32, f32)> = self.covered.iter().map(|(&d, &share)| (d, share)).collect();
        sort_by(&mut best, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.add_documents(best.into_iter().take(n).map(|x| x.0).collect(), 1);
    }

    /// All candidates, ascending.
    pub fn ids(&self) -> Vec<u32> {
        self.rows.keys().copied().collect()
    }

    /// Fills in the cosines of those whose vectors are at hand.
    pub fn cosines(
        &mut self,
        dense: &Scan,
        question: &QuantizedVector,
        rest: &QuantizedVector,
        stretch: bool,
    ) {
        for chunk in self.ids() {
            let Some(f) = self.rows.get_mut(&chunk) else { continue };
            f.cosine = dense.cosine_to(chunk, question);
            f.d = f.cosine.unwrap_or(0.0);
            f.d_rest = dense.cosine_to(chunk, rest).unwrap_or(0.0);
        }
        if stretch {
            let known = self.rows.values().filter_map(|f| f.cosine);
            let (low, high) =
                known.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            for chunk in self.ids() {
                let Some(f) = self.rows.get_mut(&chunk) else { continue };
                f.d = f.cosine.map_or(0.0, |x| if high > low { (x - low) / (high - low) } else { 1.0 });
            }
        }
    }
}
