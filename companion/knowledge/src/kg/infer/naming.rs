//! Infers types of a relation's heads and tails from its name: a person directs, and a film is directed.
//!
//! The everyday relations that planners are trained with have the types that they join. For another label, a
//! noun names its tail: "has tag".

use super::KindRules;
use crate::everyday::{self, EverydayRelation};
use pocketgraph_keywords::extract::wordclass::find_singular;
use pocketgraph_planner::is_verb_form;
use pocketgraph_text::lexicon::{Language, SPOKEN};
use pocketgraph_text::{fold, is_stop_word, stem, words};
use std::collections::BTreeMap;

/// Candidate types with their votes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Votes {
    worth: BTreeMap<String, f32>,
    /// Number of ends that vote for each.
    sides: BTreeMap<String, usize>,
}

impl Votes {
    fn add(&mut self, kind: &str, worth: f32) {
        *self.worth.entry(kind.to_owned()).or_default() += worth;
        self.sides.entry(kind.to_owned()).or_insert(1);
    }

    /// Returns one vote for this type.
    pub fn of(kind: &str) -> Votes {
        let mut votes = Votes::default();
        votes.add(kind, 1.0);
        votes
    }

    /// Adds the votes of `other`.
    pub fn join(&mut self, other: &Votes) {
        for (kind, worth) in &other.worth {
            *self.worth.entry(kind.clone()).or_default() += worth;
            *self.sides.entry(kind.clone()).or_default() += other.sides.get(kind).copied().unwrap_or(0);
        }
    }

    /// Returns the type with the most support, the narrowest possible: "film" if half of the votes are for
    /// film and half for work.
    pub fn leader(&self, rules: &KindRules) -> Option<&str> {
        let total: f32 = self.worth.values().sum();
        let support = |kind: &str, narrower: bool| -> f32 {
            self.worth
                .iter()
                .filter(|(k, _)| {
                    *k == kind || everyday::is_wider(k, kind) || (narrower && everyday::is_wider(kind, k))
                })
                .map(|(_, w)| w)
                .sum()
        };
        let best = self.worth.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(a.0)));
        let mut kinds: Vec<(&str, f32)> = self.worth.iter().map(|(k, w)| (k.as_str(), *w)).collect();
        kinds.sort_by(|a, b| {
            count_wider(b.0).cmp(&count_wider(a.0)).then(b.1.total_cmp(&a.1)).then(a.0.cmp(b.0))
        });
        let narrow = kinds
            .iter()
            .find(|(kind, own)| *own >= rules.own * total && support(kind, false) >= rules.support * total)
            .map(|(kind, _)| *kind);
        let wide =
            || best.into_iter().flat_map(|(k, _)| [everyday::find_wider(k), Some(k.as_str())]).flatten();
        narrow.or_else(|| wide().find(|kind| support(kind, true) >= rules.support * total))
    }

    /// Counts the ends that vote for this type, or for a wider or narrower one.
    pub fn voters(&self, kind: &str) -> usize {
        self.sides.iter().filter(|(k, _)| everyday::is_akin(k, kind)).map(|(_, n)| n).sum()
    }
}

fn count_wider(kind: &str) -> usize {
    everyday::all_wider(kind).count()
}

/// Returns the votes of a relation with these names for the types of its heads and of its tails.
pub(super) fn count_votes(
    names: &[String],
    everyday: &[EverydayRelation<'_>],
    rules: &KindRules,
) -> [Votes; 2] {
    let mut out = [Votes::default(), Votes::default()];
    let (name, found) = find_everyday(names, everyday);
    let worth = 1.0 / found.len().max(1) as f32;
    for relation in &found {
        let mut joins = relation.joins;
        if is_turned_round(name, relation) {
            joins.reverse();
        }
        for (votes, kind) in out.iter_mut().zip(joins) {
            if !kind.is_empty() {
                votes.add(kind, worth);
            }
        }
    }
    if out[1] == Votes::default()
        && let Some(noun) = names.first().and_then(|label| noun_of(label))
    {
        out[1].add(&noun, rules.noun);
    }
    out
}

/// Returns the everyday relations of the first of these names that has any: with the same name, else with the
/// same content words, else with all content words among theirs.
fn find_everyday<'a>(
    names: &'a [String],
    everyday: &'a [EverydayRelation<'a>],
) -> (&'a str, Vec<&'a EverydayRelation<'a>>) {
    let called =
        |r: &EverydayRelation<'_>, is: &dyn Fn(&str) -> bool| is(r.label) || r.names.iter().any(|n| is(n));
    for name in names {
        let own = content_stems(name);
        if own.is_empty() {
            continue;
        }
        let all = |is: &dyn Fn(&EverydayRelation<'_>) -> bool| {
            everyday.iter().filter(|r| is(r)).collect::<Vec<_>>()
        };
        let same = all(&|r| called(r, &|n| n.eq_ignore_ascii_case(name)));
        // What somebody taught is no place; what it was taught in is one.
        let in_place = ends_with(name, "place");
        let alike =
            || all(&|r| called(r, &|n| content_stems(n) == own && (!in_place || ends_with(n, "place"))));
        let covered = || {
            let covers = |r: &EverydayRelation<'_>| {
                let theirs: Vec<String> =
                    std::iter::once(r.label).chain(r.names.iter().copied()).flat_map(content_stems).collect();
                own.iter().all(|w| theirs.contains(w))
            };
            if own.len() > 1 { all(&covers) } else { Vec::new() }
        };
        let found = [same, alike(), covered()].into_iter().find(|f| !f.is_empty());
        if let Some(found) = found {
            return (name, found);
        }
    }
    ("", Vec::new())
}

