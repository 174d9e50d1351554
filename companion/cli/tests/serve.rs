//! `pocketgraph serve` as a browser, and as somebody who means harm, would meet it: raw HTTP over loopback.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::StreamExt;
use pocketgraph_serve::{LlmProxy, STRICT_POLICY, ServeOptions, Server, TimeLimits};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

const HASHED: &str = "chunks.00112233aabbccdd.bin";

/// A small site, with a secret beside it.
fn site() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("site");
    let bundle = root.join("bundle");
    std::fs::create_dir_all(&bundle).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::create_dir_all(root.join("empty")).unwrap();
    let write = |path: &Path, bytes: &[u8]| std::fs::write(path, bytes).unwrap();
    write(
        &root.join("index.html"),
        format!("<!doctype html><title>t</title>{}", "word ".repeat(400)).as_bytes(),
    );
    write(&root.join("app.js"), "export const a = 1;\n".repeat(100).as_bytes());
    write(&root.join("engine.wasm"), b"\0asm\x01\0\0\0");
    write(&root.join("style.css"), b"a{}");
    write(&root.join("logo.svg"), b"<svg/>");
    write(&root.join("with space.txt"), b"spaced");
    write(&root.join(".git/config"), b"hidden");
    write(&bundle.join("manifest.json"), b"{}");
    write(&bundle.join("index.html"), b"inner");
    write(&bundle.join(HASHED), &(0..=255).collect::<Vec<u8>>());
    write(&dir.path().join("secret.txt"), b"outside");
    dir
}

fn options(dir: &TempDir) -> ServeOptions {
    ServeOptions { port: Some(0), ..ServeOptions::new(dir.path().join("site")) }
}

/// Runs a server until the returned sender is dropped.
async fn start(options: ServeOptions) -> (SocketAddr, oneshot::Sender<()>) {
    let server = Server::bind(options).await.unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    (address, stop)
}

#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// Sends exactly this text and reads until the server closes the connection.
async fn raw(address: SocketAddr, request: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes))
        .await
        .expect("an answer in time")
        .unwrap();
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Reply {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").expect("a whole head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut reply = Reply { status, head, body: bytes[end + 4..].to_vec() };
    if reply.header("transfer-encoding") == Some("chunked") {
        reply.body = unchunk(&reply.body);
    }
    reply
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let line = bytes.windows(2).position(|w| w == b"\r\n").expect("a chunk's length");
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return out;
        }
        out.extend_from_slice(&bytes[line + 2..line + 2 + size]);
        bytes = &bytes[line + 2 + size + 2..];
    }
}

async fn ask(address: SocketAddr, method: &str, path: &str, headers: &[&str]) -> Reply {
    let host = if headers.iter().any(|h| h.to_ascii_lowercase().starts_with("host:")) {
        String::new()
    } else {
        format!("Host: {address}\r\n")
    };
    let more: String = headers.iter().map(|h| format!("{h}\r\n")).collect();
    raw(address, &format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\n{more}\r\n")).await
}

async fn get(address: SocketAddr, path: &str) -> Reply {
    ask(address, "GET", path, &[]).await
}

#[tokio::test]
async fn files_come_with_the_right_type() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/index.html?q=1", "text/html; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/engine.wasm", "application/wasm"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/logo.svg", "image/svg+xml"),
        ("/with%20space.txt", "text/plain; charset=utf-8"),
        ("/bundle/manifest.json", "application/json"),
        ("/bundle/chunks.00112233aabbccdd.bin", "application/octet-stream"),
    ] {
        let reply = get(at, path).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(kind)), "{path}");
    }
    assert_eq!(get(at, "/bundle/").await.text(), "inner");
}

#[tokio::test]
async fn every_answer_carries_the_strict_headers() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    for path in ["/", "/app.js", "/missing", "/../x"] {
        let reply = get(at, path).await;
        assert_eq!(reply.header("content-security-policy"), Some(STRICT_POLICY), "{path}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
    }
    assert!(STRICT_POLICY.contains("script-src 'self' 'wasm-unsafe-eval';"));
    assert!(
        !STRICT_POLICY.contains("unsafe-inline")
            && !STRICT_POLICY.contains("'unsafe-eval'")
            && !STRICT_POLICY.contains("blob:")
    );

    let (at, _stop) = start(ServeOptions { policy: None, ..options(&dir) }).await;
    assert_eq!(get(at, "/").await.header("content-security-policy"), None);
}

