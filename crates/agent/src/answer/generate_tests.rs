//! Whole answers, against models that behave and models that do not.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::answer::prompt::tests::result;
use crate::answer::{
    BlockForm, Choice, NOTHING_NEAR, Question, Support, Sureness, candidates, choose_blocks, quote_answer,
};
use crate::bundle::{Form, Piece};
use crate::compact::Map;
use crate::llm::{ChatStream, Delta, Usage};
use crate::retrieve::Hit;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use pocketgraph_testing::hits::hit;
use std::cell::RefCell;

/// A model that says what it is told to.
struct Scripted {
    reply: Result<Vec<Result<Delta, LlmError>>, LlmError>,
    asked: RefCell<Vec<ChatRequest>>,
}

impl ChatModel for Scripted {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        self.asked.borrow_mut().push(request);
        let reply = self.reply.clone();
        async move { Ok(futures::stream::iter(reply?).boxed_local()) }.boxed_local()
    }
}

/// Scripted models are always ready.
fn block_on<O>(work: impl Future<Output = O>) -> O {
    work.now_or_never().unwrap()
}

fn text(piece: &str) -> Result<Delta, LlmError> {
    Ok(Delta { text: piece.to_owned(), ..Delta::default() })
}

fn stop() -> Result<Delta, LlmError> {
    let usage = Some(Usage { prompt_tokens: 9, completion_tokens: 3 });
    Ok(Delta { finish: Some(Finish::Stop), usage, ..Delta::default() })
}

fn hits() -> Vec<Hit> {
    vec![
        hit(4, "Loops", &["Bounds"], "Loops are bounded by a counter. The counter stops at 40 steps."),
        hit(9, "Graphs", &[], "The keyword graph has 461 keywords."),
    ]
}

const QUESTION: &str = "How are loops bounded?";

fn citable(result: &SearchResult) -> Vec<Citable> {
    result.hits.iter().map(Citable::from).collect()
}

fn quoted(result: &SearchResult) -> Answer {
    extracted(&Question::new(QUESTION, &|_| 1.0), result, &AskOptions::default())
}

/// An answer without a model, by words alone.
fn extracted(question: &Question, result: &SearchResult, options: &AskOptions) -> Answer {
    let found = candidates(question, &result.hits, &Map::default());
    quote_answer(result, options, &found, &choose_blocks(question, &result.hits, &found, None))
}

fn run(reply: Result<Vec<Result<Delta, LlmError>>, LlmError>) -> (Result<Answer, LlmError>, Vec<AskEvent>) {
    run_on(&result(hits()), reply)
}

fn run_on(
    result: &SearchResult,
    reply: Result<Vec<Result<Delta, LlmError>>, LlmError>,
) -> (Result<Answer, LlmError>, Vec<AskEvent>) {
    let model = Scripted { reply, asked: RefCell::default() };
    let mut events = Vec::new();
    let count = |t: &str| t.split_whitespace().count();
    let answer = block_on(generate_answer(
        QUESTION,
        &citable(result),
        result,
        &AskOptions::default(),
        &model,
        &count,
        &|| quoted(result),
        &mut |e| events.push(e),
    ));
    (answer, events)
}

