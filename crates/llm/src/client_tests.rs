//! The client against a scripted transport with its own clock: no test waits.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::llm::{Completion, Finish, Message, complete_request};
use std::cell::RefCell;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Waker};

/// Time that passes only when everything waits for it.
#[derive(Default)]
struct Clock {
    now: Cell<u64>,
    waits: RefCell<Vec<u64>>,
}

impl Clock {
    fn until(self: &Rc<Clock>, deadline: u64) -> Timer {
        let clock = self.clone();
        poll_fn(move |_| {
            if clock.now.get() >= deadline {
                Poll::Ready(())
            } else {
                clock.waits.borrow_mut().push(deadline);
                Poll::Pending
            }
        })
        .boxed_local()
    }

    fn run<O>(&self, work: impl Future<Output = O>) -> O {
        let mut work = pin!(work);
        let mut cx = Context::from_waker(Waker::noop());
        loop {
            self.waits.borrow_mut().clear();
            if let Poll::Ready(out) = work.as_mut().poll(&mut cx) {
                return out;
            }
            self.now.set(*self.waits.borrow().iter().min().expect("everything waits for nothing"));
        }
    }
}

/// One scripted response: milliseconds until its headers, the status, headers, and its pieces with their
/// delays.
#[derive(Clone)]
enum Script {
    Refuse,
    Abort,
    Reply(u64, u16, Vec<(&'static str, &'static str)>, Vec<(u64, Result<Vec<u8>, TransportError>)>),
}

struct Scripted {
    clock: Rc<Clock>,
    scripts: RefCell<VecDeque<Script>>,
    seen: Rc<RefCell<Vec<(u64, HttpRequest)>>>,
    open: Rc<Cell<u32>>,
}

/// Counts bodies that have not been dropped.
struct Open(Rc<Cell<u32>>);
impl Drop for Open {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Transport for Scripted {
    fn post(&self, request: HttpRequest) -> LocalBoxFuture<'_, Result<HttpResponse, TransportError>> {
        self.seen.borrow_mut().push((self.clock.now.get(), request));
        let script = self.scripts.borrow_mut().pop_front().expect("one request too many");
        async move {
            match script {
                Script::Refuse => {
                    Err(TransportError::Connection("connection refused for sk-key-123".to_owned()))
                }
                Script::Abort => Err(TransportError::Aborted),
                Script::Reply(delay, status, headers, pieces) => {
                    self.clock.until(self.clock.now.get() + delay).await;
                    self.open.set(self.open.get() + 1);
                    let open = Open(self.open.clone());
                    let clock = self.clock.clone();
                    let body = stream::iter(pieces)
                        .then(move |(delay, piece)| {
                            let wait = clock.until(clock.now.get() + delay);
                            let _ = &open;
                            async move {
                                wait.await;
                                piece
                            }
                        })
                        .boxed_local();
                    let headers = headers.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
                    Ok(HttpResponse { status, headers, body })
                }
            }
        }
        .boxed_local()
    }

    fn sleep(&self, milliseconds: u32) -> Timer {
        self.clock.until(self.clock.now.get() + u64::from(milliseconds))
    }
}

struct Bench {
    clock: Rc<Clock>,
    seen: Rc<RefCell<Vec<(u64, HttpRequest)>>>,
    open: Rc<Cell<u32>>,
    chat: OpenAiChat<Scripted>,
}

fn bench(scripts: Vec<Script>) -> Bench {
    let clock = Rc::new(Clock::default());
    let (seen, open) = (Rc::default(), Rc::<Cell<u32>>::default());
    let transport = Scripted {
        clock: clock.clone(),
        scripts: RefCell::new(scripts.into()),
        seen: Rc::clone(&seen),
        open: open.clone(),
    };
    let mut config = ChatConfig::new("http://host/v1/", "m");
    config.api_key = Some(Secret::new("sk-key-123"));
    config.headers = vec![("X-Team".to_owned(), "team-secret-9".to_owned())];
    config.timeouts = Timeouts { first_ms: Some(1000), stall_ms: Some(500), overall_ms: Some(10_000) };
    Bench { clock, seen, open, chat: OpenAiChat::new(transport, config).unwrap() }
}

impl Bench {
    fn ask(&self) -> Completion {
        let request = ChatRequest {
            messages: vec![Message::user("hi")],
            max_tokens: Some(5),
            ..ChatRequest::default()
        };
        self.clock.run(complete_request(&self.chat, request))
    }

    fn times(&self) -> Vec<u64> {
        self.seen.borrow().iter().map(|(t, _)| *t).collect()
    }
}