#[tokio::test]
async fn hashed_names_are_cached_for_ever_and_all_else_is_asked_for_again() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let hashed = get(at, &format!("/bundle/{HASHED}")).await;
    assert_eq!(hashed.header("cache-control"), Some("public, max-age=31536000, immutable"));
    for path in ["/", "/bundle/manifest.json", "/app.js"] {
        let first = get(at, path).await;
        assert_eq!(first.header("cache-control"), Some("no-cache"), "{path}");
        let tag = first.header("etag").expect("a tag").to_owned();
        let again = ask(at, "GET", path, &[&format!("If-None-Match: \"other\", W/{tag}")]).await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        assert_eq!(ask(at, "GET", path, &["If-None-Match: \"other\""]).await.status, 200, "{path}");
    }
    let tag = get(at, "/style.css").await.header("etag").unwrap().to_owned();
    std::fs::write(dir.path().join("site/style.css"), b"a{b:c}").unwrap();
    let changed = ask(at, "GET", "/style.css", &[&format!("If-None-Match: {tag}")]).await;
    assert_eq!((changed.status, changed.text()), (200, "a{b:c}"));
}

#[tokio::test]
async fn a_range_brings_just_that_part() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let path = format!("/bundle/{HASHED}");
    let part = ask(at, "GET", &path, &["Range: bytes=10-12"]).await;
    assert_eq!(
        (part.status, part.header("content-range"), &part.body[..]),
        (206, Some("bytes 10-12/256"), &[10, 11, 12][..])
    );
    let tail = ask(at, "GET", &path, &["Range: bytes=-2"]).await;
    assert_eq!((tail.status, &tail.body[..]), (206, &[254, 255][..]));
    let outside = ask(at, "GET", &path, &["Range: bytes=256-"]).await;
    assert_eq!(
        (outside.status, outside.header("content-range"), outside.body.len()),
        (416, Some("bytes */256"), 0)
    );
    let several = ask(at, "GET", &path, &["Range: bytes=0-1,5-6"]).await;
    assert_eq!((several.status, several.body.len()), (200, 256));

    let tag = part.header("etag").unwrap();
    let same = ask(at, "GET", &path, &["Range: bytes=0-0", &format!("If-Range: {tag}")]).await;
    assert_eq!((same.status, same.body.len()), (206, 1));
    let other = ask(at, "GET", &path, &["Range: bytes=0-0", "If-Range: \"other\""]).await;
    assert_eq!((other.status, other.body.len()), (200, 256));
    let of_text = ask(at, "GET", "/app.js", &["Range: bytes=0-5", "Accept-Encoding: gzip"]).await;
    assert_eq!((of_text.status, of_text.header("content-encoding"), of_text.text()), (206, None, "export"));
}

#[tokio::test]
async fn a_large_file_arrives_whole() {
    let dir = site();
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(dir.path().join("site/large.bin"), &large).unwrap();
    let (at, _stop) = start(options(&dir)).await;
    assert!(get(at, "/large.bin").await.body == large);
    let part = ask(at, "GET", "/large.bin", &["Range: bytes=65535-1100000"]).await;
    assert!(part.body == large[65_535..=1_100_000]);
}

#[tokio::test]
async fn head_says_what_get_would_without_the_bytes() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let (get, head) = (get(at, "/app.js").await, ask(at, "HEAD", "/app.js", &[]).await);
    assert_eq!((head.status, head.body.len()), (200, 0));
    for name in ["content-length", "content-type", "etag", "cache-control"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert_eq!(head.header("content-length"), Some("2000"));
}

#[tokio::test]
async fn text_is_compressed_for_those_who_accept_it() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let plain = get(at, "/app.js").await;
    assert_eq!(plain.header("content-encoding"), None);
    let packed = ask(at, "GET", "/app.js", &["Accept-Encoding: br, gzip"]).await;
    assert_eq!(
        (packed.header("content-encoding"), packed.header("vary")),
        (Some("gzip"), Some("accept-encoding"))
    );
    assert!(packed.body.len() < 200);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == plain.body);
    let refused = ask(at, "GET", "/app.js", &["Accept-Encoding: gzip;q=0"]).await;
    assert_eq!((refused.header("content-encoding"), refused.body.len()), (None, 2000));
    let section = ask(at, "GET", &format!("/bundle/{HASHED}"), &["Accept-Encoding: gzip"]).await;
    assert_eq!((section.header("content-encoding"), section.body.len()), (None, 256));
}

