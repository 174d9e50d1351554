//! Triples by a language model, against a server on loopback: good, sloppy and hostile replies, refusals,
//! interruption and going on.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "support/endpoint.rs"]
mod endpoint;
#[path = "support/request.rs"]
mod request;

use endpoint::{Answer, Server, error, ok, serve};
use pocketgraph::llm::{ChatConfig, OpenAiChat, Retry};
use pocketgraph_cache::{Cache, Key};
use pocketgraph_knowledge::kg::open::{Extraction, Passage, bound_tokens, extract_triples};
use pocketgraph_llm_client::asker::{AskError, Asking, MemoryCache, ReplyCache};
use pocketgraph_llm_client::chat::NativeTransport;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

const TEXTS: [&str; 4] = [
    "Ada wrote to Charles.",
    "Charles built an engine.",
    "The engine weighed 15 t.",
    "Nothing is named here.",
];

/// A model that names the capitalised words, and states that the first has to do with the last.
fn sensible(body: &str) -> Answer {
    let asked: serde_json::Value = serde_json::from_str(body).unwrap();
    let prompt = asked["messages"][1]["content"].as_str().unwrap();
    let names: Vec<&str> =
        ["Ada", "Charles", "engine", "15 t"].into_iter().filter(|n| prompt.contains(n)).collect();
    if prompt.contains("Entities:") {
        return ok(serde_json::json!({"triples": [[names[0], "has to do with", names[names.len() - 1]]]})
            .to_string());
    }
    let all: Vec<serde_json::Value> =
        names.iter().map(|n| serde_json::json!({"name": n, "type": "thing"})).collect();
    ok(serde_json::json!({"entities": all}).to_string())
}

fn run(server: &Server, cache: &dyn ReplyCache) -> Result<Extraction, AskError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut config = ChatConfig::new(&server.base, "m");
    config.retry = Retry { base_ms: 1, ..Retry::default() };
    let chat = OpenAiChat::new(NativeTransport::direct().unwrap(), config).unwrap();
    let passages: Vec<Passage<'_>> = TEXTS.iter().map(|&text| Passage { heads: "T", text }).collect();
    let options = Asking { concurrency: 2, pause: Duration::from_millis(1), ..Asking::new("m") };
    runtime.block_on(extract_triples(&passages, &chat, cache, &options, &|_| {}))
}

#[test]
fn two_questions_a_chunk_at_most_two_at_once_and_none_a_second_time() {
    let server = serve(|_, body| sensible(body));
    let dir = tempfile::tempdir().unwrap();
    let first = run(&server, &Cache::open(dir.path()).unwrap()).unwrap();
    // The chunk that names nothing is not asked about again.
    assert_eq!((first.asked, first.kept, first.failed, server.count()), (7, 0, 0, 7));
    assert_eq!(first.tokens, (700, 70));
    assert_eq!(server.at_once.load(Ordering::SeqCst), 2);
    assert_eq!(first.chunks[0].triples[0].tail, "Charles");
    assert!(first.chunks[3].entities.is_empty());
    let again = run(&server, &Cache::open(dir.path()).unwrap()).unwrap();
    assert_eq!((again.asked, again.kept, server.count()), (0, 7, 7));
    assert_eq!(again.chunks, first.chunks);
}

#[test]
fn the_bound_holds_and_falls_by_what_is_kept() {
    let server = serve(|_, body| sensible(body));
    let cache = MemoryCache::default();
    let passages: Vec<Passage<'_>> = TEXTS.iter().map(|&text| Passage { heads: "T", text }).collect();
    let words = |t: &str| t.split_whitespace().count();
    let (read, written) = bound_tokens(&passages, &cache, &Asking::new("m"), &words);
    assert!(read > 4 * 2 * 100 && written == 4 * (700 + 1400));
    run(&server, &cache).unwrap();
    assert_eq!(bound_tokens(&passages, &cache, &Asking::new("m"), &words), (0, 0));
}

#[test]
fn sloppy_and_hostile_replies_are_read_as_far_as_they_go_and_paid_once() {
    let server = serve(|_, body| {
        if body.contains("Entities:") {
            return ok("Sure!\n```json\n{'triples': [['Ada', 'wrote_to', 'Charles',], ['Ada'], [1,2,3,4], \
                \"x\", ['Ada', 'sees', 'cut off he");
        }
        match body {
            b if b.contains("Ada wrote") => ok("The names are: {\"named_entities\": [\"Ada\", \"Charles\"]}"),
            b if b.contains("weighed") => ok("[".repeat(50_000)),
            b if b.contains("built") => ok("import os; os.system('true')"),
            _ => ok(""),
        }
    });
    let cache = MemoryCache::default();
    let found = run(&server, &cache).unwrap();
    assert_eq!((found.failed, found.asked), (0, 5));
    let relations: Vec<&str> = found.chunks[0].triples.iter().map(|t| t.relation.as_str()).collect();
    assert_eq!(relations, ["wrote to"]);
    assert!(found.chunks[1..].iter().all(|c| c.triples.is_empty()));
    run(&server, &cache).unwrap();
    assert_eq!(server.count(), 5, "what could not be read is not paid for again");
}

