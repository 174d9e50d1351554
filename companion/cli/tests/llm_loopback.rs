//! The LLM client against a real server on loopback: one that streams, stalls, refuses, breaks off, and
//! floods.
//!
//! No test here depends on how fast the machine is: where a limit must not pass it is a minute, where it must
//! pass the server waits for ever.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pocketgraph::llm::{
    ChatConfig, ChatModel, ChatRequest, Completion, Finish, LlmError, Message, OpenAiChat, Secret,
    complete_request,
};
use pocketgraph_llm_client::chat::NativeTransport;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

const KEY: &str = "sk-loopback-secret";

/// Behaviour of the server after it has read a request.
#[derive(Clone)]
enum Step {
    /// Sends bytes as they are, at once.
    Send(Vec<u8>),
    /// Waits until the client has gone.
    Stall,
}

/// A server that answers its n-th connection with the n-th script, then closes; it keeps what it was sent.
struct Server {
    base: String,
    requests: Arc<Mutex<Vec<String>>>,
    /// Told when a stalled client goes away.
    gone: Arc<Notify>,
}

async fn serve(scripts: Vec<Vec<Step>>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let gone = Arc::new(Notify::new());
    let server = Server { base, requests: requests.clone(), gone: gone.clone() };
    tokio::spawn(async move {
        for script in scripts {
            let (mut socket, _) = listener.accept().await.unwrap();
            let request = read_request(&mut socket).await;
            requests.lock().unwrap().push(request);
            let gone = gone.clone();
            tokio::spawn(async move {
                for step in script {
                    match step {
                        Step::Send(bytes) => {
                            // A client that has had enough closes; that is not the server's concern.
                            if socket.write_all(&bytes).await.is_err() || socket.flush().await.is_err() {
                                break;
                            }
                        }
                        Step::Stall => {
                            let mut byte = [0];
                            let _ = socket.read(&mut byte).await;
                            gone.notify_one();
                        }
                    }
                }
                let _ = socket.shutdown().await;
            });
        }
    });
    server
}

/// Head and body of a request, by its Content-Length.
async fn read_request(socket: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let n = socket.read(&mut piece).await.unwrap();
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
            let length = head.lines().find_map(|l| {
                l.to_ascii_lowercase()
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse::<usize>().unwrap())
            });
            body.len() >= length.unwrap_or(0)
        });
        if whole || n == 0 {
            return text;
        }
    }
}

fn head(status: &str, headers: &str) -> Step {
    Step::Send(format!("HTTP/1.1 {status}\r\nConnection: close\r\n{headers}\r\n").into_bytes())
}

fn stream_head() -> Step {
    head("200 OK", "Content-Type: text/event-stream\r\n")
}

fn send(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

fn word(text: &str) -> Step {
    send(&format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"))
}

fn finish() -> Step {
    send(
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: \
         {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n",
    )
}

fn done() -> Step {
    send("data: [DONE]\n\n")
}

fn refuse(status: &str, headers: &str, body: &str) -> Vec<Step> {
    vec![head(status, &format!("{headers}Content-Length: {}\r\n", body.len())), send(body)]
}

fn hello() -> Vec<Step> {
    vec![stream_head(), word("Hel"), word("lo"), finish(), done()]
}

fn chat(server: &Server, change: impl FnOnce(&mut ChatConfig)) -> OpenAiChat<NativeTransport> {
    let mut config = ChatConfig::new(&server.base, "test-model");
    config.api_key = Some(Secret::new(KEY));
    config.retry.base_ms = 1;
    config.timeouts.first_ms = Some(60_000);
    config.timeouts.stall_ms = Some(60_000);
    config.timeouts.overall_ms = Some(60_000);
    change(&mut config);
    OpenAiChat::new(NativeTransport::direct().unwrap(), config).unwrap()
}

fn request() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("hi")], max_tokens: Some(9), ..ChatRequest::default() }
}

async fn ask(server: &Server) -> Completion {
    complete_request(&chat(server, |_| {}), request()).await
}

#[tokio::test]
async fn a_reply_streams_with_its_count_of_tokens() {
    let server = serve(vec![hello()]).await;
    let reply = ask(&server).await;
    assert_eq!((reply.text.as_str(), reply.finish, &reply.error), ("Hello", Some(Finish::Stop), &None));
    assert_eq!(reply.usage.map(|u| (u.prompt_tokens, u.completion_tokens)), Some((7, 2)));
    let request = server.requests.lock().unwrap()[0].clone();
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1"));
    assert!(request.to_ascii_lowercase().contains(&format!("authorization: bearer {KEY}")));
    assert!(request.contains("\"model\":\"test-model\"") && request.contains("\"stream\":true"));
}

