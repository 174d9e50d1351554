//! Rewards of agents' transcripts, as the authors of the protocols pay them: for measuring transcripts, and for training on them.
//!
//! The quality of an answer (exact match, F1) is the caller's to measure; here is what the form and the evidence add to it.

use pocketgraph::agent::tags::{all, last_or_open};

/// Whether a transcript runs through Search-R1's automaton (arXiv 2505.15117): think, then search, information and think any number of times,
/// then answer, and nothing but white space between and around them.
pub fn search_r1_is_valid(transcript: &str) -> bool {
    let blocks = all(transcript, &["think", "search", "information", "answer"]);
    let mut end = 0;
    let mut names = Vec::with_capacity(blocks.len());
    for block in &blocks {
        // A tag without its other half is text outside the blocks.
        if !transcript[end..block.at.start].trim().is_empty() {
            return false;
        }
        end = block.at.end;
        names.push(block.name);
    }
    if !transcript[end..].trim().is_empty() {
        return false;
    }
    match names.as_slice() {
        ["think", rounds @ .., "answer"] => rounds.chunks(3).all(|round| round == ["search", "information", "think"]),
        _ => false,
    }
}

/// Search-R1's reward with format (arXiv 2505.15117), with the authors' weights: a right answer 1, in a broken form 0.8; a wrong one 0.2 for the
/// form, 0.1 without it; none at all 0.2 for the form.
pub fn search_r1(transcript: &str, exact: bool) -> f64 {
    let answered = last_or_open(transcript, "answer").is_some_and(|a| !a.is_empty());
    match (search_r1_is_valid(transcript), answered && exact, answered) {
        (true, true, _) => 1.0,
        (false, true, _) => 0.8,
        (true, false, _) => 0.2,
        (false, false, true) => 0.1,
        (false, false, false) => 0.0,
    }
}

/// Graph-R1's reward (arXiv 2507.21892) of an agent's turns: −1, and 0.5 for each turn in its exact form, 1 at most; the answer's F1 counts only
/// when that 1 is reached.
pub fn graph_r1(turns: &[&str], f1: f64) -> f64 {
    let Some((last, queries)) = turns.split_last() else { return -1.0 };
    let good = queries.iter().filter(|t| is_exactly(t, "query")).count() + usize::from(is_exactly(last, "answer"));
    let form = (0.5 * good as f64).min(1.0);
    -1.0 + form + if form >= 1.0 { f1 } else { 0.0 }
}

/// Whether a turn is `<think>…</think>`, a line break, and one tag.
fn is_exactly(turn: &str, tag: &str) -> bool {
    let inside = |text: &str| !text.contains("<think>") && !text.contains("</think>") && !text.contains(&format!("<{tag}>"));
    let parts = turn.strip_prefix("<think>").and_then(|t| t.strip_suffix(&format!("</{tag}>")));
    parts.and_then(|t| t.split_once(&format!("</think>\n<{tag}>"))).is_some_and(|(thought, call)| inside(thought) && inside(call))
}

/// AutoRefine's reward (arXiv 2505.11277): the answer's F1; where that is 0, 0.1 if some gold answer stands in what was refined from the
/// documents; nothing without an answer.
pub fn auto_refine(transcript: &str, f1: f64, gold: &[&str]) -> f64 {
    if last_or_open(transcript, "answer").is_none_or(str::is_empty) {
        return 0.0;
    }
    if f1 > 0.0 {
        return f1;
    }
    let refined: String = all(transcript, &["refine"]).iter().map(|b| b.inside.to_lowercase()).collect::<Vec<_>>().join("\n");
    if gold.iter().any(|g| !g.is_empty() && refined.contains(&g.to_lowercase())) { 0.1 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "<think>a</think>\n<search>q</search>\n\n<information>d</information>\n\n<think>b</think>\n<answer>x</answer>";

    #[test]
    fn the_automaton_wants_its_blocks_in_order_and_nothing_between_them() {
        assert!(search_r1_is_valid(GOOD));
        assert!(search_r1_is_valid("<think>a</think> <answer>x</answer>\n"));
        for bad in [
            "<think>a</think> I think <answer>x</answer>",
            "<think>a</think><think>b</think><answer>x</answer>",
            "<think>a</think><search>q</search><think>b</think><answer>x</answer>",
            "<think>a</think><search>q</search><information>cut off <think>b</think><answer>x</answer>",
            "<think>a</think><search>q</search><information>d</information><answer>x</answer>",
            "<answer>x</answer>",
            "<think>a</think><answer>x</answer><search>q</search>",
            "<think>a</think>",
            "",
        ] {
            assert!(!search_r1_is_valid(bad), "{bad}");
        }
    }

    #[test]
    fn form_is_worth_a_fifth_to_search_r1() {
        assert_eq!(search_r1(GOOD, true), 1.0);
        assert_eq!(search_r1("<answer>x</answer>", true), 0.8);
        assert_eq!(search_r1(GOOD, false), 0.2);
        assert_eq!(search_r1("<answer>x</answer>", false), 0.1);
        assert_eq!(search_r1("nothing", true), 0.0);
    }

    #[test]
    fn graph_r1_pays_for_answers_only_in_the_exact_form() {
        let query = "<think>a</think>\n<query>q</query>";
        let answer = "<think>b</think>\n<answer>x</answer>";
        assert_eq!(graph_r1(&[query, answer], 0.5), 0.5);
        assert_eq!(graph_r1(&[answer], 0.5), -0.5);
        assert_eq!(graph_r1(&["no tags"], 0.5), -1.0);
        assert_eq!(graph_r1(&[query, query, "broken"], 0.5), 0.5);
        assert_eq!(graph_r1(&["<think>a</think> <query>q</query>", answer], 1.0), -0.5);
        assert_eq!(graph_r1(&[], 1.0), -1.0);
    }

    #[test]
    fn auto_refine_pays_for_evidence_only_where_the_answer_is_wrong() {
        let transcript = "<refine>Paris is the capital.</refine><answer>Rome</answer>";
        assert_eq!(auto_refine(transcript, 0.0, &["paris"]), 0.1);
        assert_eq!(auto_refine(transcript, 0.3, &["paris"]), 0.3);
        assert_eq!(auto_refine(transcript, 0.0, &["Oslo"]), 0.0);
        assert_eq!(auto_refine("<refine>Paris</refine>", 0.0, &["Paris"]), 0.0);
    }
}
