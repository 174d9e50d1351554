//! The end of a run: what a model gave as its answer is taken for one only if it is; else it is asked once
//! more, with the passages before it.

use super::answer::{Citable, ModelReply, NoAnswer, no_answer};
use super::protocol::Protocol;
use super::retrieval::{ShownPassage, list_passages};
use super::rules::no_answer_text;
use super::run::Run;
use super::single_shot::extract_answer;
use super::types::Cap;
use crate::llm::{LlmError, Text};

pub(super) const AGAIN: Text = Text::new(
    "answer.again",
    include_str!("prompts/answer.again.txt"),
    &["question", "passages"],
    &["rules", "cite"],
);

/// An answer, or an empty text where there is none even after a second try: [`Run::no_answer`] then says why.
pub(super) async fn settle_answer(
    run: &mut Run<'_>,
    protocol: &dyn Protocol,
    text: String,
) -> Result<String, LlmError> {
    let cut = run.turns.last().is_some_and(|t| t.cut.is_some());
    let must_cite = run.options.grounded && protocol.reads_evidence();
    let Some(why) = run.why_no_answer(&text, cut, must_cite) else { return Ok(text) };
    run.no_answer = Some(why);
    // Time that is used up is not given twice, and a model that may answer from memory has no passages to be
    // shown.
    if !must_cite || run.time_left() <= 0.0 {
        return Ok(String::new());
    }
    if run.shown.is_empty() && run.searches == 0 {
        let question = run.question.clone();
        run.search("search", &question).await;
    }
    let passages = run.latest_passages();
    if passages.is_empty() {
        return Ok(String::new());
    }
    let task = run.render(&AGAIN, &[("passages", &list_passages(&passages))]);
    let reply = run.ask_last("final", task, Some(Cap::NoAnswer)).await?;
    let visible = extract_answer(&reply.text).to_owned();
    run.no_answer = run.why_no_answer(&visible, reply.cut.is_some(), true);
    Ok(if run.no_answer.is_none() { visible } else { String::new() })
}

impl Run<'_> {
    fn why_no_answer(&self, text: &str, cut: bool, must_cite: bool) -> Option<NoAnswer> {
        let shown: Vec<Citable> = self.shown.iter().map(Citable::from).collect();
        let passages: Vec<(u32, &Citable)> = (1..).zip(&shown).collect();
        let facts: Vec<String> = self
            .turns
            .iter()
            .flat_map(|t| &t.calls)
            .flat_map(|c| &c.facts)
            .chain(&self.carried)
            .cloned()
            .collect();
        let (prompts, question, no_answer_text) =
            (&self.stated, &self.question, no_answer_text(self.options));
        no_answer(&ModelReply {
            text,
            cut,
            prompts,
            question,
            passages: &passages,
            facts: &facts,
            must_cite,
            no_answer_text: &no_answer_text,
        })
    }

    /// The passages that the model was shown, as far as one search's room for evidence goes: the latest,
    /// because what it looked for last is what it lacked.
    fn latest_passages(&self) -> Vec<ShownPassage> {
        let numbers: Vec<u32> = (1..).take(self.shown.len()).collect();
        let mut passages = self.reshow(&numbers.into_iter().rev().collect::<Vec<_>>());
        passages.reverse();
        passages
    }
}
