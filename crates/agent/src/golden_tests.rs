//! Every protocol's whole conversation, message for message; and what was recorded of it replays to the same
//! events.
//!
//! `UPDATE_GOLDEN=1` writes the files anew, to be read before they are committed.
#![allow(clippy::unwrap_used)]

use super::testing::*;
use super::*;
use crate::llm::{Delta, Finish, Recorder, Replay, ToolCall, ToolCallPiece};
use std::cell::RefCell;

fn golden(
    file: &str,
    protocol: &str,
    options: &AgentOptions,
    environment: &dyn Environment,
    replies: &[&str],
) -> Outcome {
    golden_of(file, protocol, options, environment, replies.iter().map(|r| scripted_reply(r)).collect())
}

fn golden_of(
    file: &str,
    protocol: &str,
    options: &AgentOptions,
    environment: &dyn Environment,
    replies: Vec<Items>,
) -> Outcome {
    let model = Scripted::of(replies);
    let lines = RefCell::new(String::new());
    let sink = |line: &str| lines.borrow_mut().push_str(&format!("{line}\n"));
    let (outcome, events) = converse(protocol, options, &Recorder::new(&model, &sink), environment);

    let shown = transcript(&model.requests.borrow(), &outcome);
    pocketgraph_testing::golden::golden(
        env!("CARGO_MANIFEST_DIR"),
        &format!("src/golden/{file}.txt"),
        &shown,
    );

    let replay = Replay::read(&lines.borrow()).unwrap();
    let again = converse(protocol, options, &replay, environment);
    assert_eq!(again, (outcome.clone(), events));
    assert_eq!(replay.left(), 0);
    outcome
}

fn ours() -> AgentOptions {
    AgentOptions::default()
}

fn bare() -> AgentOptions {
    AgentOptions { grounded: false, ..AgentOptions::default() }
}

#[test]
fn single_shot() {
    let outcome = golden("single_shot", "single-shot", &ours(), &world(), &["Mira Voss [1]"]);
    assert_eq!(outcome.text, "Mira Voss [1]");
}

#[test]
fn single_shot_once_more() {
    let outcome = golden(
        "single_shot_once_more",
        "single-shot",
        &ours(),
        &world(),
        &["Hallwil [1]", "Mira Voss directed it [1]."],
    );
    assert_eq!(outcome.text, "Mira Voss directed it [1].");
}

#[test]
fn chain_of_thought() {
    let outcome = golden(
        "chain_of_thought",
        "chain-of-thought",
        &bare(),
        &world(),
        &["Thought: Mira Voss directed it.\nAnswer: Hallwil"],
    );
    assert_eq!(outcome.text, "Hallwil");
}

#[test]
fn closed_book() {
    let outcome = golden("closed_book", "closed-book", &ours(), &world(), &["Hallwil"]);
    assert!(outcome.evidence.is_empty());
}

