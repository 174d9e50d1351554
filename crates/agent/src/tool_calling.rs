//! A planner that calls tools in parallel, after RAGFlow's `next_step` agent (December 2025).
//!
//! The loop: the model replies with a JSON list of calls, or calls tools by the endpoint's own means; all
//! calls of a turn are carried out at once, and answered by one deterministic observation; `complete_task`
//! ends the run, after whatever was called beside it. It brings the answer and what the model thinks of each
//! point of a checklist, which is the longer the more complex the task is. What cannot be read, and tools
//! that do not exist, are told to it and cost a turn.
//!
//! Kept from the original: the list of calls, the parallel execution, the analysis of the task in four
//! dimensions (by a request of its own only where that is asked for), the final synthesis. A task that is
//! completed without the text of its reflection is sent back once. Left out: a request for reflection in each
//! round, and the discarding of the answer that `complete_task` brings; only where that is empty is the
//! answer written in a request of its own.

use super::calls::{STOP, ToolUse, parse_calls};
use super::complexity::Complexity;
use super::dialogue::Dialogue;
use super::environment::CallerTool;
use super::neutralise::Marks;
use super::options::{Analysis, Continuation, Limits};
use super::protocol::{Conversation, Protocol};
use super::retrieval::{PassageOrigin, QueryOutcome, list_passages};
use super::run::{Ask, Run};
use super::stream::{Reply, Stop};
use super::types::{AgentEvent, Cap};
use crate::answer::{Notice, NoticeCode};
use crate::json::Value;
use crate::llm::{LlmError, Message, Text, ToolCall, after_thinking};
use futures::future::FutureExt;

/// Calls of tools in parallel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCalling;

pub(super) const TASK: Text = Text::new(
    "tool-calling.task",
    include_str!("prompts/tool-calling.task.txt"),
    &["tools"],
    &["analysis", "today", "rules", "cite"],
);
pub(super) const NATIVE: Text = Text::new(
    "tool-calling.task-native",
    include_str!("prompts/tool-calling.task-native.txt"),
    &[],
    &["analysis", "today", "rules", "cite"],
);
pub(super) const ANALYSE: Text =
    Text::new("tool-calling.analyse", include_str!("prompts/tool-calling.analyse.txt"), &["question"], &[]);
pub(super) const REFLECT: Text = Text::new(
    "tool-calling.reflect",
    include_str!("prompts/tool-calling.reflect.txt"),
    &["points"],
    &["complexity"],
);
pub(super) const INVALID: Text =
    Text::new("tool-calling.invalid", include_str!("prompts/tool-calling.invalid.txt"), &[], &["fault"]);
pub(super) const WRITE: Text =
    Text::new("tool-calling.write", include_str!("prompts/tool-calling.write.txt"), &[], &[]);
pub(super) const NEXT: Text =
    Text::new("tool-calling.next", include_str!("prompts/tool-calling.next.txt"), &[], &[]);
pub(super) const LAST: Text =
    Text::new("tool-calling.last", include_str!("prompts/tool-calling.last.txt"), &[], &[]);
const STOPS: &[Stop] = &[Stop::before(STOP)];
const COMPLETE: &str = "complete_task";
/// Characters of a model's analysis that are kept.
const ANALYSED: usize = 1_500;
/// Facts and neighbours shown for a call.
const FACTS: usize = 30;

const SEARCH: &str = "search";
const GRAPH: &str = "graph_search";
const WEB: &str = "web_search";

impl Protocol for ToolCalling {
    fn name(&self) -> &'static str {
        "tool-calling"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 6, searches: 20, k: 8, tokens_out: 2_048, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks { texts: &["**observation**"], ..Marks::default() }
    }

    fn uses_graph(&self) -> bool {
        true
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let size = size_task(run).await?;
            if run.options.native_tools {
                match run_dialogue(run, true, size.as_ref()).await {
                    Err(LlmError::Http { status: Some(400 | 404 | 422 | 501), message })
                        if message.to_ascii_lowercase().contains("tool") =>
                    {
                        run.warn(Notice::new(NoticeCode::NoTools));
                    }
                    result => return result,
                }
            }
            run_dialogue(run, false, size.as_ref()).await
        }
        .boxed_local()
    }
}

