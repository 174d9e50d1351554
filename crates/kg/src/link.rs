//! Linking: finds the entities that a name in a text may mean.
//!
//! Names are compared in stages, the best first: exactly as written; without case and accents; without
//! punctuation; without articles; within one or two edits; and, if an encoder ran, by meaning. All entities
//! that share a name are candidates.

use super::edits::TrigramIndex;
use super::graph::{Direction, KnowledgeGraph};
use super::ids::NodeId;
use super::names::{HashIndex, KeyHash, NameKind, key, key_words, name_at, name_count, without_article};
use crate::compact::{Map, sort_by, sort_unique};
use crate::text::{fold, is_stop_word};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::ops::Range;

/// Agreement of a mention with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Match {
    /// The same, with case and punctuation.
    Exact,
    /// The same except for case and accents.
    Folded,
    /// The same except for case, accents and punctuation.
    Words,
    /// Also except for an article in front or at the end.
    Article,
    /// Different in one letter.
    OneEdit,
    /// Different in two letters.
    TwoEdits,
    /// Close in meaning only: the label's vector is near the mention's.
    Meaning,
}

impl Match {
    /// Returns the score of an agreement with a label; 1 for an exact one.
    fn score(self) -> f32 {
        match self {
            Match::Exact => 1.0,
            Match::Folded => 0.95,
            Match::Words => 0.9,
            Match::Article => 0.8,
            Match::OneEdit => 0.7,
            Match::TwoEdits => 0.6,
            // Times the cosine.
            Match::Meaning => 0.55,
        }
    }
}

/// Entity or literal that a mention may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Node that it may mean.
    pub node: NodeId,
    /// Agreement from 0 to 1, comparable between mentions; a little lower for an alias or a literal.
    pub score: f32,
    /// Kind of agreement.
    pub how: Match,
    /// Name that agrees, as in the graph.
    pub name: String,
    /// Span of the name in the searched text; it may include punctuation that the mention omits.
    pub span: Range<usize>,
}

/// Part of a text that names something in the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Span of its best candidate in the text, in bytes.
    pub span: Range<usize>,
    /// Entities or literals that it may mean, best first; never empty.
    pub candidates: Vec<Candidate>,
}

/// Maximum number of words of a name.
const LONGEST_NAME: usize = 32;
/// Maximum number of words of a text that are searched, so that a hostile question costs a bounded time.
const WORDS_SEARCHED: usize = 2048;
/// Maximum number of candidates of a mention; more share a name only in a hostile graph.
const CANDIDATES: usize = 64;

/// Number of names read in a turn: a few milliseconds in a page.
const NAMES_AT_ONCE: u32 = 256;

/// Keys of the names of a graph that were read so far.
#[derive(Default)]
struct Keys {
    next: u32,
    whole: Vec<(u64, u32)>,
    bare: Vec<(u64, u32)>,
    longest: usize,
}

impl Keys {
    /// Reads some more names; returns false if there were none.
    fn read_names(&mut self, graph: &KnowledgeGraph) -> bool {
        let count = name_count(graph);
        let from = self.next;
        self.next = count.min(from + NAMES_AT_ONCE);
        for number in from..self.next {
            let Some((_, _, text)) = name_at(graph, number) else { continue };
            let key = key(text);
            if key.is_empty() {
                continue;
            }
            self.longest = self.longest.max(key.bytes().filter(|&b| b == b' ').count() + 1);
            self.whole.push((KeyHash::EMPTY.text(&key).0, number));
            if let Some(cut) = without_article(&key) {
                self.bare.push((KeyHash::EMPTY.text(cut).0, number));
            }
        }
        from < count
    }

    fn into_linker(self, graph: &KnowledgeGraph) -> Linker {
        Linker {
            graph: graph.clone(),
            by_key: HashIndex::new(&self.whole),
            by_bare_key: HashIndex::new(&self.bare),
            longest: self.longest.min(LONGEST_NAME),
            near: OnceCell::new(),
            by_meaning: RefCell::default(),
        }
    }
}

/// Finds the entities that a text names. Make one for a graph; the edit index is made when it is needed.
#[derive(Debug)]
pub struct Linker {
    graph: KnowledgeGraph,
    by_key: HashIndex,
    by_bare_key: HashIndex,
    longest: usize,
    near: OnceCell<TrigramIndex>,
    /// Candidates by meaning, by the keys of mentions that no name agrees with.
    by_meaning: RefCell<Map<String, Vec<Candidate>>>,
}

