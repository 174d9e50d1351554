//! The planner's prompts, in our words; the forms of the plans are the papers'.

use crate::compact::sort_by;
use crate::kg::{Class, KnowledgeGraph, Linker, NodeId, Vocabulary};
use crate::plan::{Plan, PlanError, rft};
use crate::text::{fold, one_line};
use pocketgraph_llm::{Message, Prompts, Text};

/// Relations that a model is told, at most.
const RELATIONS: usize = 60;
/// Types that a model is told, at most.
const TYPES: usize = 40;
/// Mentions that a model is told, at most.
const MENTIONS: usize = 8;
/// Characters of a name.
const NAME: usize = 60;
/// Characters of its own reply that a model is shown again.
const REPLY: usize = 4_000;
/// Faults that a model is told.
const FAULTS: usize = 5;

/// The task of writing plan lines.
pub const LINES: Text = Text::new("plan.lines", include_str!("prompts/plan.lines.txt"), &[], &[]);
/// Text that lists the faults of a plan and asks for a better one.
pub const REPAIR: Text = Text::new("plan.repair", include_str!("prompts/plan.repair.txt"), &["faults"], &[]);

/// Returns the messages that ask a model for a plan, with demonstrations.
pub fn ask(
    question: &str,
    linker: Option<&Linker>,
    prompts: &Prompts,
    shown: &[(String, Plan)],
) -> Vec<Message> {
    let mut user = linker.map(|linker| words_of(linker, question)).unwrap_or_default();
    for (question, plan) in shown {
        let plan = rft::print(&plan.clone().with_phrases()).unwrap_or_default();
        user.push_str(&format!("Question: {question}\n{plan}\n"));
    }
    user.push_str(&format!("Question: {}\n", join_lines(question)));
    vec![Message::system(prompts.fill(&LINES, &[])), Message::user(user)]
}

/// Returns the text that lists the faults of a plan and asks for a better one.
pub fn repair(errors: &[PlanError], prompts: &Prompts) -> String {
    let errors: String =
        errors.iter().take(FAULTS).map(|e| format!("- {}\n", join_lines(&e.to_string()))).collect();
    prompts.fill(&REPAIR, &[("faults", &errors)])
}

/// A reply as it is shown to its writer.
pub fn show_reply(reply: &str) -> String {
    let cut: String = reply.chars().take(REPLY).collect();
    // Some endpoints refuse an empty message.
    if cut.trim().is_empty() { "(nothing)".to_owned() } else { cut }
}

/// A text as one line without characters that are not seen.
pub fn join_lines(text: &str) -> String {
    let seen: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one_line(&seen)
}

/// A name of the graph: data, and so one short line that cannot pass for a part of the prompt.
pub fn show_name(text: &str) -> String {
    join_lines(text)
        .replace(['<', '>', '|', '(', ')', '=', '"', ';'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .take(NAME)
        .collect()
}

/// The graph's types and relations, and what the question names of it.
fn words_of(linker: &Linker, question: &str) -> String {
    let graph = linker.graph();
    let vocabulary = graph.vocabulary();
    let mut out = String::new();
    let mut types: Vec<(u32, String)> =
        vocabulary.types().iter().map(|t| (t.entities, show_name(&t.label))).collect();
    sort_by(&mut types, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    types.truncate(TYPES);
    if !types.is_empty() {
        let all: Vec<&str> = types.iter().map(|t| t.1.as_str()).collect();
        out.push_str(&format!("The graph's types: {}.\n", all.join("; ")));
    }
    let mentions = linker.mentions(question);
    let nodes: Vec<NodeId> =
        mentions.iter().filter_map(|m| m.candidates.first()).map(|c| c.node).take(MENTIONS).collect();
    let relations = relations(graph, &nodes, question);
    if !relations.is_empty() {
        out.push_str(&format!("Its relations, with what they lead from and to: {}.\n", relations.join("; ")));
    }
    let named: Vec<String> = nodes.iter().map(|&n| entity(graph, n)).collect();
    if !named.is_empty() {
        out.push_str(&format!("The question names: {}.\n", named.join("; ")));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// The places of the relations, those with words of the question first, then those at the entities that it
/// names, then the frequent ones.
pub fn rank_relations(graph: &KnowledgeGraph, nodes: &[NodeId], question: &str) -> Vec<usize> {
    use crate::kg::Direction::{Backward, Forward};
    let asked: Vec<String> = crate::text::terms(&fold(question)).into_iter().map(|(t, _)| t).collect();
    let near: Vec<u32> = nodes
        .iter()
        .flat_map(|&n| [Forward, Backward].map(|d| graph.relations_at(n, d)))
        .flatten()
        .map(|(r, _)| r.0)
        .collect();
    let mut all: Vec<(bool, bool, u32, usize)> = Vec::new();
    for (at, relation) in graph.vocabulary().relations().iter().enumerate() {
        let names = std::iter::once(&relation.label).chain(&relation.aliases);
        let spoken = names.flat_map(|n| crate::text::terms(n)).any(|(t, _)| asked.contains(&t));
        all.push((spoken, near.contains(&(at as u32)), relation.triples, at));
    }
    sort_by(&mut all, |a, b| (b.0, b.1, b.2).cmp(&(a.0, a.1, a.2)).then(a.3.cmp(&b.3)));
    all.truncate(RELATIONS);
    all.into_iter().map(|(_, _, _, at)| at).collect()
}

/// The relations that matter most to a question, with what they lead from and to.
fn relations(graph: &KnowledgeGraph, nodes: &[NodeId], question: &str) -> Vec<String> {
    let vocabulary = graph.vocabulary();
    let described = |at: usize| {
        let relation = vocabulary.relations().get(at)?;
        let class = |of: &[(Class, u32)]| {
            of.first().map_or_else(|| "anything".to_owned(), |(c, _)| class_name(vocabulary, *c))
        };
        Some(format!(
            "{}: {} to {}",
            show_name(&relation.label),
            class(&relation.domain),
            class(&relation.range)
        ))
    };
    rank_relations(graph, nodes, question).into_iter().filter_map(described).collect()
}

fn class_name(vocabulary: &Vocabulary, class: Class) -> String {
    match class {
        Class::Untyped => "anything".to_owned(),
        Class::Literal(kind) => format!("{kind:?}").to_ascii_lowercase(),
        Class::Type(t) => {
            vocabulary.entity_type(t).map_or_else(|| "anything".to_owned(), |t| show_name(&t.label))
        }
    }
}

fn entity(graph: &KnowledgeGraph, node: NodeId) -> String {
    let types: Vec<String> = graph
        .types(node)
        .iter()
        .take(2)
        .filter_map(|&t| graph.vocabulary().entity_type(t))
        .map(|t| show_name(&t.label))
        .collect();
    let label = show_name(graph.label(node));
    if types.is_empty() { label } else { format!("{label}, a {}", types.join(" and ")) }
}
