//! The knowledge graph and its queries.

use super::date::read_interval;
use super::ids::{NodeId, RelationId, TripleId, TypeId};
use super::literal::{Literal, LiteralKind};
use super::strings::{Runs, Strings};
use super::vocabulary::{Class, Relation, Vocabulary};
use std::rc::Rc;

/// A typed directed edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// Head; always an entity.
    pub head: NodeId,
    /// Relation.
    pub relation: RelationId,
    /// Tail; an entity or a literal.
    pub tail: NodeId,
}

/// Direction along a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Direction {
    /// From head to tail.
    Forward,
    /// From tail to head.
    Backward,
}

impl Direction {
    /// Returns the other direction.
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        }
    }
}

impl Relation {
    /// Returns the classes at the end of a step along it, with their numbers of triples, most frequent first.
    pub fn far_end(&self, direction: Direction) -> &[(Class, u32)] {
        match direction {
            Direction::Forward => &self.range,
            Direction::Backward => &self.domain,
        }
    }
}

/// Source of a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance<'a> {
    /// A line of an imported file.
    Line {
        /// Name of the file, as given to the import.
        file: &'a str,
        /// Number of the line, from 1; 0 if the format has no lines.
        line: u32,
    },
    /// A passage of the bundle's documents.
    Passage {
        /// Number of the chunk.
        chunk: u32,
        /// First byte of the chunk's text.
        start: u32,
        /// Byte after the last.
        end: u32,
    },
    /// Text of the import's own provenance column.
    Cited(&'a str),
}

/// Provenance as it is stored: `source` is an index into the table of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum StoredProvenance {
    Line { source: u32, line: u32 },
    Passage { chunk: u32, start: u32, end: u32 },
    Cited { source: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StoredLiteral {
    pub kind: LiteralKind,
    pub datatype: u32,
    pub unit: u32,
}

/// Entities and literals.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Nodes {
    /// Labels of entities, then texts of literals.
    pub names: Strings,
    /// Imported ids of entities; empty if it equals the label.
    pub ids: Strings,
    /// Descriptions of entities; empty if there is none.
    pub descriptions: Strings,
    pub alias_runs: Runs,
    pub aliases: Strings,
    pub type_runs: Runs,
    pub types: Vec<TypeId>,
    pub literals: Vec<StoredLiteral>,
    /// Datatypes and units.
    pub terms: Strings,
}

/// Edges, in both directions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Triples {
    /// Triples, ascending by head, relation, tail.
    pub all: Vec<Triple>,
    /// Triples of each node as head.
    pub out: Runs,
    /// Triples of each node as tail, as positions in `incoming`.
    pub into: Runs,
    /// Triples, ascending by tail, relation, head.
    pub incoming: Vec<TripleId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sources {
    pub names: Strings,
    pub runs: Runs,
    pub all: Vec<StoredProvenance>,
}

/// Typed knowledge graph: entities with labels, aliases and types; literals; typed directed triples with
/// their sources.
///
/// Cloning shares everything.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KnowledgeGraph {
    pub(super) vocabulary: Rc<Vocabulary>,
    pub(super) nodes: Rc<Nodes>,
    pub(super) triples: Rc<Triples>,
    pub(super) sources: Rc<Sources>,
}

impl KnowledgeGraph {
    /// Relations, types and schema.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Number of entities, which are the nodes from 0 on.
    pub fn entities(&self) -> usize {
        self.nodes.ids.len()
    }

    /// Number of literals, which are the nodes after the entities.
    pub fn literals(&self) -> usize {
        self.nodes.literals.len()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.names.len()
    }

    /// Number of triples.
    pub fn triples(&self) -> usize {
        self.triples.all.len()
    }

    /// Returns true if a node is an entity.
    pub fn is_entity(&self, node: NodeId) -> bool {
        node.index() < self.entities()
    }

    /// Returns an entity's label or a literal's text; empty for a node of another graph.
    pub fn label(&self, node: NodeId) -> &str {
        self.nodes.names.get(node.index())
    }

