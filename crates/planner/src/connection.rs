//! The way between two things through the graph: "how are Ann and Bob related?"

use crate::kg::{Direction, KnowledgeGraph, NodeId, RelationId, SHARES_PASSAGES};

/// Number of steps beyond which two things are as good as unrelated.
const MOST_STEPS: usize = 4;
/// Bits of a step between keywords that share a passage: more than any way over statements has.
const SHARED: u32 = 1 << 8;
/// Number of such steps beyond which two things are unrelated.
const MOST_SHARED: u32 = 2;

/// Last step to a thing: the bits that say the way there, the thing before it, and what leads on from that.
type Arrival = (u32, NodeId, RelationId, Direction);

/// A way between two things: where it begins, its steps, and where it ends.
pub(super) type Way = (NodeId, Vec<(RelationId, Direction)>, NodeId);

/// Finds the way between one of `from` and one of `to` on which least has to be said: how many steps it has,
/// and at each thing which statement leads on. Where statements lead nowhere, keywords that share passages
/// do; page layout and values do not. `None` if there is no way, or only a long one.
pub(super) fn find_way(graph: &KnowledgeGraph, from: &[NodeId], to: &[NodeId]) -> Option<Way> {
    // The best arrival at each thing after one step, two steps and so on.
    let mut rounds: Vec<Vec<Option<Arrival>>> = Vec::new();
    let mut reached: Vec<(u32, NodeId)> = from.iter().map(|&node| (0, node)).collect();
    let mut best: Option<(u32, usize, NodeId)> = None;
    for round in 0..MOST_STEPS {
        let mut arrivals: Vec<Option<Arrival>> = vec![None; graph.nodes()];
        for (bits, here) in reached {
            take_steps(graph, (bits, here), &mut arrivals);
        }
        reached =
            (0..).zip(&arrivals).filter_map(|(n, there)| Some((there.as_ref()?.0, NodeId(n)))).collect();
        for &(bits, end) in &reached {
            let is_end = to.contains(&end) && !from.contains(&end);
            if is_end && best.map_or(SHARED * (MOST_SHARED + 1), |best| best.0) > bits {
                best = Some((bits, round, end));
            }
        }
        rounds.push(arrivals);
    }
    let (_, last, end) = best?;
    let (mut way, mut at) = (Vec::new(), end);
    for round in (0..=last).rev() {
        let (_, before, relation, direction) = (*rounds.get(round)?.get(at.index())?)?;
        way.push((relation, direction));
        at = before;
    }
    way.reverse();
    Some((at, way, end))
}

