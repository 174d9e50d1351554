//! Steps that search: along a relation, in passages, by type.

use super::super::trace::{CandidateTrace, Fallback, LinkTrace, PassageTrace, RelationTrace};
use super::super::{Head, Part, Relation, SearchKg, Template};
use super::lexicon::{Ranked, Target, group_equal, matches_target};
use super::passages::{Passage, Passages, ask_model, extract_answers, item_of};
use super::sets::{Evidence, Item, Member, Origin, Set};
use super::{Executor, Step};
use crate::kg::{Direction, KnowledgeGraph, NodeId};
use crate::text::fold;

/// Maximum number of entities of one name that a mention starts from together.
const HOMONYMS: usize = 8;
/// Maximum number of candidates of a mention in a trace.
const CANDIDATES_SHOWN: usize = 8;

pub(super) struct Start {
    pub node: NodeId,
    pub score: f32,
    /// Item that later steps see as the head.
    pub item: Item,
}

impl Executor<'_> {
    pub(super) async fn search_kg(&self, search: &SearchKg, step: &mut Step<'_>) -> Set {
        let target = self.resolve_target(search.target.as_deref(), step);
        let starts = self.find_starts(&search.head, step);
        let mut members = Vec::new();
        if let Some(graph) = self.graph()
            && !starts.is_empty()
        {
            let keep = |node: NodeId| matches_target(graph, node, &target);
            members = self.follow_relation(
                graph,
                &search.relation,
                search.target.as_deref(),
                &target,
                &starts,
                &keep,
                step,
            );
        }
        if !members.is_empty() {
            return Set::new(members, step.inputs.iter().any(|s| s.open));
        }
        let relation = self.relation_words(&search.relation);
        let heads: Vec<(String, Option<Item>)> = match &search.head {
            Head::Mention(text) | Head::Entity(text) => vec![(text.clone(), None)],
            Head::Reference(name) => {
                let input = step.first_input();
                if input.members.is_empty() {
                    return step.note_missing(format!("{name} is empty, so there is nothing to start from"));
                }
                let graph = self.graph();
                input.ranked().into_iter().map(|m| (m.item.label(graph), Some(m.item.clone()))).collect()
            }
        };
        let questions: Vec<(String, Option<Item>)> =
            heads.into_iter().map(|(h, item)| (format!("{h} {relation}"), item)).collect();
        self.read_passages(questions, search.target.as_deref(), &target, step).await
    }

    /// Resolves the target's words in the graph.
    fn resolve_target(&self, target: Option<&str>, step: &mut Step<'_>) -> Target {
        let Some(lexicon) = &self.lexicon else { return Target::Unknown };
        let found = lexicon.target(target);
        if let (Target::Unknown, Some(text)) = (&found, target)
            && self.graph().is_some_and(|g| !g.vocabulary().types().is_empty())
        {
            step.trace
                .notes
                .push(format!("the graph has no type \"{text}\": results are not checked against it"));
        }
        found
    }

    fn relation_words(&self, relation: &Relation) -> String {
        match relation {
            Relation::Phrase(text) => text.clone(),
            Relation::Exact { name, .. } => {
                let label = |g: &KnowledgeGraph| {
                    Some(g.vocabulary().relation(g.vocabulary().relation_named(name)?)?.label.clone())
                };
                self.graph().and_then(label).unwrap_or_else(|| name.clone())
            }
        }
    }

    /// Returns the nodes that a step starts from, up to the limit.
    fn find_starts(&self, head: &Head, step: &mut Step<'_>) -> Vec<Start> {
        let Some(linker) = self.linker else { return Vec::new() };
        let graph = linker.graph();
        let start = |node: NodeId, score: f32| Start { node, score, item: Item::Node(node) };
        let mut starts = match head {
            Head::Mention(text) => {
                let found = linker.link(text, CANDIDATES_SHOWN.max(HOMONYMS));
                let best = found.first().map_or(0.0, |c| c.score);
                // Namesakes cannot be told apart yet: the step starts from all, and the relation decides.
                let chosen = |i: usize, score: f32| i < HOMONYMS && score >= best;
                let candidates = found.iter().enumerate().map(|(i, c)| CandidateTrace {
                    node: c.node,
                    label: graph.label(c.node).to_owned(),
                    score: c.score,
                    how: c.how,
                    chosen: chosen(i, c.score),
                });
                step.trace.links.push(LinkTrace { mention: text.clone(), candidates: candidates.collect() });
                if found.is_empty() {
                    step.trace.missing.push(format!("the graph knows nothing by the name \"{text}\""));
                }
                found
                    .iter()
                    .enumerate()
                    .filter(|(i, c)| chosen(*i, c.score))
                    .map(|(_, c)| start(c.node, c.score))
                    .collect()
            }
            Head::Entity(text) => {
                let found = linker.exact(text);
                if found.is_empty() {
                    step.trace.missing.push(format!("the graph has no entity <{text}>"));
                }
                found.into_iter().map(|n| start(n, 1.0)).collect()
            }
            Head::Reference(_) => {
                let input = step.first_input();
                let mut unlinked = 0;
                let mut starts: Vec<Start> = Vec::new();
                for m in input.ranked() {
                    match &m.item {
                        Item::Node(n) => starts.push(start(*n, m.score)),
                        other => match item_of(Some(linker), &other.label(Some(graph)), &Target::Any) {
                            Item::Node(n) => {
                                starts.push(Start { node: n, score: m.score * 0.9, item: other.clone() })
                            }
                            _ => unlinked += 1,
                        },
                    }
                }
                if unlinked > 0 {
                    step.trace.notes.push(format!(
                        "{unlinked} members are no entities of the graph and were not followed"
                    ));
                }
                starts
            }
        };
        let cap = step.run.limits.heads;
        if starts.len() > cap {
            step.trace.truncated.push(format!("the best {cap} of {} heads were followed", starts.len()));
            starts.truncate(cap);
        }
        starts
    }

    /// Follows the relation from these starts to members that `keep` accepts. For words, tries the best
    /// relations in order until one has a result.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn follow_relation(
        &self,
        graph: &KnowledgeGraph,
        relation: &Relation,
        target_words: Option<&str>,
        target: &Target,
        starts: &[Start],
        keep: &dyn Fn(NodeId) -> bool,
        step: &mut Step<'_>,
    ) -> Vec<Member> {
        let nodes: Vec<NodeId> = starts.iter().map(|s| s.node).collect();
        let ranked = self.rank_relations(graph, relation, target_words, target, &nodes, step);
        for group in group_equal(&ranked) {
            let members = follow_edges(graph, &ranked[group.clone()], starts, keep, step);
            if !members.is_empty() || matches!(relation, Relation::Exact { .. }) {
                step.note_relations(graph, &ranked, &group);
                return members;
            }
        }
        if let Relation::Phrase(phrase) = relation {
            step.note_relations(graph, &ranked, &(0..0));
            let what = target_words.map_or_else(String::new, |t| format!(" that leads to: {t}"));
            step.trace.missing.push(format!("the graph has no relation like \"{phrase}\" there{what}"));
        }
        Vec::new()
    }

    /// Returns the relations at these nodes that a plan's relation may be, best first; one for an exact name.
    fn rank_relations(
        &self,
        graph: &KnowledgeGraph,
        relation: &Relation,
        target_words: Option<&str>,
        target: &Target,
        nodes: &[NodeId],
        step: &mut Step<'_>,
    ) -> Vec<Ranked> {
        match relation {
            Relation::Exact { name, inverse } => {
                let Some(id) = graph.vocabulary().relation_named(name) else {
                    step.trace.missing.push(format!("the graph has no relation <{name}>"));
                    return Vec::new();
                };
                let direction = if *inverse { Direction::Backward } else { Direction::Forward };
                let edges = nodes.iter().map(|n| graph.follow(*n, id, direction).len()).sum();
                vec![Ranked { relation: id, direction, score: 1.0, edges }]
            }
            Relation::Phrase(phrase) => self.lexicon.as_ref().map_or_else(Vec::new, |lexicon| {
                lexicon.rank(graph, nodes, phrase, target_words, target, step.run.resources.similarity)
            }),
        }
    }

    /// Returns everything of a type with a relation, if either is given.
    pub(super) fn find_all(
        &self,
        target: Option<&str>,
        relation: Option<&Relation>,
        step: &mut Step<'_>,
    ) -> Set {
        let wanted = self.resolve_target(target, step);
        if let (Some(of), false) = (target, matches!(wanted, Target::Types(_))) {
            return step.note_missing(format!("the graph has no type \"{of}\""));
        }
        let Some(graph) = self.graph() else { return Set::default() };
        let mut nodes: Vec<NodeId> =
            (0..graph.entities() as u32).map(NodeId).filter(|&n| matches_target(graph, n, &wanted)).collect();
        if let Some(relation) = relation {
            let ranked = self.rank_relations(graph, relation, None, &Target::Any, &nodes, step);
            let group = group_equal(&ranked).into_iter().next().unwrap_or(0..0);
            step.note_relations(graph, &ranked, &group);
            let has = |n: &NodeId| {
                ranked[group.clone()].iter().any(|r| graph.follow(*n, r.relation, r.direction).len() > 0)
            };
            nodes.retain(has);
        }
        let members =
            nodes.into_iter().map(|n| Member { item: Item::Node(n), score: 1.0, origins: Vec::new() });
        Set::new(members.collect(), false)
    }

    /// Returns the things that a head names, regardless of later steps.
    pub(super) fn find_named(&self, head: &Head, step: &mut Step<'_>) -> Set {
        let starts = self.find_starts(head, step);
        Set::new(
            starts
                .into_iter()
                .map(|s| Member { item: s.item, score: s.score, origins: Vec::new() })
                .collect(),
            false,
        )
    }

    /// Answers a sub-question from passages, for each combination of the members that it refers to.
    pub(super) async fn search_passages(&self, query: &Template, step: &mut Step<'_>) -> Set {
        let graph = self.graph();
        let mut questions: Vec<(String, Option<Item>)> = vec![(String::new(), None)];
        let cap = step.run.limits.questions;
        let mut sets = step.inputs.clone().into_iter();
        let mut cut = false;
        for part in query.parts() {
            match part {
                Part::Text(text) => questions.iter_mut().for_each(|q| q.0.push_str(text)),
                Part::Reference(name) => {
                    let set = sets.next().unwrap_or_default();
                    if set.members.is_empty() {
                        return step.note_missing(format!("{name} is empty, so there is nothing to ask"));
                    }
                    let ranked = set.ranked();
                    let mut next = Vec::new();
                    for (text, head) in &questions {
                        for m in &ranked {
                            if next.len() == cap {
                                cut = true;
                                break;
                            }
                            let head = head.clone().or_else(|| Some(m.item.clone()));
                            next.push((format!("{text}{}", m.item.label(graph)), head));
                        }
                    }
                    questions = next;
                }
            }
        }
        if cut {
            step.trace.truncated.push(format!("only {cap} combinations were asked"));
        }
        let target = Target::Any;
        self.read_passages(questions, None, &target, step).await
    }

    /// Reads passages for questions, each with the head of its answers: the bundle's first, then the web's.
    async fn read_passages(
        &self,
        mut questions: Vec<(String, Option<Item>)>,
        words: Option<&str>,
        target: &Target,
        step: &mut Step<'_>,
    ) -> Set {
        let cap = step.run.limits.questions;
        if questions.len() > cap {
            step.trace
                .truncated
                .push(format!("passages were read for the best {cap} of {} heads", questions.len()));
            questions.truncate(cap);
        }
        let resources = step.run.resources;
        let mut members = Vec::new();
        for (source, is_web) in [(resources.passages, false), (resources.web, true)] {
            let Some(source) = source else { continue };
            for (question, head) in &questions {
                let found = self.read_one(source, question, words, target, step).await;
                let origin = |at: u32| Origin { head: head.clone(), evidence: Evidence::Passage(at) };
                members.extend(found.into_iter().map(|(item, score, at)| Member {
                    item,
                    score,
                    origins: vec![origin(at)],
                }));
            }
            if !members.is_empty() {
                step.trace.fallback = Some(match (is_web, resources.model.is_some()) {
                    (true, _) => Fallback::Web,
                    (false, true) => Fallback::Model,
                    (false, false) => Fallback::Extraction,
                });
                return Set::new(members, true);
            }
        }
        let asked: Vec<&str> = questions.iter().map(|q| q.0.as_str()).collect();
        let what = match (resources.passages.is_some(), resources.web.is_some()) {
            (false, false) => "no passages to search",
            (true, false) => "the passages do not say",
            _ => "neither the passages nor the web say",
        };
        step.trace.missing.push(format!("{what}: {}", asked.join("; ")));
        Set { members: Vec::new(), open: true }
    }

    /// Asks one source one question. Returns answers, their certainty, and the places of their passages.
    async fn read_one(
        &self,
        source: &dyn Passages,
        question: &str,
        words: Option<&str>,
        target: &Target,
        step: &mut Step<'_>,
    ) -> Vec<(Item, f32, u32)> {
        if step.run.is_cancelled() || !step.run.may_fetch() {
            return Vec::new();
        }
        let mut passages = match source.passages(question, step.run.limits.passages).await {
            Ok(passages) => passages,
            Err(e) => {
                step.trace.missing.push(format!("passages for \"{question}\": {e}"));
                return Vec::new();
            }
        };
        passages.truncate(step.run.limits.passages);
        let places: Vec<u32> = passages.iter().map(|p| step.note_passage(p)).collect();
        let place = |i: usize| places.get(i).copied().unwrap_or(0);
        if passages.is_empty() {
            return Vec::new();
        }
        if let Some(model) = step.run.resources.model
            && step.run.may_fetch()
        {
            match ask_model(model, question, words, &passages).await {
                Ok(answers) => {
                    return answers
                        .into_iter()
                        .map(|a| {
                            let folded = fold(&a);
                            let naming_passage = passages.iter().position(|p| {
                                fold(&p.text).contains(&folded) || fold(&p.title).contains(&folded)
                            });
                            // An answer in no passage is from the model's memory.
                            let score = if naming_passage.is_some() { 0.8 } else { 0.4 };
                            (item_of(self.linker, &a, target), score, place(naming_passage.unwrap_or(0)))
                        })
                        .collect();
                }
                Err(e) => step.trace.notes.push(format!(
                    "the model did not answer ({e}): answers were taken from the passages without it"
                )),
            }
        }
        extract_answers(self.linker, question, target, &passages)
            .into_iter()
            .map(|(item, score, i)| (item, score, place(i)))
            .collect()
    }
}

