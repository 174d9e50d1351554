//! Grounds patterns to queries backwards from a node that shall be an answer, so that few queries are empty.

use super::pattern::Pattern;
use pocketgraph::kg::{Direction, KnowledgeGraph, LiteralKind, NodeId, RelationId, TripleId, TypeId};
use pocketgraph::plan::Extreme;
use pocketgraph::planner::{LogicalForm, Query};
use pocketgraph_cluster::Random;

/// Returns the type of a query's answers, if it has one: of a step its own, of a conjunction that of a part.
fn target_of(query: &Query) -> Option<TypeId> {
    match query {
        Query::Step { target, .. } => *target,
        Query::And(parts) => parts.iter().find_map(target_of),
        Query::All(of) => Some(*of),
        Query::Entity(_) | Query::Or(_) | Query::Not(..) => None,
    }
}

/// An edge that leads to a node: from where, and along what.
struct Into {
    from: NodeId,
    relation: RelationId,
    direction: Direction,
}

/// Nodes with more edges than this along one relation are no way-points: their answers would be long lists.
const MOST: usize = 100;

/// Chooses queries in a graph.
pub struct Grounder<'g> {
    graph: &'g KnowledgeGraph,
    /// Relations of numbers and dates, with entities that have one.
    measured: Vec<(RelationId, Vec<NodeId>)>,
}

impl<'g> Grounder<'g> {
    /// Prepares a graph.
    pub fn new(graph: &'g KnowledgeGraph) -> Self {
        let mut measured: Vec<(RelationId, Vec<NodeId>)> = Vec::new();
        for i in 0..graph.vocabulary().relations().len() as u32 {
            measured.push((RelationId(i), Vec::new()));
        }
        for n in (0..graph.entities() as u32).map(NodeId) {
            for (relation, _) in graph.relations_at(n, Direction::Forward) {
                let numeric = |node: NodeId| {
                    graph
                        .literal(node)
                        .is_some_and(|l| matches!(l.kind, LiteralKind::Number | LiteralKind::Date))
                };
                if graph.follow(n, relation, Direction::Forward).next().is_some_and(|e| numeric(e.other)) {
                    measured[relation.0 as usize].1.push(n);
                }
            }
        }
        measured.retain(|m| m.1.len() > 1);
        Grounder { graph, measured }
    }

    /// A query of a pattern; `None` where this attempt came to a dead end.
    pub fn ground(&self, pattern: Pattern, random: &mut Random) -> Option<LogicalForm> {
        let answer = NodeId(random.below(self.graph.nodes()) as u32);
        // Graphs may have more values than entities; few questions ask for one.
        if !self.graph.is_entity(answer) && random.below(4) > 0 {
            return None;
        }
        let one = |random: &mut Random| self.single(answer, random);
        let set = match pattern {
            Pattern::P1 => one(random)?,
            Pattern::P2 => self.chain(answer, 2, random)?,
            Pattern::P3 => self.chain(answer, 3, random)?,
            Pattern::I2 => self.several(answer, 2, random)?,
            Pattern::I3 => self.several(answer, 3, random)?,
            Pattern::Pi => self.both(self.chain_and_step(answer, random)?)?,
            Pattern::U2 => self.either(answer, random)?,
            Pattern::Ip => self.after(answer, random, |at, random| self.several(at, 2, random))?,
            Pattern::Up => self.after(answer, random, |at, random| self.either(at, random))?,
            Pattern::In2 => {
                let main = one(random)?;
                self.without(main, answer, 1, random)?
            }
            Pattern::In3 => {
                let main = self.several(answer, 2, random)?;
                self.without(main, answer, 1, random)?
            }
            Pattern::Inp => self.after(answer, random, |at, random| {
                let main = self.single(at, random)?;
                self.without(main, at, 1, random)
            })?,
            Pattern::Pin => {
                let main = self.chain(answer, 2, random)?;
                self.without(main, answer, 1, random)?
            }
            Pattern::Pni => {
                let main = one(random)?;
                self.without(main, answer, 2, random)?
            }
            Pattern::Count => {
                let steps = 1 + random.below(2);
                return Some(LogicalForm::Count(self.chain(answer, steps, random)?));
            }
            Pattern::Superlative => return self.superlative(answer, random),
            Pattern::Compare => return self.compare(answer, random),
        };
        Some(LogicalForm::Set(set))
    }

