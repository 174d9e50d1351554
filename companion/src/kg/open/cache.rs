//! Replies that were paid for, kept by what was asked.

use crate::cache::{Cache, Key, Kind};
use pocketgraph::bundle::content_hash;
use pocketgraph::llm::ChatRequest;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// Keeps a model's replies, so that none is paid for twice.
pub trait ReplyCache {
    /// The reply kept under a key.
    fn get(&self, key: &str) -> Option<String>;

    /// Keeps a reply. When this returns, the reply must survive the end of the program.
    ///
    /// # Errors
    /// What kept it from being stored.
    fn put(&self, key: &str, reply: &str) -> std::io::Result<()>;
}

/// The key of a request: the hash of the model's name and of everything that the reply depends on.
pub fn key_of(model: &str, request: &ChatRequest) -> String {
    let mut all = Vec::new();
    let mut part = |s: &str| {
        // Lengths keep "ab" + "c" apart from "a" + "bc".
        all.extend_from_slice(&(s.len() as u64).to_le_bytes());
        all.extend_from_slice(s.as_bytes());
    };
    part(model);
    for m in &request.messages {
        part(m.role.name());
        part(&m.content);
    }
    part(&format!("{:?} {:?} {:?}", request.max_tokens, request.temperature, request.top_p));
    content_hash(&all).iter().map(|b| format!("{b:02x}")).collect()
}

/// Replies in memory, for tests and for builds that keep nothing.
#[derive(Debug, Default)]
pub struct MemoryCache(RefCell<HashMap<String, String>>);

impl ReplyCache for MemoryCache {
    fn get(&self, key: &str) -> Option<String> {
        self.0.borrow().get(key).cloned()
    }

    fn put(&self, key: &str, reply: &str) -> std::io::Result<()> {
        self.0.borrow_mut().insert(key.to_owned(), reply.to_owned());
        Ok(())
    }
}

/// Replies in the build's own cache, which writes each at once.
impl ReplyCache for Arc<Cache> {
    fn get(&self, key: &str) -> Option<String> {
        // What is no text was damaged: the reply is asked for again.
        Cache::get(self, &place_of(key)).and_then(|reply| String::from_utf8(reply).ok())
    }

    fn put(&self, key: &str, reply: &str) -> std::io::Result<()> {
        Cache::put(self, place_of(key), reply.as_bytes().to_vec());
        self.trouble().map_or(Ok(()), |why| Err(std::io::Error::other(why)))
    }
}

fn place_of(key: &str) -> Key {
    Key::new(Kind::Reply, &[b"triples", key.as_bytes()])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pocketgraph::llm::Message;

    #[test]
    fn replies_outlive_the_cache_and_keys_follow_what_was_asked() {
        let dir = tempfile::tempdir().unwrap();
        let ask = |model: &str, text: &str| key_of(model, &ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() });
        let key = ask("m", "a");
        ReplyCache::put(&Cache::open(dir.path()).unwrap(), &key, "réponse").unwrap();
        let again = Cache::open(dir.path()).unwrap();
        assert_eq!(again.get(&key).as_deref(), Some("réponse"));
        assert!(again.get(&ask("n", "a")).is_none() && again.get(&ask("m", "b")).is_none());
    }
}