fn text(word: &str) -> (u64, Result<Vec<u8>, TransportError>) {
    (10, Ok(format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{word}\"}}}}]}}\n\n").into_bytes()))
}

fn finish() -> (u64, Result<Vec<u8>, TransportError>) {
    (10, Ok(b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_vec()))
}

fn done() -> (u64, Result<Vec<u8>, TransportError>) {
    (10, Ok(b"data: [DONE]\n\n".to_vec()))
}

fn good(pieces: Vec<(u64, Result<Vec<u8>, TransportError>)>) -> Script {
    Script::Reply(10, 200, vec![("Content-Type", "text/event-stream")], pieces)
}

fn status(status: u16, headers: Vec<(&'static str, &'static str)>, body: &str) -> Script {
    Script::Reply(0, status, headers, vec![(0, Ok(body.as_bytes().to_vec()))])
}

#[test]
fn a_reply_streams_and_its_connection_closes_at_the_end() {
    let b = bench(vec![good(vec![text("Hel"), text("lo"), finish(), done(), (9_000_000, Ok(vec![]))])]);
    let reply = b.ask();
    assert_eq!((reply.text.as_str(), reply.finish, reply.error), ("Hello", Some(Finish::Stop), None));
    assert_eq!(b.open.get(), 0);
}

#[test]
fn the_key_is_in_the_authorization_header_and_nowhere_else() {
    let b = bench(vec![good(vec![text("x"), done()])]);
    b.ask();
    let (_, request) = &b.seen.borrow()[0];
    assert_eq!(request.url, "http://host/v1/chat/completions");
    assert!(request.headers.contains(&("Authorization".to_owned(), "Bearer sk-key-123".to_owned())));
    assert!(!request.body.contains("sk-key") && !request.url.contains("sk-key"));
    let shown = format!("{:?} {:?} {request:?}", b.chat, b.chat.config());
    assert!(!shown.contains("sk-key") && !shown.contains("team-secret"), "{shown}");
}

#[test]
fn an_error_never_repeats_the_key() {
    for script in [
        Script::Refuse,
        status(
            401,
            vec![],
            "{\"error\":{\"message\":\"Incorrect API key provided: sk-key-123 (team-secret-9)\"}}",
        ),
        status(400, vec![], "sk-key-123"),
        good(vec![(0, Ok(b"data: {\"error\":\"bad key sk-key-123\"}\n\n".to_vec()))]),
        good(vec![text("a"), (0, Ok(b"event: error\ndata: sk-key-123\n\n".to_vec()))]),
    ] {
        let reply = bench(vec![script; 4]).ask();
        let error = format!("{:?} {}", reply.error, reply.error.as_ref().unwrap());
        assert!(!error.contains("sk-key") && !error.contains("team-secret"), "{error}");
    }
}

#[test]
fn a_rate_limit_waits_as_long_as_it_is_asked_to() {
    let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
    let b = bench(vec![
        status(429, vec![("Retry-After", "2")], ""),
        status(429, vec![("retry-after", "Sun, 06 Nov 1994 08:49:40 GMT"), date], ""),
        good(vec![text("x"), done()]),
    ]);
    assert_eq!(b.ask().text, "x");
    assert_eq!(b.times(), [0, 2000, 5000]);
}

#[test]
fn without_a_wish_the_pauses_grow_and_are_random_but_repeatable() {
    let run = || {
        let b = bench(vec![
            status(500, vec![], ""),
            Script::Refuse,
            status(429, vec![("Retry-After", "soon")], ""),
            good(vec![text("x"), done()]),
        ]);
        assert_eq!(b.ask().text, "x");
        b.times()
    };
    let times = run();
    assert_eq!(times, run());
    for (i, pause) in times.windows(2).map(|w| w[1] - w[0]).enumerate() {
        let step = 500 << i;
        assert!((step / 2..=step).contains(&pause), "{times:?}");
    }
}

#[test]
fn retries_end_and_the_last_error_is_reported() {
    let b = bench(vec![status(503, vec![], "{\"error\":{\"message\":\"loading model\"}}"); 4]);
    assert_eq!(
        b.ask().error,
        Some(LlmError::Http { status: Some(503), message: "loading model".to_owned() })
    );
    assert_eq!(b.times().len(), 4);
    let b = bench(vec![status(429, vec![("Retry-After", "3600")], "later")]);
    assert_eq!(
        b.ask().error,
        Some(LlmError::RateLimit { retry_after_ms: Some(3_600_000), message: "later".to_owned() })
    );
}

