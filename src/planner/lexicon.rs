//! Which words speak of which relations and types: stems of labels and synonyms.

use crate::kg::{RelationId, TypeId, Vocabulary};
use crate::text::{fold, is_stop_word, stem, words};
use std::collections::BTreeMap;

/// A word that matches less is no match.
const LEAST: f32 = 0.25;
/// What a word derived from a name's word is worth against the word itself: "director" for "directed".
const DERIVED: f32 = 0.9;

/// The words of a graph's relations and types.
#[derive(Debug, Clone, Default)]
pub(super) struct Lexicon {
    relations: BTreeMap<String, Vec<RelationId>>,
    types: BTreeMap<String, Vec<TypeId>>,
}

impl Lexicon {
    /// The words of labels and synonyms, function words left out: they never speak of a relation.
    pub fn new(vocabulary: &Vocabulary) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for (id, relation) in (0..).map(RelationId).zip(vocabulary.relations()) {
            for text in std::iter::once(&relation.label).chain(&relation.aliases) {
                for stem in stems(text) {
                    add(&mut lexicon.relations, stem, id);
                }
            }
        }
        for (id, of) in (0..).map(TypeId).zip(vocabulary.types()) {
            for text in std::iter::once(&of.label).chain(&of.aliases) {
                // A type of several words is meant by its head, the last: "administrative region".
                if let Some(stem) = stems(text).pop() {
                    add(&mut lexicon.types, stem, id);
                }
            }
        }
        lexicon
    }

    /// The relations that a word speaks of, each with how much; ascending by relation.
    pub fn relations(&self, stem: &str) -> Vec<(RelationId, f32)> {
        let mut found: BTreeMap<RelationId, f32> = BTreeMap::new();
        for (own, relations) in near(&self.relations, stem) {
            let worth = if own == stem {
                1.0
            } else if is_derived(own, stem) {
                DERIVED
            } else {
                0.0
            };
            for &relation in relations.iter().filter(|_| worth >= LEAST) {
                let best = found.entry(relation).or_default();
                *best = best.max(worth);
            }
        }
        found.into_iter().collect()
    }

    /// The types that a word names.
    pub fn types(&self, stem: &str) -> &[TypeId] {
        self.types.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Whether any of these words names the type.
    pub fn type_is(&self, of: TypeId, any: &[&str]) -> bool {
        any.iter().any(|word| self.types(&stem(word)).contains(&of))
    }

    /// Whether any of these words speaks of the relation.
    pub fn relation_is(&self, relation: RelationId, any: &[&str]) -> bool {
        any.iter().any(|word| self.relations.get(&stem(word)).is_some_and(|r| r.contains(&relation)))
    }
}

fn add<T: PartialEq>(map: &mut BTreeMap<String, Vec<T>>, stem: String, id: T) {
    let ids = map.entry(stem).or_default();
    if !ids.contains(&id) {
        ids.push(id);
    }
}

fn stems(text: &str) -> Vec<String> {
    let spaced = text.replace('_', " ");
    let all: Vec<String> = words(&spaced).iter().map(|w| fold(w.text)).collect();
    all.iter().filter(|w| !is_function_word(w)).map(|w| stem(w)).collect()
}

/// The entries that could match a stem: all of them. Vocabularies are small, and a derived word may differ at either end.
fn near<'a>(map: &'a BTreeMap<String, Vec<RelationId>>, _stem: &str) -> impl Iterator<Item = (&'a str, &'a [RelationId])> {
    map.iter().map(|(own, ids)| (own.as_str(), ids.as_slice()))
}

/// Whether one stem is the other with an ending that makes words of words, or with a word in front ("screenwriter").
fn is_derived(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    const ENDINGS: [&str; 22] = [
        "or", "er", "r", "ress", "ion", "ation", "ing", "ment", "al", "ive", "ist", "ity", "ship", "e", "en", "ten", "ed", "d", "ly", "i",
        "y", "ure",
    ];
    let ends = long.strip_prefix(short).is_some_and(|ending| short.len() >= 3 && ENDINGS.contains(&ending));
    ends || (short.len() >= 5 && long.ends_with(short))
}

/// Words that carry no relation: function words, and the words of asking.
pub(super) fn is_function_word(folded: &str) -> bool {
    const MORE: [&str; 24] = [
        "also", "among", "could", "does", "find", "give", "list", "many", "much", "may", "might", "must", "name", "named", "per", "please",
        "shall", "show", "tell", "upon", "us", "whose", "within", "without",
    ];
    is_stop_word(folded) || MORE.binary_search(&folded).is_ok()
}