#[test]
fn react() {
    let replies = [
        "Thought 1: Who directed it?\nAction 1: Search[director of Low Tide]\nObservation 1: made up",
        "Thought 2: Look closer.\nAction 2: Lookup[directed]",
        "Thought 3: Now her.\nAction 3: Search[birthplace of Mira Voss]",
        "Thought 4: There.\nAction 4: Dance[a]",
        "Action 5: Finish[Hallwil [2]]",
    ];
    assert_eq!(golden("react", "react", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn self_ask() {
    let replies = [
        " Yes.\nFollow up: Who directed Low Tide?\nIntermediate answer: a guess",
        "Intermediate answer: Mira Voss [1].\nFollow up: Where was Mira Voss born?",
        "Intermediate answer: In Hallwil [2].\nSo the final answer is: Hallwil [2]",
    ];
    assert_eq!(golden("self_ask", "self-ask", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn search_o1() {
    let replies = [
        "I need the director. <|begin_search_query|>director of Low Tide<|end_search_query|>",
        "The first document says it.\n**Final Information**\nMira Voss directed Low Tide [1].",
        "Once more. <|begin_search_query|> Director of  Low Tide <|end_search_query|>",
        "Now her birth. <|begin_search_query|>Mira Voss birthplace<|end_search_query|>",
        "**Final Information**\nShe was born in Hallwil [2].",
        "So \\boxed{a guess}, rather \\boxed{\\text{Hallwil} [2]}.",
    ];
    let outcome = golden("search_o1", "search-o1", &ours(), &world(), &replies);
    assert_eq!(outcome.text, "Hallwil [2]");
}

#[test]
fn search_o1_in_one_growing_text() {
    let replies = [
        "I need the director. <|begin_search_query|>director of Low Tide",
        "Now her birth. <|begin_search_query|>Mira Voss birthplace<|end_search_query|>",
        "So \\boxed{Hallwil}.",
    ];
    let options = AgentOptions {
        condense: Condense::Sentences,
        continuation: Continuation::ContinueFinalMessage,
        ..bare()
    };
    assert_eq!(golden("search_o1_prefix", "search-o1", &options, &world(), &replies).text, "Hallwil");
}

#[test]
fn search_r1() {
    let replies = [
        "<think>Who directed it?</think>\n<search> director of Low Tide </search>",
        "<think>Where was she born?</think> I am lost.",
        "<think>Where was she born?</think>\n<search>Mira Voss born",
        "<think>There.</think>\n<answer> Hallwil [2] </answer>",
    ];
    assert_eq!(golden("search_r1", "search-r1", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn search_r1_in_one_growing_text() {
    let replies = [
        "<think>a</think><search>director of Low Tide</search>",
        "<think>b</think><answer>Mira Voss</answer>",
    ];
    let options = AgentOptions { continuation: Continuation::Prefix, ..bare() };
    assert_eq!(golden("search_r1_prefix", "search-r1", &options, &world(), &replies).text, "Mira Voss");
}

#[test]
fn graph_r1() {
    let replies = [
        "<think>Who directed it?</think>\n<query>{\"q\": \"director of Low Tide\"}</query>",
        "<think>Plain words.</think>\n<query>{\"query\": \"director of Low Tide\"}</query>",
        "<think>And born?</think>\n<query>Mira Voss birthplace</query>",
        "<think>There.</think>\n<answer>Hallwil [2]</answer>",
    ];
    assert_eq!(golden("graph_r1", "graph-r1", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn graph_r1_with_its_thought_begun() {
    let replies = ["a</think>\n<query>director of Low Tide</query>", "b</think>\n<answer>Mira Voss</answer>"];
    let options = AgentOptions { continuation: Continuation::Prefix, ..bare() };
    assert_eq!(golden("graph_r1_prefix", "graph-r1", &options, &world(), &replies).text, "Mira Voss");
}

#[test]
fn graph_rft() {
    let replies = [
        "<think>The director first.</think>\n<plan>\nAns1=SearchKG(t=person | h=Low Tide, r=directed \
         by)\nAns2=SearchKG(t=place | h=Ans1, r=born in)\n\
         </plan>\n<web_search> Low Tide, directed by </web_search>",
        "<relation_search> Low Tide, directed by </relation_search>",
        "<neighbor_search> Low Tide, directed by </neighbor_search>",
        "<relation_search> Hallwil, lies in </relation_search>",
        "<web_search> Hallwil, lies in </web_search>",
        "<think>Enough.</think>\n<answer> Hallwil lies in Aargau [2] </answer>",
    ];
    let environment = Fake { web: true, ..world() };
    let outcome = golden("graph_rft", "graph-rft", &ours(), &environment, &replies);
    assert_eq!(outcome.text, "Hallwil lies in Aargau [2]");
    assert_eq!(*environment.queries.borrow(), ["web: Hallwil lies in"; 2]);
}

const SUPPORTED: &str = "Each step is borne out. Yes";

#[test]
fn graph_search() {
    let replies = [
        "Low Tide was directed by Mira Voss [1].",
        "(Low Tide, directed by, Mira Voss)",
        "{\"Sub-query 1\": \"Who directed Low Tide?\", \"Sub-query 2\": \"Where was #1 born?\"}",
        "Mira Voss directed it [1].",
        "Mira Voss [1].",
        "Where was Mira Voss born?",
        "She was born in Hallwil [2].",
        "Hallwil [2].",
        "Voss directed it, and she was born in Hallwil.",
        "Yes, it reads well, but the date is missing. No.",
        "[\"Mira Voss date\"]",
        "Nothing about a date.",
        "{\"Sub-query 1\": [(\"Low Tide\", \"directed by\", \"Entity#1\")], \"Sub-query 2\": \
         [(\"Entity#1\", \"born in\", \"Entity#2\")]}",
        "(Low Tide, directed by, Mira Voss)",
        "Mira Voss.",
        "(\"Mira Voss\", \"born in\", \"Entity#2\")",
        "(Mira Voss, born in, Hallwil)",
        "Hallwil.",
        "By the graph: Hallwil.",
        SUPPORTED,
        "Both channels agree.\n### Final Answer\nHallwil [2]",
    ];
    assert_eq!(golden("graph_search", "graph-search", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn graph_search_with_the_authors_polarity() {
    let replies = [
        "summary",
        "no plan",
        "summary",
        "answer",
        "draft",
        SUPPORTED,
        "[\"mira voss\"]",
        "further",
        "Final Answer: Hallwil",
    ];
    let options = AgentOptions { polarity: Polarity::OnYes, ..bare() };
    let environment = Fake { facts: Vec::new(), ..world() };
    let outcome = golden("graph_search_authors", "graph-search", &options, &environment, &replies);
    assert_eq!(outcome.text, "Hallwil");
}

#[test]
fn tool_calling() {
    let replies = [
        "<think>complexity 5</think>```json\n[{\"name\":\"search_0\",\"arguments\":{\"query\":\"low \
         tide director\"}},{\"name\":\"graph_search\",\"arguments\":{\"query\":\"Mira \
         Voss\"}}]\n```<|stop|>",
        "{\"name\":\"calculate\",\"arguments\":{\"x\":1}}",
        "I am sure of it.",
        "[{\"name\":\"complete_task\",\"arguments\":{\"answer\":\"Hallwil [2]\",\"complete\":\"Yes, \
         by [2].\"}},{\"name\":\"search\",\"arguments\":{\"query\":\"mira voss\"}}]",
    ];
    let options = AgentOptions { today: Some("2026-01-31".to_owned()), ..ours() };
    let environment = world();
    let outcome = golden("tool_calling", "tool-calling", &options, &environment, &replies);
    assert_eq!(outcome.text, "Hallwil [2]");
    assert_eq!(
        environment.queries.borrow()[1],
        "mira voss",
        "what is called beside the completion is carried out first"
    );
}

#[test]
fn tool_calling_without_an_answer_in_the_call_writes_it() {
    let search = "[{\"name\":\"search\",\"arguments\":{\"query\":\"low tide\"}}]";
    let replies =
        [search, "[{\"name\":\"complete_task\",\"arguments\":{\"complete\":\"Yes.\"}}]", "Mira Voss."];
    assert_eq!(
        golden("tool_calling_synthesis", "tool-calling", &bare(), &world(), &replies).text,
        "Mira Voss."
    );
}

#[test]
fn native_tool_calling() {
    let call = |index, id: &str, name: &str, arguments: &str| {
        let call = ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        Ok(Delta { tool_calls: vec![ToolCallPiece { index, call }], ..Delta::default() })
    };
    let replies = vec![
        vec![
            call(0, "a", "search", "{\"query\":\"low"),
            call(1, "", "graph_search", "{\"query\":\"Mira Voss\"}"),
            call(0, "", "", " tide\"}"),
            Ok(Delta { finish: Some(Finish::ToolCalls), ..Delta::default() }),
        ],
        vec![call(0, "b", "search", "nonsense")],
        vec![call(0, "c", "complete_task", "{\"answer\":\"Hallwil [1]\",\"complete\":\"Yes.\"}")],
    ];
    let options = AgentOptions { native_tools: true, ..ours() };
    let outcome = golden_of("native_tool_calling", "tool-calling", &options, &world(), replies);
    assert_eq!(outcome.text, "Hallwil [1]");
}

#[test]
fn lpkg() {
    let replies = [
        "### Question Type: Two Projection\nOriginal_Question: str = \"Where was the director of Low Tide \
         born?\"\n\
         Thought1: str = \"The director first.\"\nSub_Question_1: str = f\"Who directed Low Tide?\"\n\
         Info_1: str = Search(query = Sub_Question_1, thought = Thought1)\nAns_1: str = Get_Answer(query = \
         Sub_Question_1, info = Info_1)\n\
         Sub_Question_2: str = f\"Where was {Ans_1} born?\"\nInfo_2: str = Search(query = Sub_Question_2)\n\
         Ans_2: str = Get_Answer(query = Sub_Question_2, info = Info_2)\nFinal_Answer: str = \
         Finish_The_Plan(Answer = Ans_2)",
        "[Mira Voss]",
        "It says so: [Hallwil]",
    ];
    assert_eq!(golden("lpkg", "lpkg", &ours(), &world(), &replies).text, "Hallwil [2]");
}

#[test]
fn graphrag_global() {
    let replies = [
        "{\"points\": [{\"description\": \"Mira Voss was born in Hallwil.\", \"score\": 90, \"reports\": \
         [2]}, \
         {\"description\": \"She directed Low Tide.\", \"score\": 95, \"reports\": [1]}]}",
        "In Hallwil [2].",
    ];
    assert_eq!(
        golden("graphrag_global", "graphrag-global", &ours(), &world(), &replies).text,
        "In Hallwil [2]."
    );
}

#[test]
fn graph_rft_with_its_plan_carried_out_at_once() {
    let tools =
        KgTools::new(std::rc::Rc::new(crate::kg::Linker::new(&pocketgraph_testing::films::example())));
    let environment = WithGraph {
        fake: Fake {
            passages: vec![("pacino", passage(7, "Pacino", "Al Pacino was born in 1940."))],
            ..Fake::default()
        },
        tools,
    };
    let replies = [
        "<think>Films of both.</think>\n<plan>\nAns1=SearchKG(t=film | h=Al Pacino, \
         r=starred)\nAns2=Intersect(Ans1, Ans7)\n</plan>",
        "<plan>\nAns1=SearchKG(t=film | h=Al Pacino, r=starred actors)\nAns2=SearchKG(t=person | h=Ans1, \
         r=directed by)\n\
         Ans3=SearchKG(t=* | h=Al Pacino, r=born in the year)\n</plan> and on",
        "<answer>Michael Mann</answer>",
    ];
    let options = AgentOptions { execute_plan: true, ..ours() };
    let outcome = golden_of(
        "graph_rft_executed",
        "graph-rft",
        &options,
        &environment,
        replies.iter().map(|r| scripted_reply(r)).collect(),
    );
    assert_eq!(outcome.text, "Michael Mann");
}
