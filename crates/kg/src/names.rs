//! All names of a graph, found by their words.

use super::graph::KnowledgeGraph;
use super::ids::NodeId;
use crate::text::{fold, words};
use std::ops::Range;

/// Word of a name or a question, as names are compared: folded, parts of `snake_case` apart, `&` as "and".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyWord {
    pub folded: String,
    pub span: Range<usize>,
    /// True for a run of signs without a letter or digit, such as the film "$".
    pub signs: bool,
}

/// Returns the words of a text. Signs between spaces are words only without other words, or with `all_signs`.
pub(super) fn key_words(text: &str, all_signs: bool) -> Vec<KeyWord> {
    let mut out: Vec<KeyWord> = Vec::new();
    let mut last = 0;
    let mut gaps = Vec::new();
    for w in words(text) {
        if w.span.start > last {
            gaps.push((out.len(), last..w.span.start));
        }
        last = w.span.end;
        let mut at = w.span.start;
        for part in w.text.split('_') {
            if !part.is_empty() {
                out.push(KeyWord {
                    folded: fold(part).replace('’', "'"),
                    span: at..at + part.len(),
                    signs: false,
                });
            }
            at += part.len() + 1;
        }
    }
    gaps.push((out.len(), last..text.len()));
    let mut added = 0;
    let had_words = !out.is_empty();
    for (at, gap) in gaps {
        let mut from = gap.start;
        for piece in text[gap.clone()].split_inclusive(char::is_whitespace) {
            let (start, sign) = (from, piece.trim_end());
            from += piece.len();
            // A sign that touches a word belongs to it: "Up!".
            let touches =
                (start == gap.start && start > 0) || (start + sign.len() == gap.end && gap.end < text.len());
            let wanted = sign == "&" || all_signs || !had_words;
            if sign.is_empty() || touches || !wanted {
                continue;
            }
            let folded = if sign == "&" { "and".to_owned() } else { sign.to_owned() };
            out.insert(at + added, KeyWord { folded, span: start..start + sign.len(), signs: sign != "&" });
            added += 1;
        }
    }
    out
}

/// Joins the words by spaces, so that names that differ only in case, accents and punctuation have one key.
/// Letters of every script stay. Empty only if the text has neither words nor signs.
pub fn key(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for w in key_words(text, false) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&w.folded);
    }
    out
}

/// Returns true for a folded English article.
pub(super) fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an")
}

/// Returns a key without an article in front ("the matrix") or at its end ("matrix, the"); `None` if there is
/// none, or nothing else.
pub(super) fn without_article(key: &str) -> Option<&str> {
    let cut = match (key.split_once(' '), key.rsplit_once(' ')) {
        (Some((first, rest)), _) if is_article(first) => rest,
        (_, Some((rest, last))) if is_article(last) => rest,
        _ => return None,
    };
    (!cut.is_empty()).then_some(cut)
}

/// FNV-1a over 64 bits, a byte at a time, so that a run of words can grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyHash(pub u64);

impl KeyHash {
    pub const EMPTY: KeyHash = KeyHash(0xcbf2_9ce4_8422_2325);

