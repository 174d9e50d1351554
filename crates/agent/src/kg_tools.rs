//! A knowledge graph as protocols ask it: by words, in either direction, best first.

use super::environment::{EnvironmentError, Evidence, Fact, GraphTools, Looked, PlanStep};
use crate::answer::CitationTarget;
use crate::compact::{Set, sort_by};
use crate::embed::QuestionEncoder;
use crate::kg::{Direction, Edge, KnowledgeGraph, Linker, NodeId, Provenance, RelationId, TripleId};
use crate::plan::Plan;
use crate::plan::execute::{Executor, Limits, Passage, Resources};
use crate::plan::trace::{EdgeTrace, StepTrace};
use crate::text::{fold, terms};
use futures::future::{FutureExt, LocalBoxFuture, ready};
use std::rc::Rc;

/// Mentions of a query that are followed.
const MENTIONS: usize = 4;
/// Relations of one entity that are compared by meaning.
const MEANT: usize = 100;
/// Edges of one relation that a query looks at.
const EDGES: usize = 50;

/// Answers from a graph and its linker.
pub struct KgTools {
    linker: Rc<Linker>,
    meanings: Option<Rc<dyn Meanings>>,
}

/// Vectors of phrases, by which those of one meaning are found.
pub trait Meanings {
    /// The unit vectors of some phrases, in their order; `None` where they cannot be had.
    fn vectors<'a>(&'a self, phrases: &'a [&'a str]) -> LocalBoxFuture<'a, Option<Vec<Rc<[f32]>>>>;
}

impl Meanings for QuestionEncoder {
    fn vectors<'a>(&'a self, phrases: &'a [&'a str]) -> LocalBoxFuture<'a, Option<Vec<Rc<[f32]>>>> {
        async move { self.encode_names(phrases).await.ok().filter(|v| v.len() == phrases.len()) }
            .boxed_local()
    }
}

impl KgTools {
    /// Over a graph and all its names.
    pub fn new(linker: Rc<Linker>) -> KgTools {
        KgTools { linker, meanings: None }
    }

    /// The same with a model of meanings, by which relations in other words than the asked ones are found
    /// too.
    pub fn by_meaning(self, meanings: Option<Rc<dyn Meanings>>) -> KgTools {
        KgTools { meanings, ..self }
    }

    /// Ranks labels of relations by their fit in words and by their nearness in meaning to the query's words.
    async fn nearest(&self, asked: &str, mut labels: Vec<(f32, String)>) -> Vec<String> {
        let spaced = |label: &str| label.replace(['_', '.', '/'], " ");
        let shown: Vec<String> = labels.iter().take(MEANT).map(|(_, label)| spaced(label)).collect();
        let phrases: Vec<&str> = std::iter::once(asked).chain(shown.iter().map(String::as_str)).collect();
        let vectors = match &self.meanings {
            Some(meanings) if !asked.is_empty() => meanings.vectors(&phrases).await,
            _ => None,
        };
        if let Some((own, others)) = vectors.as_deref().and_then(<[_]>::split_first) {
            for ((fit, _), other) in labels.iter_mut().zip(others) {
                *fit += own.iter().zip(other.iter()).map(|(a, b)| a * b).sum::<f32>();
            }
            let within = labels.len().min(MEANT);
            sort_by(&mut labels[..within], |a, b| b.0.total_cmp(&a.0));
        }
        labels.into_iter().map(|(_, label)| label).collect()
    }

    fn graph(&self) -> &KnowledgeGraph {
        self.linker.graph()
    }

    fn entity(&self, name: &str) -> Option<NodeId> {
        self.linker.link(name, 1).first().map(|c| c.node)
    }

    fn label(&self, relation: RelationId) -> &str {
        self.graph()
            .vocabulary()
            .relation(relation)
            .map_or("", |r| if r.label.is_empty() { &r.name } else { &r.label })
    }

