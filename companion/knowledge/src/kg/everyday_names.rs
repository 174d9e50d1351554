//! Adds everyday names to relations that a file names by their label alone ("born in" for "place of birth")
//! and to some types ("picture" for "film").
//!
//! Knowledge graphs name relations as their schema does, and people ask as they speak. A label may be an
//! everyday relation that the planner is trained with, or one of its names of several words ("directed by").
//! Then the other everyday names become aliases, with two exceptions: names of another relation of the graph,
//! because the graph's own files come first, and names with a type in them, because "film director" would
//! have "which films" ask for a director.

use super::site_words::SiteWords;
use crate::everyday::{self, EverydayRelation};
use pocketgraph_kg::{KgBuilder, KgError, RelationId, TypeId};
use pocketgraph_planner::is_verb_form;
use pocketgraph_text::lexicon::{Language, SPOKEN};
use std::collections::{BTreeMap, BTreeSet};

/// Adds everyday names to the relations and types so far. Returns the number of relations that got any.
pub(super) fn add_everyday_names(kg: &mut KgBuilder, words: &SiteWords) -> Result<usize, KgError> {
    name_types(kg, words)?;
    let named = name_relations(kg, words)?;
    words.add_cues(kg)?;
    Ok(named)
}

/// Adds names to types, except names that are a word of a relation or another type.
fn name_types(kg: &mut KgBuilder, words: &SiteWords) -> Result<(), KgError> {
    let types: Vec<_> = kg.type_names().collect();
    let relations: Vec<String> = kg.relation_names().flat_map(|(_, names)| names).collect();
    let all = types.iter().flat_map(|(_, names)| names).chain(&relations);
    let taken: BTreeSet<String> =
        all.flat_map(|name| name.split(['_', ' ']).map(str::to_lowercase).collect::<Vec<_>>()).collect();
    for (id, own) in &types {
        let is = |label: &&str| own.iter().any(|name| name.eq_ignore_ascii_case(label));
        let mut new = words.type_names(own).filter(|name| !is(name) && !taken.contains(*name));
        new.try_for_each(|name| kg.type_alias(*id, name))?;
    }
    Ok(())
}

fn name_relations(kg: &mut KgBuilder, words: &SiteWords) -> Result<usize, KgError> {
    let everyday: Vec<EverydayRelation<'_>> =
        words.relations(everyday::list_relations().chain(everyday::list_measures()));
    let types: BTreeSet<String> =
        kg.type_names().flat_map(|(_, names)| names).map(|name| name.to_lowercase()).collect();
    let relations: Vec<_> = kg.relation_names().collect();
    let heads = kinds_of_heads(kg);
    let wanted: Vec<Vec<&str>> = relations
        .iter()
        .map(|(relation, own)| {
            // Names of one word have several meanings: a "language" may be official, or that of a book.
            let called = |r: &EverydayRelation<'_>, label: &str| {
                r.names.iter().any(|name| name.contains(' ') && name.eq_ignore_ascii_case(label))
            };
            // A shared alias is not enough: projects are led by people who are not chief executives.
            let fits = |r: &EverydayRelation<'_>| {
                heads.get(relation).is_none_or(|kinds| kinds.iter().any(|k| everyday::is_akin(k, r.joins[0])))
            };
            let is = |r: &&EverydayRelation<'_>| {
                own.first()
                    .is_some_and(|label| r.label.eq_ignore_ascii_case(label) || (called(r, label) && fits(r)))
            };
            let same = everyday.iter().filter(is);
            let misleads = |name: &str, joins: &[&str; 2]| {
                // "Screenplay by" would have "which screenplays" ask for a writer, as "written by" does not.
                let done = name.strip_suffix(" by").is_some_and(|what| !what.split(' ').any(is_participle));
                // Between entities of one type, no type shows that a parent "of" somebody has the child.
                let turned = name.ends_with(" of") && joins[0] == joins[1];
                // So would "filmmaker": it resembles "films" more than the person that it asks for.
                done || turned
                    || name.split(' ').any(|w| {
                        joins.iter().any(|of| !of.is_empty() && w.starts_with(of))
                            || types.contains(&w.to_lowercase())
                    })
            };
            let names = same.flat_map(|r| {
                std::iter::once(r.label)
                    .chain(r.names.iter().copied())
                    .filter(|name| !misleads(name, &r.joins))
            });
            names.filter(|name| !own.iter().any(|o| o.eq_ignore_ascii_case(name))).collect()
        })
        .collect();
    // Everyday relations may share a name ("language"): two relations of the graph both do without it.
    let mut bearers: BTreeMap<String, usize> = BTreeMap::new();
    for ((_, own), new) in relations.iter().zip(&wanted) {
        let all: BTreeSet<String> =
            own.iter().map(String::as_str).chain(new.iter().copied()).map(str::to_lowercase).collect();
        all.into_iter().for_each(|name| *bearers.entry(name).or_default() += 1);
    }
    let mut named = 0;
    for ((relation, _), new) in relations.into_iter().zip(wanted) {
        let mut alone =
            new.into_iter().filter(|name| bearers.get(&name.to_lowercase()) == Some(&1)).peekable();
        named += usize::from(alone.peek().is_some());
        alone.try_for_each(|name| kg.relation_alias(relation, name))?;
    }
    Ok(named)
}