impl Step<'_> {
    fn note_relations(&mut self, graph: &KnowledgeGraph, ranked: &[Ranked], chosen: &std::ops::Range<usize>) {
        for (i, r) in ranked.iter().enumerate() {
            self.trace.relations.push(RelationTrace {
                relation: r.relation,
                label: graph.vocabulary().relation(r.relation).map_or_else(String::new, |r| r.label.clone()),
                direction: r.direction,
                score: r.score,
                edges: r.edges,
                chosen: chosen.contains(&i),
            });
        }
    }

    fn note_passage(&mut self, passage: &Passage) -> u32 {
        let at = self.run.add_passage(passage);
        if !self.trace.passages.iter().any(|p| p.passage == at) {
            let trace = PassageTrace {
                passage: at,
                chunk: passage.chunk,
                title: passage.title.clone(),
                url: passage.url.clone(),
            };
            self.trace.passages.push(trace);
        }
        at
    }
}

/// Follows relations from all starts. Each member has the heads and triples that it was reached by.
fn follow_edges(
    graph: &KnowledgeGraph,
    relations: &[Ranked],
    starts: &[Start],
    keep: &dyn Fn(NodeId) -> bool,
    step: &mut Step<'_>,
) -> Vec<Member> {
    let mut members = Vec::new();
    // Members may repeat until they are merged: a limit on the raw number bounds memory where hubs meet.
    let cap = step.run.limits.members.saturating_mul(8);
    for (i, start) in starts.iter().enumerate() {
        if members.len() >= cap || (i % 256 == 255 && !step.run.in_time()) {
            step.trace.truncated.push(format!("{i} of {} heads were followed", starts.len()));
            break;
        }
        for r in relations {
            for edge in graph.follow(start.node, r.relation, r.direction).filter(|e| keep(e.other)) {
                step.edges.push(edge.triple);
                members.push(Member {
                    item: Item::Node(edge.other),
                    score: start.score * r.score.min(1.0),
                    origins: vec![Origin {
                        head: Some(start.item.clone()),
                        evidence: Evidence::Triple(edge.triple),
                    }],
                });
            }
        }
    }
    members
}