async fn run_dialogue(run: &mut Run<'_>, native: bool, size: Option<&Sized>) -> Result<String, LlmError> {
    let checklist = size.map(|s| s.complexity.checklist()).unwrap_or_default();
    let tools = list_tools(run, checklist);
    let task =
        vec![Message::system(write_task(run, &tools, native, size)), Message::user(run.question.clone())];
    let nudge = if native { String::new() } else { run.render(&NEXT, &[]) };
    let mut talk = Talk {
        dialogue: Dialogue::new(task, Continuation::Turns, nudge),
        native: native.then(|| schemas(&tools)),
        exchanges: Vec::new(),
    };
    let mut counting = 0;
    let mut sent_back = false;
    let cap = loop {
        if let Some(cap) = run.cap() {
            break cap;
        }
        let reply = talk.turn(run).await?;
        let wanted = match read_calls(&reply, native) {
            Ok(wanted) => wanted,
            // By the endpoint's own means, words without a call are the answer.
            Err(_) if native && !reply.text.trim().is_empty() => {
                return Ok(after_thinking(&reply.text).to_owned());
            }
            Err(_) if reply.text.trim().is_empty() => break Cap::Silence,
            Err(why) => {
                talk.say(&run.render(&INVALID, &[("fault", &why)]));
                continue;
            }
        };
        let (done, mut others): (Vec<ToolUse>, Vec<ToolUse>) =
            wanted.into_iter().partition(|c| c.name == COMPLETE);
        let mut results = carry_out(run, &others, &tools).await;
        let lacks = |done: &ToolUse| checklist.iter().any(|(point, _)| done.text(&[point]).is_empty());
        if let (Some(done), Some(size)) = (done.first().filter(|done| !sent_back && lacks(done)), size) {
            sent_back = true;
            let points: Vec<String> =
                checklist.iter().map(|(point, asks)| format!("- {point}: {asks}")).collect();
            let score = size.complexity.score().to_string();
            results.push(run.render(&REFLECT, &[("complexity", &score), ("points", &points.join("\n"))]));
            others.push(done.clone());
            talk.observe(&reply, &others, &results, counting);
            counting += others.len() - 1;
            continue;
        }
        if let Some(done) = done.first() {
            for (point, _) in checklist.iter().filter(|(point, _)| !done.text(&[point]).is_empty()) {
                let text = format!("Reflection, {point}: {}", run.safe(done.text(&[point])));
                run.emit(AgentEvent::Step { text, step: None });
            }
            let answer = done.text(&["answer", "result"]);
            if !answer.is_empty() {
                return Ok(answer.to_owned());
            }
            talk.observe(&reply, &others, &results, counting);
            talk.say(&run.render(&WRITE, &[]));
            return Ok(after_thinking(&talk.last(run, None).await?.text).to_owned());
        }
        counting = talk.observe(&reply, &others, &results, counting);
    };
    talk.say(&run.render(&LAST, &[]));
    let reply = talk.last(run, Some(cap)).await?;
    // A model that cannot leave the form has its answer in it.
    let inside =
        |calls: Vec<ToolUse>| calls.iter().map(|c| c.text(&["answer"]).to_owned()).find(|a| !a.is_empty());
    let answer = parse_calls(&reply.text).ok().and_then(inside);
    Ok(answer.unwrap_or_else(|| after_thinking(&reply.text).to_owned()))
}

/// The calls of a reply: in its text, or by the endpoint's own means.
fn read_calls(reply: &Reply, native: bool) -> Result<Vec<ToolUse>, String> {
    if !native || (reply.tool_calls.is_empty() && reply.text.contains("\"name\"")) {
        return parse_calls(&reply.text);
    }
    if reply.tool_calls.is_empty() {
        return Err("there is no call in it".to_owned());
    }
    Ok(reply.tool_calls.iter().map(|c| ToolUse::new(&c.name, &c.arguments)).collect())
}

