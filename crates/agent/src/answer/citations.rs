//! Checking citations: does what is cited exist, and does it bear the sentence out?
//!
//! The check is by words, so it knows no paraphrase: it finds numbers, names, denials, comparisons and claims
//! that the cited passage does not hold, and it marks; it never changes or hides text. An answer in another
//! language than its passages shares no words with them and is marked throughout.

use super::claim_support::{Fault, denied_words, find_fault, plain_word};
use super::markers::{Marker, markers};
use super::order::{is_in_order, telling};
use super::{Citable, Citation, CitationStatus, span, term_set, units};
use crate::compact::{Map, Set, sort_by};
use crate::retrieve::Span;
use crate::text::{fold, is_stop_word, lower_text, sentences, terms, words};
use std::ops::Range;

/// A sentence is borne out when the passages that it cites hold at least this share of its terms, less the
/// penalties below.
pub const MIN_SUPPORT: f32 = 0.5;
/// And each cited passage alone must hold at least this share, or it is cited for decoration.
pub const MIN_OWN_SUPPORT: f32 = 0.2;
/// Penalty for each number of the sentence that none of its passages holds.
const NUMBER_PENALTY: f32 = 0.35;
/// Penalty for each name of the sentence that none of its passages holds.
const NAME_PENALTY: f32 = 0.15;
/// Citations beyond this many are left out, and a warning says so.
pub const MAX_CITATIONS: usize = 1000;
/// Number of passages among which a sentence's support is looked for.
const SUPPORTS: usize = 5;
/// A sentence is compared up to here.
const MAX_CLAIM_BYTES: usize = 4000;

/// A cited passage with what the checks need of it, made once.
struct Passage<'a> {
    source: &'a Citable,
    /// Its text in lower case.
    lowered: String,
    all: Set<String>,
    words: Set<String>,
    units: Vec<(Range<usize>, Set<String>)>,
    /// Its words without stop words, in their order.
    order: Vec<String>,
}

impl<'a> Passage<'a> {
    fn new(source: &'a Citable) -> Passage<'a> {
        let units: Vec<(Range<usize>, Set<String>)> = units(&source.text)
            .into_iter()
            .map(|u| (u.span.clone(), term_set(&[&source.text[u.span]])))
            .collect();
        let mut all: Set<String> = units.iter().flat_map(|(_, t)| t.items().iter().cloned()).collect();
        let text = words(&source.text);
        let order = telling(&source.text);
        let mut plain: Set<String> = text.iter().map(|w| plain_word(w.text)).collect();
        for heading in source.heading_path.iter().chain([&source.title]) {
            all.extend(terms(heading).into_iter().map(|(t, _)| t));
            plain.extend(words(heading).iter().map(|w| plain_word(w.text)));
        }
        Passage { source, lowered: lower_text(&source.text), all, words: plain, units, order }
    }

    /// The unit that shares most terms with a claim; among equals the shortest, then the first. `None` when
    /// none shares any.
    fn best_unit(&self, claim: &Set<String>) -> Option<Range<usize>> {
        let scored = self.units.iter().map(|(span, terms)| (claim.shared(terms), span));
        let best = scored
            .filter(|(n, _)| *n > 0)
            .max_by(|a, b| a.0.cmp(&b.0).then(b.1.len().cmp(&a.1.len())).then(b.1.start.cmp(&a.1.start)));
        best.map(|(_, span)| span.clone())
    }
}

/// One sentence of the answer.
struct Claim {
    terms: Set<String>,
    numbers: Set<String>,
    names: Set<String>,
}

impl Claim {
    /// `text` without its marks.
    fn new(text: &str) -> Claim {
        let words = words(text);
        let numbers = words
            .iter()
            .filter(|w| w.text.starts_with(|c: char| c.is_ascii_digit()))
            .map(|w| plain_word(w.text))
            .collect();
        // The first word is capitalised in any case.
        let names = words
            .iter()
            .skip(1)
            .filter(|w| w.text.starts_with(char::is_uppercase) && !is_stop_word(&fold(w.text)))
            .map(|w| plain_word(w.text))
            .collect();
        Claim { terms: term_set(&[text]), numbers, names }
    }

    fn share(&self, of: impl Fn(&String) -> bool) -> f32 {
        let terms = self.terms.items();
        if terms.is_empty() {
            return 0.0;
        }
        terms.iter().filter(|t| of(t)).count() as f32 / terms.len() as f32
    }
}

/// The sentences of a text and the marks that belong to each.
pub(super) struct Marked<'t> {
    /// The text without its marks, at the same length, so that places agree.
    masked: String,
    pub(super) sentences: Vec<Range<usize>>,
    markers: &'t [Marker],
}

