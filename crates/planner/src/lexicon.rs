//! Which words speak of which relations and types: stems of labels and synonyms.

use super::measures::{Names, bases, cues, find_extreme, measures};
use super::schema::{is_value, times};
use super::weights;
use crate::compact::{Map, sort_by, sort_unique};
use crate::kg::{Class, RelationId, TypeId, Vocabulary};
use crate::text::fold;
use crate::text::lexicon::{Language, SPOKEN};
use pocketgraph_question::{
    is_compound, is_derived, is_function_word, name_words, reduce_word, singular, stem_of,
};

/// The words of a graph's relations and types.
#[derive(Debug, Clone, Default)]
pub(super) struct Lexicon {
    /// The relations that lead to numbers or dates.
    numeric: Vec<RelationId>,
    relations: Vec<Entry<RelationId>>,
    types: Vec<Entry<TypeId>>,
    /// Names of two content words or more by their words as [`reduce_word`] returns them, and the relation or
    /// type that bears each.
    whole: Vec<(Vec<String>, Option<RelationId>, Option<TypeId>)>,
    /// Words that ask for relations by other words, by their stems, and these.
    cues: Map<String, (&'static str, Names)>,
}

/// A word of names, and whose names.
#[derive(Debug, Clone)]
struct Entry<T> {
    /// True if the name has no other word.
    alone: bool,
    folded: String,
    stem: String,
    of: Vec<T>,
}

impl Lexicon {
    /// The words of labels and synonyms, function words left out: they never speak of a relation.
    pub fn new(vocabulary: &Vocabulary) -> Lexicon {
        let mut lexicon =
            Lexicon { cues: cues().map(|cue| (stem_of(cue.0), cue)).collect(), ..Lexicon::default() };
        let times = times(vocabulary);
        for (id, relation) in (0..).map(RelationId).zip(vocabulary.relations()) {
            if relation.range.iter().any(|(class, _)| is_value(*class, &times)) {
                lexicon.numeric.push(id);
            }
            for text in std::iter::once(&relation.label).chain(&relation.aliases) {
                lexicon.add_whole(text, Some(id), None);
                let names = name_words(text);
                let all = content(&names);
                // "In state" says no more than that it leads to states, which other relations do too.
                let bare = text == &relation.label && all.len() == 1 && names.len() > 1;
                for word in all {
                    if bare && is_shared_range(vocabulary, id, &word) {
                        continue;
                    }
                    add_entry(&mut lexicon.relations, true, word, id);
                }
            }
        }
        for (id, of) in (0..).map(TypeId).zip(vocabulary.types()) {
            for text in std::iter::once(&of.label).chain(&of.aliases) {
                // A type of several words is meant by its head, the last before a preposition:
                // "administrative region of Spain".
                lexicon.add_whole(text, None, Some(id));
                let all = name_words(text);
                let head = all
                    .iter()
                    .skip(1)
                    .position(|w| SPOKEN.prepositions().contains(w))
                    .map_or(all.len(), |at| at + 1);
                let mut words = content(&all[..head]);
                if let Some(word) = words.pop() {
                    add_entry(&mut lexicon.types, words.is_empty(), word, id);
                }
            }
        }
        lexicon
    }

    /// Adds a name of two content words or more, without the function words around them. A superlative in it
    /// is read as one.
    fn add_whole(&mut self, name: &str, relation: Option<RelationId>, of: Option<TypeId>) {
        let words = name_words(name);
        let content: Vec<usize> = (0..words.len()).filter(|&at| !is_function_word(&words[at])).collect();
        let [first, .., last] = content[..] else { return };
        if words.iter().any(|w| find_extreme(w).is_some()) {
            return;
        }
        self.whole.push((words[first..=last].iter().map(|w| reduce_word(w)).collect(), relation, of));
    }

    /// Returns the longest whole name that words with these pieces begin with: how many words it has, and the
    /// relations and types of that name.
    pub fn whole_name(&self, pieces: &[String]) -> Option<(usize, Vec<RelationId>, Vec<TypeId>)> {
        let begun = || self.whole.iter().filter(|(name, ..)| pieces.starts_with(name));
        let longest = begun().map(|(name, ..)| name.len()).max()?;
        let of = || begun().filter(|(name, ..)| name.len() == longest);
        let (mut relations, mut types): (Vec<_>, Vec<_>) =
            (of().filter_map(|w| w.1).collect(), of().filter_map(|w| w.2).collect());
        // A label and an alias of one relation may have the same pieces; they are added one after the other.
        relations.dedup();
        types.dedup();
        Some((longest, relations, types))
    }

    /// The relations that a word speaks of, each with how much; ascending by relation.
    pub fn relations(&self, folded: &str) -> Vec<(RelationId, f32)> {
        let stem = stem_of(folded);
        let function = is_function_word(folded);
        let mut found: Map<RelationId, f32> = Map::new();
        for entry in &self.relations {
            // A stem may hide what two words have in common: "scriptwriter" and "writer".
            let derived = || {
                is_derived(&entry.stem, &stem)
                    || is_derived(&entry.folded, folded)
                    || is_compound(folded.trim_end_matches('s'), &entry.folded)
            };
            // "Kindly" is no kind.
            let worth = if entry.stem == stem && (!function || entry.folded == folded) {
                1.0
            } else if function || !derived() {
                continue;
            } else {
                weights::derived()
            };
            for &relation in &entry.of {
                let best = found.get_or_insert_with(relation, || 0.0);
                *best = best.max(worth);
            }
        }
        // "Born" may be a name of one relation and ask for another: where, and when.
        let mut known = Map::new();
        if let Some(&(word, names)) = self.cues.get(&stem)
            && (!function || word == folded)
        {
            self.known_by(names, &mut known);
        }
        for (relation, worth) in known {
            found.get_or_insert_with(relation, || worth);
        }
        found.into_iter().collect()
    }