    /// Returns how well a relation fits some words: their share in its names; more than 1 for a name of just
    /// these words.
    fn fit(&self, relation: RelationId, wanted: &str, words: &Set<String>) -> f32 {
        let Some(r) = self.graph().vocabulary().relation(relation) else { return 0.0 };
        let names = || [&r.label, &r.name].into_iter().chain(&r.aliases);
        if names().any(|n| fold(n) == wanted) {
            return 2.0;
        }
        let held: Set<String> =
            names().flat_map(|n| words_of(&n.replace(['_', '.', '/'], " ")).into_items()).collect();
        if words.items().is_empty() { 0.0 } else { words.shared(&held) as f32 / words.items().len() as f32 }
    }

    /// Returns the relations at a node: best fit first, then those with more edges, then in the order of the
    /// graph.
    fn ranked(&self, node: NodeId, wanted: &str) -> Vec<(f32, RelationId, Direction)> {
        let (folded, words) = (fold(wanted.trim()), words_of(wanted));
        let mut all: Vec<(f32, u32, RelationId, Direction)> = Vec::new();
        for direction in [Direction::Forward, Direction::Backward] {
            for (relation, n) in self.graph().relations_at(node, direction) {
                all.push((self.fit(relation, &folded, &words), n, relation, direction));
            }
        }
        sort_by(&mut all, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        all.into_iter().map(|(fit, _, relation, direction)| (fit, relation, direction)).collect()
    }

    fn fact(&self, node: NodeId, edge: Edge, direction: Direction, score: f32) -> Fact {
        let graph = self.graph();
        let (head, tail) =
            if direction == Direction::Forward { (node, edge.other) } else { (edge.other, node) };
        let chunk = self.chunk(edge.triple);
        Fact {
            head: graph.label(head).to_owned(),
            relation: self.label(edge.relation).to_owned(),
            tail: graph.label(tail).to_owned(),
            triple: Some(edge.triple.0),
            chunk,
            from: imported_from(graph, edge.triple),
            score,
        }
    }

    fn chunk(&self, triple: TripleId) -> Option<u32> {
        chunk_of(self.graph(), triple)
    }

    /// An edge that a plan followed.
    fn shown(&self, edge: &EdgeTrace) -> Fact {
        let (head, tail) = (edge.head_label.clone(), edge.tail_label.clone());
        Fact {
            head,
            relation: edge.relation.clone(),
            tail,
            triple: Some(edge.triple.0),
            chunk: self.chunk(edge.triple),
            from: imported_from(self.graph(), edge.triple),
            score: 1.0,
        }
    }

    fn near(&self, query: &str, k: usize) -> Vec<Fact> {
        let words = words_of(query);
        let mut facts: Vec<Fact> = Vec::new();
        for mention in self.linker.mentions(query).iter().take(MENTIONS) {
            let Some(best) = mention.candidates.first() else { continue };
            for (fit, relation, direction) in self.ranked(best.node, query) {
                for edge in self.graph().follow(best.node, relation, direction).take(EDGES) {
                    let other = words_of(self.graph().label(edge.other));
                    let shared = other.shared(&words) as f32 / other.items().len().max(1) as f32;
                    let fact = self.fact(best.node, edge, direction, best.score * (fit + shared));
                    // Two mentions may lead to one edge.
                    if !facts
                        .iter()
                        .any(|f| (&f.head, &f.relation, &f.tail) == (&fact.head, &fact.relation, &fact.tail))
                    {
                        facts.push(fact);
                    }
                }
                if facts.len() > 20 * k {
                    break;
                }
            }
        }
        sort_by(&mut facts, |a, b| b.score.total_cmp(&a.score));
        facts.truncate(k);
        facts
    }
}

/// The chunk that says a triple, where the graph knows one.
pub(super) fn chunk_of(graph: &KnowledgeGraph, triple: TripleId) -> Option<u32> {
    graph
        .provenance(triple)
        .find_map(|p| if let Provenance::Passage { chunk, .. } = p { Some(chunk) } else { None })
}

/// Names the source of an imported triple; empty without one.
pub(super) fn imported_from(graph: &KnowledgeGraph, triple: TripleId) -> String {
    let source = graph.provenance(triple).find_map(|p| match p {
        Provenance::Line { file, line: 0 } => Some(file.to_owned()),
        Provenance::Line { file, line } => Some(format!("{file}, line {line}")),
        Provenance::Cited(text) => Some(text.to_owned()),
        _ => None,
    });
    source.unwrap_or_default()
}

fn words_of(text: &str) -> Set<String> {
    terms(text).into_iter().map(|(t, _)| t).collect()
}

impl GraphTools for KgTools {
    fn facts<'a>(&'a self, query: &'a str, k: usize) -> Looked<'a, Fact> {
        ready(Ok(self.near(query, k))).boxed_local()
    }