#[test]
fn what_will_not_change_is_not_repeated() {
    for (script, code) in [
        (status(401, vec![], "no"), "llm-refused"),
        (
            status(429, vec![], "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}"),
            "llm-refused",
        ),
        (status(404, vec![], "{\"error\":\"model not found\"}"), "llm-http"),
        (status(307, vec![("Location", "http://elsewhere/")], ""), "llm-http"),
        (status(200, vec![], "<html>hello</html>"), "llm-malformed"),
        (Script::Abort, "aborted"),
    ] {
        let b = bench(vec![script]);
        assert_eq!(b.ask().error.unwrap().code(), code);
    }
}

#[test]
fn a_refused_option_is_left_out_and_the_request_repeated_at_once() {
    let b = bench(vec![
        status(400, vec![], "{\"error\":{\"message\":\"Use 'max_completion_tokens' instead.\"}}"),
        status(400, vec![], "{\"error\":{\"message\":\"unknown field stream_options\"}}"),
        good(vec![text("x"), done()]),
    ]);
    assert_eq!(b.ask().text, "x");
    let body = json::parse(&b.seen.borrow()[2].1.body).unwrap();
    assert_eq!(body.get("max_completion_tokens").and_then(Value::as_u64), Some(5));
    assert!(body.get("stream_options").is_none() && body.get("max_tokens").is_none());
}

#[test]
fn a_stream_that_breaks_before_its_first_text_is_repeated() {
    let b = bench(vec![
        good(vec![(5, Ok(b": ping\n\n".to_vec())), (5, Err(TransportError::Connection("reset".to_owned())))]),
        good(vec![]),
        good(vec![(5, Ok(b"data: {\"error\":\"overloaded\"}\n\n".to_vec()))]),
        good(vec![text("x"), done()]),
    ]);
    assert_eq!(b.ask().text, "x");
}

#[test]
fn a_stream_that_breaks_later_is_not_repeated_and_keeps_its_text() {
    for (last, code) in [
        ((5, Err(TransportError::Connection("reset".to_owned()))), "llm-stream"),
        ((5, Err(TransportError::Aborted)), "aborted"),
        ((5, Ok(b"data: {\"error\":\"overloaded\"}\n\n".to_vec())), "llm-stream"),
        ((5, Ok(b"data: {\"choices\":[{\"del".to_vec())), "llm-stream"),
        ((5, Ok(b"data: {]}\n\n".to_vec())), "llm-malformed"),
        ((501, Ok(vec![])), "llm-timeout"),
    ] {
        let b = bench(vec![good(vec![text("so "), text("far"), last])]);
        let reply = b.ask();
        assert_eq!((reply.text.as_str(), reply.error.unwrap().code()), ("so far", code));
        assert_eq!(b.open.get(), 0);
    }
}

#[test]
fn after_the_finish_nothing_that_breaks_matters() {
    for last in [(1, Err(TransportError::Connection("reset".to_owned()))), (60_000, Ok(vec![]))] {
        let reply = bench(vec![good(vec![text("all"), finish(), last])]).ask();
        assert_eq!((reply.text.as_str(), reply.error), ("all", None));
    }
}

#[test]
fn silence_ends_at_its_limit_before_and_after_the_first_text() {
    let b = bench(vec![Script::Reply(1001, 200, vec![], vec![])]);
    assert_eq!(b.ask().error, Some(LlmError::Timeout { what: "first text", milliseconds: 1000 }));
    let pings = vec![(300, Ok(b": ping\n\n".to_vec())); 10];
    let b = bench(vec![good(pings)]);
    assert_eq!(b.ask().error, Some(LlmError::Timeout { what: "first text", milliseconds: 1000 }));
    let mut slow = vec![text("a")];
    slow.extend(vec![(499, Ok(b": ping\n\n".to_vec())); 3]);
    slow.push(done());
    assert_eq!(bench(vec![good(slow)]).ask().error, None);
}

#[test]
fn the_overall_limit_holds_over_repetitions_and_a_stream_that_never_ends() {
    let b = bench(vec![status(429, vec![("Retry-After", "6")], ""); 4]);
    assert_eq!(b.ask().error, Some(LlmError::Timeout { what: "complete reply", milliseconds: 10_000 }));
    let b = bench(vec![good(vec![(400, text("a").1); 100])]);
    let reply = b.ask();
    assert_eq!((reply.text.len(), reply.error.unwrap().code()), (24, "llm-timeout"));
}

#[test]
fn dropping_the_stream_closes_the_connection() {
    let b = bench(vec![good(vec![text("a"), text("b"), done()])]);
    b.clock.run(async {
        let mut stream = b.chat.chat(ChatRequest::default()).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap().text, "a");
        assert_eq!(b.open.get(), 1);
    });
    assert_eq!(b.open.get(), 0);
}

