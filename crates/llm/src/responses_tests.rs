//! The Responses API with a scripted server: its requests, and the client's reading of its replies.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{
    ChatConfig, ChatRequest, Completion, Finish, LlmError, Message, OpenAiChat, ToolCall, Usage,
    complete_request,
};
use futures::stream;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

/// Sends one reply in pieces of a given size, and keeps the request.
struct Server {
    status: u16,
    reply_body: String,
    piece: usize,
    seen: Rc<RefCell<Vec<HttpRequest>>>,
}

impl Transport for Server {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        self.seen.borrow_mut().push(request);
        let pieces: Vec<_> =
            self.reply_body.as_bytes().chunks(self.piece.max(1)).map(|p| Ok(p.to_vec())).collect();
        let response = HttpResponse {
            status: self.status,
            headers: Vec::new(),
            body: stream::iter(pieces).boxed_local(),
        };
        async move { Ok(response) }.boxed_local()
    }

    fn sleep(&self, _: u32) -> LocalBoxFuture<'static, ()> {
        futures::future::ready(()).boxed_local()
    }
}

/// Runs a request, and returns its result and the server's request.
fn exchange(request: ChatRequest, status: u16, reply_body: &str, piece: usize) -> (Completion, HttpRequest) {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let server = Server { status, reply_body: reply_body.to_owned(), piece, seen: Rc::clone(&seen) };
    let client =
        OpenAiChat::new(Responses(server), ChatConfig::new("https://host/v1/responses?v=1", "m")).unwrap();
    let reply = complete_request(&client, request).now_or_never().unwrap();
    let request = seen.borrow()[0].clone();
    (reply, request)
}

fn of(reply_body: &str) -> Completion {
    exchange(
        ChatRequest { messages: vec![Message::user("hi")], ..ChatRequest::default() },
        200,
        reply_body,
        7,
    )
    .0
}

fn events(all: &[&str]) -> String {
    let name = |data: &str| parse(data).unwrap().get("type").and_then(Value::as_str).unwrap().to_owned();
    all.iter().map(|data| format!("event: {}\ndata: {data}\n\n", name(data))).collect()
}

const SAYS: [&str; 8] = [
    r#"{"type":"response.created","response":{"id":"r","status":"in_progress","error":null,"output":[]}}"#,
    r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"t"}}"#,
    r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}"#,
    r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"a"}}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"delta":"Hel"}"#,
    r#"{"type":"response.output_text.delta","output_index":1,"delta":"lo"}"#,
    r#"{"type":"response.output_text.done","output_index":1,"text":"Hello"}"#,
    r#"{"type":"response.completed","response":{"status":"completed","error":null,"usage":{"input_tokens":9,"output_tokens":4,"output_tokens_details":{"reasoning_tokens":2}}}}"#,
];

#[test]
fn a_request_is_stated_in_the_words_of_the_api() {
    let call = ToolCall { id: "c1".to_owned(), name: "search".to_owned(), arguments: "{\"q\":1}".to_owned() };
    let tools = parse(r#"[{"type":"function","function":{"name":"search","description":"d","parameters":{"type":"object"}}}]"#).unwrap();
    let request = ChatRequest {
        messages: vec![
            Message::system("Rules."),
            Message::user("hi"),
            Message::calls("I look.", vec![call.clone()]),
            Message::calls("", vec![call]),
            Message::tool("c1", "found"),
        ],
        max_tokens: Some(50),
        temperature: Some(0.5),
        stop: vec!["</a>".to_owned()],
        stop_is_optional: true,
        seed: Some(3),
        extra: vec![
            ("tools".to_owned(), tools),
            ("tool_choice".to_owned(), parse(r#"{"type":"function","function":{"name":"search"}}"#).unwrap()),
            (
                "response_format".to_owned(),
                parse(r#"{"type":"json_schema","json_schema":{"name":"s","schema":{}}}"#).unwrap(),
            ),
            ("reasoning_effort".to_owned(), "low".into()),
        ],
        ..ChatRequest::default()
    };
    let (_, asked) = exchange(request, 200, &events(&SAYS), 4096);
    assert_eq!(asked.url, "https://host/v1/responses?v=1");
    let called = r#"{"type":"function_call","call_id":"c1","name":"search","arguments":"{\"q\":1}"}"#;
    let wanted = [
        r#"{"store":false,"model":"m","input":[{"role":"system","content":"Rules."},{"role":"user","content":"hi"},"#,
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look.","annotations":[]}]},"#,
        called,
        ",",
        called,
        r#",{"type":"function_call_output","call_id":"c1","output":"found"}],"max_output_tokens":50,"temperature":0.5,"stream":true,"#,
        r#""tools":[{"type":"function","name":"search","description":"d","parameters":{"type":"object"}}],"#,
        r#""tool_choice":{"type":"function","name":"search"},"text":{"format":{"type":"json_schema","name":"s","schema":{}}},"reasoning":{"effort":"low"}}"#,
    ];
    assert_eq!(asked.body, wanted.concat());
}

#[test]
fn a_streamed_reply_is_text_thought_finish_and_usage() {
    let reply = of(&events(&SAYS));
    assert_eq!(
        (reply.text.as_str(), reply.reasoning.as_str(), reply.finish, reply.error),
        ("Hello", "hm", Some(Finish::Stop), None)
    );
    assert_eq!(reply.usage, Some(Usage { prompt_tokens: 9, completion_tokens: 4 }));
}

#[test]
fn calls_of_tools_come_in_pieces_and_whole() {
    let reply = of(&events(&[
        r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"f","call_id":"c1","name":"search","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{\"q\":"}"#,
        r#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"1}"}"#,
        r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"search","arguments":"{\"q\":1}"}}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"c2","name":"look","arguments":""}}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c2","name":"look","arguments":"{}"}}"#,
        r#"{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"c3","name":"end","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed","usage":null}}"#,
    ]));
    let calls: Vec<(&str, &str, &str)> =
        reply.tool_calls.iter().map(|c| (c.id.as_str(), c.name.as_str(), c.arguments.as_str())).collect();
    assert_eq!(calls, [("c1", "search", "{\"q\":1}"), ("c2", "look", "{}"), ("c3", "end", "{}")]);
    assert_eq!((reply.finish, reply.usage), (Some(Finish::ToolCalls), None));
}

