//! From what the rules found to a plan.

use super::chain::{Chain, Rank, Ranking, Start};
use super::question::{Ask, Token};
use super::rank::Holders;
use super::schema::Step;
use super::sets::Combination;
use crate::kg::{Class, Direction, KnowledgeGraph, NodeId, RelationId, TypeId};
use crate::plan::{Head, Measure, Operation, Plan, Relation, SearchKg};

/// A plan under construction.
pub(super) struct Composer<'a> {
    graph: &'a KnowledgeGraph,
    plan: Plan,
    /// The types that the question names, each with the relations that the same word speaks of; `None` where
    /// every step keeps its type.
    named: Option<Vec<(TypeId, Vec<RelationId>)>>,
}

/// The types that a question names: by its words, and by the question word for what no word names.
fn find_types(tokens: &[Token], ask: &Ask) -> Vec<(TypeId, Vec<RelationId>)> {
    let of = |t: &Token| t.relations.iter().map(|(r, _)| *r).collect::<Vec<_>>();
    let mut all: Vec<_> =
        tokens.iter().flat_map(|t| t.types.iter().map(move |&class| (class, of(t)))).collect();
    for class in &ask.classes {
        if let Class::Type(class) = class
            && !all.iter().any(|(known, _)| known == class)
        {
            all.push((*class, Vec::new()));
        }
    }
    all
}

impl<'a> Composer<'a> {
    /// An empty plan over a graph.
    pub fn new(graph: &'a KnowledgeGraph) -> Composer<'a> {
        Composer { graph, plan: Plan::default(), named: None }
    }

    /// The same for a question of which steps keep only types that it names: a field of work need not be what
    /// most are.
    pub fn naming(self, tokens: &[Token], ask: &Ask) -> Composer<'a> {
        Composer { named: Some(find_types(tokens, ask)), ..self }
    }

    /// Adds a statement and gives its name.
    pub fn push(&mut self, operation: Operation) -> String {
        self.plan.push(operation)
    }

    /// Adds the steps of a chain and gives the name of what they find.
    pub fn chain(&mut self, chain: &Chain) -> String {
        let (mut sets, mut heads) = (Vec::new(), Vec::new());
        match chain.start {
            Start::All(of) => sets.push(self.all(of)),
            Start::Having(holders) => sets.push(self.having(holders)),
            Start::Node(node) => {
                heads.extend(std::iter::once(&node).chain(&chain.namesakes).map(|&n| self.head(n)))
            }
        }
        for at in 0..=chain.steps.len() {
            if at == chain.steps.len()
                && let Some(of) = chain.negated
            {
                let main = self.all(of);
                sets = vec![self.push(Operation::Negation { main, minus: sets })];
            }
            for rank in chain.ranks.iter().filter(|r| r.at == at) {
                sets = sets.into_iter().map(|set| self.ranked(set, *rank)).collect();
            }
            let Some(step) = chain.steps.get(at) else { break };
            heads.extend(sets.drain(..).map(Head::Reference));
            for head in heads.drain(..) {
                sets.push(self.step(head, *step));
            }
            sets = vec![self.join_sets(sets, |of| Operation::Union { of })];
        }
        sets.pop().unwrap_or_default()
    }

    fn step(&mut self, head: Head, step: Step) -> String {
        self.search(head, self.target(step), step.relation, step.direction)
    }

    /// Adds a step along a relation.
    pub fn search(
        &mut self,
        head: Head,
        target: Option<TypeId>,
        relation: RelationId,
        direction: Direction,
    ) -> String {
        let (target, relation) = (target.and_then(|of| self.type_name(of)), self.exact(relation, direction));
        self.push(Operation::SearchKg(SearchKg { target, head, relation }))
    }

    /// Adds a thing.
    pub fn entity(&mut self, node: NodeId) -> String {
        self.push(Operation::Entity { head: self.head(node) })
    }

    /// A thing that a step starts from.
    pub fn head(&self, node: NodeId) -> Head {
        Head::Entity(self.graph.id(node).to_owned())
    }

    /// Returns the name of a type.
    pub fn type_name(&self, of: TypeId) -> Option<String> {
        self.graph.vocabulary().entity_type(of).map(|t| t.name.clone())
    }

    /// Adds what finds everything of a type.
    pub fn all(&mut self, of: TypeId) -> String {
        self.push(Operation::All { target: self.type_name(of), relation: None })
    }

    /// Adds what finds everything that has a relation.
    pub fn having(&mut self, holders: Holders) -> String {
        let target = holders.of.and_then(|of| self.type_name(of));
        let relation = Some(self.exact(holders.relation, holders.direction));
        self.push(Operation::All { target, relation })
    }

    fn ranked(&mut self, of: String, rank: Rank) -> String {
        let by = match rank.by {
            Ranking::Value(relation) => Measure::ValueOf(self.exact(relation, Direction::Forward)),
            Ranking::Number(relation, direction) => Measure::NumberOf(self.exact(relation, direction)),
        };
        self.push(Operation::Superlative { of, by: Some(by), extreme: rank.end, keep: 1 })
    }

    /// Adds an operation over several sets; one alone stays as it is.
    fn join_sets(&mut self, mut of: Vec<String>, operation: fn(Vec<String>) -> Operation) -> String {
        if of.len() > 1 { self.push(operation(of)) } else { of.pop().unwrap_or_default() }
    }

    /// Adds a combination of chains.
    pub fn combination(&mut self, found: &Combination) -> String {
        let mut of: Vec<String> = Vec::new();
        for choice in &found.branches {
            let any: Vec<String> = choice.iter().map(|chain| self.chain(chain)).collect();
            of.push(self.join_sets(any, |of| Operation::Union { of }));
        }
        let set = self.join_sets(of, |of| Operation::Intersect { of });
        let minus: Vec<String> = found.minus.iter().map(|chain| self.chain(chain)).collect();
        let set = if minus.is_empty() { set } else { self.push(Operation::Negation { main: set, minus }) };
        found.tail.iter().fold(set, |set, step| self.step(Head::Reference(set), *step))
    }

    /// The plan whose answer is the last statement.
    pub fn finish(self, question: &str) -> Plan {
        let answer = self.plan.statements.last().map(|s| s.name.clone()).unwrap_or_default();
        Plan { question: Some(question.to_owned()), answer, ..self.plan }
    }

    fn target(&self, step: Step) -> Option<TypeId> {
        match step.to {
            Class::Type(of) => Some(of).filter(|of| self.keeps(step, *of)),
            Class::Untyped | Class::Literal(_) => None,
        }
    }

    /// Returns true if a plan keeps a step's type: the relation leads to nothing else, or a word names the
    /// type that does not just name the relation.
    fn keeps(&self, step: Step, of: TypeId) -> bool {
        let Some(named) = &self.named else { return true };
        let relation = self.graph.vocabulary().relation(step.relation);
        let ends = relation.map_or(&[][..], |r| r.far_end(step.direction));
        let all = ends
            .iter()
            .any(|(class, n)| *class == Class::Type(of) && relation.is_some_and(|r| *n >= r.triples));
        all || named.iter().any(|(class, relations)| *class == of && !relations.contains(&step.relation))
    }

    /// A relation of the graph, by its name.
    pub fn exact(&self, relation: RelationId, direction: Direction) -> Relation {
        let name = self.graph.vocabulary().relation(relation).map(|r| r.name.clone()).unwrap_or_default();
        Relation::Exact { name, inverse: direction == Direction::Backward }
    }
}
