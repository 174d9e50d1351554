//! ReAct (arXiv 2210.03629): thoughts, actions and observations, one of each a round.
//!
//! Actions are `Search[query]`, `Lookup[term]` (the next sentence of the last results that holds the term)
//! and `Finish[answer]`. The form `Action: Search` with `Action Input: query` on the next line is read too,
//! because many models were taught that one.

use super::dialogue::Dialogue;
use super::neutralise::Marks;
use super::options::Limits;
use super::protocol::{Conversation, Protocol};
use super::retrieval::{ShownPassage, list_passages};
use super::run::Run;
use super::stream::Stop;
use super::tags::{after_label, after_last_label, labelled_line};
use super::types::Cap;
use crate::llm::{Message, Text, after_thinking};
use crate::text::{fold, sentences};
use futures::future::FutureExt;

/// Reasoning and acting in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReAct;

pub(super) const TASK: Text =
    Text::new("react.task", include_str!("prompts/react.task.txt"), &["question"], &["rules", "cite"]);
pub(super) const UNKNOWN: Text =
    Text::new("react.unknown", include_str!("prompts/react.unknown.txt"), &["name"], &[]);
pub(super) const INVALID: Text =
    Text::new("react.invalid", include_str!("prompts/react.invalid.txt"), &[], &[]);
pub(super) const LAST: Text = Text::new("react.last", include_str!("prompts/react.last.txt"), &[], &[]);
const STOPS: &[Stop] = &[Stop::before("\nObservation")];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Action<'t> {
    Search(&'t str),
    Lookup(&'t str),
    Finish(&'t str),
    Unknown(&'t str),
    None,
}

impl Protocol for ReAct {
    fn name(&self) -> &'static str {
        "react"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 8, searches: 8, k: 5, tokens_out: 512, temperature: 0.1 }
    }

    fn marks(&self) -> Marks {
        Marks {
            labels: &["observation", "action", "action input", "thought", "final answer"],
            ..Marks::default()
        }
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let mut dialogue =
                Dialogue::new(vec![Message::user(run.render(&TASK, &[]))], run.options.continuation, "");
            let mut last: Vec<ShownPassage> = Vec::new();
            let mut looked_up: (String, usize) = Default::default();
            let mut round = 1;
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = run.turn(&mut dialogue, STOPS).await?;
                if reply.text.trim().is_empty() {
                    break Cap::Silence;
                }
                let observation = match read_action(&reply.text) {
                    Action::Finish(answer) => return Ok(answer.to_owned()),
                    Action::Search(query) => {
                        let found = run.search("search", query).await;
                        let text = found.notice().unwrap_or_else(|| list_passages(found.passages()));
                        if !found.passages().is_empty() {
                            last = found.passages().to_vec();
                            looked_up = Default::default();
                        }
                        text
                    }
                    Action::Lookup(term) => {
                        let term = fold(term);
                        looked_up = if looked_up.0 == term { (term, looked_up.1 + 1) } else { (term, 0) };
                        look_up(&last, &looked_up.0, looked_up.1)
                    }
                    Action::Unknown(name) => {
                        let name: String = name.chars().take(60).collect();
                        let note = run.render(&UNKNOWN, &[("name", &name)]);
                        run.missed(&name, "", &note);
                        note
                    }
                    Action::None => run.render(&INVALID, &[]),
                };
                let observation = observation.trim();
                dialogue.environment(
                    format!("\nObservation {round}: {observation}\n"),
                    &format!("\nObservation {round}: (left out for length)\n"),
                );
                round += 1;
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            Ok(match read_action(&reply.text) {
                Action::Finish(answer) => answer.to_owned(),
                Action::Search(_) | Action::Lookup(_) => String::new(),
                // A model that has left the form behind answers in prose.
                Action::Unknown(_) | Action::None => after_thinking(&reply.text).trim().to_owned(),
            })
        }
        .boxed_local()
    }
}

/// The first action of a round.
fn read_action(text: &str) -> Action<'_> {
    let text = after_thinking(text);
    let Some(rest) = after_label(text, &["action"]) else {
        return match after_last_label(text, &["final answer"]) {
            Some(answer) => Action::Finish(answer),
            None => Action::None,
        };
    };
    let line = rest.lines().next().unwrap_or("");
    let (name, argument) = match line.split_once('[') {
        Some((name, _)) => (name, read_bracketed(&rest[name.len() + 1..])),
        None => (line, labelled_line(text, &["action input"]).unwrap_or("")),
    };
    match fold(name.trim().trim_matches(['*', '`'])).as_str() {
        "search" => Action::Search(argument.trim()),
        "lookup" => Action::Lookup(argument.trim()),
        "finish" | "final answer" => Action::Finish(argument.trim()),
        _ => Action::Unknown(name.trim()),
    }
}

/// Up to the bracket that closes what was opened before `text`, or else to the line's end.
fn read_bracketed(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text.lines().next().unwrap_or("")
}

/// The sentence number `nth` of the passages that holds a folded term.
fn look_up(passages: &[ShownPassage], term: &str, nth: usize) -> String {
    if term.trim().is_empty() {
        return "Lookup needs a term.".to_owned();
    }
    let holding = |p: &ShownPassage| {
        let found: Vec<String> = sentences(&p.text)
            .into_iter()
            .map(|range| &p.text[range])
            .filter(|sentence| fold(sentence).contains(term))
            .map(|sentence| format!("[{}] {sentence}", p.number))
            .collect();
        found
    };
    let found: Vec<String> = passages.iter().flat_map(holding).collect();
    match found.get(nth) {
        Some(sentence) => format!("(Result {} of {}) {sentence}", nth + 1, found.len()),
        None if nth == 0 => "The passages of the last search do not hold that term.".to_owned(),
        None => "There are no more sentences with that term.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn actions_are_read_in_both_forms() {
        assert_eq!(read_action("Thought 1: t\nAction 1: Search[a [b] c] and"), Action::Search("a [b] c"));
        assert_eq!(read_action("Action: Search\nAction Input: a b"), Action::Search("a b"));
        assert_eq!(read_action("**Action:** `Lookup`[x]"), Action::Lookup("x"));
        assert_eq!(read_action("Action 2: Finish[a\nb]"), Action::Finish("a\nb"));
        assert_eq!(read_action("Thought: I know.\nFinal Answer: a"), Action::Finish("a"));
        assert_eq!(read_action("Action: Dance[x]"), Action::Unknown("Dance"));
        assert_eq!(read_action("I wonder."), Action::None);
        assert_eq!(read_action("Action: Search[unclosed\nmore"), Action::Search("unclosed"));
        assert_eq!(read_action("Action:"), Action::Unknown(""));
    }

    #[test]
    fn lookup_walks_through_the_sentences_that_hold_a_term() {
        let passages = [ShownPassage {
            number: 2,
            title: String::new(),
            text: "Loops end. A loop is bounded. Cats sleep.".to_owned(),
            score: 1.0,
        }];
        assert_eq!(look_up(&passages, "loop", 0), "(Result 1 of 2) [2] Loops end.");
        assert_eq!(look_up(&passages, "loop", 1), "(Result 2 of 2) [2] A loop is bounded.");
        assert_eq!(look_up(&passages, "loop", 2), "There are no more sentences with that term.");
        assert_eq!(look_up(&[], "loop", 0), "The passages of the last search do not hold that term.");
        assert_eq!(look_up(&passages, "", 0), "Lookup needs a term.");
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(text in "(Action|Action Input|Final Answer|Search|Finish|:|\\[|\\]|\\n| \
            |é|1){0,24}") {
            let _ = read_action(&text);
        }
    }
}
