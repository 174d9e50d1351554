//! Statements that hold at different times.

use super::block::{Excerpt, QuotedPiece};
use super::candidates::{Candidate, credit, term_set};
use super::choose::holds_numbers;
use super::notice::{Notice, NoticeCode};
use super::parts::{Part, parts};
use super::question::Question;
use super::quote::append_quote;
use super::types::{Answer, Outcome};
use crate::bundle::{Layout, Times};
use crate::compact::Map;
use crate::retrieve::Hit;
use crate::text::sentences;

/// A statement of [`Times`]: chunk, start, end, first moment, first moment after, and thing.
pub type TimedStatement = [u32; 6];

/// Puts first the block that states what holds at a moment, the latest there is, and second one that states
/// what holds at another time; returns true if it found both. Dates do not exclude versions, nor versions
/// dates.
pub fn order_by_time(
    times: &Times,
    asked: &[bool],
    moment: u32,
    question: &Question,
    hits: &[Hit],
    all: &[Candidate],
    picked: &mut Vec<usize>,
) -> bool {
    let statements = times.statements.as_chunks().0;
    let Some(&first) = picked.first() else { return false };
    let is_compared = |s: &TimedStatement| s[5] > 0 && block_states(&all[first], hits, s);
    let compared = statements.iter().zip(asked).find(|(s, asked)| **asked && is_compared(s));
    let Some((&[.., thing], _)) = compared else { return false };
    let (mut now, mut other): (Option<usize>, Option<usize>) = (None, None);
    let core = |block: usize| hits[all[block].hit].text.get(all[block].block.core_span());
    for statement in statements.iter().filter(|s| s[5] == thing) {
        let mut blocks = [first].into_iter().chain(0..all.len());
        let Some(block) = blocks.find(|&block| block_states(&all[block], hits, statement)) else { continue };
        let differs = |of: u32| (of ^ moment) >> 31 == 1;
        let [_, _, _, from, until, _] = *statement;
        let ended = until > 0 && until <= moment && !differs(until);
        let holds = (from <= moment || differs(from)) && !ended;
        if now.is_none() || holds && holds_numbers(question, &hits[all[block].hit]) {
            (now, other) = (Some(block), now.filter(|now| core(*now) != core(block)).or(other));
        } else if other.is_none() && now.and_then(core) != core(block) {
            other = Some(block);
        }
    }
    let (Some(now), Some(other)) = (now, other) else { return false };
    *picked = vec![now, other];
    true
}

fn block_states(block: &Candidate, hits: &[Hit], &[chunk, start, end, ..]: &TimedStatement) -> bool {
    let span = block.block.core_span();
    hits[block.hit].chunk == chunk && (span.start as u32) < end && start < span.end as u32
}

/// Returns true for each of the statements that a question may be about: those of the hits, unless another
/// sentence of their passage has all words of the question that they have, and more.
pub fn find_asked(times: &Times, question: &Question, hits: &[Hit]) -> Vec<bool> {
    // A bit for each term: there are at most 64.
    let find_words = |text: &str| {
        let words = term_set(&[text]);
        question.terms.iter().fold(0_u64, |bits, term| bits << 1 | u64::from(credit(term, &words) > 0.0))
    };
    let is_asked = |&[chunk, start, end, ..]: &TimedStatement| {
        let Some(hit) = hits.iter().find(|hit| hit.chunk == chunk) else { return false };
        let stated = find_words(hit.text.get(start as usize..end as usize).unwrap_or_default());
        let says_more = |other: u64| other != stated && other & stated == stated;
        !sentences(&hit.text).into_iter().any(|at| says_more(find_words(&hit.text[at])))
    };
    times.statements.as_chunks().0.iter().map(is_asked).collect()
}