    /// Returns an entity's imported id (its label if it has none) or a literal's text.
    pub fn id(&self, node: NodeId) -> &str {
        match self.nodes.ids.get(node.index()) {
            "" => self.label(node),
            id => id,
        }
    }

    /// Returns an entity's description; empty if it has none.
    pub fn description(&self, node: NodeId) -> &str {
        self.nodes.descriptions.get(node.index())
    }

    /// Iterates over an entity's aliases in the order given, without its label.
    pub fn aliases(&self, node: NodeId) -> impl Iterator<Item = &str> {
        self.nodes.alias_runs.range(node.index()).map(|i| self.nodes.aliases.get(i))
    }

    /// Returns an entity's types, ascending.
    pub fn types(&self, node: NodeId) -> &[TypeId] {
        &self.nodes.types[self.nodes.type_runs.range(node.index())]
    }

    /// Returns true if an entity has a type.
    pub fn is_of(&self, node: NodeId, of: TypeId) -> bool {
        self.types(node).binary_search(&of).is_ok()
    }

    /// Returns a literal; `None` for an entity.
    pub fn literal(&self, node: NodeId) -> Option<Literal<'_>> {
        let stored = self.nodes.literals.get(node.index().checked_sub(self.entities())?)?;
        Some(Literal {
            text: self.label(node),
            kind: stored.kind,
            datatype: self.nodes.terms.get(stored.datatype as usize),
            unit: self.nodes.terms.get(stored.unit as usize),
        })
    }

    /// Iterates over the classes of a node: its types, or untyped, or its kind of literal.
    pub fn classes(&self, node: NodeId) -> impl Iterator<Item = Class> {
        let types = self.types(node);
        let other = match self.literal(node) {
            Some(l) => Some(Class::Literal(l.kind)),
            None if types.is_empty() => Some(Class::Untyped),
            None => None,
        };
        other.into_iter().chain(types.iter().map(|&t| Class::Type(t)))
    }

    /// Returns a triple; `None` for a number of another graph.
    pub fn triple(&self, id: TripleId) -> Option<Triple> {
        self.triples.all.get(id.index()).copied()
    }

    /// Returns the number of a triple, if the graph has it.
    pub fn find(&self, triple: Triple) -> Option<TripleId> {
        let run = self.triples.out.range(triple.head.index());
        self.triples.all[run.clone()].binary_search(&triple).ok().map(|i| TripleId((run.start + i) as u32))
    }

    /// Number of triples with this node as head (forward) or tail (backward).
    pub fn degree(&self, node: NodeId, direction: Direction) -> usize {
        self.edge_places(node, direction).len()
    }

    /// Iterates over the edges at a node in one direction, in the order of (relation, other end).
    pub fn edges(&self, node: NodeId, direction: Direction) -> impl ExactSizeIterator<Item = Edge> {
        self.edge_places(node, direction).map(move |i| self.edge_at(i, direction))
    }

    /// Finds the edges of one relation at a node in one direction by binary search. Ordered by other end.
    pub fn follow(
        &self,
        node: NodeId,
        relation: RelationId,
        direction: Direction,
    ) -> impl ExactSizeIterator<Item = Edge> {
        let run = self.edge_places(node, direction);
        let start = self.first_of(run.start, run.end, relation.0, direction);
        let end =
            relation.0.checked_add(1).map_or(run.end, |next| self.first_of(start, run.end, next, direction));
        (start..end).map(move |i| self.edge_at(i, direction))
    }

    /// Returns the relations at a node in one direction with their numbers of edges, ascending. Takes time in
    /// the number of relations, not of edges.
    pub fn relations_at(&self, node: NodeId, direction: Direction) -> Vec<(RelationId, u32)> {
        let run = self.edge_places(node, direction);
        let mut out = Vec::new();
        let mut at = run.start;
        while at < run.end {
            let relation = self.edge_at(at, direction).relation;
            // Most runs are short: search near before halving the rest.
            let mut step = 1;
            while at + step < run.end && self.edge_at(at + step, direction).relation == relation {
                step *= 2;
            }
            let end = relation
                .0
                .checked_add(1)
                .map_or(run.end, |next| self.first_of(at, run.end.min(at + step), next, direction));
            out.push((relation, (end - at) as u32));
            at = end;
        }
        out
    }

    /// Returns the places of a node's edges.
    fn edge_places(&self, node: NodeId, direction: Direction) -> std::ops::Range<usize> {
        match direction {
            Direction::Forward => self.triples.out.range(node.index()),
            Direction::Backward => self.triples.into.range(node.index()),
        }
    }

    /// Returns the first place from `low` to `high` whose relation is at least `least`, or `high`.
    fn first_of(&self, mut low: usize, mut high: usize, least: u32, direction: Direction) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            if self.edge_at(middle, direction).relation.0 < least { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn edge_at(&self, place: usize, direction: Direction) -> Edge {
        let id = match direction {
            Direction::Forward => TripleId(place as u32),
            Direction::Backward => self.triples.incoming[place],
        };
        let t = self.triples.all[id.index()];
        let other = match direction {
            Direction::Forward => t.tail,
            Direction::Backward => t.head,
        };
        Edge { triple: id, relation: t.relation, other }
    }

    /// Returns the graph with renumbered passages in its provenance: chunk i becomes `number[i]`, if given.
    pub fn with_chunks_renumbered(mut self, number: &[u32]) -> KnowledgeGraph {
        for source in &mut Rc::make_mut(&mut self.sources).all {
            if let StoredProvenance::Passage { chunk, .. } = source
                && let Some(&new) = number.get(*chunk as usize)
            {
                *chunk = new;
            }
        }
        self
    }

    /// Returns true if a triple is said to hold for an interval.
    pub fn has_intervals(&self) -> bool {
        (0..self.sources.names.len()).any(|name| read_interval(self.sources.names.get(name)).is_some())
    }

    /// Iterates over the intervals for which a triple is said to hold, as [`read_interval`] reads them.
    pub fn intervals(&self, triple: TripleId) -> impl Iterator<Item = &str> {
        let interval =
            |p| if let Provenance::Cited(text) = p { read_interval(text).and(Some(text)) } else { None };
        self.provenance(triple).filter_map(interval)
    }

    /// Iterates over the sources of a triple, in the order of the import.
    pub fn provenance(&self, triple: TripleId) -> impl Iterator<Item = Provenance<'_>> {
        self.sources.all[self.sources.runs.range(triple.index())].iter().map(|&p| match p {
            StoredProvenance::Line { source, line } => {
                Provenance::Line { file: self.sources.names.get(source as usize), line }
            }
            StoredProvenance::Passage { chunk, start, end } => Provenance::Passage { chunk, start, end },
            StoredProvenance::Cited { source } => Provenance::Cited(self.sources.names.get(source as usize)),
        })
    }
}

/// Edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The triple.
    pub triple: TripleId,
    /// Its relation.
    pub relation: RelationId,
    /// Node at the other end.
    pub other: NodeId,
}

impl Triples {
    /// Indexes triples that ascend strictly by (head, relation, tail), over `nodes` nodes; `None` if they do
    /// not ascend, or name other nodes.
    pub fn new(nodes: usize, all: Vec<Triple>) -> Option<Self> {
        if all.windows(2).any(|w| w[0] >= w[1])
            || all.iter().any(|t| t.head.index() >= nodes || t.tail.index() >= nodes)
        {
            return None;
        }
        let mut degree_out = vec![0usize; nodes];
        let mut degree_in = vec![0usize; nodes];
        for t in &all {
            degree_out[t.head.index()] += 1;
            degree_in[t.tail.index()] += 1;
        }
        let runs = |degrees: &[usize]| {
            let mut runs = Runs::default();
            let mut end = 0;
            for d in degrees {
                end += d;
                runs.push(end);
            }
            runs
        };
        let (out, into) = (runs(&degree_out), runs(&degree_in));
        let mut incoming: Vec<TripleId> = (0..all.len() as u32).map(TripleId).collect();
        incoming.sort_unstable_by_key(|&id| {
            let t = all[id.index()];
            (t.tail, t.relation, t.head)
        });
        Some(Triples { all, out, into, incoming })
    }
}