/// Least cosine of a label to a mention with the same meaning.
const LEAST_COSINE: f32 = 0.6;

impl Linker {
    /// Makes a linker over all labels, aliases and ids of `graph`.
    pub fn new(graph: &KnowledgeGraph) -> Self {
        let mut keys = Keys::default();
        while keys.read_names(graph) {}
        keys.into_linker(graph)
    }

    /// Makes a linker as [`Linker::new`] in pieces, and waits for `turn` before each.
    pub async fn in_turns(graph: &KnowledgeGraph, turn: impl AsyncFn()) -> Self {
        let mut keys = Keys::default();
        loop {
            turn().await;
            if !keys.read_names(graph) {
                return keys.into_linker(graph);
            }
        }
    }

    /// Stores the candidates of a mention by the cosines of all entities' labels. [`Linker::link`] returns
    /// them if no name agrees by its letters.
    pub fn remember(&self, mention: &str, cosines: &[f32]) {
        let near =
            cosines.iter().take(self.graph.entities()).enumerate().filter(|(_, c)| **c >= LEAST_COSINE);
        let found = near.map(|(i, &cosine)| {
            let node = NodeId(i as u32);
            let score = Match::Meaning.score() * cosine.min(1.0);
            Candidate {
                node,
                score,
                how: Match::Meaning,
                name: self.graph.label(node).to_owned(),
                span: 0..mention.len(),
            }
        });
        let ranked = self.rank_candidates(found.collect(), CANDIDATES);
        self.by_meaning.borrow_mut().insert(key(mention), ranked);
    }

    /// Returns the graph of this linker.
    pub fn graph(&self) -> &KnowledgeGraph {
        &self.graph
    }

    /// Returns at most `limit` candidates for a mention, best first; equal scores by their number of edges
    /// (most first), then in the order of the graph. Edits are tried only if no agreement is better than
    /// [`Match::Article`].
    pub fn link(&self, mention: &str, limit: usize) -> Vec<Candidate> {
        let mention = mention.trim();
        let key = key(mention);
        if key.is_empty() {
            return Vec::new();
        }
        let mut found = self.named_by(mention, &key);
        if !found.iter().any(|c| c.how < Match::Article) {
            self.add_edited(mention, &key, &mut found);
        }
        if found.is_empty()
            && let Some(near) = self.by_meaning.borrow().get(&key)
        {
            found.clone_from(near);
        }
        self.rank_candidates(found, limit)
    }

    /// Links as [`Linker::link`], without edits and meaning.
    pub fn named(&self, mention: &str) -> Vec<Candidate> {
        let mention = mention.trim();
        self.rank_candidates(self.named_by(mention, &key(mention)), usize::MAX)
    }

    fn named_by(&self, mention: &str, key: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        let own = key_words(mention, false);
        let span = own.first().map_or(0, |w| w.span.start)..own.last().map_or(0, |w| w.span.end);
        self.add_agreeing(mention, span, key, &mut found);
        for c in &mut found {
            // The mention is the whole name: "Up" is not exactly "Up!".
            if c.how < Match::Words && c.span != (0..mention.len()) {
                c.score -= c.how.score() - Match::Words.score();
                c.how = Match::Words;
            }
        }
        found
    }

    /// Returns the nodes with exactly this id or name: the entity with this id, else all entities with this
    /// label, else all with this alias, else literals of this text.
    pub fn exact(&self, text: &str) -> Vec<NodeId> {
        let mut found: Vec<(u8, NodeId)> = Vec::new();
        for number in self.by_key.names(KeyHash::EMPTY.text(&key(text))) {
            let Some((node, kind, name)) = name_at(&self.graph, number).filter(|n| n.2 == text) else {
                continue;
            };
            let own_id = kind == NameKind::Id || (kind == NameKind::Label && self.graph.id(node) == name);
            let rank = match (self.graph.is_entity(node), kind) {
                (false, _) => 3,
                _ if own_id => 0,
                (_, NameKind::Label) => 1,
                _ => 2,
            };
            found.push((rank, node));
        }
        sort_unique(&mut found);
        let best = found.first().map(|f| f.0);
        found.into_iter().filter(|f| Some(f.0) == best).map(|f| f.1).collect()
    }

