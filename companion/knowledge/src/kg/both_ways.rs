//! Adds each statement from the other end too, so that questions find it there: for relations that hold both
//! ways, for inverse relations, and for relations that include others.

use super::vocabularies::short_name;
use pocketgraph_kg::{BuildNode, KgBuilder, KgError, RelationId, name_key};
use pocketgraph_text::lexicon::{Language, SPOKEN, Table};
use pocketgraph_text::table;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Minimum number of statements that can show that a relation holds both ways.
const FEW: usize = 4;
/// Minimum share of statements from both ends for a relation to hold both ways: a file may lack some.
const NEARLY_ALL: f64 = 0.9;

/// Declarations of relations in the files, by name.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// Relations that hold both ways.
    pub symmetric: BTreeSet<String>,
    /// Pairs of inverse relations.
    pub inverse: BTreeSet<(String, String)>,
    /// Pairs of a relation and one that includes it.
    pub wider: BTreeSet<(String, String)>,
}

/// Returns the table of relations of common vocabularies with their inverse; a relation without one holds
/// both ways.
fn known_inverses() -> Table<'static> {
    table!("both_ways.tsv")
}

/// A relation, and true if it is read from tail to head.
type Reading = (RelationId, bool);

/// Adds the statements that others imply.
pub(super) fn add_implied(kg: &mut KgBuilder, declared: &Declared) -> Result<(), KgError> {
    let mut steps: BTreeMap<RelationId, BTreeSet<Reading>> = BTreeMap::new();
    let mut imply =
        |from: RelationId, to: RelationId, turned: bool| steps.entry(from).or_default().insert((to, turned));
    for relation in find_mutual(kg) {
        imply(relation, relation, true);
    }
    let names: Vec<(RelationId, String)> =
        kg.relation_ids().map(|(id, name)| (id, name.to_owned())).collect();
    for (id, name) in &names {
        let (short, space) = short_name(name).unwrap_or_default();
        let known = known_inverses().row(&short);
        if declared.symmetric.contains(name) || known.is_some_and(|row| row.field(0).is_empty()) {
            imply(*id, *id, true);
        }
        for (a, b) in
            known_inverses().rows().map(|row| (row.word, row.field(0))).filter(|(_, b)| !b.is_empty())
        {
            let (prefix, a) = a.split_once(':').unwrap_or_default();
            if short.split_once(':').is_some_and(|(of, local)| of == prefix && (local == a || local == b)) {
                let (a, b) = (kg.relation(&format!("{space}{a}"))?, kg.relation(&format!("{space}{b}"))?);
                imply(a, b, true);
                imply(b, a, true);
            }
        }
    }
    let mut used: BTreeSet<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    loop {
        let wider = declared
            .wider
            .iter()
            .filter(|(narrow, _)| used.contains(narrow.as_str()))
            .map(|(_, wide)| wide.as_str());
        let new: Vec<&str> = wider.filter(|wide| !used.contains(wide)).collect();
        if new.is_empty() {
            break;
        }
        used.extend(new);
    }
    for (narrow, wide) in declared.wider.iter().filter(|(narrow, _)| used.contains(narrow.as_str())) {
        let (narrow, wide) = (kg.relation(narrow)?, kg.relation(wide)?);
        imply(narrow, wide, false);
    }
    for (a, b) in
        declared.inverse.iter().filter(|(a, b)| used.contains(a.as_str()) || used.contains(b.as_str()))
    {
        let (a, b) = (kg.relation(a)?, kg.relation(b)?);
        imply(a, b, true);
        imply(b, a, true);
    }
    let implied = steps.keys().map(|&from| (from, follow_steps(from, &steps))).collect();
    kg.add_implied(&implied)
}

/// Collects the relations that follow from a relation, over any number of steps.
fn follow_steps(
    from: RelationId,
    steps: &BTreeMap<RelationId, BTreeSet<Reading>>,
) -> Vec<(RelationId, bool)> {
    let mut seen: BTreeSet<Reading> = BTreeSet::from([(from, false)]);
    let mut open = vec![(from, false)];
    while let Some((relation, turned)) = open.pop() {
        for &(next, turns) in steps.get(&relation).into_iter().flatten() {
            if seen.insert((next, turned != turns)) {
                open.push((next, turned != turns));
            }
        }
    }
    seen.remove(&(from, false));
    seen.into_iter().collect()
}

/// Finds relations that the language calls mutual, and those with nearly all statements from both ends.
fn find_mutual(kg: &KgBuilder) -> BTreeSet<RelationId> {
    let named = |name: &String| SPOKEN.mutual_relations().contains(&name_key(name));
    let mut out: BTreeSet<RelationId> =
        kg.relation_names().filter(|(_, names)| names.iter().any(named)).map(|(id, _)| id).collect();
    let all: HashSet<(BuildNode, RelationId, BuildNode)> =
        kg.triples().filter(|(head, _, tail)| head != tail).collect();
    let mut counts: BTreeMap<RelationId, (usize, usize)> = BTreeMap::new();
    for &(head, relation, tail) in &all {
        let (both, statements) = counts.entry(relation).or_default();
        *both += usize::from(all.contains(&(tail, relation, head)));
        *statements += 1;
    }
    out.extend(
        counts
            .into_iter()
            .filter(|(_, (both, of))| *of >= FEW && *both as f64 >= NEARLY_ALL * *of as f64)
            .map(|(r, _)| r),
    );
    out
}
