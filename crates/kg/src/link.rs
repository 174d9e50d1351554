//! Linking: from what a text calls something to the entities it may mean.
//!
//! Names are compared in stages, each a later choice than the one before: exactly as written; without case and accents; without
//! punctuation; without articles; within one or two edits; and, where an encoder has been asked, by meaning. Several entities may share a name: all of them are candidates.

use super::edits::TrigramIndex;
use super::graph::{Direction, KnowledgeGraph};
use super::ids::NodeId;
use super::names::{HashIndex, KeyHash, NameKind, key, key_words, name, name_count, without_article};
use crate::compact::{Map, sort_by, sort_unique};
use crate::text::{fold, is_stop_word};
use serde::{Deserialize, Serialize};
use std::cell::{OnceCell, RefCell};
use std::ops::Range;

/// Way in which a mention agrees with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Match {
    /// Letter by letter, case and punctuation included.
    Exact,
    /// But for case and accents.
    Folded,
    /// But for case, accents and punctuation.
    Words,
    /// But also for an article in front or at the end.
    Article,
    /// But for one letter.
    OneEdit,
    /// But for two letters.
    TwoEdits,
    /// Meaning alone: the label's vector is near the mention's.
    Meaning,
}

impl Match {
    /// The score of an agreement with a label; 1 for an exact one.
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

/// An entity (or a literal) that a mention may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: NodeId,
    /// Agreement from 0 to 1, comparable between mentions; a little less for an alias, and less for a literal.
    pub score: f32,
    /// Way in which its name agreed.
    pub how: Match,
    /// The name that agreed, as in the graph.
    pub name: String,
    /// Span of the name in the text that was searched; it may include punctuation that the mention leaves out.
    pub span: Range<usize>,
}

/// A part of a text that names something in the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Its bytes in the text: those of its best candidate.
    pub span: Range<usize>,
    /// Entities that it may mean, best first; never empty.
    pub candidates: Vec<Candidate>,
}

/// Longer runs of words are no name.
const LONGEST_NAME: usize = 32;
/// Words of a text beyond these are not searched for mentions, so that a hostile question costs a bounded time.
const WORDS_SEARCHED: usize = 2048;
/// Candidates of one mention are at most these many; more share a name only in a hostile graph.
const CANDIDATES: usize = 64;

/// Number of names that are read in one turn: a few milliseconds in a page.
const NAMES_AT_ONCE: u32 = 256;

/// The keys of a graph's names, as they are read.
#[derive(Default)]
struct Keys {
    /// The next name.
    next: u32,
    whole: Vec<(u64, u32)>,
    bare: Vec<(u64, u32)>,
    longest: usize,
}