/// Quotes statements, as far as their passages are among the hits, up to `most` of their pieces. The last
/// quotation is marked as cut if more are left.
pub fn list_statements(
    hits: &[Hit],
    layouts: &Map<u32, Layout>,
    statements: &[TimedStatement],
    most: usize,
) -> Answer {
    let mut answer =
        Answer { answered: true, certainty: Some(1.0), outcome: Outcome::Answer, ..Answer::default() };
    let mut room = most;
    let mut excerpts: Vec<(Excerpt, &Hit)> = Vec::new();
    for &[chunk, first, end, ..] in statements {
        let Some(hit) = hits.iter().find(|hit| hit.chunk == chunk) else { continue };
        let cut = |Part { form, span, note }: Part| {
            let span = span.start.max(first as usize)..span.end.min(end as usize);
            (!span.is_empty()).then_some(QuotedPiece { form, span, note, answers: true, follows_gap: false })
        };
        let mut pieces: Vec<QuotedPiece> =
            parts(&hit.text, layouts.get(&chunk)).into_iter().filter_map(cut).collect();
        let more = pieces.len() > room;
        pieces.truncate(room);
        room -= pieces.len();
        if !pieces.is_empty() {
            excerpts.push((Excerpt { pieces, more }, hit));
        } else if let Some((last, _)) = excerpts.last_mut() {
            last.more |= more;
        }
    }
    excerpts.into_iter().for_each(|(excerpt, hit)| append_quote(&mut answer, excerpt, hit));
    answer
}