#[tokio::test]
async fn nothing_outside_the_folder_or_hidden_is_served() {
    let dir = site();
    #[cfg(unix)]
    {
        let root = dir.path().join("site");
        std::os::unix::fs::symlink(dir.path().join("secret.txt"), root.join("leak.txt")).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.join("up")).unwrap();
        std::os::unix::fs::symlink(root.join(".git"), root.join("visible")).unwrap();
        std::os::unix::fs::symlink(root.join("style.css"), root.join("inside.css")).unwrap();
    }
    let (at, _stop) = start(options(&dir)).await;
    for path in [
        "/../secret.txt",
        "/bundle/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2E%2E%2Fsecret.txt",
        "/bundle/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "/leak.txt",
        "/up/secret.txt",
        "/visible/config",
        "/.git/config",
        "/%2egit/config",
        "//index.html",
        "/index.html/",
        "/app.js%00",
        "/style.css/../../secret.txt",
    ] {
        let reply = get(at, path).await;
        assert_eq!(reply.status, 404, "{path}");
        assert!(!reply.text().contains("outside") && !reply.text().contains("hidden"), "{path}");
    }
    #[cfg(unix)]
    assert_eq!(get(at, "/inside.css").await.text(), "a{}");
}

#[tokio::test]
async fn a_folder_shows_its_index_and_never_its_list() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let moved = get(at, "/bundle?x=1").await;
    assert_eq!((moved.status, moved.header("location")), (301, Some("/bundle/?x=1")));
    for path in ["/empty", "/empty/"] {
        assert_eq!(get(at, path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn other_methods_are_refused() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let reply = ask(at, method, "/", &[]).await;
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method}");
    }
}

#[tokio::test]
async fn a_foreign_name_for_this_machine_reads_nothing() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    for host in ["Host: rebound.example", "Host: 127.0.0.1.example:80", "Host: localhost\r\nHost: localhost"]
    {
        let reply = ask(at, "GET", "/", &[host]).await;
        assert!(reply.status == 421 || reply.status == 400, "{host}: {}", reply.status);
        assert!(!reply.text().contains("word"), "{host}");
    }
    assert_eq!(ask(at, "GET", "/", &["Host: localhost:9"]).await.status, 200);
}

#[tokio::test]
async fn it_listens_on_this_machine_only_and_moves_on_from_a_taken_port() {
    let dir = site();
    let by_default = ServeOptions::new(dir.path().join("site"));
    assert!(by_default.host.is_loopback());
    let first = Server::bind(by_default.clone()).await.unwrap();
    let second = Server::bind(by_default).await.unwrap();
    assert_ne!(first.address().port(), second.address().port());
    assert!(first.address().ip().is_loopback());

    let exactly = ServeOptions { port: Some(first.address().port()), ..options(&dir) };
    let error = Server::bind(exactly).await.unwrap_err();
    assert!(format!("{error:?}").contains(&first.address().to_string()), "{error:?}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_named() {
    let dir = site();
    for missing in ["nowhere", "site/app.js"] {
        let error = Server::bind(ServeOptions::new(dir.path().join(missing))).await.unwrap_err();
        assert!(format!("{error:?}").replace(['\n', ' ', '│'], "").contains(missing), "{error:?}");
    }
}

#[tokio::test]
async fn it_stops_when_asked_even_while_an_answer_hangs() {
    let dir = site();
    let upstream = endpoint(Behaviour::Stall).await;
    let server = Server::bind(with_proxy(&dir, upstream)).await.unwrap();
    let at = server.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    let mut hanging = TcpStream::connect(at).await.unwrap();
    hanging.write_all(chat(at, &[]).as_bytes()).await.unwrap();
    let mut seen = [0; 12];
    hanging.read_exact(&mut seen).await.unwrap();
    stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(10), running).await.expect("it stops in time").unwrap();
    assert!(TcpStream::connect(at).await.is_err());
}

