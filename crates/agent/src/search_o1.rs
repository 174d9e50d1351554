//! Search-o1 (arXiv 2501.05366): a reasoning model searches during its thoughts, and findings enter them
//! condensed.
//!
//! The loop: generate up to `<|end_search_query|>`; if the text ends there with a query, search, let the
//! model read the documents in a request apart (reason-in-documents), and put the outcome between
//! `<|begin_search_result|>` and `<|end_search_result|>`; a turn without a query ends the run. The answer is
//! the last `\boxed{…}`. A repeated query, and one beyond the limit, get a notice instead, and cost a turn
//! but no search.
//!
//! Where we differ: queries that differ in case and spacing alone are repeats; when the turns are used up,
//! the answer is asked for once more.

use super::dialogue::Dialogue;
use super::neutralise::Marks;
use super::options::{Condense, Limits};
use super::protocol::{Conversation, Protocol};
use super::retrieval::{QueryOutcome, ShownPassage};
use super::run::Run;
use super::stream::Stop;
use super::tags::{find, find_boxed, rfind, unwrap_boxed};
use super::types::Cap;
use crate::compact::{Set, sort_by};
use crate::json::Value;
use crate::llm::{LlmError, Message, Text, after_thinking};
use crate::text::{sentences, terms};
use futures::future::FutureExt;

/// Search in the middle of thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchO1;

pub(super) const TASK: Text = Text::new(
    "search-o1.task",
    include_str!("prompts/search-o1.task.txt"),
    &["question"],
    &["searches", "rules", "cite"],
);
pub(super) const CONDENSE: Text = Text::new(
    "search-o1.condense",
    include_str!("prompts/search-o1.condense.txt"),
    &["query", "documents"],
    &["reasoning", "cite"],
);
pub(super) const NEXT: Text =
    Text::new("search-o1.next", include_str!("prompts/search-o1.next.txt"), &[], &[]);
pub(super) const LAST: Text =
    Text::new("search-o1.last", include_str!("prompts/search-o1.last.txt"), &[], &[]);
const BEGIN_QUERY: &str = "<|begin_search_query|>";
const END_QUERY: &str = "<|end_search_query|>";
const BEGIN_RESULT: &str = "<|begin_search_result|>";
const END_RESULT: &str = "<|end_search_result|>";
const STOPS: &[Stop] = &[Stop::behind(BEGIN_QUERY, END_QUERY)];
/// Precedes what is useful in the reply of a reading request.
const FINAL_INFORMATION: &str = "**Final Information**";
/// Stands where the documents did not help.
const NOTHING_HELPFUL: &str = "The documents hold nothing that helps.";
/// Without a reading request, so many sentences are picked.
const PICKED: usize = 6;
/// A chain of more steps than this is shortened for the reading request.
const STEPS: usize = 5;

impl Protocol for SearchO1 {
    fn name(&self) -> &'static str {
        "search-o1"
    }

    fn limits(&self) -> Limits {
        Limits { turns: 15, searches: 10, k: 10, tokens_out: 8_192, temperature: 0.7 }
    }

    fn marks(&self) -> Marks {
        Marks { texts: &["\\boxed", "**final information**"], ..Marks::default() }
    }

    fn converse<'a>(&'a self, run: &'a mut Run<'_>) -> Conversation<'a> {
        async move {
            let searches = run.limits.searches.to_string();
            let task = run.render(&TASK, &[("searches", &searches)]);
            let mut dialogue =
                Dialogue::new(vec![Message::user(task)], run.options.continuation, run.render(&NEXT, &[]));
            let cap = loop {
                if let Some(cap) = run.cap() {
                    break cap;
                }
                let reply = run.turn(&mut dialogue, STOPS).await?;
                let Some(query) = read_query(&reply.text) else {
                    let text = dialogue.written();
                    match find_answer(&text) {
                        Some(answer) => return Ok(answer),
                        // The run is over without a box: the last words are the answer, if there are any.
                        None if !after_thinking(&reply.text).trim().is_empty() => {
                            return Ok(after_thinking(&reply.text).to_owned());
                        }
                        None => break Cap::Silence,
                    }
                };
                let query = query.to_owned();
                let found = run.search("search", &query).await;
                let result = match (found.notice(), run.options.condense) {
                    (Some(notice), _) => notice,
                    (None, Condense::Model) => read_documents(run, &dialogue, &query, &found).await?,
                    (None, Condense::Sentences) => pick_sentences(&query, found.passages()),
                    (None, Condense::None) => write_documents(found.passages()),
                };
                dialogue.environment(
                    format!("\n\n{BEGIN_RESULT}\n{}\n{END_RESULT}\n\n", result.trim()),
                    &format!("\n\n{BEGIN_RESULT}\n(left out for length)\n{END_RESULT}\n\n"),
                );
            };
            let reply = run.last_turn(cap, &mut dialogue, &LAST, STOPS).await?;
            Ok(find_answer(&reply.text)
                .or_else(|| find_answer(&dialogue.written()))
                .unwrap_or_else(|| after_thinking(&reply.text).trim().to_owned()))
        }
        .boxed_local()
    }
}

/// The query at the end of a turn: the last pair, if the text ends with it and it is not empty.
fn read_query(text: &str) -> Option<&str> {
    let body = text.trim_end().strip_suffix(END_QUERY)?;
    let start = rfind(body, BEGIN_QUERY)?;
    let query = body[start + BEGIN_QUERY.len()..].trim();
    // A query that holds a closing mark is the rest of an earlier one.
    (!query.is_empty() && find(query, END_QUERY, 0).is_none()).then_some(query)
}

fn find_answer(text: &str) -> Option<String> {
    find_boxed(text).map(unwrap_boxed).filter(|a| !a.is_empty())
}

