//! Adds a finished graph to one under construction, as when bundles are merged.

use pocketgraph_kg::{Direction, KgBuilder, KgError, KnowledgeGraph, NodeId, Provenance};

/// Adds all of `graph`; its chunk `i` becomes `number[i]`. Entities, relations and types of one name merge.
pub(super) fn add_graph(kg: &mut KgBuilder, graph: &KnowledgeGraph, number: &[u32]) -> Result<(), KgError> {
    let vocabulary = graph.vocabulary();
    let mut types = Vec::with_capacity(vocabulary.types().len());
    for of in vocabulary.types() {
        let t = kg.entity_type(&of.name)?;
        std::iter::once(&of.label)
            .chain(&of.aliases)
            .filter(|n| !n.is_empty())
            .try_for_each(|name| kg.type_label(t, name))?;
        types.push(t);
    }
    let mut relations = Vec::with_capacity(vocabulary.relations().len());
    for of in vocabulary.relations() {
        let relation = kg.relation(&of.name)?;
        std::iter::once(&of.label)
            .chain(&of.aliases)
            .filter(|n| !n.is_empty())
            .try_for_each(|name| kg.relation_label(relation, name))?;
        relations.push(relation);
    }
    let mut nodes = Vec::with_capacity(graph.nodes());
    for node in (0..graph.nodes() as u32).map(NodeId) {
        nodes.push(match graph.literal(node) {
            Some(literal) => kg.literal(literal.text, literal.kind, literal.datatype, literal.unit)?,
            None => {
                let entity = kg.entity(graph.id(node))?;
                kg.label(entity, graph.label(node))?;
                graph.aliases(node).try_for_each(|alias| kg.alias(entity, alias))?;
                if !graph.description(node).is_empty() {
                    kg.describe(entity, graph.description(node))?;
                }
                graph
                    .types(node)
                    .iter()
                    .filter_map(|t| types.get(t.index()))
                    .try_for_each(|&t| kg.entity_has_type(entity, t))?;
                entity
            }
        });
    }
    for head in (0..graph.nodes() as u32).map(NodeId) {
        for edge in graph.edges(head, Direction::Forward) {
            let known = (
                nodes.get(head.index()),
                relations.get(edge.relation.index()),
                nodes.get(edge.other.index()),
            );
            let (Some(&from), Some(&relation), Some(&to)) = known else { continue };
            for source in graph.provenance(edge.triple) {
                let source = match source {
                    Provenance::Passage { chunk, start, end } => match number.get(chunk as usize) {
                        Some(&chunk) => Provenance::Passage { chunk, start, end },
                        None => continue,
                    },
                    other => other,
                };
                kg.triple(from, relation, to, source)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_kg::LiteralKind;

    fn graph(town: &str, chunk: u32) -> KnowledgeGraph {
        let mut kg = KgBuilder::default();
        let (place, country) = (kg.entity(town).unwrap(), kg.entity("no").unwrap());
        kg.label(country, "Norway").unwrap();
        let of = kg.entity_type("place").unwrap();
        kg.type_label(of, "Place").unwrap();
        kg.entity_has_type(place, of).unwrap();
        let lies_in = kg.relation("lies_in").unwrap();
        kg.relation_label(lies_in, "lies in").unwrap();
        kg.triple(place, lies_in, country, Provenance::Passage { chunk, start: 1, end: 5 }).unwrap();
        let (size, number) =
            (kg.relation("people").unwrap(), kg.literal("7", LiteralKind::Number, "", "").unwrap());
        kg.triple(place, size, number, Provenance::Line { file: "towns.csv", line: 3 }).unwrap();
        kg.finish().unwrap()
    }

    #[test]
    fn what_two_graphs_share_is_one_and_passages_are_numbered_anew() {
        let mut kg = KgBuilder::default();
        add_graph(&mut kg, &graph("Oslo", 0), &[4]).unwrap();
        add_graph(&mut kg, &graph("Bergen", 1), &[7, 9]).unwrap();
        let joined = kg.finish().unwrap();
        assert_eq!((joined.entities(), joined.literals(), joined.triples()), (3, 1, 4));
        assert_eq!((joined.vocabulary().relations().len(), joined.vocabulary().types().len()), (2, 1));
        let passages: Vec<u32> = (0..4)
            .flat_map(|t| joined.provenance(pocketgraph_kg::TripleId(t)))
            .filter_map(|p| if let Provenance::Passage { chunk, .. } = p { Some(chunk) } else { None })
            .collect();
        assert_eq!(passages, [4, 9]);
        let norway = (0..3).map(NodeId).find(|&n| joined.id(n) == "no").unwrap();
        assert_eq!((joined.label(norway), joined.degree(norway, Direction::Backward)), ("Norway", 2));
    }
}