#[tokio::test]
async fn a_page_of_another_site_gets_nothing_and_a_link_from_it_works() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let asked = async |site: &str, mode: &str, dest: &str| {
        let headers = [
            format!("Sec-Fetch-Site: {site}"),
            format!("Sec-Fetch-Mode: {mode}"),
            format!("Sec-Fetch-Dest: {dest}"),
        ];
        ask(at, "GET", "/app.js", &headers.each_ref().map(String::as_str)).await
    };
    for (mode, dest) in [
        ("no-cors", "script"),
        ("no-cors", "image"),
        ("cors", "empty"),
        ("navigate", "iframe"),
        ("navigate", "object"),
    ] {
        let reply = asked("cross-site", mode, dest).await;
        assert_eq!(reply.status, 403, "{mode} {dest}");
        assert!(!reply.text().contains("export"), "{mode} {dest}");
        for site in ["same-origin", "same-site", "none"] {
            assert_eq!(asked(site, mode, dest).await.status, 200, "{site} {mode} {dest}");
        }
    }
    assert_eq!(asked("cross-site", "navigate", "document").await.status, 200);
    let twice =
        ask(at, "GET", "/app.js", &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]).await;
    assert_eq!(twice.status, 403);
    assert_eq!(get(at, "/app.js").await.status, 200, "a program that says nothing is no page");
}

/// Limits that a test can wait for.
fn hurried(dir: &TempDir) -> ServeOptions {
    let limits = TimeLimits { request: Duration::from_millis(300), reading: Duration::from_millis(300) };
    ServeOptions { limits, ..options(dir) }
}

/// Sends this text and waits until the server closes the connection of itself.
async fn until_closed(at: SocketAddr, text: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes)).await;
    // A reset is an end as well.
    let _ = read.expect("the server closes what only stands open");
    bytes
}

#[tokio::test]
async fn connections_that_only_are_open_are_closed() {
    let dir = site();
    let (at, _stop) = start(hurried(&dir)).await;
    let whole = format!("GET /style.css HTTP/1.1\r\nHost: {at}\r\n\r\n");
    let half_open: Vec<TcpStream> = futures::future::join_all((0..100).map(|_| async {
        let mut stream = TcpStream::connect(at).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
        stream
    }))
    .await;
    assert_eq!(get(at, "/style.css").await.status, 200, "others are served meanwhile");
    for mut stream in half_open {
        let mut bytes = Vec::new();
        let _ = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut bytes))
            .await
            .expect("closed");
    }
    assert!(until_closed(at, "").await.is_empty(), "one that says nothing");
    let after_an_answer = until_closed(at, &whole).await;
    assert_eq!(parse(&after_an_answer).text(), "a{}", "one that says nothing more");
    let twice = until_closed(at, &format!("{whole}{whole}")).await;
    assert_eq!(String::from_utf8(twice).unwrap().matches("a{}").count(), 2, "and until then it is kept");
}

#[tokio::test]
async fn a_request_whose_body_does_not_come_is_given_up() {
    let dir = site();
    let (at, _stop) = start(ServeOptions {
        limits: hurried(&dir).limits,
        ..with_proxy(&dir, endpoint(Behaviour::Echo).await)
    })
    .await;
    let request = chat(at, &[]);
    let cut = until_closed(at, &request[..request.len() - 5]).await;
    assert_eq!(parse(&cut).status, 408);
}

#[tokio::test]
async fn a_reader_who_takes_nothing_is_given_up() {
    let dir = site();
    let length = 256 << 20;
    std::fs::File::create(dir.path().join("site/large.bin")).unwrap().set_len(length).unwrap();
    let (at, _stop) = start(hurried(&dir)).await;
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(format!("GET /large.bin HTTP/1.1\r\nHost: {at}\r\n\r\n").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut received = 0;
    let mut block = vec![0; 1 << 20];
    while let Ok(read) =
        tokio::time::timeout(Duration::from_secs(20), stream.read(&mut block)).await.expect("data or an end")
    {
        received += read as u64;
        if read == 0 {
            break;
        }
    }
    assert!(received < length, "{received} bytes came, as if it had been waited for");
}

#[tokio::test]
async fn a_compressed_file_is_that_of_now_and_a_very_large_one_is_sent_as_it_is() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    let file = dir.path().join("site/app.js");
    let unpacked = async || {
        let packed = ask(at, "GET", "/app.js", &["Accept-Encoding: gzip"]).await;
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        let mut text = String::new();
        flate2::read::GzDecoder::new(&packed.body[..]).read_to_string(&mut text).unwrap();
        text
    };
    let first = unpacked().await;
    assert_eq!(unpacked().await, first);
    std::fs::write(&file, first.replace("const a", "const b")).unwrap();
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(
        unpacked().await,
        first.replace("const a", "const b"),
        "of the same length, but changed at another time"
    );
    std::fs::write(&file, vec![b' '; (16 << 20) + 1]).unwrap();
    let large = ask(at, "GET", "/app.js", &["Accept-Encoding: gzip"]).await;
    assert_eq!((large.header("content-encoding"), large.body.len()), (None, (16 << 20) + 1));
}

