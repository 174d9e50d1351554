//! Trajectories to tune a language model into Graph-RFT (arXiv 2510.20691, its first stage): dialogues of the
//! protocol `graph-rft` itself with a model that follows an example's plan, as far as the protocol shows what
//! the plan finds.

use super::pairs::{explain_plan, names_in};
use futures::executor::block_on;
use futures::future::{FutureExt, ready};
use futures::stream::{self, StreamExt};
use pocketgraph::agent::{
    self, AgentOptions, Environment, GraphTools, KgTools, Looked, Services, by_name, tags,
};
use pocketgraph::kg::Linker;
use pocketgraph::llm::{ChatModel, ChatRequest, Delta, Finish, Message, OpenedStream};
use pocketgraph::plan::execute::{Executor, Limits, Member, Resources};
use pocketgraph::plan::{Head, Operation, Plan, lpkg, rft};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Writer of trajectories over one graph, without documents.
pub struct Trajectories {
    linker: Rc<Linker>,
    tools: KgTools,
    options: AgentOptions,
}

impl Environment for Trajectories {
    fn search<'a>(&'a self, _: &'a str, _: usize) -> Looked<'a, agent::Evidence> {
        ready(Ok(Vec::new())).boxed_local()
    }

    fn graph(&self) -> Option<&dyn GraphTools> {
        Some(&self.tools)
    }
}

impl Trajectories {
    /// Asks over `linker` with the options of `ask`.
    pub fn new(linker: Rc<Linker>, options: AgentOptions) -> Trajectories {
        Trajectories { tools: KgTools::new(linker.clone()), linker, options }
    }

    /// Returns the dialogue about an example of `train data`; `None` if the protocol cannot say its plan, or
    /// does not show all that the plan finds when it is executed, or the dialogue does not end in just that.
    pub fn write_dialogue(&self, example: &Value) -> Option<Value> {
        let (model, protocol) = (Follower::new(example, &self.linker)?, by_name("graph-rft")?);
        let count = |text: &str| text.len() / 4;
        let services = Services { chat: &model, environment: self, clock: &|| 0.0, count_tokens: &count };
        let question = example["question"].as_str()?;
        let outcome =
            block_on(agent::run_protocol(protocol.as_ref(), question, &self.options, &services, &mut |_| {}))
                .ok()?;
        let state = model.state.into_inner();
        let message = |m: &Message| json!({"role": m.role.name(), "content": m.content});
        let messages: Vec<Value> = state.messages.iter().map(message).collect();
        let is_whole = outcome.forced.is_none() && state.answer.as_ref() == Some(&outcome.text);
        is_whole.then(|| json!({"id": example["id"], "pattern": example["pattern"], "messages": messages}))
    }
}

/// A model that follows a plan.
struct Follower {
    /// The plan with the graph's words for relations, and the same with the question's.
    plan: Plan,
    asked: Plan,
    /// Labels of what each step finds.
    executed: Vec<BTreeSet<String>>,
    state: RefCell<State>,
}

/// Progress of a dialogue.
#[derive(Default)]
struct State {
    messages: Vec<Message>,
    /// Step under way, the heads that it has still to ask for, and true once its relation was listed.
    at: usize,
    left: Vec<String>,
    is_listed: bool,
    /// Things that the step's replies have shown, and the marks that cite each of all things.
    seen: BTreeSet<String>,
    shown: BTreeMap<String, BTreeSet<String>>,
    answer: Option<String>,
}

impl Follower {
    /// Prepares to follow a plan; `None` if it has other functions than the protocol, or finds something
    /// else.
    fn new(example: &Value, linker: &Linker) -> Option<Follower> {
        let own = names_in(example, example["question"].as_str()?, "relation");
        let ((exact, plan), (_, asked)) =
            (explain_plan(example, &BTreeMap::new())?, explain_plan(example, &own)?);
        let executor = Executor::new(Some(linker));
        let found = block_on(executor.execute(&exact, Resources::default(), Limits::default())).ok()?;
        let label = |m: &Member| m.item.label(Some(linker.graph()));
        let is_known = |o: &Operation| ["search_kg", "intersect", "union", "negation"].contains(&o.name());
        let is_right = example["count"].as_u64() == Some(found.answer().members.len() as u64);
        (is_right && plan.statements.iter().all(|s| is_known(&s.operation))).then(|| Follower {
            executed: found.sets.iter().map(|set| set.members.iter().map(label).collect()).collect(),
            asked: Plan { question: None, ..asked.with_phrases() },
            plan,
            state: RefCell::default(),
        })
    }