/// Returns true if a name says of the head what an everyday relation says of the tail: a city has a mayor,
/// and somebody is "mayor of" a city.
fn is_turned_round(name: &str, relation: &EverydayRelation<'_>) -> bool {
    let own = content_stems(name);
    let names = std::iter::once(relation.label).chain(relation.names.iter().copied());
    let same: Vec<&str> = names.filter(|n| content_stems(n) == own).collect();
    ends_with(name, "owner") && !same.is_empty() && !same.iter().any(|n| ends_with(n, "label"))
}

/// Returns the stems of a name's content words; "has" is none.
fn content_stems(name: &str) -> Vec<String> {
    words(name)
        .iter()
        .map(|w| fold(w.text))
        .filter(|w| !is_stop_word(w) && w != "has")
        .map(|w| stem(&w))
        .collect()
}

/// Returns true if a name closes with a preposition of this class: of "place" in "taught in".
fn ends_with(name: &str, class: &str) -> bool {
    words(name).last().is_some_and(|w| SPOKEN.prepositions().has(&fold(w.text), class))
}

/// Returns the noun that names a relation's tail: "tag" of "has tags", "foreman"; `None` for a verb.
fn noun_of(label: &str) -> Option<String> {
    let all: Vec<String> = words(label).iter().map(|w| fold(w.text)).collect();
    let had = matches!(all.first()?.as_str(), "has" | "have" | "in" | "of");
    let last = all.last()?;
    let plural =
        last.ends_with('s') && !last.ends_with("ss") && !last.ends_with("us") && !last.ends_with("is");
    let bare = all.len() == 1 && !plural && !is_verb_form(last) && !last.ends_with("ing");
    if is_stop_word(last)
        || last.len() < 3
        || !last.chars().all(char::is_alphabetic)
        || !(bare || (had && all.len() > 1))
    {
        return None;
    }
    Some(if plural { find_singular(last) } else { last.clone() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn leaders(label: &str) -> [Option<String>; 2] {
        count_votes(
            &[label.to_owned()],
            &everyday::list_relations().chain(everyday::list_measures()).collect::<Vec<_>>(),
            &KindRules::default(),
        )
        .map(|v| v.leader(&KindRules::default()).map(str::to_owned))
    }

    #[test]
    fn a_name_says_what_a_relation_joins() {
        assert_eq!(leaders("directed by"), [Some("film".to_owned()), Some("person".to_owned())]);
        assert_eq!(leaders("starred actors"), [Some("film".to_owned()), Some("person".to_owned())]);
        // A film and a book are written: both are works.
        assert_eq!(leaders("written by"), [Some("work".to_owned()), Some("person".to_owned())]);
        assert_eq!(leaders("release year")[0].as_deref(), Some("work"));
        assert_eq!(leaders("mayor of"), [Some("person".to_owned()), Some("country".to_owned())]);
        assert_eq!(leaders("capital of"), [Some("city".to_owned()), Some("country".to_owned())]);
        assert_eq!(leaders("taught")[1].as_deref(), Some("person"));
        assert_ne!(leaders("taught in")[1].as_deref(), Some("person"));
    }

    #[test]
    fn a_noun_names_the_tails_and_a_verb_names_nothing() {
        assert_eq!(leaders("has tags"), [None, Some("tag".to_owned())]);
        assert_eq!(leaders("foreman"), [None, Some("foreman".to_owned())]);
        for verb in ["warped", "taught quickly", "forbids", "hums over"] {
            assert_eq!(leaders(verb), [None, None], "{verb}");
        }
    }

    #[test]
    fn a_narrow_kind_leads_only_if_enough_say_it() {
        let of = |all: &[(&str, f32)]| {
            let mut votes = Votes::default();
            all.iter().for_each(|(kind, worth)| votes.add(kind, *worth));
            votes.leader(&KindRules::default()).map(str::to_owned)
        };
        assert_eq!(of(&[("film", 2.5), ("book", 0.5), ("work", 2.0)]).as_deref(), Some("film"));
        assert_eq!(of(&[("musician", 1.0), ("person", 4.0)]).as_deref(), Some("person"));
        assert_eq!(of(&[("company", 1.0), ("university", 1.0)]).as_deref(), Some("organisation"));
        assert_eq!(of(&[("river", 1.0), ("person", 1.0)]), None);
        assert_eq!(of(&[]), None);
    }
}