#[tokio::test]
async fn text_comes_while_the_server_is_still_writing() {
    // The server stalls for ever after one word: the word must arrive nevertheless.
    let server = serve(vec![vec![stream_head(), word("early"), Step::Stall]]).await;
    let chat = chat(&server, |_| {});
    let mut stream = chat.chat(request()).await.unwrap();
    let delta = futures::StreamExt::next(&mut stream).await.unwrap().unwrap();
    assert_eq!(delta.text, "early");
}

#[tokio::test]
async fn dropping_the_stream_hangs_up() {
    let server = serve(vec![vec![stream_head(), word("a"), Step::Stall]]).await;
    let chat = chat(&server, |_| {});
    let stream = chat.chat(request()).await.unwrap();
    drop(stream);
    server.gone.notified().await;
}

#[tokio::test]
async fn dropping_the_future_before_the_first_text_hangs_up() {
    let server = serve(vec![vec![Step::Stall]]).await;
    let chat = chat(&server, |_| {});
    let reached = async {
        while server.requests.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = chat.chat(request()) => panic!("a silent server answered"),
        () = reached => {}
    }
    server.gone.notified().await;
}

#[tokio::test]
async fn a_stall_ends_at_its_limit_and_keeps_the_text() {
    let server = serve(vec![vec![stream_head(), word("so far"), Step::Stall]]).await;
    let chat = chat(&server, |c| c.timeouts.stall_ms = Some(50));
    let reply = complete_request(&chat, request()).await;
    assert_eq!((reply.text.as_str(), reply.error.unwrap().code()), ("so far", "llm-timeout"));
}