#[test]
fn calls_of_a_server_that_names_no_places_are_known_by_their_names() {
    // In the form of llama.cpp's server.
    let reply = of(&events(&[
        r#"{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_1","name":"search","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{}"}"#,
        r#"{"type":"response.output_item.added","item":{"type":"function_call","call_id":"fc_2","name":"look","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_2","delta":"{\"a\":1}"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"fc_1","name":"search","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"status":"completed"}}"#,
    ]));
    let calls: Vec<(&str, &str)> =
        reply.tool_calls.iter().map(|c| (c.name.as_str(), c.arguments.as_str())).collect();
    assert_eq!(calls, [("search", "{}"), ("look", "{\"a\":1}")]);
}

#[test]
fn what_cuts_a_reply_is_reported_for_what_it_was() {
    let text = r#"{"type":"response.output_text.delta","output_index":0,"delta":"Hel"}"#;
    let incomplete = |reason: &str| {
        format!(
            "{{\"type\":\"response.incomplete\",\"response\":{{\"incomplete_details\":{{\"reason\":\
             \"{reason}\"}}}}}}"
        )
    };
    assert_eq!(of(&events(&[text, &incomplete("max_output_tokens")])).finish, Some(Finish::Length));
    assert_eq!(of(&events(&[text, &incomplete("content_filter")])).finish, Some(Finish::Filtered));
    let failed = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"out of memory"}}}"#;
    let reply = of(&events(&[text, failed]));
    assert_eq!(
        (reply.text.as_str(), reply.error),
        ("Hel", Some(LlmError::Stream("out of memory (server_error)".to_owned())))
    );
    let error = r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down"}"#;
    assert!(matches!(of(&events(&[text, error])).error, Some(LlmError::RateLimit { .. })));
    // Without its last event a reply is cut short.
    assert_eq!(of(&events(&[text])).error.map(|e| e.code()), Some("llm-stream"));
    let (refused, _) = exchange(ChatRequest::default(), 401, r#"{"error":{"message":"no such key"}}"#, 9);
    assert!(
        matches!(refused.error, Some(LlmError::Refused { status: 401, message }) if message == "no such key")
    );
}

#[test]
fn a_reply_that_is_not_streamed_is_read_whole() {
    let reply = of(concat!(
        r#" {"object":"response","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},"#,
        r#"{"type":"message","content":[{"type":"output_text","text":"Hel"},{"type":"output_text","text":"lo"}]},"#,
        r#"{"type":"function_call","call_id":"c","name":"look","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2}}"#
    ));
    assert_eq!(
        (reply.text.as_str(), reply.reasoning.as_str(), reply.finish),
        ("Hello", "hm", Some(Finish::ToolCalls))
    );
    assert_eq!((reply.tool_calls.iter().count(), reply.usage.map(|u| u.completion_tokens)), (1, Some(2)));
    assert!(matches!(of(r#"{"ok":true}"#).error, Some(LlmError::Malformed(_))));
}

#[test]
fn an_address_names_the_api_by_its_end() {
    assert!(is_responses("https://host/v1/responses") && is_responses(" https://host/v1/responses/?v=1 "));
    assert!(
        !is_responses("https://host/v1")
            && !is_responses("https://responses/v1")
            && !is_responses("https://host/v1?x=/responses")
    );
    assert_eq!(translate_address("https://host/v1/chat/completions"), "https://host/v1/responses");
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_reply(piece in 1..200usize) {
        let request = || ChatRequest { messages: vec![Message::user("hi")], ..ChatRequest::default() };
        let all = events(&SAYS);
        prop_assert_eq!(exchange(request(), 200, &all, piece).0, exchange(request(), 200, &all, all.len()).0);
    }

    #[test]
    fn no_reply_makes_it_panic(
        says in "(data: |event: |\\{|\\}|\"type\":|\"response.output_item.done\"|\"item\":|\"error\"|,|1|\n\n|é){\
            0,30}",
        piece in 1..9usize,
    ) {
        let _ = exchange(ChatRequest::default(), 200, &says, piece);
    }
}