    fn relations<'a>(&'a self, entity: &'a str, relation: &'a str, k: usize) -> Looked<'a, String> {
        async move {
            let mut labels: Vec<(f32, String)> = Vec::new();
            if let Some(node) = self.entity(entity) {
                for (fit, relation, _) in self.ranked(node, relation) {
                    let label = self.label(relation);
                    if !labels.iter().any(|(_, known)| known == label) {
                        labels.push((fit, label.to_owned()));
                    }
                }
            }
            let mut out = self.nearest(relation.trim(), labels).await;
            out.truncate(k);
            Ok::<_, EnvironmentError>(out)
        }
        .boxed_local()
    }

    fn neighbors<'a>(&'a self, entity: &'a str, relation: &'a str, k: usize) -> Looked<'a, Fact> {
        let mut out = Vec::new();
        if let Some(node) = self.entity(entity) {
            let ranked = self.ranked(node, relation);
            // A relation may lead both ways; one that fits less well than the best is another relation.
            let best = ranked.first().map_or(0.0, |r| r.0);
            for (fit, relation, direction) in ranked.into_iter().filter(|r| r.0 > 0.0 && r.0 >= best) {
                let edges = self.graph().follow(node, relation, direction).take(k.saturating_sub(out.len()));
                out.extend(edges.map(|edge| self.fact(node, edge, direction, fit)));
            }
        }
        ready(Ok(out)).boxed_local()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn demonstrations(&self, question: &str, wanted: usize) -> Vec<(String, String)> {
        use crate::plan::lpkg::{print, write_sub_questions};
        let code = |(question, plan): (String, Plan)| {
            let written = write_sub_questions(&plan, &question).and_then(|plan| print(&plan).ok())?;
            Some((question, written))
        };
        crate::planner::demonstrations(&self.linker, question, wanted).into_iter().filter_map(code).collect()
    }

    fn execute<'a>(
        &'a self,
        plan: &'a Plan,
        resources: Resources<'a>,
        limits: Limits,
    ) -> LocalBoxFuture<'a, Option<Vec<PlanStep>>> {
        async move {
            let execution = Executor::new(Some(&self.linker)).execute(plan, resources, limits).await.ok()?;
            let step = |s: &StepTrace| PlanStep {
                name: s.name.clone(),
                says: s.line.clone(),
                members: s.members.iter().map(|m| m.label.clone()).collect(),
                size: s.size,
                facts: s.edges.iter().map(|e| self.shown(e)).collect(),
                passages: s
                    .passages
                    .iter()
                    .filter_map(|p| execution.passages.get(p.passage as usize))
                    .map(make_evidence)
                    .collect(),
                notes: s.truncated.iter().chain(&s.notes).chain(&s.missing).cloned().collect(),
                trace: Some(s.clone()),
            };
            Some(execution.trace.steps.iter().map(step).collect())
        }
        .boxed_local()
    }
}