#[tokio::test]
async fn silence_before_the_first_text_ends_at_its_limit() {
    for script in [
        vec![Step::Stall],
        vec![stream_head(), Step::Stall],
        vec![stream_head(), send(": keep-alive\n\n"), Step::Stall],
    ] {
        let server = serve(vec![script]).await;
        let reply = complete_request(&chat(&server, |c| c.timeouts.first_ms = Some(50)), request()).await;
        assert_eq!(reply.error, Some(LlmError::Timeout { what: "first text", milliseconds: 50 }));
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_out() {
    let server = serve(vec![
        refuse("429 Too Many Requests", "Retry-After: 0\r\n", "{\"error\":{\"message\":\"slow\"}}"),
        refuse("429 Too Many Requests", "", ""),
        hello(),
    ])
    .await;
    assert_eq!(ask(&server).await.text, "Hello");
    assert_eq!(server.requests.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn a_rate_limit_of_an_hour_is_reported_not_waited_for() {
    let server = serve(vec![refuse(
        "429 Too Many Requests",
        "Retry-After: 3600\r\n",
        "{\"error\":{\"message\":\"come back\"}}",
    )])
    .await;
    let error = ask(&server).await.error.unwrap();
    assert_eq!(
        error,
        LlmError::RateLimit { retry_after_ms: Some(3_600_000), message: "come back".to_owned() }
    );
}

#[tokio::test]
async fn a_server_error_is_repeated_then_reported() {
    let server = serve(vec![refuse("500 Internal Server Error", "", "oops"), hello()]).await;
    assert_eq!(ask(&server).await.text, "Hello");
    let server = serve(vec![refuse("500 Internal Server Error", "", "oops"); 4]).await;
    assert_eq!(
        ask(&server).await.error,
        Some(LlmError::Http { status: Some(500), message: "oops".to_owned() })
    );
}

#[tokio::test]
async fn a_connection_closed_without_a_word_is_repeated() {
    let server = serve(vec![vec![], vec![stream_head()], hello()]).await;
    assert_eq!(ask(&server).await.text, "Hello");
}

#[tokio::test]
async fn nobody_listening_is_an_error_without_the_key() {
    // A port that was free a moment ago; the listener is dropped at once.
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let server = Server { base: format!("http://{free}/v1"), requests: Arc::default(), gone: Arc::default() };
    let error = ask(&server).await.error.unwrap();
    assert_eq!(error.code(), "llm-http");
    assert!(!format!("{error} {error:?}").contains(KEY));
}

#[tokio::test]
async fn a_wrong_key_is_refused_and_not_repeated_in_the_message() {
    let server = serve(vec![refuse(
        "401 Unauthorized",
        "",
        &format!("{{\"error\":{{\"message\":\"Incorrect API key: {KEY}\"}}}}"),
    )])
    .await;
    let error = ask(&server).await.error.unwrap();
    assert_eq!(error, LlmError::Refused { status: 401, message: "Incorrect API key: [key]".to_owned() });
}

#[tokio::test]
async fn a_reply_that_closes_mid_word_keeps_its_text_and_says_so() {
    for last in [
        send("data: {\"choices\":[{\"delta\":{\"content\":\" wor"),
        Step::Send(b"data: {\"choices\":[{\"delta\":{\"content\":\" caf\xc3".to_vec()),
        send(""),
    ] {
        let server = serve(vec![vec![stream_head(), word("Hello"), last]]).await;
        let reply = ask(&server).await;
        assert_eq!((reply.text.as_str(), reply.error.unwrap().code()), ("Hello", "llm-stream"));
    }
}

#[tokio::test]
async fn a_chunked_body_cut_by_the_network_keeps_its_text() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n";
    let server = serve(vec![vec![
        head("200 OK", "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"),
        send(&format!("{:x}\r\n{event}\r\n", event.len())),
    ]])
    .await;
    let reply = ask(&server).await;
    assert_eq!((reply.text.as_str(), reply.error.unwrap().code()), ("Hello", "llm-stream"));
}

#[tokio::test]
async fn an_error_inside_a_good_reply_keeps_its_text() {
    let server = serve(vec![vec![
        stream_head(),
        word("Hel"),
        send("data: {\"error\":{\"message\":\"out of memory\"}}\n\n"),
        Step::Stall,
    ]])
    .await;
    let reply = ask(&server).await;
    assert_eq!(
        (reply.text.as_str(), reply.error),
        ("Hel", Some(LlmError::Stream("out of memory".to_owned())))
    );
}

#[tokio::test]
async fn malformed_streams_are_errors() {
    for (body, code) in [
        ("data: {nonsense}\n\n", "llm-malformed"),
        ("<html><body>Sign in to the network</body></html>", "llm-malformed"),
        ("\u{0}\u{1}\u{2}", "llm-malformed"),
        ("{\"unexpected\":true}", "llm-malformed"),
    ] {
        let server = serve(vec![vec![stream_head(), send(body)]]).await;
        assert_eq!(ask(&server).await.error.unwrap().code(), code, "{body}");
    }
}

#[tokio::test]
async fn deviating_servers_are_understood() {
    let crlf =
        "\u{feff}: hello\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"caf\u{e9}\"}}]}\r\n\r\ndata:\
         [DONE]\r\n\r\n"
            .as_bytes();
    let cut = crlf.iter().position(|&b| b == 0xc3).unwrap() + 1;
    let halves = vec![stream_head(), Step::Send(crlf[..cut].to_vec()), Step::Send(crlf[cut..].to_vec())];
    let server = serve(vec![halves]).await;
    let reply = ask(&server).await;
    assert_eq!((reply.text.as_str(), reply.error), ("caf\u{e9}", None));

    let json = "{\"choices\":[{\"message\":{\"content\":\"whole\"},\"finish_reason\":\"stop\"}]}";
    let server = serve(vec![refuse("200 OK", "Content-Type: application/json\r\n", json)]).await;
    assert_eq!(ask(&server).await.text, "whole");
}

#[tokio::test]
async fn five_megabytes_of_answer_end_at_the_bound() {
    let piece = "x".repeat(50_000);
    let mut script = vec![stream_head()];
    script.extend(vec![word(&piece); 100]);
    script.extend([finish(), done()]);
    let server = serve(vec![script.clone()]).await;
    let reply = ask(&server).await;
    assert_eq!(reply.error.unwrap().code(), "llm-stream");
    assert!(reply.text.len() <= 2 << 20 && reply.text.len() > 1 << 20);

    let server = serve(vec![script]).await;
    let chat = chat(&server, |c| c.max_reply_bytes = 8 << 20);
    let reply = complete_request(&chat, request()).await;
    assert_eq!((reply.text.len(), reply.error), (5_000_000, None));
}

#[tokio::test]
async fn one_line_of_five_megabytes_is_refused() {
    let server = serve(vec![vec![stream_head(), send("data: "), send(&"x".repeat(5 << 20))]]).await;
    assert_eq!(ask(&server).await.error.unwrap().code(), "llm-malformed");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let elsewhere = serve(vec![hello()]).await;
    let server = serve(vec![refuse(
        "307 Temporary Redirect",
        &format!("Location: {}/chat/completions\r\n", elsewhere.base),
        "",
    )])
    .await;
    assert!(matches!(ask(&server).await.error, Some(LlmError::Http { status: Some(307), .. })));
    assert!(elsewhere.requests.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_redirect_within_the_endpoint_is_followed_with_the_question() {
    let server =
        serve(vec![refuse("308 Permanent Redirect", "Location: /v2/chat/completions\r\n", ""), hello()])
            .await;
    assert_eq!(ask(&server).await.text, "Hello");
    let second = server.requests.lock().unwrap()[1].clone();
    assert!(second.starts_with("POST /v2/chat/completions") && second.contains("\"content\":\"hi\""));
    let server = serve(vec![refuse("302 Found", "Location: /v2/chat/completions\r\n", "")]).await;
    assert!(matches!(ask(&server).await.error, Some(LlmError::Http { status: Some(302), .. })));
}