/// The paper's reason-in-documents: the model reads them apart from its chain, and only what helps enters it.
async fn read_documents(
    run: &mut Run<'_>,
    dialogue: &Dialogue,
    query: &str,
    found: &QueryOutcome,
) -> Result<String, LlmError> {
    let (reasoning, documents) = (write_chain(&dialogue.transcript()), write_documents(found.passages()));
    let prompt =
        run.render(&CONDENSE, &[("reasoning", &reasoning), ("query", query), ("documents", &documents)]);
    let reply = run.aside("condense", prompt, false).await?;
    let text = after_thinking(&reply.text);
    let useful = rfind(text, FINAL_INFORMATION).map_or("", |at| text[at + FINAL_INFORMATION.len()..].trim());
    Ok(if useful.is_empty() { NOTHING_HELPFUL.to_owned() } else { run.safe(useful) })
}

/// The chain of thought as numbered steps, a line each, a result of a search being one: of many, the first,
/// those around searches, and the last four.
fn write_chain(transcript: &str) -> String {
    let mut steps: Vec<String> = Vec::new();
    let mut result = false;
    for line in transcript.lines().map(str::trim).filter(|l| !l.is_empty()) {
        match steps.last_mut().filter(|_| result) {
            Some(step) => step.push_str(&format!(" {line}")),
            None => steps.push(line.to_owned()),
        }
        result = (result || line.contains(BEGIN_RESULT)) && !line.contains(END_RESULT);
    }
    let mut out = String::new();
    let mut gap = false;
    for (i, step) in steps.iter().enumerate() {
        let near_search = [BEGIN_QUERY, BEGIN_RESULT].iter().any(|mark| step.contains(mark));
        if steps.len() > STEPS && i > 0 && i + 4 < steps.len() && !near_search {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push_str("...\n");
        }
        out.push_str(&format!("Step {}: {step}\n", i + 1));
    }
    out
}

/// Documents as blocks of JSON.
fn write_documents(passages: &[ShownPassage]) -> String {
    let block = |p: &ShownPassage| {
        let json = Value::object([("title", p.title.as_str().into()), ("text", p.text.as_str().into())]);
        format!("**Web Page {}:**\n{json}\n\n", p.number)
    };
    passages.iter().map(block).collect()
}

/// The sentences that share most words with the query, in the order of the documents.
fn pick_sentences(query: &str, passages: &[ShownPassage]) -> String {
    let wanted: Set<String> = terms(query).into_iter().map(|(t, _)| t).collect();
    let mut scored: Vec<(usize, usize, String)> = Vec::new();
    for passage in passages {
        for range in sentences(&passage.text) {
            let sentence = &passage.text[range];
            let held: Set<String> = terms(sentence).into_iter().map(|(t, _)| t).collect();
            let shared = wanted.shared(&held);
            if shared > 0 {
                scored.push((shared, scored.len(), format!("{} [{}]", sentence.trim(), passage.number)));
            }
        }
    }
    // Most shared words first; among equals, the better document's.
    sort_by(&mut scored, |a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(PICKED);
    sort_by(&mut scored, |a, b| a.1.cmp(&b.1));
    match scored.is_empty() {
        true => NOTHING_HELPFUL.to_owned(),
        false => scored.into_iter().map(|(_, _, text)| text).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_query_is_the_last_pair_at_the_end_of_a_turn() {
        assert_eq!(
            read_query("need it.<|begin_search_query|>height of X<|end_search_query|>"),
            Some("height of X")
        );
        assert_eq!(
            read_query(
                "<|begin_search_query|>a<|end_search_query|> b <|begin_search_query|>c<|end_search_query|>\n"
            ),
            Some("c")
        );
        assert_eq!(read_query("<|begin_search_query|> <|end_search_query|>"), None);
        assert_eq!(read_query("<|begin_search_query|>a<|end_search_query|> and on"), None);
        assert_eq!(read_query("<|begin_search_query|>a<|end_search_query|> x <|end_search_query|>"), None);
        assert_eq!(read_query("x <|end_search_query|>"), None);
    }

    #[test]
    fn a_long_chain_keeps_its_first_step_its_searches_and_the_last_four() {
        let text = format!("1\n2\n3 {BEGIN_QUERY}q{END_QUERY}\n4\n5\n6\n7\n8\n9");
        let short = write_chain(&text);
        assert_eq!(
            short,
            format!(
                "Step 1: 1\n...\nStep 3: 3 {BEGIN_QUERY}q{END_QUERY}\n...\nStep 6: 6\nStep 7: \
                 7\nStep 8: 8\nStep 9: 9\n"
            )
        );
        assert_eq!(write_chain("a\n\nb"), "Step 1: a\nStep 2: b\n");
        assert_eq!(
            write_chain(&format!("a\n{BEGIN_RESULT}\nb\nc\n{END_RESULT}\nd")),
            format!("Step 1: a\nStep 2: {BEGIN_RESULT} b c {END_RESULT}\nStep 3: d\n")
        );
    }

    #[test]
    fn sentences_are_picked_by_the_words_of_the_query() {
        let passage = |number, text: &str| ShownPassage {
            number,
            title: String::new(),
            text: text.to_owned(),
            score: 0.0,
        };
        let passages =
            [passage(3, "Cats sleep. The tower is 90 metres high."), passage(4, "Its height was measured.")];
        assert_eq!(pick_sentences("how high is the tower", &passages), "The tower is 90 metres high. [3]");
        assert_eq!(pick_sentences("weather", &passages), NOTHING_HELPFUL);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(<\\|begin_search_query\\|>|<\\|end_search_query\\|>|a|é|\\n| \
            ){0,16}") {
            let _ = (read_query(&text), write_chain(&text));
        }
    }
}