/// Takes each step from a thing, and keeps those that arrive with fewer bits than others.
fn take_steps(graph: &KnowledgeGraph, (bits, here): (u32, NodeId), arrivals: &mut [Option<Arrival>]) {
    let statements = graph.degree(here, Direction::Forward) + graph.degree(here, Direction::Backward);
    for direction in [Direction::Forward, Direction::Backward] {
        for edge in graph.edges(here, direction).filter(|edge| graph.is_entity(edge.other)) {
            let Some(relation) = graph.vocabulary().relation(edge.relation) else { continue };
            let shares = relation.name == SHARES_PASSAGES;
            if relation.is_layout() && !shares {
                continue;
            }
            let bits = bits + 1 + statements.max(1).ilog2() + if shares { SHARED } else { 0 };
            if let Some(there) = arrivals.get_mut(edge.other.index())
                && there.is_none_or(|best| bits < best.0)
            {
                *there = Some((bits, here, edge.relation, direction));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::kg::{KgBuilder, LiteralKind, Provenance};

    const SOURCE: Provenance<'static> = Provenance::Line { file: "films", line: 1 };

    #[test]
    fn the_way_avoids_things_that_everything_is_related_to_values_and_layout() {
        let mut b = KgBuilder::default();
        let [country, cast, on] =
            ["country", "starred", "layout:contains"].map(|name| b.relation(name).unwrap());
        let [from, to, usa, ann, page] =
            ["Heat", "Ronin", "USA", "Ann", "List"].map(|name| b.entity(name).unwrap());
        let year = b.literal("1995", LiteralKind::Date, "", "").unwrap();
        for film in [from, to] {
            b.triple(film, country, usa, SOURCE).unwrap();
            b.triple(film, cast, ann, SOURCE).unwrap();
            b.triple(film, cast, year, SOURCE).unwrap();
            b.triple(page, on, film, SOURCE).unwrap();
        }
        let alone = b.entity("Alone").unwrap();
        b.triple(page, on, alone, SOURCE).unwrap();
        for n in 0..40 {
            let other = b.entity(&format!("Film {n}")).unwrap();
            b.triple(other, country, usa, SOURCE).unwrap();
        }
        let graph = b.finish().unwrap();
        let node = |label: &str| {
            (0..graph.entities() as u32).map(NodeId).find(|&n| graph.label(n) == label).unwrap()
        };
        let cast = graph.edges(node("Ann"), Direction::Backward).next().unwrap().relation;
        let way = find_way(&graph, &[node("Heat")], &[node("Ronin")]);
        let steps = vec![(cast, Direction::Forward), (cast, Direction::Backward)];
        assert_eq!(way, Some((node("Heat"), steps, node("Ronin"))));
        assert_eq!(find_way(&graph, &[node("Heat")], &[node("Alone")]), None);
        assert_eq!(find_way(&graph, &[node("Heat")], &[node("Heat")]), None);
    }

    #[test]
    fn things_many_steps_apart_are_unrelated() {
        let mut b = KgBuilder::default();
        let next = b.relation("next").unwrap();
        let all: Vec<_> = (0..7).map(|n| b.entity(&format!("{n}")).unwrap()).collect();
        all.windows(2).for_each(|pair| b.triple(pair[0], next, pair[1], SOURCE).unwrap());
        let graph = b.finish().unwrap();
        let node = |label: &str| {
            (0..graph.entities() as u32).map(NodeId).find(|&n| graph.label(n) == label).unwrap()
        };
        assert_eq!(find_way(&graph, &[node("0")], &[node("4")]).map(|way| way.1.len()), Some(4));
        assert_eq!(find_way(&graph, &[node("0")], &[node("5")]), None);
    }

    #[test]
    fn keywords_that_share_passages_lead_on_where_statements_do_not_and_not_far() {
        let mut b = KgBuilder::default();
        let [knows, shares] = ["knows", SHARES_PASSAGES].map(|name| b.relation(name).unwrap());
        let all: Vec<_> = (0..7).map(|n| b.entity(&format!("{n}")).unwrap()).collect();
        for pair in all[..6].windows(2) {
            b.triple(pair[0], shares, pair[1], SOURCE).unwrap();
        }
        for [from, to] in [[0, 6], [6, 1]] {
            b.triple(all[from], knows, all[to], SOURCE).unwrap();
        }
        let graph = b.finish().unwrap();
        let node = |label: &str| {
            (0..graph.entities() as u32).map(NodeId).find(|&n| graph.label(n) == label).unwrap()
        };
        let relations = |from: &str, to: &str| -> Option<Vec<&str>> {
            let (_, way, _) = find_way(&graph, &[node(from)], &[node(to)])?;
            let name = |(relation, _)| graph.vocabulary().relation(relation).unwrap().name.as_str();
            Some(way.into_iter().map(name).collect())
        };
        assert_eq!(relations("0", "1").unwrap(), ["knows", "knows"], "they share a passage too");
        assert_eq!(relations("2", "4").unwrap(), [SHARES_PASSAGES; 2]);
        assert_eq!(relations("2", "0").unwrap(), [SHARES_PASSAGES, "knows", "knows"]);
        assert!(relations("2", "5").is_none(), "three passages apart");
    }

    /// The fewest bits of all ways of at most so many steps.
    fn fewest_bits(graph: &KnowledgeGraph, from: NodeId, to: NodeId, steps: usize) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        let further = steps.checked_sub(1)?;
        let statements = graph.degree(from, Direction::Forward) + graph.degree(from, Direction::Backward);
        let edges = [Direction::Forward, Direction::Backward].map(|d| graph.edges(from, d));
        let rest = edges
            .into_iter()
            .flatten()
            .filter_map(|edge| {
                let shares = graph.vocabulary().relation(edge.relation)?.name == SHARES_PASSAGES;
                Some(fewest_bits(graph, edge.other, to, further)? + if shares { SHARED } else { 0 })
            })
            .min()?;
        Some(rest + 1 + statements.ilog2())
    }

    proptest::proptest! {
        #[test]
        fn no_other_way_has_fewer_bits(pairs in proptest::collection::vec((0u32..8, 0u32..8), 1..14)) {
            let mut b = KgBuilder::default();
            let relation = b.relation("knows").unwrap();
            let all: Vec<_> = (0..8).map(|n| b.entity(&format!("{n}")).unwrap()).collect();
            for (head, tail) in pairs.into_iter().filter(|(head, tail)| head != tail) {
                b.triple(all[head as usize], relation, all[tail as usize], SOURCE).unwrap();
            }
            let graph = b.finish().unwrap();
            let bits_of = |way: Vec<(RelationId, Direction)>| {
                let mut here: Vec<(u32, NodeId)> = vec![(0, NodeId(0))];
                for (_, direction) in way {
                    let step = |(bits, at): (u32, NodeId)| {
                        let statements = graph.degree(at, Direction::Forward) + graph.degree(at, Direction::Backward);
                        graph.edges(at, direction).map(move |e| (bits + 1 + statements.ilog2(), e.other))
                    };
                    here = here.into_iter().flat_map(step).collect();
                }
                here.into_iter().filter(|(_, at)| *at == NodeId(1)).map(|(bits, _)| bits).min()
            };
            let found = find_way(&graph, &[NodeId(0)], &[NodeId(1)]).map(|way| bits_of(way.1).unwrap());
            proptest::prop_assert_eq!(found, fewest_bits(&graph, NodeId(0), NodeId(1), MOST_STEPS));
        }
    }
}