/// Returns true if a word may be a participle; of some verbs it equals the base ("run").
fn is_participle(word: &str) -> bool {
    is_verb_form(word) || SPOKEN.irregular_verbs().contains(word)
}

/// Returns the names of the types that at least half of a relation's heads have. Relations without triples
/// are left out.
fn kinds_of_heads(kg: &KgBuilder) -> BTreeMap<RelationId, Vec<String>> {
    let called: BTreeMap<TypeId, Vec<String>> = kg.type_names().collect();
    let mut counts: BTreeMap<RelationId, (usize, BTreeMap<TypeId, usize>)> = BTreeMap::new();
    for (head, relation, _) in kg.triples() {
        let (all, of) = counts.entry(relation).or_default();
        *all += 1;
        kg.types_of(head).iter().for_each(|t| *of.entry(*t).or_default() += 1);
    }
    let common = |(all, of): (usize, BTreeMap<TypeId, usize>)| {
        let most = of.into_iter().filter(|(_, n)| n * 2 >= all);
        most.filter_map(|(t, _)| called.get(&t)).flatten().map(|name| name.to_lowercase()).collect()
    };
    counts.into_iter().map(|(relation, counted)| (relation, common(counted))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn names(relations: &[(&str, &str)]) -> (usize, Vec<Vec<String>>) {
        let mut kg = KgBuilder::default();
        for (name, label) in relations {
            let r = kg.relation(name).unwrap();
            kg.relation_label(r, label).unwrap();
        }
        let named = add_everyday_names(&mut kg, &SiteWords::default()).unwrap();
        (named, kg.relation_names().map(|(_, names)| names).collect())
    }

    #[test]
    fn a_relation_of_an_everyday_label_is_called_as_people_call_it() {
        let (named, all) =
            names(&[("P20", "Place of death"), ("P9", "hue of the third kind"), ("place_of_birth", "")]);
        assert_eq!(named, 2);
        assert!(all[0].iter().any(|n| n == "died in"), "{all:?}");
        assert_eq!(all[1], ["hue of the third kind"]);
        assert!(all[2].iter().any(|n| n == "born in"), "{all:?}");
        let (_, by) = names(&[("written_by", "")]);
        assert!(
            by[0].iter().any(|n| n == "screenwriter") && !by[0].iter().any(|n| n == "screenplay by"),
            "{by:?}"
        );
        let (_, by) = names(&[("directed_by", "")]);
        assert!(by[0].iter().any(|n| n == "director") && !by[0].iter().any(|n| n == "filmmaker"), "{by:?}");
        // Verbs stand without "to".
        assert!(names(&[("P108", "employer")]).1[0].iter().any(|n| n == "work for"));
    }

    #[test]
    fn measures_are_called_as_people_call_them() {
        let (named, all) = names(&[("population", ""), ("release_year", "")]);
        assert_eq!(named, 2);
        assert!(all[0].iter().any(|n| n == "people living there"), "{all:?}");
        assert!(all[1].iter().any(|n| n == "release date"), "{all:?}");
    }

    #[test]
    fn a_name_that_names_no_direction_between_things_of_one_kind_is_not_given() {
        let (_, all) = names(&[("child", "")]);
        assert!(
            all[0].iter().any(|n| n == "daughter") && !all[0].iter().any(|n| n == "parent of"),
            "{all:?}"
        );
    }

    #[test]
    fn things_of_common_types_are_called_as_people_call_them_unless_something_else_is() {
        let names = |types: &[&str], relation: &str| {
            let mut kg = KgBuilder::default();
            kg.relation(relation).unwrap();
            types.iter().for_each(|t| _ = kg.entity_type(t).unwrap());
            add_everyday_names(&mut kg, &SiteWords::default()).unwrap();
            kg.type_names().map(|(_, names)| names).collect::<Vec<_>>()
        };
        assert_eq!(names(&["Film"], "cast"), [["Film", "movie", "picture", "flick", "feature"]]);
        assert_eq!(
            names(&["movie", "Flick"], "main_picture"),
            [vec!["movie", "film", "feature"], vec!["Flick"]]
        );
        assert_eq!(names(&["poem"], "cast"), [["poem"]]);
    }

    #[test]
    fn a_name_that_names_a_type_is_not_given() {
        let names = |kind: &str| {
            let mut kg = KgBuilder::default();
            kg.relation("capital").unwrap();
            kg.entity_type(kind).unwrap();
            add_everyday_names(&mut kg, &SiteWords::default()).unwrap();
            kg.relation_names().next().unwrap().1
        };
        // "Which city …" asks for no capital, whether or not the graph has types.
        assert_eq!(names("river"), ["capital", "seat of government", "governed from"]);
        assert_eq!(names("Government"), ["capital", "governed from"]);
    }

    #[test]
    fn a_name_that_another_relation_bears_or_would_get_is_given_to_none() {
        let (_, all) = names(&[("P19", "place of birth"), ("x", "Born in")]);
        assert!(!all[0].iter().any(|n| n == "born in"), "{all:?}");
        let (_, twice) = names(&[("a", "place of birth"), ("b", "place of birth")]);
        assert_eq!(twice, [["place of birth"], ["place of birth"]]);
    }
}