impl Keys {
    /// Reads some more; false where there were none.
    fn read(&mut self, graph: &KnowledgeGraph) -> bool {
        let count = name_count(graph);
        let from = self.next;
        self.next = count.min(from + NAMES_AT_ONCE);
        for number in from..self.next {
            let Some((_, _, text)) = name(graph, number) else { continue };
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

    fn linker(self, graph: &KnowledgeGraph) -> Linker {
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

/// Finds the entities that a text names. Made once for a graph; the edit index is made when it is first needed.
#[derive(Debug)]
pub struct Linker {
    graph: KnowledgeGraph,
    by_key: HashIndex,
    by_bare_key: HashIndex,
    longest: usize,
    near: OnceCell<TrigramIndex>,
    /// Candidates by meaning for mentions that no name agrees with, by their keys.
    by_meaning: RefCell<Map<String, Vec<Candidate>>>,
}

/// Labels whose cosine to a mention is less mean something else.
const LEAST_COSINE: f32 = 0.6;

impl Linker {
    /// A linker over all labels, aliases and ids of `graph`.
    pub fn new(graph: &KnowledgeGraph) -> Self {
        let mut keys = Keys::default();
        while keys.read(graph) {}
        keys.linker(graph)
    }

    /// Builds a linker as [`Linker::new`] in pieces, and waits for `turn` before each.
    pub async fn in_turns(graph: &KnowledgeGraph, turn: impl AsyncFn()) -> Self {
        let mut keys = Keys::default();
        loop {
            turn().await;
            if !keys.read(graph) {
                return keys.linker(graph);
            }
        }
    }

    /// Remembers what a mention may mean by the vectors of labels: `cosines` has one number an entity. [`Linker::link`] gives these
    /// candidates where no name agrees by its letters.
    pub fn remember(&self, mention: &str, cosines: &[f32]) {
        let near = cosines.iter().take(self.graph.entities()).enumerate().filter(|(_, c)| **c >= LEAST_COSINE);
        let found = near.map(|(i, &cosine)| {
            let node = NodeId(i as u32);
            let score = Match::Meaning.score() * cosine.min(1.0);
            Candidate { node, score, how: Match::Meaning, name: self.graph.label(node).to_owned(), span: 0..mention.len() }
        });
        let ranked = self.ranked(found.collect(), CANDIDATES);
        self.by_meaning.borrow_mut().insert(key(mention), ranked);
    }

    /// The graph that this linker knows.
    pub fn graph(&self) -> &KnowledgeGraph {
        &self.graph
    }

    /// Returns at most `limit` candidates for a mention, best first; equal scores in the order of their number of edges (most first), then of
    /// the graph. Edits are tried only if nothing agrees apart from articles.
    pub fn link(&self, mention: &str, limit: usize) -> Vec<Candidate> {
        let mention = mention.trim();
        let key = key(mention);
        if key.is_empty() {
            return Vec::new();
        }
        let mut found = self.named_by(mention, &key);
        if !found.iter().any(|c| c.how < Match::Article) {
            self.edited(mention, &key, &mut found);
        }
        if found.is_empty()
            && let Some(near) = self.by_meaning.borrow().get(&key)
        {
            found.clone_from(near);
        }
        self.ranked(found, limit)
    }

    /// Links as [`Linker::link`], without edits and meaning: only names that agree, apart from articles.
    pub fn named(&self, mention: &str) -> Vec<Candidate> {
        let mention = mention.trim();
        self.ranked(self.named_by(mention, &key(mention)), usize::MAX)
    }

    fn named_by(&self, mention: &str, key: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        let own = key_words(mention, false);
        let span = own.first().map_or(0, |w| w.span.start)..own.last().map_or(0, |w| w.span.end);
        self.agreeing(mention, span, key, &mut found);
        for c in &mut found {
            // The mention is all that is meant: "Up" is not exactly "Up!".
            if c.how < Match::Words && c.span != (0..mention.len()) {
                c.score -= c.how.score() - Match::Words.score();
                c.how = Match::Words;
            }
        }
        found
    }

    /// The nodes with exactly this id or name, letter by letter: the entity with this id, else all entities whose label it is, else all
    /// whose alias it is, else literals of this text. Empty when there is none.
    pub fn exact(&self, text: &str) -> Vec<NodeId> {
        let mut found: Vec<(u8, NodeId)> = Vec::new();
        for number in self.by_key.names(KeyHash::EMPTY.text(&key(text))) {
            let Some((node, kind, name)) = name(&self.graph, number).filter(|n| n.2 == text) else { continue };
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

    /// The parts of a text that name something, in the order of the text; of names inside longer names only the longest. A name made of
    /// function words alone ("Up", "Her") counts only where case and punctuation agree and it does not begin the text.
    pub fn mentions(&self, text: &str) -> Vec<Mention> {
        let mut words = key_words(text, true);
        words.truncate(WORDS_SEARCHED);
        let mut runs: Vec<(usize, usize, Vec<Candidate>)> = Vec::new();
        for from in 0..words.len() {
            let mut hash = KeyHash::EMPTY;
            let mut run_key = String::new();
            for to in from..words.len().min(from + self.longest + 2) {
                // A sign between words is no word of a name: "Romeo + Juliet".
                if to > from && words[to].signs {
                    continue;
                }
                let w = &words[to].folded;
                let mut found = Vec::new();
                let first = to == from;
                // "Spielberg's films" names Spielberg.
                if let Some(owner) = w.strip_suffix("'s") {
                    let suffix = text[words[to].span.clone()].chars().rev().take(2).map(char::len_utf8).sum::<usize>();
                    let span = words[from].span.start..words[to].span.end - suffix;
                    let own_key = if first { owner.to_owned() } else { format!("{run_key} {owner}") };
                    self.agreeing_hash(text, span, hash.word(first, owner), &own_key, &mut found);
                }
                hash = hash.word(first, w);
                if !first {
                    run_key.push(' ');
                }
                run_key.push_str(w);
                self.agreeing_hash(text, words[from].span.start..words[to].span.end, hash, &run_key, &mut found);
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

    /// The mentions of a text, the most telling first: what a question is about. Names as the graph writes them come before others, then
    /// names with capitals or digits, then longer names; of equal ones the earlier.
    pub fn topics(&self, text: &str) -> Vec<Mention> {
        let mut mentions = self.mentions(text);
        mentions.sort_by_cached_key(|m| {
            let mention_text = text.get(m.span.clone()).unwrap_or("");
            let best = m.candidates.first();
            let exact = best.is_some_and(|c| c.how == Match::Exact);
            // A capital says nothing where every sentence has one, unless the name is written so.
            let skipped = usize::from(m.span.start == 0 && !exact);
            let marked = mention_text.chars().skip(skipped).any(|c| c.is_uppercase() || c.is_numeric());
            let signs = !mention_text.chars().any(char::is_alphanumeric);
            let entity = best.is_some_and(|c| self.graph.is_entity(c.node));
            let telling = 4 * usize::from(exact && (marked || signs)) + 2 * usize::from(marked || signs) + usize::from(entity);
            (std::cmp::Reverse((telling, mention_text.len())), m.span.start)
        });
        mentions
    }

    /// Leaves out runs inside longer ones. A run that is longer only by function words in front is the same mention: "in Hell" may mean
    /// the film "In Hell", but more likely means the film "Hell".
    fn longest_of(&self, mut runs: Vec<(usize, usize, Vec<Candidate>)>, function: &[bool]) -> Vec<Mention> {
        // Ascending starts, longest first: a run is inside another exactly when it ends no later than the furthest end so far.
        runs.sort_by_key(|r| (r.0, std::cmp::Reverse(r.1)));
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
                let candidates = self.ranked(found, CANDIDATES);
                Some(Mention { span: candidates.first()?.span.clone(), candidates })
            })
            .collect()
    }

    fn agreeing(&self, text: &str, span: Range<usize>, key: &str, found: &mut Vec<Candidate>) {
        self.agreeing_hash(text, span.clone(), KeyHash::EMPTY.text(key), key, found);
        if let Some(cut) = without_article(key) {
            for number in self.by_key.names(KeyHash::EMPTY.text(cut)).take(CANDIDATES) {
                self.add(number, cut, Match::Article, span.clone(), found);
            }
        }
    }

    fn agreeing_hash(&self, text: &str, span: Range<usize>, hash: KeyHash, run_key: &str, found: &mut Vec<Candidate>) {
        for number in self.by_key.names(hash).take(CANDIDATES) {
            let Some((_, _, own)) = name(&self.graph, number) else { continue };
            if key(own) != run_key {
                continue;
            }
            let (how, span) = closeness(text, span.clone(), own);
            self.add(number, run_key, how, span, found);
        }
        for number in self.by_bare_key.names(hash).take(CANDIDATES) {
            self.add(number, run_key, Match::Article, span.clone(), found);
        }
    }

    fn edited(&self, mention: &str, mention_key: &str, found: &mut Vec<Candidate>) {
        let of = |number: u32| {
            name(&self.graph, number).map_or_else(String::new, |(_, kind, text)| match kind {
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
            self.add(number, "", how, 0..mention.len(), found);
        }
    }

    /// Adds a name's owner. For an agreement by words or articles `agreed` is the key, compared here because hashes may collide.
    fn add(&self, number: u32, agreed: &str, how: Match, span: Range<usize>, found: &mut Vec<Candidate>) {
        let Some((node, kind, text)) = name(&self.graph, number) else { return };
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

    fn ranked(&self, mut found: Vec<Candidate>, limit: usize) -> Vec<Candidate> {
        let degree = |n: NodeId| self.graph.degree(n, Direction::Forward) + self.graph.degree(n, Direction::Backward);
        sort_by(&mut found, |a, b| {
            // Of two exact names the one that takes in more of the text: "Up!" before "Up".
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

/// Returns how closely the name agrees with the text around `span`, whose words are the name's, and the bytes that it covers with its own
/// punctuation ("Up!").
fn closeness(text: &str, span: Range<usize>, name: &str) -> (Match, Range<usize>) {
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