/// Carries out all calls, searches at once; one text a call.
async fn carry_out(run: &mut Run<'_>, wanted: &[ToolUse], tools: &[CallerTool]) -> Vec<String> {
    let query = |c: &ToolUse| c.text(&["query", "q", "question"]).to_owned();
    let known = |c: &ToolUse, tool: &str| {
        c.fault.is_none() && is_tool(&c.name, tool) && tools.iter().any(|t| t.name == tool)
    };
    let mut out: Vec<Option<String>> = vec![None; wanted.len()];
    for (tool, place) in [(SEARCH, PassageOrigin::Bundle), (WEB, PassageOrigin::Web)] {
        let ours: Vec<usize> = (0..wanted.len()).filter(|&i| known(&wanted[i], tool)).collect();
        let queries: Vec<String> = ours.iter().map(|&i| query(&wanted[i])).collect();
        for (i, found) in ours.iter().zip(run.search_all(tool, place, &queries).await) {
            out[*i] = Some(format_finds(&found));
        }
    }
    for (call, slot) in wanted.iter().zip(&mut out) {
        if known(call, GRAPH) {
            let facts = run.facts(GRAPH, &query(call)).await;
            let facts = facts.into_iter().take(FACTS).collect::<Vec<_>>().join("\n");
            *slot = Some(if facts.is_empty() {
                "The knowledge graph holds nothing for this.".to_owned()
            } else {
                facts
            });
        }
        if slot.is_none() && call.fault.is_none() {
            *slot = run.call_tool(call).await;
        }
        if slot.is_none() {
            let name: String = call.name.chars().take(60).collect();
            let names: Vec<&str> = tools.iter().map(|t| t.name.as_str()).collect();
            let note = match &call.fault {
                Some(why) => format!("The arguments of {name:?} could not be read: {why}."),
                None => format!("There is no tool {name:?}. The tools are {}.", names.join(", ")),
            };
            run.missed(&name, &call.arguments.to_string(), &note);
            *slot = Some(note);
        }
    }
    out.into_iter().flatten().collect()
}