#[test]
fn too_many_requests_and_a_broken_reply_are_asked_again() {
    let server = serve(|n, body| match n {
        0 => error(429, "Retry-After: 0\r\n"),
        1 => error(503, ""),
        2 => Answer { cut: Some(30), ..sensible(body) },
        _ => sensible(body),
    });
    let found = run(&server, &MemoryCache::default()).unwrap();
    assert_eq!((found.failed, found.asked), (0, 7));
    assert_eq!(server.count(), 10);
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let refusing = serve(|n, body| if n < 3 { sensible(body) } else { error(401, "") });
    let stopped = run(&refusing, &Cache::open(dir.path()).unwrap()).unwrap_err();
    assert!(matches!(stopped, AskError::Model { answered: 3, .. }), "{stopped}");
    assert!(stopped.to_string().contains("goes on from here"));
    assert!(refusing.count() <= 5, "after a refusal nothing new is asked");
    let good = serve(|_, body| sensible(body));
    let rest = run(&good, &Cache::open(dir.path()).unwrap()).unwrap();
    assert_eq!((rest.asked, rest.kept, good.count()), (4, 3, 4), "no reply is paid for twice");
}

#[test]
fn an_endpoint_that_is_not_there_ends_the_run() {
    let gone =
        Server { base: "http://127.0.0.1:9/v1".into(), requests: Arc::default(), at_once: Arc::default() };
    let stopped = run(&gone, &MemoryCache::default()).unwrap_err();
    assert!(matches!(stopped, AskError::Model { answered: 0, kept: false, .. }));
    let message = stopped.to_string();
    assert!(
        message.contains("gave no reply")
            && !message.contains("lost")
            && !message.contains("goes on from here"),
        "{message}"
    );
}

#[test]
fn replies_that_nothing_keeps_are_reported_lost() {
    let refusing = serve(|n, body| if n < 3 { sensible(body) } else { error(401, "") });
    let stopped = run(&refusing, &MemoryCache::default()).unwrap_err();
    assert!(matches!(stopped, AskError::Model { answered: 3, kept: false, .. }), "{stopped}");
    let message = stopped.to_string();
    assert!(
        message.contains("are lost") && message.contains("--cache") && !message.contains("goes on from here"),
        "{message}"
    );
}

/// A cache whose disk is full.
struct Full;

impl ReplyCache for Full {
    fn get(&self, _: &Key) -> Option<String> {
        None
    }
    fn put(&self, _: &Key, _: &str) -> std::io::Result<()> {
        Err(std::io::Error::other("no space"))
    }
    fn outlives(&self) -> bool {
        true
    }
}

#[test]
fn a_reply_that_cannot_be_kept_ends_the_run() {
    let server = serve(|_, body| sensible(body));
    assert_eq!(run(&server, &Full), Err(AskError::Cache("no space".into())));
    assert!(server.count() <= 2);
}

fn build(docs: &Path, bundle: &Path, url: &str) -> std::process::Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_pocketgraph"))
        .args([
            "build",
            docs.to_str().unwrap(),
            "-o",
            bundle.to_str().unwrap(),
            "--no-runtime",
            "--no-keywords",
            "--kg-llm",
        ])
        .args(["--llm-url", url, "--llm-model", "m"])
        .env("POCKETGRAPH_API_KEY", "sk-build-secret")
        // A cache of its own: the user's may hold these very replies.
        .env("XDG_CACHE_HOME", bundle.with_file_name("cache"))
        .env("NO_PROXY", "127.0.0.1")
        .output()
        .unwrap()
}

#[test]
fn a_build_has_the_model_read_and_keeps_its_replies_but_never_the_key() {
    let dir = tempfile::tempdir().unwrap();
    let (docs, bundle) = (dir.path().join("docs"), dir.path().join("bundle"));
    std::fs::create_dir(&docs).unwrap();
    std::fs::write(docs.join("a.md"), "# Letters\n\nAda wrote to Charles about the engine.\n").unwrap();
    let server = serve(|_, body| sensible(body));
    let first = build(&docs, &bundle, &server.base);
    let printed =
        String::from_utf8_lossy(&first.stderr).into_owned() + &String::from_utf8_lossy(&first.stdout);
    assert!(first.status.success(), "{printed}");
    assert!(printed.contains("at most") && printed.contains("tokens"), "the bound comes first: {printed}");
    assert_eq!(server.count(), 2);
    let again = build(&docs, &bundle, &server.base);
    assert!(again.status.success());
    assert_eq!(server.count(), 2, "the second build pays nothing");
    let inspected = std::process::Command::new(env!("CARGO_BIN_EXE_pocketgraph"))
        .args(["inspect", bundle.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&inspected.stdout).contains("has to do with"));
    let mut folders = vec![dir.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!bytes.windows(9).any(|w| w == b"sk-build-"), "{}", path.display());
            }
        }
    }
    assert!(!printed.contains("sk-build-"));
}