    /// The relations that lead to numbers or dates.
    pub fn numeric(&self) -> &[RelationId] {
        &self.numeric
    }

    /// The relations that an adjective of measure speaks of: by their own names and synonyms, else by what
    /// such an adjective measures.
    pub fn measured_by(&self, adjective: &str) -> Vec<(RelationId, f32)> {
        let mut found: Map<RelationId, f32> = Map::new();
        for base in bases(adjective) {
            for entry in self.relations.iter().filter(|e| e.folded == base || e.stem == stem_of(&base)) {
                found.extend(entry.of.iter().map(|&r| (r, 1.0)));
            }
        }
        let mut found: Map<RelationId, f32> =
            found.into_iter().filter(|(r, _)| self.numeric.contains(r)).collect();
        if found.is_empty() {
            self.known_by(measures(adjective), &mut found);
        }
        // What else such an adjective may measure: a large city has many people.
        for name in measures(adjective).iter() {
            let stem = stem_of(name);
            for relation in self
                .relations
                .iter()
                .filter(|e| e.stem == stem)
                .flat_map(|e| &e.of)
                .filter(|r| self.numeric.contains(r))
            {
                found.get_or_insert_with(*relation, weights::possible);
            }
        }
        let mut all: Vec<(RelationId, f32)> = found.into_iter().collect();
        sort_by(&mut all, |a, b| b.1.total_cmp(&a.1));
        all
    }

    /// The relations that are known by the first of these words by which any is known.
    fn known_by(&self, names: Names, found: &mut Map<RelationId, f32>) {
        for name in names.iter() {
            let stem = stem_of(name);
            for entry in self.relations.iter().filter(|e| e.stem == stem) {
                found.extend(entry.of.iter().map(|&r| (r, weights::everyday())));
            }
            if !found.is_empty() {
                return;
            }
        }
    }

    /// The types that a word names.
    pub fn types(&self, folded: &str) -> &[TypeId] {
        let folded = singular(folded);
        let stem = stem_of(folded);
        let whole = self.types.iter().find(|e| e.stem == stem && e.alone);
        whole.or_else(|| self.types.iter().find(|e| e.stem == stem)).map_or(&[], |e| e.of.as_slice())
    }

    /// The types that any of these words names, ascending.
    pub fn types_named(&self, any: &[&str]) -> Vec<TypeId> {
        let mut all: Vec<TypeId> = any.iter().flat_map(|word| self.types(word)).copied().collect();
        sort_unique(&mut all);
        all
    }

    /// The relations of which any of these words is one of their own, ascending.
    pub fn relations_named(&self, any: &[&str]) -> Vec<RelationId> {
        let stems: Vec<String> = any.iter().map(|word| stem_of(word)).collect();
        let mut all: Vec<RelationId> =
            self.relations.iter().filter(|e| stems.contains(&e.stem)).flat_map(|e| &e.of).copied().collect();
        sort_unique(&mut all);
        all
    }

    /// Returns true if any of these words is one of the relation's own.
    pub fn relation_is(&self, relation: RelationId, any: &[&str]) -> bool {
        any.iter()
            .map(|word| stem_of(word))
            .any(|stem| self.relations.iter().any(|e| e.stem == stem && e.of.contains(&relation)))
    }
}

fn add_entry<T: PartialEq>(entries: &mut Vec<Entry<T>>, alone: bool, folded: String, id: T) {
    let stem = stem_of(&folded);
    match entries.iter_mut().find(|e| e.folded == folded && e.alone == alone) {
        Some(entry) if entry.of.contains(&id) => {}
        Some(entry) => entry.of.push(id),
        None => entries.push(Entry { alone, folded, stem, of: vec![id] }),
    }
}

/// Returns true if a word is the name of a type that this relation and others lead to.
fn is_shared_range(vocabulary: &Vocabulary, id: RelationId, word: &str) -> bool {
    let stem = stem_of(word);
    let Some(own) = vocabulary.relation(id) else { return false };
    let named = |class: &Class| match class {
        Class::Type(of) => vocabulary.entity_type(*of).is_some_and(|t| stem_of(&fold(&t.label)) == stem),
        _ => false,
    };
    let Some((class, _)) = own.range.first().filter(|(class, _)| named(class)) else { return false };
    vocabulary.relations().iter().filter(|r| r.range.first().is_some_and(|(c, _)| c == class)).count() > 1
}

/// Returns the content words of a name. A synonym that is one function word, such as "about", is kept if it
/// says anything at all.
fn content(all: &[String]) -> Vec<String> {
    match all {
        [one] if SPOKEN.prepositions().has(one, "alone") => vec![one.clone()],
        _ => all.iter().filter(|w| !is_function_word(w)).cloned().collect(),
    }
}