/// A passage that a plan read.
fn make_evidence(passage: &Passage) -> Evidence {
    let Passage { chunk, title, url, text } = passage.clone();
    let target = chunk.map_or(CitationTarget::Web, |chunk| CitationTarget::Chunk { chunk });
    Evidence { target, title, url, text, score: 0.0, by_keyword: false }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tools() -> KgTools {
        KgTools::new(Rc::new(Linker::new(&pocketgraph_testing::films::example())))
    }

    fn now<T>(work: Looked<'_, T>) -> Vec<T> {
        work.now_or_never().unwrap().unwrap()
    }

    fn lines(facts: Vec<Fact>) -> Vec<String> {
        facts.into_iter().map(|f| format!("{} / {} / {}", f.head, f.relation, f.tail)).collect()
    }

    #[test]
    fn the_relation_that_was_meant_comes_first() {
        let tools = tools();
        assert_eq!(now(tools.relations("Heat", "who directed it", 15))[0], "directed by");
        assert_eq!(now(tools.relations("heat", "release year", 1)), ["release year"]);
        assert!(now(tools.relations("Nobody at all", "directed by", 15)).is_empty());
    }

    /// Phrases that tell the work of a director are one meaning, all others another.
    struct Directing;

    impl Meanings for Directing {
        fn vectors<'a>(&'a self, phrases: &'a [&'a str]) -> LocalBoxFuture<'a, Option<Vec<Rc<[f32]>>>> {
            let vector = |p: &&str| {
                if p.contains("direct") || p.contains("camera") {
                    Rc::from([1.0, 0.0])
                } else {
                    Rc::from([0.0, 1.0])
                }
            };
            ready(Some(phrases.iter().map(vector).collect())).boxed_local()
        }
    }

    #[test]
    fn a_relation_in_other_words_is_found_by_its_meaning_and_its_own_words_still_win() {
        let asked = "behind the camera";
        assert_ne!(now(tools().relations("Heat", asked, 1)), ["directed by"], "no word of it is asked for");
        let tools = tools().by_meaning(Some(Rc::new(Directing)));
        assert_eq!(now(tools.relations("Heat", asked, 1)), ["directed by"]);
        assert_eq!(now(tools.relations("heat", "release year", 1)), ["release year"]);
    }

    #[test]
    fn neighbours_are_found_in_both_directions() {
        let tools = tools();
        assert_eq!(
            lines(now(tools.neighbors("Heat", "starred actors", 50))),
            ["Heat / starred actors / Al Pacino", "Heat / starred actors / Val Kilmer"]
        );
        assert_eq!(
            lines(now(tools.neighbors("Michael Kenneth Mann", "directed by", 50))),
            ["Heat / directed by / Michael Mann", "Ali / directed by / Michael Mann"]
        );
        assert!(now(tools.neighbors("Heat", "wrote", 50)).is_empty());
        assert_eq!(now(tools.neighbors("Heat", "starred actors", 1)).len(), 1);
    }

    #[test]
    fn statements_are_ranked_by_the_words_of_the_query() {
        let tools = tools();
        assert_eq!(lines(now(tools.facts("Who directed Heat?", 1))), ["Heat / directed by / Michael Mann"]);
        assert_eq!(
            lines(now(tools.facts("Was Val Kilmer in Heat?", 1))),
            ["Heat / starred actors / Val Kilmer"]
        );
        assert!(now(tools.facts("nothing is named here", 5)).is_empty());
    }

    #[test]
    fn a_plan_is_carried_out_with_its_edges() {
        let tools = tools();
        let plan = crate::plan::rft::parse(
            "Ans1=SearchKG(t=* | h=Heat, r=directed by)",
            &crate::plan::check::Limits::default(),
        )
        .unwrap()
        .plan;
        let steps =
            tools.execute(&plan, Resources::default(), Limits::default()).now_or_never().unwrap().unwrap();
        assert_eq!(
            (steps.len(), steps[0].members.as_slice(), steps[0].size),
            (1, ["Michael Mann".to_owned()].as_slice(), 1)
        );
        assert_eq!(lines(steps[0].facts.clone()), ["Heat / directed by / Michael Mann"]);
    }
}