/// Says when each quotation of the statements that are `asked` holds, or that they disagree if the answer is
/// `compared` and nothing tells.
pub fn mark_times(times: &Times, asked: &[bool], compared: bool, answer: &mut Answer) {
    let statements: &[TimedStatement] = times.statements.as_chunks().0;
    let mut labels: Vec<&str> = Vec::new();
    for citation in &mut answer.citations {
        let (cited, span) = (citation.chunk(), citation.span);
        let lies_in = |s: &TimedStatement| cited == Some(s[0]) && span.start < s[2] && s[1] < span.end;
        let mut found = statements.iter().zip(&times.labels).zip(asked);
        if let Some(((statement, label), _)) = found.find(|((s, _), asked)| **asked && lies_in(s)) {
            citation.holds.clone_from(label);
            // That its page has a date says nothing of what it states.
            if !label.is_empty() && statement[3..] != [0; 3] {
                labels.push(label);
            }
        }
    }
    labels.dedup();
    // One time for both tells of neither.
    if compared && labels.len() < 2 && answer.citations.iter().all(|c| c.holds == answer.citations[0].holds) {
        answer.warnings.push(Notice::new(NoticeCode::Disagree));
    } else if !labels.is_empty() {
        answer.warnings.push(Notice::about(NoticeCode::Outdated, labels.join("; ")));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::parts::guessed_layout;
    use super::super::{AskOptions, candidates, choose_blocks, quote_answer};
    use super::*;
    use crate::hits::hit;
    use crate::retrieve::SearchResult;

    const OLD: &str = "A boat may lie at the quay for 14 days.";
    const NEW: &str = "From 1 March 2025 a boat may lie at the quay for 21 days.";

    /// Returns the hits that are quoted, in their order, and an answer that says how.
    fn chosen(question: &str, froms: [u32; 2], moment: u32) -> (Vec<usize>, Answer) {
        let hits = vec![hit(0, "The quay", &[], OLD), hit(1, "Rules", &[], NEW)];
        let stated = [[0, 0, OLD.len() as u32, froms[0], 0, 1], [1, 0, NEW.len() as u32, froms[1], 0, 1]];
        let labels =
            froms.map(|from| if from == 0 { String::new() } else { format!("since {from}") }).to_vec();
        let question = Question::new(question, &|_| 1.0);
        let times = Times { labels, statements: stated.concat() };
        let layouts = hits.iter().map(|h| (h.chunk, guessed_layout(&h.text))).collect();
        let found = candidates(&question, &hits, &layouts);
        let mut choice = choose_blocks(&question, &hits, &found, None);
        let asked = find_asked(&times, &question, &hits);
        let held = order_by_time(&times, &asked, moment, &question, &hits, &found, &mut choice.picked);
        let result = SearchResult { hits, ..SearchResult::default() };
        let mut answer = quote_answer(&result, &AskOptions::default(), &found, &choice);
        mark_times(&times, &asked, held, &mut answer);
        (choice.picked.into_iter().map(|i| found[i].hit).collect(), answer)
    }

    #[test]
    fn a_list_that_is_too_long_is_marked_as_cut() {
        let hits = vec![hit(0, "Log", &["2.0"], OLD), hit(1, "Log", &["1.0"], NEW)];
        let statements = [[0, 0, OLD.len() as u32, 0, 0, 0], [1, 0, NEW.len() as u32, 0, 0, 0]];
        let listed = |most| list_statements(&hits, &Map::default(), &statements, most);
        assert_eq!(listed(2).text, format!("Log › 2.0:\n“{OLD}” [1]\nLog › 1.0:\n“{NEW}” [2]"));
        assert_eq!(listed(1).text, format!("Log › 2.0:\n“{OLD} …” [1]"));
    }

    #[test]
    fn what_holds_at_the_moment_comes_first_and_the_other_value_second() {
        let asked = "How long may a boat lie at the quay?";
        for (moment, hits) in [(u32::MAX, [1, 0]), (20_269_999, [1, 0]), (20_249_999, [0, 1])] {
            let (quoted, answer) = chosen(asked, [20_230_401, 20_250_301], moment);
            assert_eq!(quoted, hits, "{moment}");
            assert_eq!(
                (answer.warnings[0].code, answer.citations.len()),
                (NoticeCode::Outdated, 2),
                "{answer:?}"
            );
            assert_eq!(
                answer.citations[0].holds,
                if hits[0] == 1 { "since 20250301" } else { "since 20230401" }
            );
        }
    }

    #[test]
    fn a_value_that_the_question_names_stays_first() {
        let asked = "Since when may a boat lie at the quay for 14 days?";
        let (quoted, _) = chosen(asked, [20_230_401, 20_250_301], u32::MAX);
        assert_eq!(quoted, [0, 1]);
    }

    #[test]
    fn a_sentence_beside_the_statement_that_answers_is_not_put_behind_another_value_of_it() {
        let fee = format!("{OLD} The fee for a night at the quay is 12 euros.");
        let hits = vec![hit(0, "The quay", &[], &fee), hit(1, "Rules", &[], NEW)];
        let statements =
            vec![0, 0, OLD.len() as u32, 20_230_401, 0, 1, 1, 0, NEW.len() as u32, 20_250_301, 0, 1];
        let times = Times { labels: vec![String::new(); 2], statements };
        let layouts = hits.iter().map(|h| (h.chunk, guessed_layout(&h.text))).collect();
        let compared = |question: &str| {
            let question = Question::new(question, &|_| 1.0);
            let found = candidates(&question, &hits, &layouts);
            let first = (0..found.len()).find(|&i| found[i].hit == 0).unwrap();
            let asked = find_asked(&times, &question, &hits);
            order_by_time(&times, &asked, u32::MAX, &question, &hits, &found, &mut vec![first])
        };
        assert!(compared("How long may a boat lie at the quay?"));
        assert!(!compared("What is the fee for a night at the quay?"));
    }

    #[test]
    fn a_statement_that_has_ended_comes_second() {
        let hits = vec![hit(0, "The quay", &[], OLD), hit(1, "Rules", &[], NEW)];
        let statements = vec![0, 0, OLD.len() as u32, 0, 0, 1, 1, 0, NEW.len() as u32, 0, 20_250_301, 1];
        let times = Times { labels: vec![String::new(), "Until 2025-03-01".to_owned()], statements };
        let question = Question::new("How long may a boat lie at the quay?", &|_| 1.0);
        let layouts = hits.iter().map(|h| (h.chunk, guessed_layout(&h.text))).collect();
        let found = candidates(&question, &hits, &layouts);
        let first = |moment| {
            let mut picked = vec![0];
            assert!(order_by_time(&times, &[true; 2], moment, &question, &hits, &found, &mut picked));
            found[picked[0]].hit
        };
        assert_eq!((first(20_249_999), first(20_260_101)), (1, 0));
    }

    #[test]
    fn statements_of_one_time_disagree() {
        let (quoted, answer) = chosen("How long may a boat lie at the quay?", [0, 0], u32::MAX);
        assert_eq!((quoted.len(), answer.warnings[0].code), (2, NoticeCode::Disagree), "{answer:?}");
    }
}