    /// An edge into a node, each as likely; literals are ends and never ways.
    fn into(&self, node: NodeId, random: &mut Random) -> Option<Into> {
        if random.below(2) == 0 {
            return self.evenly_into(node, random);
        }
        let (out, back) =
            (self.graph.degree(node, Direction::Forward), self.graph.degree(node, Direction::Backward));
        let n = random.below((out + back).max(1));
        // What is followed forward into a node is one of its incoming edges.
        let (edge, direction) = match n.checked_sub(back) {
            None => (self.graph.edges(node, Direction::Backward).nth(n)?, Direction::Forward),
            Some(n) => (self.graph.edges(node, Direction::Forward).nth(n)?, Direction::Backward),
        };
        self.way(edge.other, edge.relation, direction)
    }

    /// An edge into a node, each relation as likely, so that a graph's commonest relation is not in every
    /// question.
    fn evenly_into(&self, node: NodeId, random: &mut Random) -> Option<Into> {
        let of = |direction: Direction| {
            self.graph
                .relations_at(node, direction)
                .into_iter()
                .map(move |(r, n)| (r, n, direction.reversed()))
        };
        let relations: Vec<_> = of(Direction::Backward).chain(of(Direction::Forward)).collect();
        let (relation, n, direction) = *relations.get(random.below(relations.len().max(1)))?;
        let edge = self.graph.follow(node, relation, direction.reversed()).nth(random.below(n as usize))?;
        self.way(edge.other, relation, direction)
    }

    fn way(&self, from: NodeId, relation: RelationId, direction: Direction) -> Option<Into> {
        self.starts(from, relation, direction).then_some(Into { from, relation, direction })
    }

    /// Returns true if a question can start at a node along a relation: an entity with not too many tails.
    fn starts(&self, node: NodeId, relation: RelationId, direction: Direction) -> bool {
        self.graph.is_entity(node) && (1..=MOST).contains(&self.graph.follow(node, relation, direction).len())
    }