// The proxy.

const KEY: &str = "sk-test/4711";
const QUESTION: &str = r#"{"model":"m","stream":true,"messages":[]}"#;

/// Ways in which an endpoint quotes the key.
#[derive(Debug, Clone, Copy)]
enum Quoted {
    Plainly,
    InJson,
    ByNumbers,
    InAnAddress,
    InBase64,
    BehindMuchElse,
}

impl Quoted {
    const ALL: [Quoted; 6] = [
        Quoted::Plainly,
        Quoted::InJson,
        Quoted::ByNumbers,
        Quoted::InAnAddress,
        Quoted::InBase64,
        Quoted::BehindMuchElse,
    ];

    fn say(self) -> String {
        match self {
            Quoted::Plainly => format!("the key 'Bearer {KEY}' is not known"),
            Quoted::InJson => {
                format!(r#"{{"error":{{"message":"no such key: {}"}}}}"#, KEY.replace('/', r"\/"))
            }
            Quoted::ByNumbers => KEY.bytes().map(|byte| format!(r"\u{byte:04x}")).collect(),
            Quoted::InAnAddress => format!("/v1/chat?key={}", KEY.replace('/', "%2F")),
            // What `base64` makes of "Bearer " and the key.
            Quoted::InBase64 => "authorization: QmVhcmVyIHNrLXRlc3QvNDcxMQ==".to_owned(),
            Quoted::BehindMuchElse => format!("{}{KEY}", "much else ".repeat(20_000)),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Behaviour {
    /// Says back what it was sent, as an event stream.
    Echo,
    /// One event, then silence.
    Stall,
    /// Fails with this status, and quotes the key so.
    Quote(u16, Quoted),
    /// An error in the middle of a stream, whose event comes in two pieces that divide the key.
    QuoteInStream,
    /// Quotes the key where it says when to come back.
    QuoteInHeader,
    /// Busy; come back in 7 seconds.
    Busy,
    /// Sends the client on to another address.
    Redirect,
    /// A web page.
    Page,
    /// The Responses API: the events of one reply, the key in it.
    Responses,
}

/// A language model's endpoint on loopback. Returns its base URL.
async fn endpoint(behaviour: Behaviour) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let path =
        if matches!(behaviour, Behaviour::Responses) { "/v1/responses" } else { "/v1/chat/completions" };
    let app = Router::new().route(path, post(move |request: Request| model(behaviour, request)));
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}{}", path.trim_end_matches("/chat/completions"))
}

async fn model(behaviour: Behaviour, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let events = [("content-type", "text/event-stream; charset=utf-8")];
    match behaviour {
        Behaviour::Echo => {
            let headers: String =
                parts.headers.iter().map(|(k, v)| format!("{k}={} ", v.to_str().unwrap())).collect();
            let text =
                String::from_utf8(axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
            (events, format!("data: {headers}\n\ndata: {text}\n\n")).into_response()
        }
        Behaviour::Stall => {
            let first =
                futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"data: first\n\n"))]);
            (events, Body::from_stream(first.chain(futures::stream::pending()))).into_response()
        }
        Behaviour::Quote(status, quoted) => {
            (StatusCode::from_u16(status).unwrap(), quoted.say()).into_response()
        }
        Behaviour::QuoteInStream => {
            let event = format!("data: one\n\ndata: {{\"error\":{{\"message\":\"no key {KEY}\"}}}}\n\n");
            let (first, second) = event.split_at(event.find(KEY).unwrap() + 5);
            let pieces = [first, second].map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece.to_owned())));
            (
                events,
                Body::from_stream(futures::stream::iter(pieces).then(|piece| async {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    piece
                })),
            )
                .into_response()
        }
        Behaviour::QuoteInHeader => {
            (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", KEY)], "later").into_response()
        }
        Behaviour::Busy => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], "busy").into_response(),
        Behaviour::Redirect => (StatusCode::TEMPORARY_REDIRECT, [("location", "/elsewhere")]).into_response(),
        Behaviour::Page => ([("content-type", "text/html")], "<script>1</script>").into_response(),
        Behaviour::Responses => {
            let asked =
                String::from_utf8(axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
            assert!(asked.contains("\"input\":[") && asked.contains("\"store\":false"), "{asked}");
            let response_text = format!(
                "data: {{\"type\":\"response.output_text.delta\",\"delta\":\"Hello {KEY}\"}}\n\n\
                 data: {{\"type\":\"response.completed\",\"response\":{{\"usage\":{{\"input_tokens\":3,\"outp\
                 ut_tokens\":2}}}}}}\n\n"
            );
            (events, response_text).into_response()
        }
    }
}