impl<'t> Marked<'t> {
    pub(super) fn new(text: &str, markers: &'t [Marker]) -> Marked<'t> {
        let masked = without_marks(text, markers);
        Marked { sentences: sentences(&masked), masked, markers }
    }

    /// Index of the sentence that a mark belongs to. A mark after the full stop belongs to the sentence
    /// before it; one that opens a line, to the one that follows.
    fn owner(&self, marker: &Marker) -> usize {
        let after = self.sentences.partition_point(|r| r.end <= marker.at.start);
        let inside = self.sentences.get(after).is_some_and(|r| r.start <= marker.at.start);
        match after.checked_sub(1).and_then(|before| self.sentences.get(before)) {
            Some(before)
                if !inside
                    && (after == self.sentences.len()
                        || !self.masked[before.end..marker.at.start].contains('\n')) =>
            {
                after - 1
            }
            _ => after,
        }
    }

    /// The groups of marks that belong to one sentence each, with its index.
    fn groups(&self) -> impl Iterator<Item = (usize, &'t [Marker])> {
        self.markers
            .chunk_by(|a, b| self.owner(a) == self.owner(b))
            .filter_map(|group| Some((self.owner(group.first()?), group)))
    }

    pub(super) fn group(&self, sentence: usize) -> &'t [Marker] {
        self.groups().find(|(s, _)| *s == sentence).map_or(&[], |(_, group)| group)
    }

    /// Returns the byte at which a sentence without a number gets one: before its full stop.
    pub(super) fn place_of_number(&self, sentence: usize) -> usize {
        let claim = self.claim(sentence);
        let start = self.sentences.get(sentence).map_or(0, |r| r.start);
        start + claim.trim_end_matches(|c: char| c.is_whitespace() || ".!。！।".contains(c)).len()
    }

    /// The text of a sentence, its marks blanked out.
    pub(super) fn claim(&self, sentence: usize) -> &str {
        self.sentences.get(sentence).map_or("", |r| &self.masked[r.clone()])
    }
}

/// Resolves and checks every citation of a text. `passages` pairs each number with what it stands for. The
/// flag says whether some were left out because there are more than [`MAX_CITATIONS`].
pub fn check_citations(text: &str, passages: &[(u32, &Citable)]) -> (Vec<Citation>, bool) {
    let markers = markers(text);
    let marked = Marked::new(text, &markers);
    let mut judge = Judge::new(passages);
    let mut out: Vec<Citation> = Vec::new();
    for (sentence, group) in marked.groups() {
        let numbers: Set<u32> = group.iter().flat_map(|m| &m.numbers).take(MAX_CITATIONS).copied().collect();
        let judged = judge.judge(marked.claim(sentence), numbers.items());
        for marker in group {
            let at = span(&marker.at);
            out.extend(
                marker.numbers.iter().take(MAX_CITATIONS).map(|&number| judge.citation(number, at, &judged)),
            );
        }
        if out.len() > MAX_CITATIONS {
            out.truncate(MAX_CITATIONS);
            return (out, true);
        }
    }
    (out, false)
}

/// Checks sentences against passages.
pub(super) struct Judge<'p, 'a> {
    passages: &'p [(u32, &'a Citable)],
    cache: Map<u32, Passage<'a>>,
}

/// The verdict of some passages on a sentence.
pub(super) struct Judged {
    /// Each passage's number, the piece of it that shares most with the sentence, and whether it supports the
    /// sentence.
    pub(super) passages: Vec<(u32, Option<Range<usize>>, CitationStatus)>,
    /// True if a passage shares enough words with the sentence to have the same subject.
    pub(super) related: bool,
}

impl Judged {
    pub(super) fn any(&self, status: CitationStatus) -> bool {
        self.passages.iter().any(|(.., s)| *s == status)
    }
}

