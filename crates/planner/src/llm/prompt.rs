//! The planner's prompts, in our words; the forms of the plans are the papers'.

use super::Form;
use crate::compact::sort_by;
use crate::kg::{Class, KnowledgeGraph, Linker, NodeId, Vocabulary};
use crate::plan::PlanError;
use crate::text::fold;
use pocketgraph_llm::Message;

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

const LINES: &str = "\
You turn a question into a plan: a short program that is carried out over a knowledge graph, and over documents where the graph has nothing. \
Each line is one step, Name=Function(...), and names a set; later steps build on earlier names. The last line is the answer.

SearchKG(t=type | h=head, r=relation)   what the relation leads to from the head, in either direction; h is a name from the question, or an earlier step
Search(q=question with {Ans1})          answers from documents, asked once for each member of Ans1
All(t=type)                             everything of a type
Intersect(Ans1, Ans2)                   what is in both
Union(Ans1, Ans2)                       what is in either
Negation(Ans1, Ans2)                    what is in the first and not in the second
Compare(Ans1, Ans2 | how=min, r=relation)   which one has the smaller value; how is min, max, less, greater or equal
Count(Ans1)                             how many
Filter(Ans1 | t=type)                   those of a type
Filter(Ans1 | r=relation, v > 1990)     those whose value compares so
Max(Ans1 | r=relation)                  those with the largest value; Min the smallest
Max(Ans1 | count=relation)              those with the most

Rules: one step a line, at most eight. Take heads from the question as they are written there. Use the graph's relations and types as listed below \
where they fit; t=* is any type. Begin from the names that the question gives, and never guess the answer. Write the plan alone.

Question: Who starred in the films that the director of Low Tide made?
Ans1=SearchKG(t=person | h=Low Tide, r=directed by)
Ans2=SearchKG(t=film | h=Ans1, r=directed by)
Ans3=SearchKG(t=person | h=Ans2, r=starring)

Question: Which rivers flow through Hallwil but not through Lenz?
Ans1=SearchKG(t=river | h=Hallwil, r=flows through)
Ans2=SearchKG(t=river | h=Lenz, r=flows through)
Ans3=Negation(Ans1, Ans2)

Question: Which is longer, the Aabach or the Rotbach?
Ans1=SearchKG(t=number | h=Aabach, r=length)
Ans2=SearchKG(t=number | h=Rotbach, r=length)
Ans3=Compare(Ans1, Ans2 | how=max)

Question: How many cities of Morland have more than 50,000 people?
Ans1=SearchKG(t=city | h=Morland, r=located in)
Ans2=Filter(Ans1 | r=population, v > 50000)
Ans3=Count(Ans2)
";

const CODE: &str = "\
You turn a question into a plan: code of one assignment a line, which a program carries out. A sub-question asks for one fact about one thing and is \
answered from documents; where it needs earlier answers it names them in braces. Sets of answers are combined by Intersection and Union, two at a \
time; Compare settles comparisons; Finish_The_Plan names the answer. Use at most three sub-questions if you can, never guess the answer, and write \
the code alone.

Original_Question: str = \"Where was the founder of the Lindqvist observatory born?\"
Sub_Question_1: str = f\"Who founded the Lindqvist observatory?\"
Info_1: str = Search(query = Sub_Question_1)
Ans_1: str = Get_Answer(query = Sub_Question_1, info = Info_1)
Sub_Question_2: str = f\"Where was {Ans_1} born?\"
Info_2: str = Search(query = Sub_Question_2)
Ans_2: str = Get_Answer(query = Sub_Question_2, info = Info_2)
Final_Answer: str = Finish_The_Plan(Answer = Ans_2)

Original_Question: str = \"Which river runs through both Hallwil and Lenz?\"
Sub_Question_1: str = f\"Which rivers run through Hallwil?\"
Info_1: str = Search(query = Sub_Question_1)
Ans_1: str = Get_Answer(query = Sub_Question_1, info = Info_1)
Sub_Question_2: str = f\"Which rivers run through Lenz?\"
Info_2: str = Search(query = Sub_Question_2)
Ans_2: str = Get_Answer(query = Sub_Question_2, info = Info_2)
Inter_Results1: str = Intersection(Answer1 = Ans_1, Answer2 = Ans_2)
Final_Answer: str = Finish_The_Plan(Answer = Inter_Results1)

Original_Question: str = \"Which is longer, the Aabach or the Rotbach?\"
Sub_Question_1: str = f\"How long is the Aabach?\"
Info_1: str = Search(query = Sub_Question_1)
Ans_1: str = Get_Answer(query = Sub_Question_1, info = Info_1)
Sub_Question_2: str = f\"How long is the Rotbach?\"
Info_2: str = Search(query = Sub_Question_2)
Ans_2: str = Get_Answer(query = Sub_Question_2, info = Info_2)
Ans_3: str = Compare(Original_Query = Original_Question, Subquestions = [Sub_Question_1, Sub_Question_2], Answers = [Ans_1, Ans_2])
Final_Answer: str = Finish_The_Plan(Answer = Ans_3)
";