    /// Returns the parts of a text that name something, in order; of nested names only the longest. A name of
    /// function words ("Up", "Her") counts only if case and punctuation agree and it does not begin the text.
    pub fn mentions(&self, text: &str) -> Vec<Mention> {
        let mut words = key_words(text, true);
        words.truncate(WORDS_SEARCHED);
        let mut runs: Vec<(usize, usize, Vec<Candidate>)> = Vec::new();
        for from in 0..words.len() {
            let mut hash = KeyHash::EMPTY;
            let mut run_key = String::new();
            for to in from..words.len().min(from + self.longest + 2) {
                // A sign between words is not a word of a name: "Romeo + Juliet".
                if to > from && words[to].signs {
                    continue;
                }
                let w = &words[to].folded;
                let mut found = Vec::new();
                let first = to == from;
                // "Spielberg's films" names Spielberg.
                if let Some(owner) = w.strip_suffix("'s") {
                    let suffix =
                        text[words[to].span.clone()].chars().rev().take(2).map(char::len_utf8).sum::<usize>();
                    let span = words[from].span.start..words[to].span.end - suffix;
                    let own_key = if first { owner.to_owned() } else { format!("{run_key} {owner}") };
                    self.add_agreeing_hash(text, span, hash.word(first, owner), &own_key, &mut found);
                }
                hash = hash.word(first, w);
                if !first {
                    run_key.push(' ');
                }
                run_key.push_str(w);
                self.add_agreeing_hash(
                    text,
                    words[from].span.start..words[to].span.end,
                    hash,
                    &run_key,
                    &mut found,
                );
                if words[from..=to].iter().all(|w| is_stop_word(&w.folded)) {
                    found.retain(|c| c.how == Match::Exact && c.span.start > 0);
                }
                if words[from].signs {
                    found.retain(|c| c.how == Match::Exact);
                }
                if !found.is_empty() {
                    runs.push((from, to, found));
                }
            }
        }
        self.longest_of(runs, &words.iter().map(|w| is_stop_word(&w.folded)).collect::<Vec<_>>())
    }

    /// Returns the mentions of a text, the most specific first: names as the graph writes them, then names
    /// with capitals or digits, then longer names, then earlier ones.
    pub fn topics(&self, text: &str) -> Vec<Mention> {
        let mut mentions = self.mentions(text);
        mentions.sort_by_cached_key(|m| {
            let mention_text = text.get(m.span.clone()).unwrap_or("");
            let best = m.candidates.first();
            let exact = best.is_some_and(|c| c.how == Match::Exact);
            // A capital at the start of a sentence means nothing, unless the name is written so.
            let skipped = usize::from(m.span.start == 0 && !exact);
            let marked = mention_text.chars().skip(skipped).any(|c| c.is_uppercase() || c.is_numeric());
            let signs = !mention_text.chars().any(char::is_alphanumeric);
            let entity = best.is_some_and(|c| self.graph.is_entity(c.node));
            let telling = 4 * usize::from(exact && (marked || signs))
                + 2 * usize::from(marked || signs)
                + usize::from(entity);
            (Reverse((telling, mention_text.len())), m.span.start)
        });
        mentions
    }

    /// Removes runs inside longer ones. A run that is longer only by function words in front is the same
    /// mention: "in Hell" may mean the film "In Hell", but more likely means the film "Hell".
    fn longest_of(&self, mut runs: Vec<(usize, usize, Vec<Candidate>)>, function: &[bool]) -> Vec<Mention> {
        // Ascending starts, longest first: a run is inside another exactly if it ends no later than the
        // furthest end so far.
        runs.sort_by_key(|r| (r.0, Reverse(r.1)));
        let mut kept: Vec<(usize, usize, Vec<Candidate>)> = Vec::new();
        for (from, to, found) in runs {
            match kept.last_mut() {
                Some(last) if to <= last.1 => {
                    if to == last.1 && function.get(last.0..from).is_some_and(|f| f.iter().all(|&f| f)) {
                        last.2.extend(found);
                    }
                }
                _ => kept.push((from, to, found)),
            }
        }
        kept.into_iter()
            .filter_map(|(_, _, found)| {
                let candidates = self.rank_candidates(found, CANDIDATES);
                Some(Mention { span: candidates.first()?.span.clone(), candidates })
            })
            .collect()
    }