impl<'p, 'a> Judge<'p, 'a> {
    pub(super) fn new(passages: &'p [(u32, &'a Citable)]) -> Judge<'p, 'a> {
        Judge { passages, cache: Map::new() }
    }

    fn load(&mut self, numbers: &[u32]) {
        for &number in numbers {
            if let Some((_, source)) = self.passages.iter().find(|(n, _)| *n == number) {
                self.cache.get_or_insert_with(number, || Passage::new(source));
            }
        }
    }

    /// Compares a sentence with the passages of these numbers together.
    pub(super) fn judge(&mut self, sentence: &str, numbers: &[u32]) -> Judged {
        self.load(numbers);
        let whole = &sentence[..sentence.floor_char_boundary(MAX_CLAIM_BYTES)];
        let claim = Claim::new(whole);
        let cited: Vec<&Passage<'_>> = numbers.iter().filter_map(|n| self.cache.get(n)).collect();
        let missing = |set: &Set<String>| {
            set.items().iter().filter(|w| !cited.iter().any(|p| p.words.contains(*w))).count() as f32
        };
        let shared = claim.share(|t| cited.iter().any(|p| p.all.contains(t)));
        let together =
            shared - NUMBER_PENALTY * missing(&claim.numbers) - NAME_PENALTY * missing(&claim.names);
        let units: Vec<&str> =
            cited.iter().filter_map(|p| p.source.text.get(p.best_unit(&claim.terms)?)).collect();
        // What a passage holds word for word, it supports. A clause that is made a sentence begins with a
        // capital.
        let quoted = lower_text(whole.trim().trim_end_matches('.'));
        let quotes = cited.iter().any(|p| !quoted.is_empty() && p.lowered.contains(&quoted));
        let orders: Vec<&[String]> = cited.iter().map(|p| p.order.as_slice()).collect();
        let fault = if quotes {
            None
        } else {
            find_fault(whole, &units, &|w| cited.iter().any(|p| p.words.contains(w)))
        };
        let in_order = quotes || is_in_order(whole, &orders);
        let of = |passage: &Passage<'_>| {
            let own = claim.share(|t| passage.all.contains(t));
            match fault {
                _ if own < MIN_OWN_SUPPORT => CitationStatus::Unsupported,
                Some(Fault::Contradicted) if in_order && shared >= MIN_SUPPORT => {
                    CitationStatus::Contradicted
                }
                None if in_order && together >= MIN_SUPPORT => CitationStatus::Verified,
                _ => CitationStatus::Unsupported,
            }
        };
        let each =
            numbers.iter().filter_map(|&n| self.cache.get(&n).map(|p| (n, p.best_unit(&claim.terms), of(p))));
        let related = cited.iter().any(|p| claim.share(|t| p.all.contains(t)) >= MIN_OWN_SUPPORT);
        Judged { passages: each.collect(), related }
    }

    /// The passages that support a sentence: one of those that share most with it, or two neighbours among
    /// them together. Empty where none do.
    pub(super) fn find_support(&mut self, sentence: &str) -> Vec<u32> {
        let nearest = self.nearest(sentence);
        // Where the model named no passage, or another one, a passage has to mention what the sentence
        // denies.
        let denied = denied_words(sentence);
        let mentions = |judge: &Self, numbers: &[u32]| {
            denied
                .iter()
                .all(|w| numbers.iter().any(|n| judge.cache.get(n).is_some_and(|p| p.words.contains(w))))
        };
        let support = nearest.windows(1).chain(nearest.windows(2)).find(|numbers| {
            let judged = self.judge(sentence, numbers).passages;
            mentions(self, numbers) && judged.iter().all(|(.., status)| *status == CitationStatus::Verified)
        });
        support.map_or_else(Vec::new, <[u32]>::to_vec)
    }

    /// The passages that share most terms with a sentence.
    fn nearest(&mut self, sentence: &str) -> Vec<u32> {
        let all: Vec<u32> = self.passages.iter().map(|(n, _)| *n).collect();
        self.load(&all);
        let claim = Claim::new(sentence);
        let shared = |n: u32| self.cache.get(&n).map_or(0, |p| claim.terms.shared(&p.all));
        let mut nearest: Vec<(usize, u32)> =
            all.iter().map(|&n| (shared(n), n)).filter(|(shared, _)| *shared > 0).collect();
        sort_by(&mut nearest, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        nearest.into_iter().map(|(_, n)| n).take(SUPPORTS).collect()
    }

    /// Returns `true` if the passage that shares most with a sentence says otherwise.
    pub(super) fn is_contradicted(&mut self, sentence: &str) -> bool {
        let nearest: Vec<u32> = self.nearest(sentence).into_iter().take(1).collect();
        self.judge(sentence, &nearest).any(CitationStatus::Contradicted)
    }

    fn citation(&self, number: u32, at: Span, judged: &Judged) -> Citation {
        let found = judged.passages.iter().find(|(n, ..)| *n == number).zip(self.cache.get(&number));
        let Some(((_, unit, status), passage)) = found else {
            return Citation {
                number,
                target: None,
                title: String::new(),
                heading_path: Vec::new(),
                url: String::new(),
                quote: String::new(),
                span: Span { start: 0, end: 0 },
                at,
                holds: String::new(),
                status: CitationStatus::Dangling,
            };
        };
        let unit = unit.clone().unwrap_or(0..0);
        Citation {
            holds: String::new(),
            number,
            target: Some(passage.source.target),
            title: passage.source.title.clone(),
            heading_path: passage.source.heading_path.clone(),
            url: passage.source.url.clone(),
            quote: passage.source.text.get(unit.clone()).unwrap_or("").to_owned(),
            span: span(&unit),
            at,
            status: *status,
        }
    }
}

/// The text with every mark blanked out, at the same length, so that places agree.
fn without_marks(text: &str, markers: &[Marker]) -> String {
    let mut out = String::with_capacity(text.len());
    for marker in markers {
        out.push_str(text.get(out.len()..marker.at.start).unwrap_or(""));
        out.extend(std::iter::repeat_n(' ', marker.at.len()));
    }
    out.push_str(text.get(out.len()..).unwrap_or(""));
    out
}

#[cfg(test)]
#[path = "citations_tests.rs"]
mod tests;
