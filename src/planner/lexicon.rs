//! Which words speak of which relations and types: stems of labels and synonyms.

use crate::kg::{RelationId, TypeId, Vocabulary};
use crate::text::{fold, is_stop_word, stem, words};
use std::collections::BTreeMap;

/// What a word derived from a name's word is worth against the word itself: "director" for "directed".
const DERIVED: f32 = 0.9;

/// The words of a graph's relations and types.
#[derive(Debug, Clone, Default)]
pub(super) struct Lexicon {
    relations: Vec<Entry<RelationId>>,
    types: Vec<Entry<TypeId>>,
}

/// A word of names, and whose names.
#[derive(Debug, Clone)]
struct Entry<T> {
    folded: String,
    stem: String,
    of: Vec<T>,
}

impl Lexicon {
    /// The words of labels and synonyms, function words left out: they never speak of a relation.
    pub fn new(vocabulary: &Vocabulary) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for (id, relation) in (0..).map(RelationId).zip(vocabulary.relations()) {
            for text in std::iter::once(&relation.label).chain(&relation.aliases) {
                for word in content(text) {
                    add(&mut lexicon.relations, word, id);
                }
            }
        }
        for (id, of) in (0..).map(TypeId).zip(vocabulary.types()) {
            for text in std::iter::once(&of.label).chain(&of.aliases) {
                // A type of several words is meant by its head, the last: "administrative region".
                if let Some(word) = content(text).pop() {
                    add(&mut lexicon.types, word, id);
                }
            }
        }
        lexicon
    }

    /// The relations that a word speaks of, each with how much; ascending by relation.
    pub fn relations(&self, folded: &str) -> Vec<(RelationId, f32)> {
        let stem = stem_of(folded);
        let mut found: BTreeMap<RelationId, f32> = BTreeMap::new();
        for entry in &self.relations {
            // A stem may hide what two words have in common: "scriptwriter" and "writer".
            let derived = || {
                is_derived(&entry.stem, &stem)
                    || is_derived(&entry.folded, folded)
                    || is_compound(folded.trim_end_matches('s'), &entry.folded)
            };
            let worth = if entry.stem == stem {
                1.0
            } else if is_function_word(folded) || !derived() {
                continue;
            } else {
                DERIVED
            };
            for &relation in &entry.of {
                let best = found.entry(relation).or_default();
                *best = best.max(worth);
            }
        }
        found.into_iter().collect()
    }

    /// The types that a word names.
    pub fn types(&self, folded: &str) -> &[TypeId] {
        let stem = stem_of(folded);
        self.types.iter().find(|e| e.stem == stem).map_or(&[], |e| e.of.as_slice())
    }

    /// Whether any of these words names the type.
    pub fn type_is(&self, of: TypeId, any: &[&str]) -> bool {
        any.iter().any(|word| self.types(word).contains(&of))
    }

    /// Whether any of these words speaks of the relation.
    pub fn relation_is(&self, relation: RelationId, any: &[&str]) -> bool {
        any.iter().any(|word| self.relations(word).contains(&(relation, 1.0)))
    }
}

fn add<T: PartialEq>(entries: &mut Vec<Entry<T>>, folded: String, id: T) {
    let stem = stem_of(&folded);
    match entries.iter_mut().find(|e| e.folded == folded) {
        Some(entry) if entry.of.contains(&id) => {}
        Some(entry) => entry.of.push(id),
        None => entries.push(Entry { folded, stem, of: vec![id] }),
    }
}

/// The content words of a name. A synonym that is one function word, such as "about", is kept if it says anything at all.
fn content(text: &str) -> Vec<String> {
    let spaced = text.replace('_', " ");
    let all: Vec<String> = words(&spaced).iter().map(|w| fold(w.text)).collect();
    match all.as_slice() {
        [one] if TELLING.contains(&one.as_str()) => all,
        _ => all.into_iter().filter(|w| !is_function_word(w)).collect(),
    }
}

/// Function words that may be the whole of a synonym.
const TELLING: [&str; 8] = ["about", "after", "against", "before", "below", "over", "through", "under"];

/// Whether two words are made of one: by an ending ("director", "directed"), by another ending ("writer", "written"), or by a word in
/// front ("screenwriter").
fn is_derived(a: &str, b: &str) -> bool {
    const ENDINGS: [&str; 23] = [
        "", "or", "er", "r", "ress", "ion", "ation", "ing", "ment", "al", "ive", "ist", "ity", "ship", "e", "en", "ten", "ed", "d", "ly",
        "i", "y", "ure",
    ];
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let shared = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    // Three letters are enough if they are a whole word; of two different endings the rest must be longer.
    let least = if shared == short.len() { 3 } else { 4 };
    let endings = a.get(shared..).zip(b.get(shared..));
    let ends = shared >= least && endings.is_some_and(|(x, y)| ENDINGS.contains(&x) && ENDINGS.contains(&y));
    ends || (short.len() >= 5 && long.ends_with(short))
}

/// Whether a word is made of a word in front and one derived from the other: "screenwriter" and "written".
fn is_compound(whole: &str, part: &str) -> bool {
    let tails = (3..whole.len().saturating_sub(4)).filter_map(|at| whole.get(at..));
    part.len() >= 5 && tails.into_iter().any(|tail| tail.len() >= 5 && is_derived(tail, part))
}

/// The stem of a word, of a verb's irregular form that of its base.
fn stem_of(folded: &str) -> String {
    const IRREGULAR: [(&str, &str); 44] = [
        ("began", "begin"),
        ("begun", "begin"),
        ("bought", "buy"),
        ("brought", "bring"),
        ("built", "build"),
        ("caught", "catch"),
        ("chose", "choose"),
        ("chosen", "choose"),
        ("drew", "draw"),
        ("drawn", "draw"),
        ("drove", "drive"),
        ("fought", "fight"),
        ("flew", "fly"),
        ("gave", "give"),
        ("given", "give"),
        ("grew", "grow"),
        ("grown", "grow"),
        ("held", "hold"),
        ("knew", "know"),
        ("known", "know"),
        ("led", "lead"),
        ("left", "leave"),
        ("made", "make"),
        ("met", "meet"),
        ("paid", "pay"),
        ("ran", "run"),
        ("said", "say"),
        ("sang", "sing"),
        ("sung", "sing"),
        ("shot", "shoot"),
        ("sold", "sell"),
        ("spoke", "speak"),
        ("spoken", "speak"),
        ("stood", "stand"),
        ("taught", "teach"),
        ("took", "take"),
        ("taken", "take"),
        ("told", "tell"),
        ("won", "win"),
        ("wore", "wear"),
        ("worn", "wear"),
        ("wrote", "write"),
        ("written", "write"),
        ("writing", "write"),
    ];
    let base = IRREGULAR.iter().find(|(form, _)| *form == folded).map_or(folded, |(_, base)| base);
    stem(base)
}

/// Words that carry no relation: function words, and the words of asking.
pub(super) fn is_function_word(folded: &str) -> bool {
    is_stop_word(folded) || MORE.binary_search(&folded).is_ok()
}

/// Function words of questions, in order, beyond those that search leaves out.
const MORE: [&str; 24] = [
    "also", "among", "could", "does", "find", "give", "list", "many", "may", "might", "much", "must", "name", "named", "per", "please",
    "shall", "show", "tell", "upon", "us", "whose", "within", "without",
];

/// Whether the list can be searched.
#[cfg(test)]
pub(super) fn function_words_are_sorted() -> bool {
    MORE.is_sorted()
}