    pub fn text(self, s: &str) -> KeyHash {
        s.bytes().fold(self, |h, b| KeyHash((h.0 ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Returns the hash with one more word.
    pub fn word(self, first: bool, word: &str) -> KeyHash {
        if first { self.text(word) } else { self.text(" ").text(word) }
    }
}

/// Index from a key's hash to names that may have it. Callers compare the key: hashes may collide.
#[derive(Debug, Clone, Default)]
pub(super) struct HashIndex {
    /// Low half of a hash, and a name.
    entries: Vec<(u32, u32)>,
    /// First entry of each bucket. Buckets are the hashes' top bits.
    buckets: Vec<u32>,
    shift: u32,
}

impl HashIndex {
    /// Indexes names, ascending, by their hashes.
    pub fn new(names: &[(u64, u32)]) -> Self {
        let bits = usize::BITS - names.len().leading_zeros();
        let shift = 64 - bits.clamp(1, 24);
        // Each bucket's end is the next one's beginning; filling moves it to its own beginning.
        let mut buckets = vec![0u32; (1usize << (64 - shift)) + 1];
        for &(hash, _) in names {
            buckets[(hash >> shift) as usize] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        let mut entries = vec![(0, 0); names.len()];
        for &(hash, name) in names.iter().rev() {
            let place = &mut buckets[(hash >> shift) as usize];
            *place -= 1;
            entries[*place as usize] = (hash as u32, name);
        }
        HashIndex { entries, buckets, shift }
    }

    /// Iterates over the names whose key has this hash, ascending.
    pub fn names(&self, hash: KeyHash) -> impl Iterator<Item = u32> {
        let bucket = (hash.0 >> self.shift) as usize;
        let run = match (self.buckets.get(bucket), self.buckets.get(bucket + 1)) {
            (Some(&a), Some(&b)) => &self.entries[a as usize..b as usize],
            _ => &[],
        };
        run.iter().filter(move |e| e.0 == hash.0 as u32).map(|e| e.1)
    }
}

/// Role of a name for its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameKind {
    Label,
    Alias,
    Id,
}

/// Returns the name with this number: labels of all nodes, then aliases, then ids. `None` beyond the last,
/// and for an id that equals the label.
pub(super) fn name_at(graph: &KnowledgeGraph, number: u32) -> Option<(NodeId, NameKind, &str)> {
    let n = number as usize;
    let (nodes, aliases) = (graph.nodes.names.len(), graph.nodes.aliases.len());
    if n < nodes {
        return Some((NodeId(number), NameKind::Label, graph.nodes.names.get(n)));
    }
    let n = n - nodes;
    if n < aliases {
        return Some((NodeId(graph.nodes.alias_runs.owner(n)?), NameKind::Alias, graph.nodes.aliases.get(n)));
    }
    let n = n - aliases;
    let id = graph.nodes.ids.get(n);
    (!id.is_empty()).then_some((NodeId(n as u32), NameKind::Id, id))
}

pub(super) fn name_count(graph: &KnowledgeGraph) -> u32 {
    (graph.nodes.names.len() + graph.nodes.aliases.len() + graph.nodes.ids.len()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_differ_in_case_accents_and_signs_share_a_key() {
        for (a, b) in [
            ("Amélie!", "amelie"),
            ("Spider-Man", "spider man"),
            ("western_africa", "Western Africa"),
            ("Tom & Jerry", "Tom and Jerry"),
        ] {
            assert_eq!(key(a), key(b), "{a} {b}");
        }
        assert_ne!(key("Москва"), key("Masква"));
        assert_eq!((key("$"), key("!!!"), key("O’Brien")), ("$".into(), "!!!".into(), "o'brien".into()));
    }

    #[test]
    fn articles_are_cut_in_front_and_at_the_end_but_a_name_never_becomes_empty() {
        assert_eq!(without_article("the rat race"), Some("rat race"));
        assert_eq!(without_article("matrix the"), Some("matrix"));
        assert_eq!((without_article("the"), without_article("rat race")), (None, None));
    }

    #[test]
    fn signs_alone_are_words_of_a_question() {
        let w: Vec<_> = key_words("who wrote $ and Up!", true).into_iter().map(|w| w.folded).collect();
        assert_eq!(w, ["who", "wrote", "$", "and", "up"]);
    }

    proptest! {
        #[test]
        fn spans_lie_in_the_text_in_order(s in ".{0,40}") {
            let all = key_words(&s, true);
            prop_assert!(all.iter().all(|w| s.get(w.span.clone()).is_some_and(|t| !t.is_empty())));
            prop_assert!(all.windows(2).all(|w| w[0].span.end <= w[1].span.start));
        }

        #[test]
        fn a_hash_grows_word_by_word(ws in prop::collection::vec("[a-z]{1,4}", 1..5)) {
            let whole = KeyHash::EMPTY.text(&ws.join(" "));
            let grown = ws.iter().enumerate().fold(KeyHash::EMPTY, |h, (i, w)| h.word(i == 0, w));
            prop_assert_eq!(whole.0, grown.0);
            let index = HashIndex::new(&[(whole.0, 7), (whole.0.wrapping_add(1), 8)]);
            prop_assert_eq!(index.names(whole).collect::<Vec<_>>(), vec![7]);
        }

        #[test]
        fn an_index_gives_the_names_of_a_hash_in_their_order(
            hashes in prop::collection::vec(0u64..12, 0..60),
        ) {
            // Some in one bucket, some in buckets of their own.
            let spread = |h: u64| h | (h / 4) << 62;
            let names: Vec<(u64, u32)> = hashes.iter().map(|&h| spread(h)).zip(0..).collect();
            let index = HashIndex::new(&names);
            for hash in (0..16).map(spread) {
                let own: Vec<u32> = names.iter().filter(|n| n.0 == hash).map(|n| n.1).collect();
                prop_assert_eq!(index.names(KeyHash(hash)).collect::<Vec<_>>(), own);
            }
        }
    }
}
