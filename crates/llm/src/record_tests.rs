//! Recorded exchanges are replayed unchanged.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::llm::{Message, complete_request};
use proptest::prelude::*;

/// A model of one reply.
struct OneReply(Result<Vec<Result<Delta, LlmError>>, LlmError>);

impl ChatModel for OneReply {
    fn chat<'a>(&'a self, _: ChatRequest) -> OpenedStream<'a> {
        async move { Ok(stream::iter(self.0.clone()?).boxed_local()) }.boxed_local()
    }
}

fn request(text: &str) -> ChatRequest {
    ChatRequest {
        messages: vec![Message::user(text)],
        temperature: Some(0.1),
        stop: vec!["</x>".to_owned()],
        ..ChatRequest::default()
    }
}

fn items(model: &dyn ChatModel, text: &str) -> Result<Vec<Result<Delta, LlmError>>, LlmError> {
    async { Ok(model.chat(request(text)).await?.collect().await) }.now_or_never().unwrap()
}

fn record(model: &OneReply, text: &str) -> String {
    let lines = RefCell::new(String::new());
    let sink = |line: &str| lines.borrow_mut().push_str(&format!("{line}\n"));
    let _ = items(&Recorder::new(model, &sink), text);
    lines.into_inner()
}

fn full() -> Delta {
    Delta {
        text: "a\n\"b\" é\u{1}".to_owned(),
        reasoning: "r".to_owned(),
        tool_calls: vec![ToolCallPiece {
            index: 1,
            call: ToolCall { id: "i".to_owned(), name: "n".to_owned(), arguments: "{}".to_owned() },
        }],
        finish: Some(Finish::ToolCalls),
        stop_sequence: Some("</x>".to_owned()),
        usage: Some(Usage { prompt_tokens: 7, completion_tokens: 2 }),
    }
}

#[test]
fn a_reply_comes_back_piece_by_piece() {
    let model = OneReply(Ok(vec![
        Ok(Delta::default()),
        Ok(full()),
        Err(LlmError::Timeout { what: "further text", milliseconds: 5 }),
    ]));
    let recording = record(&model, "q");
    let replay = Replay::read(&recording).unwrap();
    assert_eq!(items(&replay, "q"), model.0);
    assert_eq!(replay.left(), 0);
}

#[test]
fn every_error_comes_back() {
    for error in [
        LlmError::Endpoint("e".to_owned()),
        LlmError::Http { status: Some(503), message: "m".to_owned() },
        LlmError::Http { status: None, message: "m".to_owned() },
        LlmError::Refused { status: 401, message: "m".to_owned() },
        LlmError::RateLimit { retry_after_ms: Some(9), message: "m".to_owned() },
        LlmError::Timeout { what: "first text", milliseconds: 5 },
        LlmError::Stream("s".to_owned()),
        LlmError::Malformed("m".to_owned()),
        LlmError::Aborted,
    ] {
        let recording = record(&OneReply(Err(error.clone())), "q");
        assert_eq!(items(&Replay::read(&recording).unwrap(), "q"), Err(error));
    }
}

#[test]
fn a_request_that_was_not_recorded_fails_and_each_exchange_is_given_once() {
    let recording = record(&OneReply(Ok(vec![Ok(full())])), "q");
    let replay = Replay::read(&recording).unwrap();
    assert_eq!(items(&replay, "other").unwrap_err().code(), "llm-malformed");
    assert!(items(&replay, "q").is_ok());
    assert!(items(&replay, "q").is_err());
}

#[test]
fn a_reply_that_was_not_waited_for_is_recorded_as_far_as_it_came() {
    let model = OneReply(Ok(vec![Ok(full()), Ok(full())]));
    let lines = RefCell::new(Vec::new());
    let sink = |line: &str| lines.borrow_mut().push(line.to_owned());
    let recorder = Recorder::new(&model, &sink);
    async {
        let mut stream = recorder.chat(request("q")).await.unwrap();
        stream.next().await
    }
    .now_or_never()
    .unwrap();
    let lines = lines.into_inner();
    assert_eq!(lines.len(), 1);
    let replay = Replay::read(&lines[0]).unwrap();
    let reply = complete_request(&replay, request("q")).now_or_never().unwrap();
    assert_eq!(
        (reply.text, reply.error),
        (full().text, Some(LlmError::Stream("the recording ends here".to_owned())))
    );
}

#[test]
fn a_recording_that_is_none_says_where() {
    assert_eq!(
        Replay::read("\n{}").unwrap_err().to_string(),
        "line 2 of the recording is no exchange with a model"
    );
    assert!(
        Replay::read("nonsense").unwrap_err().to_string().starts_with("line 1 of the recording is no JSON")
    );
    assert_eq!(Replay::read("").unwrap().left(), 0);
}

proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "(\\{|\\}|\\[|\\]|\"request\"|\"reply\"|\"end\"|:|,|\"done\"|1|null){0\
        ,24}") {
        let _ = Replay::read(&line);
    }

    #[test]
    fn any_text_survives(texts in prop::collection::vec(".{0,20}", 0..4)) {
        let model =
            OneReply(Ok(texts.into_iter().map(|text| Ok(Delta { text, ..Delta::default() })).collect()));
        let replay = Replay::read(&record(&model, "q")).unwrap();
        prop_assert_eq!(items(&replay, "q"), model.0);
    }
}