#[test]
fn settings_that_would_split_a_header_are_refused() {
    let with = |key: &str, header: (&str, &str)| {
        let mut config = ChatConfig::new("http://host", "m");
        config.api_key = Some(Secret::new(key));
        config.headers = vec![(header.0.to_owned(), header.1.to_owned())];
        let scripted = bench(vec![]).chat.transport;
        OpenAiChat::new(scripted, config).map(|_| ())
    };
    assert!(with("k", ("X-A", "b")).is_ok());
    for refused in [
        with("k\r\nX: y", ("X-A", "b")),
        with("k", ("X\nA", "b")),
        with("k", ("X-A", "b\r\n")),
        with("k", ("", "")),
    ] {
        assert_eq!(refused.unwrap_err().code(), "llm-endpoint");
    }
}

fn refused(message: &str) -> Script {
    status(400, vec![], &format!("{{\"error\":{{\"message\":\"{message}\"}}}}"))
}

#[test]
fn what_an_endpoint_refused_is_not_sent_to_it_again() {
    let stops = || ChatRequest {
        messages: vec![Message::user("hi")],
        max_tokens: Some(5),
        temperature: Some(0.1),
        stop: vec!["x".to_owned()],
        stop_is_optional: true,
        ..ChatRequest::default()
    };
    let answer = || good(vec![text("x"), done()]);
    let b = bench(vec![
        refused("Use 'max_completion_tokens' instead."),
        refused("temperature is not supported"),
        refused("Unsupported parameter: 'stop'"),
        answer(),
        answer(),
        answer(),
        answer(),
    ]);
    for _ in 0..4 {
        assert_eq!(b.clock.run(complete_request(&b.chat, stops())).text, "x");
    }
    assert_eq!(b.seen.borrow().len(), 7);
    let last = b.seen.borrow()[6].1.body.clone();
    assert!(
        !last.contains("temperature") && !last.contains("\"stop\"") && last.contains("max_completion_tokens"),
        "{last}"
    );
}

#[test]
fn a_requests_own_time_holds_before_the_first_text_and_between_two_pieces() {
    let within = || ChatRequest {
        messages: vec![Message::user("hi")],
        within_ms: Some(300),
        ..ChatRequest::default()
    };
    let late = LlmError::Timeout { what: "complete reply", milliseconds: 300 };
    let b = bench(vec![good(vec![(900, Ok(Vec::new())), text("x"), done()])]);
    assert_eq!(b.clock.run(complete_request(&b.chat, within())).error, Some(late.clone()));
    assert_eq!(b.clock.now.get(), 300);
    let b = bench(vec![good(vec![text("a"), (400, Ok(Vec::new())), text("b"), done()])]);
    let reply = b.clock.run(complete_request(&b.chat, within()));
    assert_eq!((reply.text.as_str(), reply.error), ("a", Some(late.clone())));
    let b = bench(vec![status(503, vec![], ""), status(503, vec![], "")]);
    assert_eq!(b.clock.run(complete_request(&b.chat, within())).error, Some(late));
}

#[test]
fn text_behind_a_finish_reason_is_part_of_the_reply() {
    let each = |word: &str, after: u64| {
        let chunk = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{word}\"}},\"finish_reason\":\"stop\"}}]}}\n\n"
        );
        (after, Ok(chunk.into_bytes()))
    };
    let mut b = bench(vec![good(vec![each("Hel", 10), each("lo", 3_000), done()])]);
    b.chat.config.timeouts = Timeouts::default();
    let reply = b.ask();
    assert_eq!((reply.text.as_str(), reply.error), ("Hello", None));
    let mut b = bench(vec![good(vec![text("Hello"), finish(), (9_000_000, Ok(Vec::new()))])]);
    b.chat.config.timeouts = Timeouts::default();
    assert_eq!((b.ask().text.as_str(), b.clock.now.get() < 3_000), ("Hello", true));
}

#[test]
fn too_small_a_context_and_a_web_page_in_place_of_a_reply_are_named() {
    let b = bench(vec![refused("the request exceeds the available context size")]);
    assert_eq!(b.ask().error.unwrap().code(), "llm-context");
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let b = bench(vec![status(502, vec![], page); 4]);
    assert!(!b.ask().error.unwrap().to_string().contains("html"));
    let b = bench(vec![status(429, vec![("Retry-After", "3600")], "quota")]);
    assert!(b.ask().error.unwrap().to_string().contains("asks to wait 3600 s"));
}
