//! Checking citations: does what is cited exist, and does it bear the sentence out?
//!
//! The check is by words, so it knows no paraphrase: it finds numbers, names, denials, comparisons and claims that the cited passage does not hold, and
//! it marks; it never changes or hides text. An answer in another language than its passages shares no words with them and is marked throughout.

use super::claim_support::{is_spoilt, plain_word};
use super::markers::{Marker, MarkerScanner};
use super::order::{is_in_order, telling};
use super::{Citable, Citation, CitationStatus, span, units};
use crate::compact::{Map, Set};
use crate::retrieve::Span;
use crate::text::{fold, is_stop_word, sentences, terms, words};
use std::ops::Range;

/// A sentence is borne out when the passages that it cites hold at least this share of its terms, less the penalties below.
pub const MIN_SUPPORT: f32 = 0.5;
/// And each cited passage alone must hold at least this share, or it is cited for decoration.
pub const MIN_OWN_SUPPORT: f32 = 0.2;
/// What each number of the sentence costs that none of its passages holds.
const NUMBER_PENALTY: f32 = 0.35;
/// What each name of the sentence costs that none of its passages holds.
const NAME_PENALTY: f32 = 0.15;
/// Citations beyond this many are left out, and a warning says so.
pub const MAX_CITATIONS: usize = 1000;
/// A sentence is compared up to here.
const MAX_CLAIM_BYTES: usize = 4000;

/// Follows an answer while it grows, and checks its citations when it is whole.
#[derive(Debug, Clone, Default)]
pub struct CitationTracker {
    text: String,
    scanner: MarkerScanner,
    markers: Vec<Marker>,
}

impl CitationTracker {
    /// A tracker of an empty answer.
    pub fn new() -> CitationTracker {
        CitationTracker::default()
    }

    /// Takes the next piece of the answer, and gives the marks that it completes.
    pub fn push(&mut self, piece: &str) -> &[Marker] {
        let before = self.markers.len();
        self.text.push_str(piece);
        self.markers.extend(self.scanner.push(piece));
        &self.markers[before..]
    }

    /// The answer so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Resolves and checks every citation of the answer as it stands. `passages` pairs each number with what it stands for. The flag says whether some
    /// were left out because there are more than [`MAX_CITATIONS`].
    pub fn check(&self, passages: &[(u32, &Citable)]) -> (Vec<Citation>, bool) {
        check(&self.text, &self.markers, passages)
    }
}

/// A cited passage with what the checks need of it, made once.
struct Passage<'a> {
    source: &'a Citable,
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
            .map(|u| (u.span.clone(), terms(&source.text[u.span]).into_iter().map(|(t, _)| t).collect()))
            .collect();
        let mut all: Set<String> = units.iter().flat_map(|(_, t)| t.items().iter().cloned()).collect();
        let text = words(&source.text);
        let order = telling(&source.text);
        let mut plain: Set<String> = text.iter().map(|w| plain_word(w.text)).collect();
        for heading in source.heading_path.iter().chain([&source.title]) {
            all.extend(terms(heading).into_iter().map(|(t, _)| t));
            plain.extend(words(heading).iter().map(|w| plain_word(w.text)));
        }
        Passage { source, all, words: plain, units, order }
    }

    /// The unit that shares most terms with a claim; among equals the shortest, then the first. `None` when none shares any.
    fn best_unit(&self, claim: &Set<String>) -> Option<Range<usize>> {
        let scored = self.units.iter().map(|(span, terms)| (claim.shared(terms), span));
        let best =
            scored.filter(|(n, _)| *n > 0).max_by(|a, b| a.0.cmp(&b.0).then(b.1.len().cmp(&a.1.len())).then(b.1.start.cmp(&a.1.start)));
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
        let numbers = words.iter().filter(|w| w.text.starts_with(|c: char| c.is_ascii_digit())).map(|w| plain_word(w.text)).collect();
        // The first word is capitalised in any case.
        let names = words
            .iter()
            .skip(1)
            .filter(|w| w.text.starts_with(char::is_uppercase) && !is_stop_word(&fold(w.text)))
            .map(|w| plain_word(w.text))
            .collect();
        Claim { terms: terms(text).into_iter().map(|(t, _)| t).collect(), numbers, names }
    }

    fn share(&self, of: impl Fn(&String) -> bool) -> f32 {
        let terms = self.terms.items();
        if terms.is_empty() {
            return 0.0;
        }
        terms.iter().filter(|t| of(t)).count() as f32 / terms.len() as f32
    }
}

