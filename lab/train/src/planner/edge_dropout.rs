//! A graph with some of its edges gone: what it is like to plan over a graph that does not hold everything.

use pocketgraph::kg::{BuildNode, KgBuilder, KgError, KnowledgeGraph, NodeId, Provenance, TripleId};
use pocketgraph_cluster::Random;

/// Returns `graph` without a random share (`dropped`, 0 to 1) of its triples. Entities, names and types stay.
///
/// # Errors
/// [`KgError`], which never comes of what is a graph already.
pub fn drop_edges(graph: &KnowledgeGraph, dropped: f64, seed: u64) -> Result<KnowledgeGraph, KgError> {
    let (mut kg, vocabulary) = (KgBuilder::default(), graph.vocabulary());
    for r in vocabulary.relations() {
        let relation = kg.relation(&r.name)?;
        kg.relation_label(relation, &r.label)?;
        r.aliases.iter().try_for_each(|alias| kg.relation_alias(relation, alias))?;
    }
    let mut nodes: Vec<BuildNode> = Vec::with_capacity(graph.nodes());
    for n in (0..graph.nodes() as u32).map(NodeId) {
        let node = match graph.literal(n) {
            Some(literal) => kg.literal(literal.text, literal.kind, literal.datatype, literal.unit)?,
            None => {
                let node = kg.entity(graph.id(n))?;
                kg.label(node, graph.label(n))?;
                graph.aliases(n).try_for_each(|alias| kg.alias(node, alias))?;
                for t in graph.types(n).iter().filter_map(|t| vocabulary.entity_type(*t)) {
                    let of = kg.entity_type(&t.name)?;
                    kg.type_label(of, &t.label)?;
                    kg.entity_has_type(node, of)?;
                }
                node
            }
        };
        nodes.push(node);
    }
    let mut random = Random::new(seed, 41);
    let from = Provenance::Line { file: "thinned", line: 0 };
    for triple in (0..graph.triples() as u32).filter_map(|i| graph.triple(TripleId(i))) {
        let relation = vocabulary.relation(triple.relation).map(|r| r.name.as_str());
        if let (Some(name), true) = (relation, random.unit() >= dropped) {
            let relation = kg.relation(name)?;
            kg.triple(nodes[triple.head.0 as usize], relation, nodes[triple.tail.0 as usize], from)?;
        }
    }
    kg.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph_knowledge::everyday;

    #[test]
    fn a_share_of_the_edges_goes_and_everything_else_stays() {
        let world = everyday::build_world(1).unwrap();
        let thin = drop_edges(&world, 0.1, 1).unwrap();
        assert_eq!(
            (thin.entities(), thin.vocabulary().relations().len()),
            (world.entities(), world.vocabulary().relations().len())
        );
        let left = thin.triples() as f64 / world.triples() as f64;
        assert!((0.88..0.92).contains(&left), "{left}");
        assert_eq!(drop_edges(&world, 0.0, 1).unwrap().triples(), world.triples());
        assert!((0..world.entities() as u32).map(NodeId).all(|n| world.label(n) == thin.label(n)));
    }
}