/// Returns true if a name is a tool's, also with the number that some frameworks add: `search_0`.
fn is_tool(name: &str, tool: &str) -> bool {
    name == tool
        || name
            .strip_prefix(tool)
            .and_then(|n| n.strip_prefix('_'))
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

fn format_finds(found: &QueryOutcome) -> String {
    found.notice().unwrap_or_else(|| list_passages(found.passages()).trim_end().to_owned())
}

/// The conversation in either of its forms.
struct Talk {
    dialogue: Dialogue,
    /// The tools for the endpoint, where its own means are used.
    native: Option<Value>,
    /// Turns by the endpoint's own means: what the model called, what came of it, and what was said besides.
    exchanges: Vec<Message>,
}

impl Talk {
    async fn turn(&mut self, run: &mut Run<'_>) -> Result<Reply, LlmError> {
        let Some(tools) = self.native.clone() else {
            return run.turn(&mut self.dialogue, STOPS).await;
        };
        let mut request = run.request(&mut self.dialogue);
        request.messages.extend(self.exchanges.iter().cloned());
        request.extra = vec![("tools".to_owned(), tools), ("tool_choice".to_owned(), "auto".into())];
        run.generate(Ask { purpose: "reason", request, stops: &[], counts: true }).await
    }

    /// The last reply: words, no calls.
    async fn last(&mut self, run: &mut Run<'_>, cap: Option<Cap>) -> Result<Reply, LlmError> {
        let mut request = run.request(&mut self.dialogue);
        request.messages.extend(self.exchanges.iter().cloned());
        if let Some(tools) = self.native.clone().filter(|_| !self.exchanges.is_empty()) {
            // Some endpoints refuse results of tools that are not offered.
            request.extra = vec![("tools".to_owned(), tools), ("tool_choice".to_owned(), "none".into())];
        }
        let ask = Ask { purpose: "final", request, stops: STOPS, counts: true };
        match cap {
            Some(cap) => run.last(cap, ask).await,
            None => run.generate(ask).await,
        }
    }

    fn say(&mut self, text: &str) {
        match self.native {
            Some(_) => self.exchanges.push(Message::user(text)),
            None => self.dialogue.remark(text),
        }
    }

    /// Puts what came of a turn's calls into the conversation; gives the number of calls so far.
    fn observe(&mut self, reply: &Reply, wanted: &[ToolUse], results: &[String], before: usize) -> usize {
        if self.native.is_none() {
            let texts: Vec<String> = wanted
                .iter()
                .zip(results)
                .map(|(call, result)| {
                    format!(
                        "{}({})\n{result}",
                        call.name.chars().take(60).collect::<String>(),
                        call.arguments
                    )
                })
                .collect();
            self.dialogue.environment(
                format!("**Observation**\n{}", texts.join("\n\n")),
                "**Observation**\n(left out for length)",
            );
            return before + wanted.len();
        }
        // Ids are the endpoint's, but every result must name one, and some endpoints give none.
        let ids: Vec<ToolCall> = wanted
            .iter()
            .enumerate()
            .map(|(i, call)| {
                let given = reply
                    .tool_calls
                    .iter()
                    .filter(|c| c.name != COMPLETE)
                    .nth(i)
                    .map(|c| c.id.clone())
                    .filter(|id| !id.is_empty());
                ToolCall {
                    id: given.unwrap_or_else(|| format!("call_{}", before + i)),
                    name: call.name.clone(),
                    arguments: call.arguments.to_string(),
                }
            })
            .collect();
        self.exchanges.push(Message::calls(reply.text.clone(), ids.clone()));
        self.exchanges
            .extend(ids.iter().zip(results).map(|(call, result)| Message::tool(&call.id, result.clone())));
        before + wanted.len()
    }
}

/// A tool of ours, as the model is told of it, with its arguments and what each is.
fn own_tool(name: &str, does: &str, arguments: &[(&str, &str)]) -> CallerTool {
    let property = |text: &str| Value::object([("type", "string".into()), ("description", text.into())]);
    let properties = arguments.iter().map(|(argument, text)| ((*argument).to_owned(), property(text)));
    let properties = Value::Object(properties.collect());
    let required: Vec<Value> = arguments.iter().map(|(argument, _)| (*argument).into()).collect();
    let parameters =
        Value::object([("type", "object".into()), ("properties", properties), ("required", required.into())]);
    CallerTool { name: name.to_owned(), description: does.to_owned(), parameters }
}

/// The tools that this environment can serve: ours, and the caller's own, which cannot take the names of
/// ours.
fn list_tools(run: &Run<'_>, checklist: &[(&str, &str)]) -> Vec<CallerTool> {
    let precise = [("query", "What to look for, in a few precise words.")];
    let mut tools = vec![own_tool(SEARCH, "Finds passages of the documents.", &precise)];
    if run.has_graph() {
        let does = "Finds statements of the knowledge graph: (head, relation, tail).";
        tools.push(own_tool(GRAPH, does, &[("query", "Entities and a relation, in a few words.")]));
    }
    if run.services.environment.web().is_some() {
        tools.push(own_tool(WEB, "Finds pages of the web.", &[("query", "What to look for.")]));
    }
    let own = [SEARCH, GRAPH, WEB, COMPLETE];
    let of_caller = run.services.environment.tools().map(|t| t.all()).unwrap_or_default();
    tools.extend(of_caller.iter().filter(|t| !own.contains(&t.name.as_str())).cloned());
    let answer = ("answer", "The whole answer; or why the task cannot be done.");
    tools.push(own_tool(COMPLETE, "Ends the task.", &[&[answer], checklist].concat()));
    tools
}

/// The tools as JSON Schema, in the form of native calls.
fn schemas(tools: &[CallerTool]) -> Value {
    let schema = |t: &CallerTool| {
        let function = Value::object([
            ("name", t.name.as_str().into()),
            ("description", t.description.as_str().into()),
            ("parameters", t.parameters.clone()),
        ]);
        Value::object([("type", "function".into()), ("function", function)])
    };
    tools.iter().map(schema).collect::<Vec<_>>().into()
}

fn write_task(run: &Run<'_>, tools: &[CallerTool], native: bool, size: Option<&Sized>) -> String {
    let today = run.options.today.as_deref().map(|today| run.safe(today)).unwrap_or_default();
    let tools = if native { String::new() } else { schemas(tools).to_string() };
    let analysis = size.map(|s| s.words.as_str()).unwrap_or_default();
    run.render(
        if native { &NATIVE } else { &TASK },
        &[("tools", &tools), ("today", &today), ("analysis", analysis)],
    )
}

/// A task's size, and the words of its analysis.
struct Sized {
    complexity: Complexity,
    words: String,
}

/// The analysis of the task, as the options want it. Where a model's cannot be read, the rules size the task.
async fn size_task(run: &mut Run<'_>) -> Result<Option<Sized>, LlmError> {
    let rules = Complexity::by_rules(&run.question);
    Ok(match run.options.analysis {
        Analysis::None => None,
        Analysis::Rules => Some(Sized { complexity: rules, words: format!("{}.", rules.describe()) }),
        Analysis::Model => {
            let prompt = run.render(&ANALYSE, &[]);
            let reply = run.aside("analyse", prompt, false).await?;
            let text = run.safe(after_thinking(&reply.text).trim());
            let complexity = Complexity::read(&text).unwrap_or(rules);
            let text: String = text.chars().take(ANALYSED).collect();
            Some(Sized { complexity, words: format!("{}.\n{text}", complexity.describe()) })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_may_bear_a_number() {
        assert!(
            is_tool("search", "search") && is_tool("search_0", "search") && is_tool("search_12", "search")
        );
        assert!(
            !is_tool("search_", "search")
                && !is_tool("search_x", "search")
                && !is_tool("searching", "search")
        );
    }
}