fn check(text: &str, markers: &[Marker], passages: &[(u32, &Citable)]) -> (Vec<Citation>, bool) {
    let masked = without_marks(text, markers);
    let ranges = sentences(&masked);
    let owner = |marker: &Marker| {
        let after = ranges.partition_point(|r| r.end <= marker.at.start);
        // Marks after the full stop belong to the sentence before it; those that open a line, to the one that follows.
        let inside = ranges.get(after).is_some_and(|r| r.start <= marker.at.start);
        match after.checked_sub(1).and_then(|before| ranges.get(before)) {
            Some(before) if !inside && (after == ranges.len() || !masked[before.end..marker.at.start].contains('\n')) => after - 1,
            _ => after,
        }
    };
    let mut cache: Map<u32, Passage<'_>> = Map::new();
    let mut out: Vec<Citation> = Vec::new();
    let mut rest = markers;
    while let Some(first) = rest.first() {
        let sentence = owner(first);
        let (group, others) = rest.split_at(rest.iter().take_while(|m| owner(m) == sentence).count());
        rest = others;
        let claim = ranges.get(sentence).map_or("", |r| &masked[r.clone()]);
        cite(claim, group, passages, &mut cache, &mut out);
        if out.len() > MAX_CITATIONS {
            out.truncate(MAX_CITATIONS);
            return (out, true);
        }
    }
    (out, false)
}

/// Checks the marks of one sentence.
fn cite<'a>(claim: &str, group: &[Marker], passages: &[(u32, &'a Citable)], cache: &mut Map<u32, Passage<'a>>, out: &mut Vec<Citation>) {
    let whole = &claim[..claim.floor_char_boundary(MAX_CLAIM_BYTES)];
    let claim = Claim::new(whole);
    let numbers: Set<u32> = group.iter().flat_map(|m| &m.numbers).take(MAX_CITATIONS).copied().collect();
    for &number in numbers.items() {
        if let Some((_, source)) = passages.iter().find(|(n, _)| *n == number) {
            cache.get_or_insert_with(number, || Passage::new(source));
        }
    }
    let cited: Vec<&Passage<'_>> = numbers.items().iter().filter_map(|n| cache.get(n)).collect();
    let missing = |set: &Set<String>| set.items().iter().filter(|w| !cited.iter().any(|p| p.words.contains(*w))).count() as f32;
    let together = claim.share(|t| cited.iter().any(|p| p.all.contains(t)))
        - NUMBER_PENALTY * missing(&claim.numbers)
        - NAME_PENALTY * missing(&claim.names);
    let units: Vec<&str> = cited.iter().filter_map(|p| p.source.text.get(p.best_unit(&claim.terms)?)).collect();
    // What stands in a passage word for word is borne out.
    let quoted = whole.trim().trim_end_matches('.');
    let quotes = cited.iter().any(|p| !quoted.is_empty() && p.source.text.contains(quoted));
    let orders: Vec<&[String]> = cited.iter().map(|p| p.order.as_slice()).collect();
    let spoilt = !quotes && (!is_in_order(whole, &orders) || is_spoilt(whole, &units, &|w| cited.iter().any(|p| p.words.contains(w))));
    let mut judged: Map<u32, (Option<Range<usize>>, CitationStatus)> = Map::new();
    for marker in group {
        for &number in &marker.numbers {
            if out.len() > MAX_CITATIONS {
                return;
            }
            let at = span(&marker.at);
            let Some(passage) = cache.get(&number) else {
                out.push(Citation {
                    number,
                    target: None,
                    title: String::new(),
                    heading_path: Vec::new(),
                    url: String::new(),
                    quote: String::new(),
                    span: Span { start: 0, end: 0 },
                    at,
                    status: CitationStatus::Dangling,
                });
                continue;
            };
            let (unit, status) = judged.get_or_insert_with(number, || {
                let own = claim.share(|t| passage.all.contains(t));
                let borne_out = !spoilt && together >= MIN_SUPPORT && own >= MIN_OWN_SUPPORT;
                (passage.best_unit(&claim.terms), if borne_out { CitationStatus::Verified } else { CitationStatus::Unsupported })
            });
            let unit = unit.clone().unwrap_or(0..0);
            out.push(Citation {
                number,
                target: Some(passage.source.target),
                title: passage.source.title.clone(),
                heading_path: passage.source.heading_path.clone(),
                url: passage.source.url.clone(),
                quote: passage.source.text.get(unit.clone()).unwrap_or("").to_owned(),
                span: span(&unit),
                at,
                status: *status,
            });
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