fn with_proxy(dir: &TempDir, base_url: String) -> ServeOptions {
    ServeOptions {
        llm_proxy: Some(LlmProxy { api_key: Some(KEY.to_owned()), ..LlmProxy::from_env(base_url) }),
        ..options(dir)
    }
}

/// A chat request as the served page would send it, with some header lines replaced or (`Name:`) left out.
fn chat(at: SocketAddr, changes: &[&str]) -> String {
    chat_with(at, changes, QUESTION)
}

fn chat_with(at: SocketAddr, changes: &[&str], body: &str) -> String {
    let mut lines = vec![
        format!("Host: {at}"),
        format!("Origin: http://{at}"),
        "Sec-Fetch-Site: same-origin".to_owned(),
        "Content-Type: application/json".to_owned(),
        "Authorization: Bearer of-the-page".to_owned(),
        "Cookie: a=b".to_owned(),
        "Connection: close".to_owned(),
        format!("Content-Length: {}", body.len()),
    ];
    for change in changes {
        let name = change.split(':').next().unwrap();
        lines.retain(|line| !line.starts_with(&format!("{name}:")));
        if !change.ends_with(':') {
            lines.push((*change).to_owned());
        }
    }
    format!("POST /llm/v1/chat/completions HTTP/1.1\r\n{}\r\n\r\n{body}", lines.join("\r\n"))
}

#[tokio::test]
async fn the_proxy_adds_the_key_and_passes_nothing_else_on() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Echo).await)).await;
    let reply = raw(at, &chat(at, &[])).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
    assert!(
        reply.text().contains("authorization=Bearer [key withheld] "),
        "the key was sent, and what quotes it is blotted out: {}",
        reply.text()
    );
    assert!(reply.text().contains(&format!("data: {QUESTION}\n\n")));
    for private in ["of-the-page", "cookie=", "origin=", "referer="] {
        assert!(!reply.text().contains(private), "{private}");
    }
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn an_endpoint_of_the_responses_api_serves_chat_completions_to_the_page() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Responses).await)).await;
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}"#;
    let reply = raw(at, &chat_with(at, &[], body)).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
    let text = reply.text();
    assert!(
        text.contains(r#""delta":{"content":"Hello "#)
            && text.contains(r#""prompt_tokens":3"#)
            && text.contains("[DONE]"),
        "{text}"
    );
    assert!(!text.contains(KEY), "{text}");
}

#[tokio::test]
async fn a_proxy_without_a_key_sends_none() {
    let dir = site();
    let base_url = endpoint(Behaviour::Echo).await;
    let (at, _stop) = start(ServeOptions {
        llm_proxy: Some(LlmProxy { api_key: None, ..LlmProxy::from_env(base_url) }),
        ..options(&dir)
    })
    .await;
    assert!(!raw(at, &chat(at, &[])).await.text().contains("authorization"));
}

#[tokio::test]
async fn tokens_are_passed_on_as_they_come() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Stall).await)).await;
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(chat(at, &[]).as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    let first = async {
        while !seen.windows(13).any(|w| w == b"data: first\n\n") {
            assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
        }
    };
    tokio::time::timeout(Duration::from_secs(10), first)
        .await
        .expect("the first event does not wait for the last");
}

