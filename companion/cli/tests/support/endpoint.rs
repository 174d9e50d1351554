//! What tests with a model behind a server on loopback share.
#![allow(dead_code)]

use super::request::read_request;
use std::io::Write;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Reply of the server: a status, further headers, and the text of the model's message or of the error.
pub struct Answer {
    pub status: u16,
    pub headers: &'static str,
    pub text: String,
    /// Cut the body here, and close.
    pub cut: Option<usize>,
}

pub fn ok(text: impl Into<String>) -> Answer {
    Answer { status: 200, headers: "", text: text.into(), cut: None }
}

pub fn error(status: u16, headers: &'static str) -> Answer {
    Answer { status, headers, text: "no".into(), cut: None }
}

pub struct Server {
    pub base: String,
    /// The bodies of all requests.
    pub requests: Arc<Mutex<Vec<String>>>,
    /// The most requests that were under way at once.
    pub at_once: Arc<AtomicUsize>,
}

/// Serves for ever; `answer` gets the number of the request from 0 and its body.
pub fn serve(answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let (requests, at_once) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let server = Server { base, requests: requests.clone(), at_once: at_once.clone() };
    let (answer, now) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (answer, requests, at_once, now) =
                (answer.clone(), requests.clone(), at_once.clone(), now.clone());
            std::thread::spawn(move || {
                let mut socket = socket.unwrap();
                let body = read_request(&mut socket);
                at_once.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let number = {
                    let mut all = requests.lock().unwrap();
                    all.push(body.clone());
                    all.len() - 1
                };
                let reply = answer(number, &body);
                std::thread::sleep(Duration::from_millis(20));
                now.fetch_sub(1, Ordering::SeqCst);
                let json = if reply.status == 200 {
                    serde_json::json!({"choices": [{"message": {"role": "assistant", "content": reply.text},
                        "finish_reason": "stop"}],
                        "usage": {"prompt_tokens": 100, "completion_tokens": 10}})
                } else {
                    serde_json::json!({"error": {"message": reply.text}})
                };
                let json = json.to_string();
                let head = format!(
                    "HTTP/1.1 {} X\r\nContent-Type: application/json\r\nContent-Length: \
                     {}\r\nConnection: close\r\n{}\r\n",
                    reply.status,
                    json.len(),
                    reply.headers
                );
                let whole = head + &json;
                let sent = reply.cut.map_or(whole.len(), |cut| whole.len() - cut);
                let _ = socket.write_all(&whole.as_bytes()[..sent]);
            });
        }
    });
    server
}

impl Server {
    /// Returns the number of requests.
    pub fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}
