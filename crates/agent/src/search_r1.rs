//! Search-R1 (arXiv 2503.09516): thoughts, searches and evidence in one growing text, learnt by
//! reinforcement.
//!
//! The loop: generate up to `</search>` or `</answer>`; a search is answered between `<information>` tags as
//! `Doc i(Title: t) text` lines; an answer ends the run; anything else is answered by a correction and costs
//! a turn. When the turns are used up, one last generation without searches. The tags are those of the
//! authors' checkpoints; the words around them are ours.
//!
//! Where we differ: an empty search is a mistake rather than a search; evidence that is too long is cut
//! inside its tags, never through them; the question is never cut away; repeated queries are pointed to their
//! earlier results.

use super::dialogue::Dialogue;
use super::options::Limits;
use super::protocol::{Conversation, Protocol};
use super::retrieval::QueryOutcome;
use super::run::Run;
use super::stream::Stop;
use super::tags::{find, find_first_tag, last_or_open};
use super::types::Cap;
use crate::llm::{Message, Text, after_thinking};
use futures::future::FutureExt;

/// Search inside the chain of thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchR1;

pub(super) const TASK: Text = Text::new(
    "search-r1.task",
    include_str!("prompts/search-r1.task.txt"),
    &["question"],
    &["rules", "cite"],
);
pub(super) const INVALID: Text =
    Text::new("search-r1.invalid", include_str!("prompts/search-r1.invalid.txt"), &[], &[]);
pub(super) const NEXT: Text =
    Text::new("search-r1.next", include_str!("prompts/search-r1.next.txt"), &[], &[]);
pub(super) const LAST: Text =
    Text::new("search-r1.last", include_str!("prompts/search-r1.last.txt"), &[], &[]);
const STOPS: &[Stop] = &[Stop::behind("<search>", "</search>"), Stop::behind("<answer>", "</answer>")];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action<'t> {
    Search(&'t str),
    Answer(&'t str),
    Invalid,
}

impl Protocol for SearchR1 {
    fn name(&self) -> &'static str {
        "search-r1"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 4, searches: 4, k: 3, tokens_out: 500, temperature: 0.1 }
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let mut dialogue = Dialogue::new(
                vec![Message::user(run.render(&TASK, &[]))],
                run.options.continuation,
                run.render(&NEXT, &[]),
            );
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = run.turn(&mut dialogue, STOPS).await?;
                if reply.text.trim().is_empty() {
                    break Cap::Silence;
                }
                match parse_action(&reply.text) {
                    Action::Answer(answer) => return Ok(answer.to_owned()),
                    Action::Search(query) => {
                        let found = run.search("search", query).await;
                        dialogue.environment(
                            write_information(&found),
                            "\n\n<information>(left out for length)</information>\n\n",
                        );
                    }
                    Action::Invalid => dialogue.remark(&run.render(&INVALID, &[])),
                }
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            Ok(last_words(&reply.text))
        }
        .boxed_local()
    }
}

/// The answer of a last turn: in its tag, or the whole if it has no tags at all; a search there brings
/// nothing.
pub(super) fn last_words(text: &str) -> String {
    let visible = after_thinking(text);
    match last_or_open(visible, "answer") {
        Some(answer) => answer.to_owned(),
        None if visible.contains('<') => String::new(),
        None => visible.trim().to_owned(),
    }
}

/// Reads as the authors do: the text up to the first `</search>`, else `</answer>`; in it, the first complete
/// call.
pub(super) fn parse_action(text: &str) -> Action<'_> {
    let end =
        ["</search>", "</answer>"].iter().find_map(|close| find(text, close, 0).map(|at| at + close.len()));
    let text = after_thinking(&text[..end.unwrap_or(text.len())]);
    match find_first_tag(text, &["search", "answer"]) {
        Some(call) if call.inside.is_empty() => Action::Invalid,
        Some(call) if call.name == "search" => Action::Search(call.inside),
        Some(call) => Action::Answer(call.inside),
        None => Action::Invalid,
    }
}

/// Formats findings as the checkpoints know them.
fn write_information(found: &QueryOutcome) -> String {
    let docs: String = match found.notice() {
        Some(notice) => notice,
        None => found
            .passages()
            .iter()
            .map(|p| format!("Doc {}(Title: {}) {}\n", p.number, p.title, p.text))
            .collect(),
    };
    format!("\n\n<information>{docs}</information>\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_complete_call_counts_even_where_more_follow() {
        assert_eq!(parse_action("<think>a</think><answer>x</answer><search>y</search>"), Action::Answer("x"));
        assert_eq!(
            parse_action("<think>a</think><search> y </search><answer>x</answer>"),
            Action::Search("y")
        );
    }

    #[test]
    fn an_empty_search_is_a_mistake() {
        assert_eq!(parse_action("<search></search>"), Action::Invalid);
        assert_eq!(parse_action("<search> \n</search>"), Action::Invalid);
        assert_eq!(parse_action("<answer></answer>"), Action::Invalid);
        assert_eq!(parse_action("no tags"), Action::Invalid);
        assert_eq!(parse_action("<search>never closed"), Action::Invalid);
    }

    #[test]
    fn a_last_turn_without_tags_is_its_own_answer_and_a_search_is_none() {
        assert_eq!(last_words("<think>a</think> Paris"), "Paris");
        assert_eq!(last_words("<think>a</think><answer>Paris"), "Paris");
        assert_eq!(last_words("<search>capital</search>"), "");
    }

    proptest! {
        #[test]
        fn no_reply_makes_it_panic(text in "(<|</|>|search|answer|think| |é|x){0,24}") {
            let _ = (parse_action(&text), last_words(&text));
        }
    }
}