#[tokio::test]
async fn only_the_served_page_may_spend_the_key() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Echo).await)).await;
    let other_port = format!("Origin: http://127.0.0.1:{}", at.port().wrapping_add(1).max(1));
    for (changes, status) in [
        (vec!["Origin: https://evil.example"], 403),
        (vec!["Origin: null"], 403),
        (vec!["Origin:"], 403),
        (vec![other_port.as_str()], 403),
        (vec!["Sec-Fetch-Site: cross-site"], 403),
        (vec!["Sec-Fetch-Site: same-site"], 403),
        (vec!["Sec-Fetch-Site: none"], 403),
        (vec!["Host: evil.example", "Origin: http://evil.example"], 421),
        (vec!["Content-Type: text/plain"], 415),
        (vec!["Content-Type:"], 415),
    ] {
        let reply = raw(at, &chat(at, &changes)).await;
        assert_eq!(reply.status, status, "{changes:?}");
        assert!(!reply.text().contains(KEY), "{changes:?}");
    }
    assert_eq!(raw(at, &chat(at, &["Sec-Fetch-Site:"])).await.status, 200);
    assert_eq!(ask(at, "GET", "/llm/v1/chat/completions", &[]).await.status, 405);
    assert_eq!(ask(at, "POST", "/llm/v1/models", &[]).await.status, 405);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Echo).await)).await;
    // The refusal may come before all is sent; so the length is announced, and only a part of it sent beyond
    // the limit.
    let body = "x".repeat((1 << 20) + 1);
    let mut stream = TcpStream::connect(at).await.unwrap();
    let request = chat_with(at, &[], &body);
    let _ = stream.write_all(request.as_bytes()).await;
    let mut status = [0; 12];
    tokio::time::timeout(Duration::from_secs(10), stream.read_exact(&mut status)).await.unwrap().unwrap();
    assert_eq!(&status, b"HTTP/1.1 413");
}

#[tokio::test]
async fn failures_of_the_endpoint_are_reported_without_the_key() {
    let dir = site();
    for (behaviour, status) in [(Behaviour::Busy, 429), (Behaviour::Redirect, 502)] {
        let (at, _stop) = start(with_proxy(&dir, endpoint(behaviour).await)).await;
        let reply = raw(at, &chat(at, &[])).await;
        assert_eq!(reply.status, status, "{behaviour:?}");
        assert!(!reply.text().contains(KEY), "{behaviour:?}");
        let wait = matches!(behaviour, Behaviour::Busy).then_some("7");
        assert_eq!(reply.header("retry-after"), wait, "{behaviour:?}");
    }
    let nobody = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let (at, _stop) = start(with_proxy(&dir, nobody)).await;
    assert_eq!(raw(at, &chat(at, &[])).await.status, 502);
}

#[tokio::test]
async fn no_error_of_an_endpoint_brings_the_key_to_the_page() {
    let dir = site();
    for status in [400, 401, 403, 404, 418, 429, 500, 503] {
        for quoted in Quoted::ALL {
            let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Quote(status, quoted)).await)).await;
            let reply = raw(at, &chat(at, &[])).await;
            assert_eq!(reply.status, status, "{quoted:?}");
            let everything = format!("{}{}", reply.head, reply.text());
            assert!(!everything.contains(KEY), "{status} {quoted:?}");
            assert!(!everything.contains(&quoted.say()[..]), "{status} {quoted:?}: {everything}");
        }
    }
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::QuoteInHeader).await)).await;
    let reply = raw(at, &chat(at, &[])).await;
    assert_eq!((reply.status, reply.header("retry-after"), reply.text()), (503, None, "later"));
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_brings_it_neither() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::QuoteInStream).await)).await;
    let reply = raw(at, &chat(at, &[])).await;
    assert_eq!(reply.text(), "data: one\n\ndata: {\"error\":{\"message\":\"no key [key withheld]\"}}\n\n");
}

#[tokio::test]
async fn an_endpoint_cannot_put_a_page_on_this_server() {
    let dir = site();
    let (at, _stop) = start(with_proxy(&dir, endpoint(Behaviour::Page).await)).await;
    let reply = raw(at, &chat(at, &[])).await;
    assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn without_a_proxy_nothing_is_forwarded() {
    let dir = site();
    let (at, _stop) = start(options(&dir)).await;
    assert_eq!(raw(at, &chat(at, &[])).await.status, 405);
}

#[tokio::test]
async fn the_proxy_is_not_offered_to_other_machines() {
    let dir = site();
    let open = ServeOptions {
        host: "0.0.0.0".parse().unwrap(),
        ..with_proxy(&dir, "https://example.com/v1".to_owned())
    };
    let error = format!("{:?}", Server::bind(open).await.unwrap_err());
    assert!(error.contains("--llm-proxy") && !error.contains(KEY), "{error}");
}
