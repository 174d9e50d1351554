//! What was said is measured by hand.

use super::*;
use pocketgraph::answer::ModelFailure;

fn question(answers: &[&[&str]]) -> Question {
    let answers = answers.iter().map(|names| names.iter().map(|n| (*n).to_owned()).collect()).collect();
    Question { id: "q".to_owned(), text: "?".to_owned(), answers, ..Question::default() }
}

fn outcome(text: &str, members: &[&str]) -> QuestionOutcome {
    QuestionOutcome {
        text: text.to_owned(),
        members: members.iter().map(|m| (*m).to_owned()).collect(),
        by: AnswerBy::Llm,
        turns: 2,
        calls: 1,
        tokens: (100, 10),
        estimated: false,
        failure: None,
        quotation: String::new(),
    }
}

pub(crate) fn answered(text: &str) -> Answered {
    measure_answer(&question(&[&["Hallwil"]]), outcome(text, &[text]), 5.0)
}

#[test]
fn an_answer_is_measured_against_its_aliases_and_its_set() {
    let a = measure_answer(
        &question(&[&["USA", "United States"], &["Peru"]]),
        outcome("The USA and Peru", &["The USA", "Peru"]),
        1.0,
    );
    assert_eq!((a.em, a.contain_em, a.set_precision, a.set_recall, a.hits_1), (0.0, 1.0, 1.0, 1.0, 1.0));
    // "usa and peru" against "usa": one shared word of 3 + 1.
    assert!((a.f1 - 0.5).abs() < 1e-12);
}

#[test]
fn what_is_quoted_beneath_an_answer_is_shown_and_is_no_part_of_it() {
    let stated = |text: &str, quotation: &str| {
        let a = measure_answer(
            &question(&[&["Hallwil"]]),
            QuestionOutcome { quotation: quotation.to_owned(), ..outcome(text, &[text]) },
            1.0,
        );
        (a.em, a.contain_em, a.shown_contain_em)
    };
    assert_eq!(stated("Aarau", "She was born in Hallwil."), (0.0, 0.0, 1.0));
    assert_eq!(stated("Hallwil", "She was born in Aarau."), (1.0, 1.0, 1.0));
    assert_eq!(stated("Hall", "wil"), (0.0, 0.0, 0.0));
}

#[test]
fn one_answer_that_holds_commas_is_not_taken_apart() {
    let a = measure_answer(
        &question(&[&["December 24, 1886"]]),
        outcome("December 24, 1886", &["December 24", "1886"]),
        1.0,
    );
    assert_eq!((a.em, a.set_f1, a.hits_1), (1.0, 1.0, 1.0));
}

#[test]
fn what_the_documents_do_not_say_is_no_answer() {
    let answer = Answer {
        text: "The documents do not say.".to_owned(),
        answered: false,
        outcome: pocketgraph::answer::Outcome::NoAnswer,
        blocks: Vec::new(),
        by: AnswerBy::Extraction,
        citations: Vec::new(),
        references: Vec::new(),
        truncated: None,
        partial: None,
        failure: None,
        sentences: Vec::new(),
        quotation: None,
        certainty: None,
        usage: None,
        warnings: Vec::new(),
    };
    let failing = |code: &str| Answer {
        failure: Some(ModelFailure { code: code.to_owned(), message: "it failed".to_owned(), status: None }),
        ..answer.clone()
    };
    let s = QuestionOutcome::of(failing("llm-http"), true);
    assert_eq!((s.text.as_str(), s.failure.as_deref(), s.estimated), ("", Some("it failed"), true));
    assert_eq!(QuestionOutcome::of(failing(ModelFailure::NO_ANSWER), true).failure, None);
    assert_eq!(measure_answer(&question(&[&["x"]]), s, 0.0).f1, 0.0);
}

#[test]
fn a_row_sums_tokens_and_prices_by_hand() {
    let system = System { protocol: "ask".to_owned(), retriever: "auto".to_owned() };
    let prices = Prices { prompt: 2.0, completion: 10.0 };
    let row = row_of(&system, vec![answered("Hallwil"), answered("Paris")], Some(prices));
    assert_eq!((row.system.as_str(), row.em.mean, row.turns, row.calls), ("ask/auto", 0.5, 2.0, 1.0));
    assert_eq!((row.llm.prompt_tokens, row.llm.completion_tokens), (200, 20));
    // 200 · 2 and 20 · 10 millionths.
    assert!((row.llm.cost.unwrap_or_default() - 0.0006).abs() < 1e-12);
}

#[test]
fn ways_are_compared_with_the_baseline_question_by_question() {
    let of = |protocol: &str, texts: &[&str]| {
        let system = System { protocol: protocol.to_owned(), retriever: "auto".to_owned() };
        row_of(&system, texts.iter().map(|t| answered(t)).collect(), None)
    };
    let rows = [of("quote", &["Paris", "Rome"]), of("ask", &["Hallwil", "Rome"])];
    let all = pair_rows(&rows, "quote/auto");
    assert_eq!((all.len(), all[0].system.as_str(), all[0].em.mean), (1, "ask/auto", 0.5));
    assert!(pair_rows(&rows, "plan/auto").is_empty());
}

#[test]
fn only_quoting_and_planning_need_no_model() {
    assert!(!wants_model(QUOTE) && !wants_model("plan") && wants_model(ASK) && wants_model("search-r1"));
}