    /// Returns steps that agree on `node`, half of the time over one relation ("what A and B share").
    fn several(&self, node: NodeId, n: usize, random: &mut Random) -> Option<Query> {
        let mut parts = vec![self.single(node, random)?];
        if let Query::Step { relation, direction, target, .. } = parts[0].clone()
            && random.below(2) == 0
        {
            let others: Vec<NodeId> =
                self.graph.follow(node, relation, direction.reversed()).map(|e| e.other).collect();
            for at in random.sample(others.len(), 2 * n) {
                let part =
                    Query::Step { of: Box::new(Query::Entity(others[at])), relation, direction, target };
                if parts.len() < n && self.starts(others[at], relation, direction) && !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        while parts.len() < n {
            parts.push(self.single(node, random)?);
        }
        self.both(parts)
    }

    /// One step into `node` from an entity.
    fn single(&self, node: NodeId, random: &mut Random) -> Option<Query> {
        let Into { from, relation, direction } = self.into(node, random)?;
        Some(Query::Step {
            of: Box::new(Query::Entity(from)),
            relation,
            direction,
            target: self.target(node, random),
        })
    }

    /// A step into `node` from a query for the node before.
    fn after(
        &self,
        node: NodeId,
        random: &mut Random,
        query: impl Fn(NodeId, &mut Random) -> Option<Query>,
    ) -> Option<Query> {
        let into = self.into(node, random)?;
        let of = Box::new(query(into.from, random)?);
        Some(Query::Step {
            of,
            relation: into.relation,
            direction: into.direction,
            target: self.target(node, random),
        })
    }

    fn chain(&self, node: NodeId, steps: usize, random: &mut Random) -> Option<Query> {
        if steps <= 1 {
            return self.single(node, random);
        }
        if steps == 2 && random.below(4) == 0 {
            return self.sharing(node, random);
        }
        let into = self.into(node, random)?;
        // "The genres of the films that share a director with …".
        let of = if steps == 3 && random.below(3) == 0 {
            self.sharing(into.from, random)?
        } else {
            self.chain(into.from, steps - 1, random)?
        };
        // Back along the same relation asks who shares something with the entity; longer ways are never
        // asked.
        let back = matches!(&of, Query::Step { relation, direction, .. } if *relation == into.relation
            && *direction != into.direction);
        let target = self.target(node, random);
        (!back || steps == 2).then(|| Query::Step {
            of: Box::new(of),
            relation: into.relation,
            direction: into.direction,
            target,
        })
    }

    /// Returns a query for what shares something with an entity: along a relation and back.
    fn sharing(&self, node: NodeId, random: &mut Random) -> Option<Query> {
        let into = self.into(node, random)?;
        let around: Vec<NodeId> = self
            .graph
            .follow(into.from, into.relation, into.direction)
            .map(|e| e.other)
            .filter(|&n| n != node)
            .collect();
        let from = *around.get(random.below(around.len().max(1)))?;
        let direction = into.direction.reversed();
        self.starts(from, into.relation, direction).then_some(())?;
        let (of, target) = (Box::new(Query::Entity(from)), self.target(into.from, random));
        let of = Box::new(Query::Step { of, relation: into.relation, direction, target });
        Some(Query::Step {
            of,
            relation: into.relation,
            direction: into.direction,
            target: self.target(node, random),
        })
    }

    /// Returns two steps and one that agree on `node`, half of the time with one relation at their ends.
    fn chain_and_step(&self, node: NodeId, random: &mut Random) -> Option<Vec<Query>> {
        let chain = self.chain(node, 2, random)?;
        if let Query::Step { relation, direction, target, .. } = &chain
            && random.below(2) == 0
        {
            let others: Vec<NodeId> =
                self.graph.follow(node, *relation, direction.reversed()).map(|e| e.other).collect();
            let other = *others.get(random.below(others.len().max(1)))?;
            self.starts(other, *relation, *direction).then_some(())?;
            let of = Box::new(Query::Entity(other));
            let step = Query::Step { of, relation: *relation, direction: *direction, target: *target };
            return Some(vec![chain, step]);
        }
        Some(vec![chain, self.single(node, random)?])
    }

    fn both(&self, parts: Vec<Query>) -> Option<Query> {
        // One type for all: "films directed by A and written by B" says it once.
        let target = parts.iter().find_map(target_of);
        let parts: Vec<Query> = parts.into_iter().map(|p| with_target(p, target)).collect();
        let distinct = (1..parts.len()).all(|i| !parts[..i].contains(&parts[i]));
        distinct.then_some(Query::And(parts))
    }

    /// Two steps from two entities, mostly over the same relation: "… of A or B".
    fn either(&self, node: NodeId, random: &mut Random) -> Option<Query> {
        let first = self.single(node, random)?;
        if random.below(3) == 0 {
            let other = self.single(NodeId(random.below(self.graph.nodes()) as u32), random)?;
            return (other != first).then(|| Query::Or(vec![first, other]));
        }
        let Query::Step { of, relation, direction, target } = &first else { return None };
        let other = self.sibling(*relation, *direction, of, random)?;
        let second = Query::Step {
            of: Box::new(Query::Entity(other)),
            relation: *relation,
            direction: *direction,
            target: *target,
        };
        Some(Query::Or(vec![first, second]))
    }

    /// Another entity from which the relation leads somewhere.
    fn sibling(
        &self,
        relation: RelationId,
        direction: Direction,
        than: &Query,
        random: &mut Random,
    ) -> Option<NodeId> {
        (0..20)
            .find_map(|_| {
                let node = NodeId(random.below(self.graph.entities()) as u32);
                (self.starts(node, relation, direction) && *than != Query::Entity(node)).then_some(node)
            })
            .or_else(|| {
                // Rare relations: from a triple of the same relation instead.
                let total = self.graph.triples();
                (0..200).find_map(|_| {
                    let triple = self.graph.triple(TripleId(random.below(total.max(1)) as u32))?;
                    let node = if direction == Direction::Forward { triple.head } else { triple.tail };
                    (self.starts(node, relation, direction) && *than != Query::Entity(node)).then_some(node)
                })
            })
    }

    /// `main`, without what a query finds that shares something with it and does not find `answer`.
    fn without(&self, main: Query, answer: NodeId, steps: usize, random: &mut Random) -> Option<Query> {
        let own = self.answers(&main)?;
        let others: Vec<NodeId> = own.iter().copied().filter(|&n| n != answer).collect();
        if others.is_empty() {
            return None;
        }
        let minus = self.chain(others[random.below(others.len())], steps, random)?;
        let minus = with_target(minus, target_of(&main));
        let lost = self.answers(&minus)?;
        (!lost.contains(&answer) && minus != main).then(|| Query::Not(Box::new(main), Box::new(minus)))
    }

    fn superlative(&self, answer: NodeId, random: &mut Random) -> Option<LogicalForm> {
        let extreme = if random.below(2) == 0 { Extreme::Max } else { Extreme::Min };
        // Values where the graph has them, else numbers of neighbours.
        if !self.measured.is_empty() && random.below(4) > 0 {
            let (relation, with) = &self.measured[random.below(self.measured.len())];
            let node = with[random.below(with.len())];
            // Of all of a kind, of what a step finds, of what two find.
            let of = match random.below(4) {
                0 => Query::All(*self.graph.types(node).first()?),
                1 => self.chain(node, 2, random)?,
                _ => self.single(node, random)?,
            };
            (self.answers(&of)?.len() > 1).then_some(())?;
            return Some(LogicalForm::Superlative { of, relation: *relation, number: false, extreme });
        }
        let of = self.single(answer, random)?;
        let found = self.answers(&of)?;
        let counted = self.graph.relations_at(answer, Direction::Forward);
        let (relation, _) = *counted.get(random.below(counted.len().max(1)))?;
        // The number must differ among the members, or everyone is an answer.
        let numbers: Vec<usize> =
            found.iter().map(|&n| self.graph.follow(n, relation, Direction::Forward).len()).collect();
        let asked = LogicalForm::Superlative { of, relation, number: true, extreme: Extreme::Max };
        (found.len() > 1 && numbers.iter().max() != numbers.iter().min()).then_some(asked)
    }

    fn compare(&self, node: NodeId, random: &mut Random) -> Option<LogicalForm> {
        if !self.measured.is_empty() && random.below(4) > 0 {
            let (relation, with) = &self.measured[random.below(self.measured.len())];
            let (a, b) = (with[random.below(with.len())], with[random.below(with.len())]);
            let extreme = if random.below(2) == 0 { Extreme::Max } else { Extreme::Min };
            return (a != b).then_some(LogicalForm::Compare {
                of: [a, b],
                relation: *relation,
                extreme: Some(extreme),
            });
        }
        let relations = self.graph.relations_at(node, Direction::Forward);
        let (relation, _) = *relations.get(random.below(relations.len().max(1)))?;
        (self.graph.is_entity(node) && self.graph.follow(node, relation, Direction::Forward).len() == 1)
            .then_some(())?;
        // Half of the time one that shares the value, or the answer would nearly always be no.
        let value = self.graph.follow(node, relation, Direction::Forward).next()?.other;
        let sharing: Vec<NodeId> = self
            .graph
            .follow(value, relation, Direction::Backward)
            .map(|e| e.other)
            .filter(|&n| n != node)
            .collect();
        let other = if random.below(2) == 0 && !sharing.is_empty() {
            sharing[random.below(sharing.len())]
        } else {
            self.sibling(relation, Direction::Forward, &Query::Entity(node), random)?
        };
        (self.graph.follow(other, relation, Direction::Forward).len() == 1).then_some(LogicalForm::Compare {
            of: [node, other],
            relation,
            extreme: None,
        })
    }

    /// Returns a type of the node to name, or none: the question then says "what".
    fn target(&self, node: NodeId, random: &mut Random) -> Option<TypeId> {
        let types = self.graph.types(node);
        if types.is_empty() || random.below(4) == 0 {
            None
        } else {
            types.get(random.below(types.len().min(2))).copied()
        }
    }

    /// The answers of a query, by walking the graph; `None` where there are none or very many.
    pub fn answers(&self, query: &Query) -> Option<Vec<NodeId>> {
        let mut found = match query {
            Query::Entity(node) => vec![*node],
            Query::All(of) => {
                let nodes = (0..self.graph.entities() as u32).map(NodeId);
                nodes.filter(|&n| self.graph.types(n).contains(of)).collect()
            }
            Query::Step { of, relation, direction, target } => {
                let from = self.answers(of)?;
                let fits = |n: &NodeId| target.is_none_or(|t| self.graph.types(*n).contains(&t));
                from.iter()
                    .flat_map(|&n| self.graph.follow(n, *relation, *direction).map(|e| e.other))
                    .filter(fits)
                    .collect()
            }
            Query::And(parts) => {
                let mut sets = parts.iter().map(|p| self.answers(p)).collect::<Option<Vec<_>>>()?.into_iter();
                let first = sets.next()?;
                sets.fold(first, |all, set| {
                    all.into_iter().filter(|n| set.binary_search(n).is_ok()).collect()
                })
            }
            Query::Or(parts) => parts.iter().map(|p| self.answers(p)).collect::<Option<Vec<_>>>()?.concat(),
            Query::Not(main, minus) => {
                let minus = self.answers(minus)?;
                self.answers(main)?.into_iter().filter(|n| minus.binary_search(n).is_err()).collect()
            }
        };
        found.sort_unstable();
        found.dedup();
        (!found.is_empty() && found.len() <= 10 * MOST).then_some(found)
    }
}

fn with_target(query: Query, target: Option<TypeId>) -> Query {
    match query {
        Query::Step { of, relation, direction, .. } => Query::Step { of, relation, direction, target },
        other => other,
    }
}