    /// Returns the next reply; `None` where the plan cannot be followed.
    fn next_turn(&self, reply: &str, state: &mut State) -> Option<String> {
        let mut thought = String::new();
        let opening = if state.messages.is_empty() { self.open_dialogue()? } else { String::new() };
        if !state.messages.is_empty() {
            self.read_reply(reply, state, &mut thought)?;
        }
        while let Some(statement) = self.plan.statements.get(state.at) {
            let asked = &self.asked.statements[state.at].operation;
            let (Operation::SearchKg(step), Operation::SearchKg(asked)) = (&statement.operation, asked)
            else {
                thought.push_str(&self.say_found(state.at));
                state.at += 1;
                continue;
            };
            if state.left.is_empty() {
                state.left = match &step.head {
                    Head::Reference(of) => {
                        let at = self.plan.statements.iter().position(|s| s.name == *of)?;
                        self.executed[at].iter().rev().cloned().collect()
                    }
                    Head::Mention(words) | Head::Entity(words) => vec![words.clone()],
                };
            }
            let (tag, step) =
                if state.is_listed { ("neighbor_search", step) } else { ("relation_search", asked) };
            let (head, relation) = (state.left.last()?, step.relation.words());
            return Some(format!("{opening}{}<{tag}> {head}, {relation} </{tag}>", write_thought(&thought)));
        }
        let cited = |name: &String| {
            let marks: String = state.shown.get(name).into_iter().flatten().map(String::as_str).collect();
            format!("{name} {marks}").trim_end().to_owned()
        };
        let answer = self.executed.last()?.iter().map(cited).collect::<Vec<_>>().join(", ");
        state.answer = Some(answer.clone());
        Some(format!("{}<answer> {answer} </answer>", write_thought(&thought)))
    }

    /// Writes the thought about all sub-problems, and the plan.
    fn open_dialogue(&self) -> Option<String> {
        let mut thought = String::new();
        for statement in &self.plan.statements {
            let Operation::SearchKg(step) = &statement.operation else { continue };
            let (name, question) = (&statement.name, lpkg::ask_step(step, &|name| Some(name.to_owned()))?);
            thought.push_str(&format!("{name}: {question} {}\n", lpkg::explain_step(&self.plan, name)));
        }
        Some(format!("{}<plan>\n{}</plan>\n", write_thought(&thought), rft::print(&self.asked).ok()?))
    }

    /// Reads the reply to the call under way; `None` if it does not show the relation, or all that the step
    /// finds.
    fn read_reply(&self, reply: &str, state: &mut State, thought: &mut String) -> Option<()> {
        let Operation::SearchKg(step) = &self.plan.statements.get(state.at)?.operation else { return None };
        if !state.is_listed {
            let (listed, label) =
                (tags::find_first_tag(reply, &["relation_information"])?.inside, step.relation.words());
            state.is_listed = listed.lines().any(|line| line == label);
            thought.push_str(&format!("The relation {label} fits.\n"));
            return state.is_listed.then_some(());
        }
        let lines = tags::find_first_tag(reply, &["neighbor_information"])?.inside;
        for name in &self.executed[state.at] {
            let (as_head, as_tail) = (format!("({name}, "), format!(", {name})"));
            for line in lines.lines().filter(|line| line.starts_with(&as_head) || line.contains(&as_tail)) {
                let mark = line.rsplit_once(") ").map(|(_, mark)| mark.to_owned());
                state.seen.insert(name.clone());
                state.shown.entry(name.clone()).or_default().extend(mark);
            }
        }
        state.left.pop();
        if state.left.is_empty() {
            thought.push_str(&self.say_found(state.at));
            let is_whole = std::mem::take(&mut state.seen) == self.executed[state.at];
            (state.at, state.is_listed) = (state.at + 1, false);
            return is_whole.then_some(());
        }
        Some(())
    }

