//! Answers by statements that hold at the time asked for, yes or no, and procedures. Not in the module that only
//! searches.

use super::{Engine, EngineError};
use crate::answer::{self, Answer, AskEvent, AskOptions, Candidate, Choice, Question, TimedStatement};
use crate::bundle::{Times, decode_times};
use crate::retrieve::{Hit, SearchResult, path_of, version_of};
use crate::text::words;
use pocketgraph_question::{Time, VERSIONS, find_time, read_moment};
use std::cell::{Cell, RefCell};

/// Most statements, and most pieces of them, that an answer about changes quotes.
const MOST_CHANGES: usize = 24;

/// Reads the last moment of the version of the page that the reader is on.
fn read_version(options: &AskOptions) -> Option<u32> {
    let given = options.reader_version.as_deref()?;
    let version = if given.contains('/') { version_of(path_of(given)) } else { given };
    read_moment(version, &words(version), true).map(|((_, last), _)| last)
}

impl Engine {
    /// Searches for a question and chooses the answer to quote: what holds at the time asked for, or else
    /// now.
    pub(super) async fn quoted(
        &self,
        question: &str,
        options: &AskOptions,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<(SearchResult, Answer), EngineError> {
        // Where they cannot be loaded an answer loses an order, no more.
        let times = self.corpus.bundle().section("times", decode_times).await.unwrap_or_default();
        let time = if times.labels.is_empty() { None } else { find_time(question) };
        let moment = time.as_ref().map(Time::moment).or(read_version(options)).unwrap_or(u32::MAX);
        // A year is part of the question unless statements hold at different times.
        let compared = times.statements.as_chunks().0.iter().any(|[.., thing]: &TimedStatement| *thing > 0);
        let cut = |time: &Time| if compared { time.cut(question) } else { question.to_owned() };
        let mut text = time.as_ref().map_or_else(|| question.to_owned(), cut);
        if let Some(time) = time.filter(|time| time.asks_for_changes(&time.cut(question))) {
            let changes = self.changes(&times, time.changes(), question, events).await?;
            if changes.1.answered {
                return Ok(changes);
            }
        }
        loop {
            let (ordered, asked) = (Cell::new(false), RefCell::new(Vec::new()));
            let settle = |question: &Question, hits: &[Hit], all: &[Candidate], choice: &mut Choice| {
                answer::list_steps(question, hits, all, &mut choice.picked);
                let mut asked = asked.borrow_mut();
                *asked = answer::find_asked(&times, question, hits);
                ordered.set(answer::order_by_time(
                    &times,
                    &asked,
                    moment,
                    question,
                    hits,
                    all,
                    &mut choice.picked,
                ));
                answer::decide_question(&text, question, hits, all, choice);
            };
            let (result, mut answer) = self.quoted_by(&text, options, settle, events).await?;
            if ordered.get() || text == question {
                answer::mark_times(&times, &asked.borrow(), ordered.get(), &mut answer);
                return Ok((result, answer));
            }
            question.clone_into(&mut text);
        }
    }

    /// Quotes the statements that begin or end to hold between two moments.
    async fn changes(
        &self,
        times: &Times,
        (first, last): (u32, u32),
        question: &str,
        events: &mut dyn FnMut(AskEvent),
    ) -> Result<(SearchResult, Answer), EngineError> {
        let all: &[TimedStatement] = times.statements.as_chunks().0;
        let latest = all.iter().map(|s| s[3]).filter(|moment| *moment >= VERSIONS).max();
        let first = if first == u32::MAX { latest.unwrap_or(first) } else { first };
        let changed = |s: &&TimedStatement| s[3..5].iter().any(|moment| (first..=last).contains(moment));
        let statements: Vec<TimedStatement> =
            all.iter().filter(changed).take(MOST_CHANGES + 1).copied().collect();
        let chunks: Vec<u32> = statements.iter().map(|s| s[0]).collect();
        let hits = self.hits(&chunks, question).await?;
        let layouts = self.corpus.layouts(&chunks).await;
        let mut answer = answer::list_statements(&hits, &layouts, &statements, MOST_CHANGES);
        answer.answered = !answer.citations.is_empty();
        answer::mark_times(times, &vec![true; all.len()], false, &mut answer);
        let result = SearchResult { hits, ..SearchResult::default() };
        if answer.answered {
            events(AskEvent::Hits { result: result.clone() });
        }
        Ok((result, answer))
    }
}