fn streamed(events: &[AskEvent]) -> String {
    events
        .iter()
        .filter_map(|e| if let AskEvent::Token { text } = e { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn an_extractive_answer_quotes_and_cites() {
    let answer = quoted(&result(hits()));
    assert_eq!(answer.text, "“Loops are bounded by a counter. The counter stops at 40 steps.” [1]");
    assert_eq!((answer.answered, answer.by), (true, AnswerBy::Extraction));
    let citation = &answer.citations[0];
    assert_eq!(
        (citation.chunk(), citation.quote.as_str(), citation.status),
        (Some(4), "Loops are bounded by a counter. The counter stops at 40 steps.", CitationStatus::Verified)
    );
    assert_eq!(&answer.text[citation.at.start as usize..citation.at.end as usize], "[1]");
    assert_eq!(answer.outcome, Outcome::Answer);
    assert_eq!(
        answer.blocks.iter().map(|b| (b.form, b.citation)).collect::<Vec<_>>(),
        [(BlockForm::Text, 0)]
    );
    assert_eq!(answer.references.iter().map(|r| (r.number, r.chunk)).collect::<Vec<_>>(), [(1, 4)]);
}

#[test]
fn an_extractive_refusal_says_so_and_names_what_is_absent() {
    let result = result(hits());
    let question = Question::new("Where is the treasure?", &|_| 1.0);
    let answer = extracted(&question, &result, &AskOptions::default());
    assert_eq!((answer.text.as_str(), answer.answered), (NOTHING_NEAR, false));
    assert!(answer.citations.is_empty() && answer.references.is_empty());
    assert_eq!(
        answer.warnings.iter().map(|w| w.message.as_str()).collect::<Vec<_>>(),
        ["No passage that was found mentions “treasure”."]
    );
    let own = AskOptions { no_answer_text: Some("Nichts gefunden.".to_owned()), ..AskOptions::default() };
    assert_eq!(extracted(&question, &result, &own).text, "Nichts gefunden.");
}

#[test]
fn a_models_answer_streams_and_is_checked() {
    let (answer, events) =
        run(Ok(vec![text("A counter bounds "), text("loops [1"), text("]. Pigs fly [2] [7]."), stop()]));
    let answer = answer.unwrap();
    assert_eq!(answer.text, "A counter bounds loops [1]. Pigs fly [2] [7].");
    assert_eq!(streamed(&events), answer.text);
    assert_eq!((answer.by, answer.answered, answer.truncated.as_deref()), (AnswerBy::Llm, true, None));
    let statuses: Vec<CitationStatus> = answer.citations.iter().map(|c| c.status).collect();
    assert_eq!(statuses, [CitationStatus::Verified, CitationStatus::Unsupported, CitationStatus::Dangling]);
    assert_eq!(answer.usage.unwrap().completion_tokens, 3);
    assert_eq!(
        answer.warnings.iter().map(|w| w.message.as_str()).collect::<Vec<_>>(),
        ["The answer cites passages that do not exist: [7]."]
    );
    assert!(matches!(&events[0], AskEvent::References { references } if references.len() == 2));
    assert_eq!(events.last(), Some(&AskEvent::Done { answer }));
}

#[test]
fn a_model_that_does_not_know_has_not_answered() {
    let (answer, _) = run(Ok(vec![text("the documents do NOT say\nThey speak of loops [1]."), stop()]));
    assert!(!answer.unwrap().answered);
}

#[test]
fn a_failure_is_answered_from_the_documents_and_keeps_what_was_written() {
    for (reply, partial, code) in [
        (Err(LlmError::Http { status: Some(500), message: "oops".to_owned() }), None, "llm-http"),
        (Ok(vec![text("A coun"), Err(LlmError::Stream("reset".to_owned()))]), Some("A coun"), "llm-stream"),
        (Ok(vec![Err(LlmError::Timeout { what: "first text", milliseconds: 1 })]), None, "llm-timeout"),
    ] {
        let (answer, events) = run(reply);
        let answer = answer.unwrap();
        assert_eq!((answer.by, answer.partial.as_deref()), (AnswerBy::Extraction, partial));
        assert_eq!(answer.text, quoted(&result(hits())).text);
        assert!(
            answer.warnings[0].message.contains(code)
                && answer.warnings[0].message.contains("quoted from the documents"),
            "{:?}",
            answer.warnings
        );
        assert!(matches!(events.last(), Some(AskEvent::Done { .. })));
    }
}

#[test]
fn an_abort_is_no_answer() {
    assert_eq!(run(Err(LlmError::Aborted)).0, Err(LlmError::Aborted));
    assert_eq!(run(Ok(vec![text("a"), Err(LlmError::Aborted)])).0, Err(LlmError::Aborted));
}

#[test]
fn a_model_that_says_nothing_is_a_failure() {
    for (reply, warning) in [
        (vec![], "answered nothing"),
        (vec![stop()], "answered nothing"),
        (vec![text(" \n"), stop()], "answered nothing"),
        (vec![text("<think>hm</think>"), stop()], "thinking did not come to an end"),
        (vec![text("<THINKING>hm"), stop()], "thinking did not come to an end"),
        (
            vec![Ok(Delta { finish: Some(Finish::Length), ..Delta::default() })],
            "thinking did not come to an end",
        ),
    ] {
        let answer = run(Ok(reply)).0.unwrap();
        assert_eq!((answer.by, answer.partial), (AnswerBy::Extraction, None));
        assert!(answer.warnings[0].message.contains(warning), "{:?}", answer.warnings);
        assert_eq!(answer.failure.unwrap().code, "llm-no-answer");
    }
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let (answer, events) = run(Ok(vec![text("again and again "); 100_000]));
    let answer = answer.unwrap();
    assert_eq!(
        (answer.by, answer.failure.map(|f| f.message)),
        (AnswerBy::Extraction, Some(NoAnswer::Loop.describe().to_owned()))
    );
    assert!(events.len() < 2_000);
    let long: String = (0..40_000).map(|n| format!("Loops are bounded by counter {n}. ")).collect();
    let (answer, _) = run(Ok(vec![text("Loops are bounded by a counter [1]. "), text(&long)]));
    assert_eq!(answer.unwrap().truncated.as_deref(), Some("length"));
    let (answer, events) = run(Ok(vec![text("<think>"), text(&"hm ".repeat(2_000_000)), text("more")]));
    assert_eq!((answer.unwrap().by, streamed(&events).len()), (AnswerBy::Extraction, 0));
}

#[test]
fn without_hits_no_model_is_asked() {
    let nothing = result(vec![]);
    let model = Scripted { reply: Ok(vec![text("42"), stop()]), asked: RefCell::default() };
    let mut events = Vec::new();
    let answer = block_on(generate_answer(
        QUESTION,
        &citable(&nothing),
        &nothing,
        &AskOptions::default(),
        &model,
        &|t| t.len(),
        &|| quoted(&nothing),
        &mut |e| events.push(e),
    ));
    assert_eq!((answer.unwrap().answered, model.asked.borrow().len()), (false, 0));
    assert!(matches!(events.last(), Some(AskEvent::Done { .. })));
}

#[test]
fn a_cut_answer_and_one_over_part_of_a_result_carry_warnings() {
    let cut = Ok(Delta { finish: Some(Finish::Length), ..Delta::default() });
    let answer = run(Ok(vec![text("Loops are bounded by a counter [1]. They"), cut])).0.unwrap();
    assert_eq!(answer.truncated.as_deref(), Some("length"));
    assert!(answer.warnings.iter().any(|w| w.message.contains("token budget")));
    let mut part = result(hits());
    part.missing = vec!["text/3".to_owned()];
    assert!(
        run_on(&part, Ok(vec![text("Loops [1]"), stop()]))
            .0
            .unwrap()
            .warnings
            .iter()
            .any(|w| w.message.contains("text/3"))
    );
}

#[test]
fn thinking_is_not_part_of_the_answer_however_it_is_cut() {
    for pieces in [
        vec!["<think>secret</think>\n\nLoops [1]."],
        vec!["\n<th", "ink>sec", "ret</thi", "nk>", "\nLoops [1]."],
        vec!["<think>secret < </", "think>Loops [1]."],
    ] {
        let mut reply: Vec<_> = pieces.iter().map(|p| text(p)).collect();
        reply.push(stop());
        let (answer, events) = run(Ok(reply));
        assert_eq!(answer.unwrap().text.trim(), "Loops [1].");
        assert!(!streamed(&events).contains("secret"));
    }
    assert_eq!(
        run(Ok(vec![text("<"), text("5 loops [1]"), stop()])).0.unwrap().partial.as_deref(),
        Some("<5 loops [1]")
    );
    assert_eq!(run(Ok(vec![text("Loops [1] <thi"), stop()])).0.unwrap().text, "Loops [1] <thi");
}

/// Replies in turn; the last one again and again.
struct InTurn {
    replies: Vec<Vec<Result<Delta, LlmError>>>,
    asked: RefCell<Vec<ChatRequest>>,
}

impl ChatModel for InTurn {
    fn chat<'a>(&'a self, request: ChatRequest) -> LocalBoxFuture<'a, Result<ChatStream<'a>, LlmError>> {
        let at = self.asked.borrow().len().min(self.replies.len() - 1);
        self.asked.borrow_mut().push(request);
        let reply = self.replies[at].clone();
        async move { Ok(futures::stream::iter(reply).boxed_local()) }.boxed_local()
    }
}

fn in_turn(
    replies: Vec<Vec<Result<Delta, LlmError>>>,
    hits: Vec<Hit>,
) -> (Answer, Vec<AskEvent>, Vec<ChatRequest>) {
    let model = InTurn { replies, asked: RefCell::default() };
    let (result, mut events) = (result(hits), Vec::new());
    let count = |t: &str| t.split_whitespace().count();
    let answer = block_on(generate_answer(
        QUESTION,
        &citable(&result),
        &result,
        &AskOptions::default(),
        &model,
        &count,
        &|| quoted(&result),
        &mut |e| events.push(e),
    ));
    (answer.unwrap(), events, model.asked.into_inner())
}

#[test]
fn a_reply_that_the_passages_contradict_is_asked_for_once_more_and_then_quoted() {
    let good = || vec![text("Loops are bounded by a counter [1]."), stop()];
    let bad = "Loops are not bounded by a counter [1].";
    let (answer, events, asked) = in_turn(vec![vec![text(bad), stop()], good()], hits());
    assert_eq!(
        (answer.text.as_str(), answer.by, answer.failure),
        ("Loops are bounded by a counter [1].", AnswerBy::Llm, None)
    );
    assert_eq!(answer.usage.unwrap().completion_tokens, 6);
    let anew = events.iter().position(|e| *e == AskEvent::Anew).unwrap();
    assert_eq!(streamed(&events[anew..]), answer.text);
    assert_eq!((asked.len(), asked[1].messages.len()), (2, asked[0].messages.len() + 2));
    let (answer, _, asked) = in_turn(vec![vec![text(bad), stop()]], hits());
    assert_eq!(
        (answer.by, answer.failure.unwrap().code.as_str(), asked.len()),
        (AnswerBy::Extraction, "llm-no-answer", 2)
    );
    assert_eq!(answer.partial.as_deref(), Some(bad));
}

#[test]
fn a_reply_that_is_no_answer_is_paid_once_and_then_quoted() {
    for bad in ["and", "Bananas grow in warm countries [2].", "How are loops bounded? How are loops bounded?"]
    {
        let (answer, _, asked) = in_turn(vec![vec![text(bad), stop()]], hits());
        assert_eq!(
            (answer.by, answer.failure.unwrap().code.as_str(), asked.len()),
            (AnswerBy::Extraction, "llm-no-answer", 1),
            "{bad}"
        );
        assert_eq!(answer.partial.as_deref(), Some(bad));
    }
}

#[test]
fn a_reply_without_numbers_is_shown_with_those_of_its_passages() {
    let (answer, _, asked) =
        in_turn(vec![vec![text("Loops are bounded by a counter. Bananas grow there."), stop()]], hits());
    assert_eq!(
        (answer.text.as_str(), answer.by, asked.len()),
        ("Loops are bounded by a counter [1]. Bananas grow there.", AnswerBy::Llm, 1)
    );
    let support: Vec<Support> = answer.sentences.iter().map(|s| s.support).collect();
    assert_eq!(support, [Support::Supported, Support::NotMentioned]);
}

#[test]
fn too_small_a_context_window_is_met_with_fewer_passages() {
    let long: String = (0..400).map(|n| format!("Loops of kind {n} are bounded. ")).collect();
    let many = vec![hit(4, "Loops", &[], "Loops are bounded by a counter."), hit(5, "More", &[], &long)];
    let small = || vec![Err(LlmError::Context { message: "n_ctx".to_owned() })];
    let (answer, _, asked) = in_turn(vec![small(), vec![text("A counter bounds loops [1]."), stop()]], many);
    assert_eq!((answer.by, asked.len()), (AnswerBy::Llm, 2));
    let length = |r: &ChatRequest| r.messages.iter().map(|m| m.content.len()).sum::<usize>();
    assert!(length(&asked[1]) < length(&asked[0]));
    assert!(
        answer.warnings.iter().any(|w| w.message.contains("context window is small")),
        "{:?}",
        answer.warnings
    );
}

#[test]
fn an_answer_that_time_cut_is_kept_to_its_last_whole_sentence_or_quoted() {
    let late = || Err(LlmError::Timeout { what: "complete reply", milliseconds: 9 });
    let (answer, _, asked) =
        in_turn(vec![vec![text("Loops are bounded by a counter [1]. It st"), late()]], hits());
    assert_eq!((answer.by, answer.truncated.as_deref(), asked.len()), (AnswerBy::Llm, Some("time"), 1));
    let (answer, _, asked) = in_turn(vec![vec![text("The"), late()]], hits());
    assert_eq!(
        (answer.by, answer.failure.unwrap().message, asked.len()),
        (AnswerBy::Extraction, NoAnswer::Fragment.describe().to_owned(), 1)
    );
    assert_eq!(asked[0].within_ms, Some(300_000));
}

#[test]
fn what_is_introduced_is_quoted_as_what_it_is() {
    let text = "Start the loop with a counter:\n\nloop --count 40;\n\nThen wait.";
    let sizes = [
        ("Start the loop with a counter:", Form::Text, ""),
        ("loop --count 40;", Form::Code, "sh"),
        ("Then wait.", Form::Text, ""),
    ];
    let layout =
        sizes.map(|(t, form, note)| Piece { form, bytes: t.len() as u32, note: note.into() }).to_vec();
    let result = result(vec![hit(4, "Loops", &["Start"], text)]);
    let question = Question::new("How do I start the loop with a counter?", &|_| 1.0);
    let found = candidates(&question, &result.hits, &[(4, layout)].into_iter().collect());
    let answer = quote_answer(
        &result,
        &AskOptions::default(),
        &found,
        &choose_blocks(&question, &result.hits, &found, None),
    );
    let blocks: Vec<_> =
        answer.blocks.iter().map(|b| (b.form, b.text.as_str(), b.language.as_str())).collect();
    assert_eq!(
        blocks[..2],
        [
            (BlockForm::Text, "Start the loop with a counter:", ""),
            (BlockForm::Code, "loop --count 40;", "sh")
        ]
    );
    assert!(answer.text.contains("\n```sh\nloop --count 40;\n```"), "{}", answer.text);
    for block in &answer.blocks {
        assert_eq!(&text[block.span.start as usize..block.span.end as usize], block.text);
    }
}

#[test]
fn the_closest_passage_is_not_called_an_answer() {
    let result = result(hits());
    let question = Question::new(QUESTION, &|_| 1.0);
    let found = candidates(&question, &result.hits, &Map::default());
    let choice = Choice { picked: vec![0], sureness: Sureness::Closest, ..Choice::default() };
    let answer = quote_answer(&result, &AskOptions::default(), &found, &choice);
    assert_eq!((answer.answered, answer.outcome), (false, Outcome::Closest));
    assert!(
        answer.text.starts_with("This may not answer the question. The closest passage:\n“"),
        "{}",
        answer.text
    );
    assert_eq!(answer.citations.len(), 1);
}