    fn say_found(&self, at: usize) -> String {
        let names: Vec<&str> = self.executed[at].iter().map(String::as_str).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        format!("{}: {names}.\n", self.plan.statements[at].name)
    }
}

impl ChatModel for Follower {
    fn chat<'a>(&'a self, request: ChatRequest) -> OpenedStream<'a> {
        let mut state = self.state.borrow_mut();
        let reply = request.messages.last().map(|m| m.content.clone()).unwrap_or_default();
        let text = self.next_turn(&reply, &mut state).unwrap_or_default();
        state.messages = request.messages;
        state.messages.push(Message::assistant(text.clone()));
        let delta = Delta { text, finish: Some(Finish::Stop), ..Delta::default() };
        ready(Ok(stream::iter([Ok(delta)]).boxed_local())).boxed_local()
    }
}

fn write_thought(thought: &str) -> String {
    if thought.is_empty() { String::new() } else { format!("<think>{}</think>\n", thought.trim_end()) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::pairs::tests::examples;
    use super::*;
    use pocketgraph_knowledge::everyday;

    fn writer(options: AgentOptions) -> Trajectories {
        let linker = Rc::new(Linker::new(&everyday::build_world(1).unwrap()));
        Trajectories::new(linker, options)
    }

    #[test]
    fn a_trajectory_plans_searches_and_ends_in_all_that_its_plan_finds() {
        let (writer, mut patterns) = (writer(AgentOptions::default()), BTreeSet::new());
        for example in examples() {
            let Some(written) = writer.write_dialogue(&example) else { continue };
            patterns.insert(example["pattern"].as_str().unwrap().to_owned());
            let of = |role: &str| -> Vec<&str> {
                let messages = written["messages"].as_array().unwrap().iter().filter(|m| m["role"] == role);
                messages.map(|m| m["content"].as_str().unwrap()).collect()
            };
            let (asked, reply) = (of("assistant"), of("user"));
            assert!(
                asked[0].starts_with("<think>Ans1: ") && asked[0].contains("<plan>\nAns1=SearchKG("),
                "{}",
                asked[0]
            );
            assert!(reply[0].contains(example["question"].as_str().unwrap()), "{}", reply[0]);
            assert!(
                reply[1].starts_with("<relation_information>")
                    && reply[2].starts_with("<neighbor_information>")
            );
            let answer = tags::find_first_tag(asked.last().unwrap(), &["answer"]).unwrap().inside;
            let cited = |a: &Value| answer.contains(&format!("{} [", a[0].as_str().unwrap()));
            assert!(example["answers"].as_array().unwrap().iter().all(cited), "{answer}: {example}");
        }
        let expected =
            ["1p", "2i", "2in", "2p", "2u", "3i", "3in", "3p", "inp", "ip", "pi", "pin", "pni", "up"];
        assert_eq!(patterns.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_dialogue_that_does_not_end_in_the_answers_of_the_graph_is_not_written() {
        let writer = writer(AgentOptions { grounded: false, ..AgentOptions::default() });
        let written = |e: &Value| writer.write_dialogue(e).is_some();
        let example = examples().into_iter().find(|e| e["pattern"] == "1p" && written(e)).unwrap();
        let follower = Follower::new(&example, &writer.linker).unwrap();
        let mut ended = State { at: 9, messages: vec![Message::user("x")], ..State::default() };
        assert!(
            follower.next_turn("Once more.", &mut ended).is_none(),
            "asked again after its answer, it says nothing"
        );
        let mut of_another_graph = example.clone();
        of_another_graph["count"] = json!(example["count"].as_u64().unwrap() + 1);
        assert!(!written(&of_another_graph));
        let short =
            Trajectories { options: AgentOptions { turns: Some(2), ..AgentOptions::default() }, ..writer };
        assert!(short.write_dialogue(&example).is_none(), "an answer that a budget forces is no example");
    }
}