    fn add_agreeing(&self, text: &str, span: Range<usize>, key: &str, found: &mut Vec<Candidate>) {
        self.add_agreeing_hash(text, span.clone(), KeyHash::EMPTY.text(key), key, found);
        if let Some(cut) = without_article(key) {
            for number in self.by_key.names(KeyHash::EMPTY.text(cut)).take(CANDIDATES) {
                self.add_candidate(number, cut, Match::Article, span.clone(), found);
            }
        }
    }

    fn add_agreeing_hash(
        &self,
        text: &str,
        span: Range<usize>,
        hash: KeyHash,
        run_key: &str,
        found: &mut Vec<Candidate>,
    ) {
        for number in self.by_key.names(hash).take(CANDIDATES) {
            let Some((_, _, own)) = name_at(&self.graph, number) else { continue };
            if key(own) != run_key {
                continue;
            }
            let (how, span) = compare_name(text, span.clone(), own);
            self.add_candidate(number, run_key, how, span, found);
        }
        for number in self.by_bare_key.names(hash).take(CANDIDATES) {
            self.add_candidate(number, run_key, Match::Article, span.clone(), found);
        }
    }

    fn add_edited(&self, mention: &str, mention_key: &str, found: &mut Vec<Candidate>) {
        let of = |number: u32| {
            name_at(&self.graph, number).map_or_else(String::new, |(_, kind, text)| match kind {
                // A mistyped id is another id.
                NameKind::Id => String::new(),
                _ => key(text),
            })
        };
        let index = self.near.get_or_init(|| {
            let keys: Vec<String> = (0..name_count(&self.graph)).map(of).collect();
            TrigramIndex::new(keys.iter().map(String::as_str))
        });
        for (edits, number) in index.near(mention_key, &of) {
            let how = if edits <= 1 { Match::OneEdit } else { Match::TwoEdits };
            self.add_candidate(number, "", how, 0..mention.len(), found);
        }
    }

    /// Adds a name's owner. For an article it compares the key `agreed`, because hashes may collide.
    fn add_candidate(
        &self,
        number: u32,
        agreed: &str,
        how: Match,
        span: Range<usize>,
        found: &mut Vec<Candidate>,
    ) {
        let Some((node, kind, text)) = name_at(&self.graph, number) else { return };
        if how == Match::Article {
            let own = key(text);
            if own != agreed && without_article(&own) != Some(agreed) {
                return;
            }
        }
        let mut score = how.score();
        if kind != NameKind::Label {
            score -= 0.02;
        }
        if !self.graph.is_entity(node) {
            score -= 0.03;
        }
        found.push(Candidate { node, score, how, name: text.to_owned(), span });
    }

    fn rank_candidates(&self, mut found: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
        let degree =
            |n: NodeId| self.graph.degree(n, Direction::Forward) + self.graph.degree(n, Direction::Backward);
        sort_by(&mut found, |a, b| {
            // The exact name that covers more of the text wins: "Up!" before "Up".
            let order = b.score.total_cmp(&a.score).then_with(|| b.span.len().cmp(&a.span.len()));
            order.then_with(|| degree(b.node).cmp(&degree(a.node))).then_with(|| a.node.cmp(&b.node))
        });
        let mut seen: Map<NodeId, ()> = Map::new();
        found.retain(|c| {
            let new = seen.get(&c.node).is_none();
            seen.insert(c.node, ());
            new
        });
        found.truncate(limit.min(CANDIDATES));
        found
    }
}

/// Returns the agreement of a name with the text around `span`, which has the name's words, and the span with
/// the name's punctuation ("Up!").
fn compare_name(text: &str, span: Range<usize>, name: &str) -> (Match, Range<usize>) {
    let own = key_words(name, false);
    let (Some(first), Some(last)) = (own.first(), own.last()) else { return (Match::Words, span) };
    let (before, after) = (first.span.start, name.len() - last.span.end);
    if let Some(start) = span.start.checked_sub(before)
        && let Some(found) = text.get(start..span.end.saturating_add(after))
        && fold(found) == fold(name)
    {
        let whole = start..span.end + after;
        return (if found == name { Match::Exact } else { Match::Folded }, whole);
    }
    (Match::Words, span)
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