/// What a model is asked.
pub fn ask(question: &str, form: Form, linker: Option<&Linker>) -> Vec<Message> {
    let task = match form {
        Form::Lines => LINES,
        Form::Code => CODE,
    };
    let mut user = String::new();
    if let (Form::Lines, Some(linker)) = (form, linker) {
        user.push_str(&words_of(linker, question));
    }
    user.push_str(&match form {
        Form::Lines => format!("Question: {}\n", line(question)),
        Form::Code => format!("Original_Question: str = \"{}\"\n", line(question).replace(['"', '\\'], "'")),
    });
    vec![Message::system(task), Message::user(user)]
}

/// What is wrong with a plan, and the wish for a better one.
pub fn repair(errors: &[PlanError]) -> String {
    let errors: String = errors.iter().take(FAULTS).map(|e| format!("- {}\n", line(&e.to_string()))).collect();
    format!("This plan cannot be carried out:\n{errors}Write the whole plan again, mended, and nothing else.\n")
}

/// A reply as it is shown to its writer.
pub fn shown(reply: &str) -> String {
    let cut: String = reply.chars().take(REPLY).collect();
    // Some endpoints refuse an empty message.
    if cut.trim().is_empty() { "(nothing)".to_owned() } else { cut }
}

/// A text as one line without characters that are not seen.
pub fn line(text: &str) -> String {
    let seen: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A name of the graph: data, and so one short line that cannot pass for a part of the prompt.
fn name(text: &str) -> String {
    line(text)
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
    let mut types: Vec<(u32, String)> = vocabulary.types().iter().map(|t| (t.entities, name(&t.label))).collect();
    sort_by(&mut types, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    types.truncate(TYPES);
    if !types.is_empty() {
        let all: Vec<&str> = types.iter().map(|t| t.1.as_str()).collect();
        out.push_str(&format!("The graph's types: {}.\n", all.join("; ")));
    }
    let mentions = linker.mentions(question);
    let nodes: Vec<NodeId> = mentions.iter().filter_map(|m| m.candidates.first()).map(|c| c.node).take(MENTIONS).collect();
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

/// The relations, those with words of the question first, then those at the entities that it names, then the frequent ones.
fn relations(graph: &KnowledgeGraph, nodes: &[NodeId], question: &str) -> Vec<String> {
    use crate::kg::Direction::{Backward, Forward};
    let vocabulary = graph.vocabulary();
    let asked: Vec<String> = crate::text::terms(&fold(question)).into_iter().map(|(t, _)| t).collect();
    let near: Vec<u32> =
        nodes.iter().flat_map(|&n| [Forward, Backward].map(|d| graph.relations_at(n, d))).flatten().map(|(r, _)| r.0).collect();
    let mut all: Vec<(bool, bool, u32, usize)> = Vec::new();
    for (at, relation) in vocabulary.relations().iter().enumerate() {
        let names = std::iter::once(&relation.label).chain(&relation.aliases);
        let spoken = names.flat_map(|n| crate::text::terms(n)).any(|(t, _)| asked.contains(&t));
        all.push((spoken, near.contains(&(at as u32)), relation.triples, at));
    }
    sort_by(&mut all, |a, b| (b.0, b.1, b.2).cmp(&(a.0, a.1, a.2)).then(a.3.cmp(&b.3)));
    let told = |&(_, _, _, at): &(bool, bool, u32, usize)| {
        let relation = vocabulary.relations().get(at)?;
        let class = |of: &[(Class, u32)]| of.first().map_or_else(|| "anything".to_owned(), |(c, _)| class_name(vocabulary, *c));
        Some(format!("{}: {} to {}", name(&relation.label), class(&relation.domain), class(&relation.range)))
    };
    all.iter().take(RELATIONS).filter_map(told).collect()
}

fn class_name(vocabulary: &Vocabulary, class: Class) -> String {
    match class {
        Class::Untyped => "anything".to_owned(),
        Class::Literal(kind) => format!("{kind:?}").to_lowercase(),
        Class::Type(t) => vocabulary.entity_type(t).map_or_else(|| "anything".to_owned(), |t| name(&t.label)),
    }
}

fn entity(graph: &KnowledgeGraph, node: NodeId) -> String {
    let types: Vec<String> =
        graph.types(node).iter().take(2).filter_map(|&t| graph.vocabulary().entity_type(t)).map(|t| name(&t.label)).collect();
    let label = name(graph.label(node));
    if types.is_empty() { label } else { format!("{label}, a {}", types.join(" and ")) }
}
